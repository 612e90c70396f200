/* Questions and orders to the cluster that are not consuming or producing: for `lag`, `groups`, `seek`.
 * All block, up to timeout_ms. */
#ifndef RL_KAFKA_ADMIN_H
#define RL_KAFKA_ADMIN_H

#include "base/tps.h"
#include "kafka/config.h"

struct rl_admin;

int rl_admin_open(struct rl_admin **out, const struct rl_kconf *conf, const char *brokers, int timeout_ms,
                  struct rl_err *err); /* connects: RL_EBROKER when that fails */
void rl_admin_close(struct rl_admin *a);

struct rl_member {
  char *id, *client_id, *host;
  struct rl_tps parts;
};

struct rl_group {
  char *name, *state, *protocol; /* "Stable", "Empty", "Dead"; "range", "cooperative-sticky" … */
  struct rl_member *members;
  size_t n_members;
  bool exists;
};

int rl_admin_group(struct rl_admin *a, const char *name, struct rl_group *out, struct rl_err *err);
void rl_group_free(struct rl_group *group);
/* All groups' names; free with rl_admin_names_free. */
int rl_admin_groups(struct rl_admin *a, char ***names, size_t *n, struct rl_err *err);
void rl_admin_names_free(char **names, size_t n);

/* Committed offsets of a group: all partitions it ever committed, RL_OFFSET_INVALID where none. */
int rl_admin_offsets(struct rl_admin *a, const char *group, struct rl_tps *out, struct rl_err *err);
/* The same on the embedded broker, which answers only for partitions it is asked about. */
int rl_admin_offsets_embedded(struct rl_admin *a, const char *group, struct rl_tps *out, struct rl_err *err);
/* Sets a group's offsets; refused by the broker while members are up. */
int rl_admin_set_offsets(struct rl_admin *a, const char *group, const struct rl_tps *to, struct rl_err *err);

/* All partitions of a topic, offsets unset. Unknown topic: RL_EBROKER. */
int rl_admin_partitions(struct rl_admin *a, const char *topic, struct rl_tps *out, struct rl_err *err);
/* Fill offsets: ends, beginnings, or first offset at or after a wall time in ms. */
int rl_admin_ends(struct rl_admin *a, struct rl_tps *parts, struct rl_err *err);
int rl_admin_begins(struct rl_admin *a, struct rl_tps *parts, struct rl_err *err);
int rl_admin_times(struct rl_admin *a, struct rl_tps *parts, int64_t ms, struct rl_err *err);
/* Is this the embedded broker? (`send` refuses to overfill it, S12.) */
bool rl_admin_is_embedded(struct rl_admin *a);

#endif
