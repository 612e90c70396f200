/* The userdata "rille.metric" and the table rille.metrics: how good scores are, added up over a stream
 * (model/metric.h).
 *
 * rille.metrics.accuracy([options]), .auc(), .log_loss(), .confusion([options])   options: threshold (0.5): a
 *                         score above it says yes
 * m:update(scores, labels)   adds rows; scores and labels are [n] or [n, 1], tensors of any type or arrays.
 * Gives m. m:value()               a number; of confusion a table { tp, fp, tn, fn, precision, recall, f1 }.
 * NaN while there is none. m:reset()               as at the beginning
 *
 * Shapes that do not go together, a score that is NaN and a label that is neither 0 nor 1 are ordinary errors
 * that name them; nothing is added then. What AUC keeps (8 bytes a row) counts against the state's memory. */
#ifndef RL_LUA_METRICS_H
#define RL_LUA_METRICS_H

#include <lua.h>

#define RL_METRIC_TYPE "rille.metric"

/* Pushes the table rille.metrics; registers the type. */
void rl_lua_open_metrics(lua_State *L);

#endif
