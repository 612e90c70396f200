/* The embedded broker: librdkafka's mock cluster, for demos and tests (S12). It keeps about 5 MB a partition,
 * drops the oldest in silence, and has no admin calls for groups and topics. Listens on loopback.
 *
 * Members of one group do not get on there: one whose SyncGroup comes after the leader's is sent to join
 * anew, and until all have, commits are refused. So the lanes of a run share the partitions out by themselves
 * and commit for the group without being members. */
#ifndef RL_KAFKA_BROKER_H
#define RL_KAFKA_BROKER_H

#include "kafka/config.h"

#define RL_BROKER_PARTITION_BYTES (5 * 1024 * 1024)

struct rl_broker;

/* `topics`: "NAME:PARTITIONS,…" or NULL; brokers ≥ 1. */
int rl_broker_start(struct rl_broker **out, const char *topics, int brokers, struct rl_err *err);
const char *rl_broker_address(const struct rl_broker *b); /* "127.0.0.1:34567" */
void rl_broker_stop(struct rl_broker *b);
/* Whether the cluster behind these metadata is a mock: its cluster id says so. */

#endif
