/* Settings that go to librdkafka: an ordered list of key=value where the last one wins.
 *
 * Sources, weakest first: rille's own defaults, a properties file (-F), the script's `kafka = {…}`, -X.
 * `enable.auto.commit` and `enable.auto.offset.store` stay false whatever is passed (a warning says so);
 * `plugin.library.paths` is refused. Every value whose key holds a secret is registered with rl_log_secret.
 * What the loaded library offers is asked of it at run time (rl_kconf_has), never of its header. */
#ifndef RL_KAFKA_CONFIG_H
#define RL_KAFKA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct rl_kpair {
  char *key, *value;
  char *origin; /* "-X", "kafka.properties:3", "script": for error messages */
};

struct rl_kconf {
  struct rl_kpair *at;
  size_t n, cap;
};

#define RL_KCONF_INIT \
  { NULL, 0, 0 }

/* Adds a pair; refuses what must not be set and what librdkafka does not know (naming the nearest). Keys for
 * producers only or consumers only are accepted and used where they fit ("topic." prefixes are not needed).
 */
int rl_kconf_set(struct rl_kconf *conf, const char *key, const char *value, const char *origin,
                 struct rl_err *err);
int rl_kconf_set_pair(struct rl_kconf *conf, const char *pair, const char *origin,
                      struct rl_err *err); /* "k=v" */
/* Java-style properties: `key=value`, blanks trimmed, # comments; a missing file is an error with its name.
 */
int rl_kconf_read_file(struct rl_kconf *conf, const char *path, struct rl_err *err);
const char *rl_kconf_get(const struct rl_kconf *conf, const char *key); /* last value or NULL */
void rl_kconf_copy(struct rl_kconf *to, const struct rl_kconf *from);
void rl_kconf_free(struct rl_kconf *conf);

bool rl_kconf_has(const char *key); /* does the loaded librdkafka know this property? */
const char *rl_kafka_version(void); /* of the loaded library: "2.0.2" */
int rl_kafka_version_number(void);  /* 0x020002ff: of the loaded library */

#endif
