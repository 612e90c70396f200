/* Outputs to be sent again, each alone.
 *
 * A broker refuses a whole record batch for its size (max.message.bytes counts the batch), small records that
 * travelled in it too. What came back so is kept here, copied, and sent again one by one while nothing else
 * is under way: only what is refused alone is too large.
 *
 * So it may come behind what was sent after it to the same partition. Where the broker tells a topic's limit
 * this does not happen (pace.h); it may where it does not (no right to describe the topic's configuration),
 * and when the limit was lowered in mid-run. A batch.size below the limit avoids it there too. */
#ifndef RL_STREAM_ALONE_H
#define RL_STREAM_ALONE_H

#include "base/arena.h"
#include "kafka/producer.h"

struct rl_alone;

struct rl_alone *rl_alone_new(const struct rl_record *record); /* copies all it points to; the opaque stays */
void rl_alone_free(struct rl_alone *a);

struct rl_alone_queue {
  struct rl_alone *first, *last;
};

void rl_alone_push(struct rl_alone_queue *queue, struct rl_alone *a);
struct rl_alone *rl_alone_pop(struct rl_alone_queue *queue); /* NULL: empty */
struct rl_record *rl_alone_record(struct rl_alone *a);       /* lives as long as a */

#endif
