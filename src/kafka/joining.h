/* May a member commit now, or is a join of the group under way, or about to be?
 *
 * A cooperative member goes on with the partitions it keeps while it joins anew, and librdkafka says nothing
 * of it: neither call nor event tells. But what is sent to the coordinator then waits behind the join. A
 * commit comes too late for its generation, and up to 2.9 librdkafka drops the whole assignment for that (its
 * issue 4059); a leave is answered only after the join is. So the requests are watched as they go out and
 * come back.
 *
 * A join follows upon the answer to a heartbeat or to the second half of a join, which only librdkafka reads:
 * at once, or a second after the last join, where that is later. From a heartbeat on a commit is therefore
 * doubtful as that second ends, until a join has gone out or none can come any more. Of the latter three
 * probes are the proof, one after the other: small requests to the coordinator, which take the way of a
 * commit. The first goes out after the answer was put before librdkafka's main thread. The second was asked
 * for after that, so that thread has read the answer when it reads this. The third it reads a round later,
 * and at the end of each round it sends the join that is due. */
#ifndef RL_KAFKA_JOINING_H
#define RL_KAFKA_JOINING_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/wake.h"

struct rl_joining;

/* Rings `wake` when there is a probe to send, or none any more, until rl_joining_free. */
struct rl_joining *rl_joining_new(const struct rl_wake *wake);
/* Before the client is made of conf. */
void rl_joining_watch(struct rl_joining *j, rd_kafka_conf_t *conf);
void rl_joining_free(struct rl_joining *j); /* before or after the client is gone */

/* Partitions were given up: a join follows at once, and counts from now on. */
void rl_joining_follows(struct rl_joining *j, int64_t now);

bool rl_joining_now(const struct rl_joining *j, int64_t now);
/* Has a join of whatever protocol gone out? Until then there is nothing to leave. */
bool rl_joining_begun(const struct rl_joining *j);

/* RL_PROBE: the caller asks the coordinator for something (an OffsetFetch) and looks again when it rings.
 * What stays in doubt for two seconds because the coordinator is silent is not any more: a commit that is
 * sent then waits in librdkafka, or fails by itself. */
enum rl_doubt { RL_SURE, RL_WAIT, RL_PROBE };
enum rl_doubt rl_joining_doubt(struct rl_joining *j, int64_t now);

/* A request of this kind went out, or its answer came: any thread. What the watch calls. */
void rl_joining_sent(struct rl_joining *j, int api_key, int64_t now);
void rl_joining_received(struct rl_joining *j, int api_key, int64_t now);

#endif
