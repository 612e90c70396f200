/* How many bytes of a topic's outputs may be unanswered.
 *
 * A broker refuses a whole request for its size (max.message.bytes counts the record batch), and a request
 * behind it may be taken: what is sent again would come after it. So of a topic that takes less than our
 * producer puts into a request, no more is under way than the topic takes in one. What the broker did not
 * tell the limit of is not paced (alone.h). */
#ifndef RL_STREAM_PACE_H
#define RL_STREAM_PACE_H

#include "kafka/producer.h"

struct rl_pace {
  char *topic;
  size_t limit;     /* 0: none that a request of ours could pass */
  size_t under_way; /* bytes sent and not answered */
};

/* At most what the record takes in a batch, but for the batch's own header. */
size_t rl_pace_bytes(const struct rl_record *record);
/* May these bytes go now? A record over the limit goes alone, to be judged by the broker. */
bool rl_pace_room(const struct rl_pace *pace, size_t bytes);

struct rl_paces {
  struct rl_pace **at; /* each stays where it is */
  size_t n, cap;
};

struct rl_pace *rl_paces_find(const struct rl_paces *paces, const char *topic); /* NULL: not there */
struct rl_pace *rl_paces_add(struct rl_paces *paces, const char *topic, size_t limit);
void rl_paces_free(struct rl_paces *paces);

#endif
