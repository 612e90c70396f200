/* How much room an embedded broker has left, partition by partition (S12): it keeps about 5 MB of each and
 * drops the oldest in silence, so `send` asks here before it sends. What stands there is counted by reading
 * it once; what is added is counted as the broker will at worst, each message in a set of its own. */
#ifndef RL_CLI_ROOM_H
#define RL_CLI_ROOM_H

#include "base/msg.h"
#include "cli/args.h"

struct rl_room {
  int64_t *used; /* bytes, by partition; NULL: a real broker, which keeps what it is told to */
  int32_t partitions;
};

/* Looks whether the broker is an embedded one, and what the topic holds there. */
int rl_room_open(struct rl_room *room, struct rl_cli *cli, const char *topic, struct rl_err *err);
/* What a message takes at most. */
int64_t rl_room_cost(struct rl_bytes key, struct rl_bytes value, const struct rl_header *headers, size_t n);
/* Takes room in the partition the message goes to: `partition`, else its key's, as Java's clients choose it,
 * else the emptiest, and says in *partition which. RL_EFULL when it would not fit. Real brokers: does
 * nothing. */
int rl_room_take(struct rl_room *room, struct rl_bytes key, int64_t cost, int32_t *partition,
                 struct rl_err *err);
void rl_room_free(struct rl_room *room);

uint32_t rl_murmur2(struct rl_bytes key); /* Kafka's own, for choosing partitions */

#endif
