/* What the loaded librdkafka knows: its properties' names, aliases and sides, as it prints them itself. */
#ifndef RL_KAFKA_PROPERTY_H
#define RL_KAFKA_PROPERTY_H

#include <stdbool.h>

struct rl_kprop {
  char *name;
  char *alias_of; /* the name librdkafka keeps it under; NULL when this is that name */
  bool consumer, producer;
};

/* NULL: unknown, or one that librdkafka does not show. */
const struct rl_kprop *rl_kprop_find(const char *name);
/* The one name behind an alias: "acks" gives "request.required.acks". Unknown names give themselves. */
const char *rl_kprop_canonical(const char *name);
const char *rl_kprop_nearest(const char *name); /* or NULL */

#endif
