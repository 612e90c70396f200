/* Is a join of the group under way?
 *
 * A cooperative member goes on with the partitions it keeps while it joins anew, and librdkafka says nothing
 * of it: neither call nor event tells. But what is sent to the coordinator then waits behind the join. A
 * commit comes too late for its generation, and up to 2.9 librdkafka drops the whole assignment for that (its
 * issue 4059); a leave is answered only after the join is. So the requests are watched as they go out and
 * come back. */
#ifndef RL_KAFKA_JOINING_H
#define RL_KAFKA_JOINING_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

struct rl_joining;

struct rl_joining *rl_joining_new(void);
/* Before the client is made of conf. */
void rl_joining_watch(struct rl_joining *j, rd_kafka_conf_t *conf);
void rl_joining_free(struct rl_joining *j); /* before or after the client is gone */

/* Partitions were given up: a join follows at once, and counts from now on. */
void rl_joining_follows(struct rl_joining *j);

bool rl_joining_now(const struct rl_joining *j);

#endif
