/* Which simdjson the codecs were built with. */
#ifndef RL_CODEC_VERSION_H
#define RL_CODEC_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

const char *rl_simdjson_version(void); /* "3.0.1" */

#ifdef __cplusplus
}
#endif
#endif
