/* A producer's topic handles by name, so that a send does not look the topic up under librdkafka's lock. */
#ifndef RL_KAFKA_TOPICS_H
#define RL_KAFKA_TOPICS_H

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stddef.h>

struct rl_topics {
  pthread_mutex_t lock;
  rd_kafka_topic_t **at;
  size_t n, cap;
};

void rl_topics_init(struct rl_topics *t);
void rl_topics_free(struct rl_topics *t);
/* NULL: not a name librdkafka takes (rd_kafka_last_error). Valid until rl_topics_free. */
rd_kafka_topic_t *rl_topics_get(struct rl_topics *t, rd_kafka_t *rk, const char *name);

#endif
