/* The userdata "rille.message": one row of a batch, which is a message, or one of a message's records: then
 * each of them has a userdata of its own, whose fields and decode() are the record's, while the rest (topic
 * to headers) is the message's; `record` says which it is. Bytes become Lua strings when they are read, not
 * before. User value 1: the batch's root, which it keeps alive; user value 2: the table `fields`, once asked
 * for. */
#ifndef RL_LUA_MESSAGE_H
#define RL_LUA_MESSAGE_H

#include <lua.h>

#include "lua/batch.h"

#define RL_MESSAGE_TYPE "rille.message"

struct rl_lua_message {
  struct rl_lua_batch *root;
  uint32_t row;
};

/* Pushes message `row` (of the rl_batch) of the batch at idx: the same object each time. */
void rl_lua_push_message(lua_State *L, int idx, uint32_t row);
/* The message at idx, its batch still open; raises a script failure else, naming `call`. */
struct rl_lua_message *rl_lua_check_message(lua_State *L, int idx, const char *call);
const struct rl_msg *rl_lua_msg(const struct rl_lua_message *m);
/* The row's place among its message's, from 0. */
size_t rl_lua_record(const struct rl_lua_message *m);

/* Pushes what the message (the record) at idx decodes to: by the script's own decode if it has one, else by
 * the batch's reader (lua/reader.h), else as JSON; nil for a null value. Raises "topic[0]@12: …" when it does
 * not decode: that is the message's failure. */
void rl_lua_push_decoded(lua_State *L, int idx);
/* How deep JSON that decode() reads may nest (limits.depth). */
void rl_lua_set_depth(lua_State *L, size_t depth);

/* Pushes the headers: an array of { name =, value = } in order; indexed by a name it gives that header's last
 * value (lua/headers.c). */
void rl_lua_push_headers(lua_State *L, const struct rl_msg *msg);

void rl_lua_open_message(lua_State *L);

#endif
