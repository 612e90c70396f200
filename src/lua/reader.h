/* The userdata "rille.reader": reads whole records of a format that is more than one JSON value a message
 * (avro, csv, tsv, json with `rows`), for message:decode() and batch:rows(). A decoder serves one thread, and
 * the lane's is the reader thread's: so a state that handles messages has its own. It holds a copy of the
 * settings, which its decoder borrows from.
 */
#ifndef RL_LUA_READER_H
#define RL_LUA_READER_H

#include <lua.h>

#include "base/msg.h"
#include "stream/settings.h"

/* Pushes one for the settings (finished), or nil where values are JSON or the script decodes them. Raises
 * what is wrong with the settings. */
void rl_lua_push_reader(lua_State *L, const struct rl_settings *s);
/* Gives the batch (a root) at idx what stands at the top, a reader or nil, which is popped. From then on the
 * reader reads messages of that batch only. */
void rl_lua_use_reader(lua_State *L, int idx);
/* Pushes the record with that number (from 0) of the message's value, which is not null, as tables and
 * scalars: null as rille.null, bytes as strings. The reader is at idx. 0, or RL_EHANDLER or RL_ETRANSIENT (a
 * schema is not there yet), and nothing pushed. */
int rl_lua_read(lua_State *L, int idx, const struct rl_msg *msg, size_t record, struct rl_err *err);

#endif
