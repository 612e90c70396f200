/* Where in a value something is, as "alerts[3].mag": put together on the way back, from the inside out. */
#ifndef RL_LUA_JSON_PATH_H
#define RL_LUA_JSON_PATH_H

#include "base/buf.h"

/* Zero it. */
struct rl_json_path {
  struct rl_buf text; /* empty: the top */
  struct rl_buf spare;
};

/* Puts a step before the others. */
void rl_json_path_key(struct rl_json_path *path, const char *key, size_t len);
void rl_json_path_index(struct rl_json_path *path, long long index);
void rl_json_path_free(struct rl_json_path *path);

#endif
