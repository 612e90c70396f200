/* A user's script: loaded into a state of its own, its settings read, its functions kept.
 *
 * A script is a file (or --code text) that returns a table with `handle(batch, out)`, or that function alone.
 * What stands beside `handle` are hooks (open, close, assigned, revoked, every = { seconds, fn }), `decode`,
 * and settings under their names (stream/settings.h), nested as in { batch = { size = 512 } }. */
#ifndef RL_LUA_SCRIPT_H
#define RL_LUA_SCRIPT_H

#include <stdint.h>

#include "stream/settings.h"

struct rl_script;

struct rl_script_opts {
  const char *path;  /* the file; NULL with code */
  const char *code;  /* --code's text; NULL with path */
  char *const *args; /* what came after -- */
  size_t n_args;
  int64_t memory; /* bytes the state may hold while it loads; 0: 1 GiB */
  double time;    /* seconds it may take to load; 0: no limit */
};

/* Loads and runs the chunk. RL_EUSAGE with file and line when it does not load or is no script. */
int rl_script_open(struct rl_script **out, const struct rl_script_opts *opts, struct rl_err *err);
void rl_script_close(struct rl_script *script);

/* Puts the script's settings into s, at RL_LAYER_SCRIPT. RL_EUSAGE: "bright.lua: unknown setting 'bathc' (did
 * you mean 'batch'?)". Warns of a field that a method of the batch hides. */
int rl_script_settings(struct rl_script *script, struct rl_settings *s, struct rl_err *err);

/* After rl_settings_finish: holds the expressions that the script gave to rille.where while it was loaded
 * against the fields. RL_EUSAGE with place, column and the nearest name. */
int rl_script_check(struct rl_script *script, const struct rl_settings *s, struct rl_err *err);

const char *rl_script_name(const struct rl_script *script); /* "bright.lua"; "--code" */

#endif
