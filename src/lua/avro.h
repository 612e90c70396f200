/* rille.avro: schemas, and values by them, for scripts.
 *
 *   schema(TEXT or FILE)                      a schema, read once: JSON text, an .avsc file, or a container
 * that holds it; s.text, s.fingerprint (hexadecimal), s:encode, s:decode encode(schema, value [, options])
 * text (bytes); raises what does not fit, naming its place in the value framing   "bare" (default),
 * "single-object", "confluent" (with id), "container", "key" (bare: the schema goes into the message's key),
 * as the setting of that name id        the schema's number at a registry codec     of a container: "null"
 * (default), "deflate", "zstandard", "snappy" records   of a container: the value is a list of records
 *     logical   decimals and fixed UUIDs are texts, as decoding gives them under that setting
 *     drop_unknown  members that a record has no field for are left out; else they are an error
 *   decode(schema, bytes [, options])         value, or nil and what is wrong at which byte; options framing
 * (or what the bytes say), logical, records (a list of all); schema nil: the bytes bring their own
 *   branch(NAME, value)                       the value as that branch of a union
 *
 * What a value may be, and how a union's branch is found, says codec/avro_encode.h. Lua's shapes are as in
 * lua/json.h: rille.null or nil is null, a list is a table with keys 1 … n, everything else an object. A text
 * or schema that is none is the script's failure; a value that does not fit is the message's. */
#ifndef RL_LUA_AVRO_H
#define RL_LUA_AVRO_H

#include <lua.h>

#include "codec/json.h"

/* Appends the value at idx to the tape, which is empty, for rl_avro_encode. What is no value becomes a
 * RL_AVRO_FOREIGN. Borrows Lua's strings: the value must stay as it is. Never raises, never allocates in Lua.
 * (lua/avro_value.c) */
void rl_lua_put_value(lua_State *L, int idx, size_t max_depth, struct rl_tape *tape);
int l_avro_branch(lua_State *L);
void rl_lua_open_branch(lua_State *L);

void rl_lua_open_avro(lua_State *L); /* pushes the table rille.avro; after rl_lua_open_json */

#endif
