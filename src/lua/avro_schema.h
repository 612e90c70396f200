/* The userdata "rille.schema": a schema with what writes and reads by it. Private to lua/avro*.c. */
#ifndef RL_LUA_AVRO_SCHEMA_H
#define RL_LUA_AVRO_SCHEMA_H

#include <lua.h>

#include "codec/avro_encode.h"
#include "codec/decoder.h"

enum { RL_LUA_FRAMINGS = RL_AVRO_BARE + 1 };

struct rl_lua_schema {
  struct rl_avro_encoder *encoder;                 /* NULL: no schema, the bytes bring theirs */
  struct rl_avro_file file;                        /* being written: here, so that an error loses nothing */
  struct rl_decoder *decoders[RL_LUA_FRAMINGS][2]; /* by framing and `logical`; made when first wanted */
};

/* Puts a schema in the place of what stands at idx: itself, or what its text or file says (then it is kept: a
 * schema is parsed once). nil_too: nil is no schema. Raises a script failure naming `call`. */
struct rl_lua_schema *rl_lua_schema_at(lua_State *L, int idx, bool nil_too, const char *call);
/* The decoder, or raises. */
struct rl_decoder *rl_lua_schema_decoder(lua_State *L, struct rl_lua_schema *schema,
                                         enum rl_avro_framing framing, bool logical, const char *call);
/* Registers the type, with these methods. */
void rl_lua_open_schema(lua_State *L, lua_CFunction encode, lua_CFunction decode);

#endif
