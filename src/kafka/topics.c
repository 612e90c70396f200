#include "kafka/topics.h"

#include <string.h>

#include "base/mem.h"

void rl_topics_init(struct rl_topics *t) {
  memset(t, 0, sizeof *t);
  pthread_mutex_init(&t->lock, NULL);
}

void rl_topics_free(struct rl_topics *t) {
  for (size_t i = 0; i < t->n; i++) rd_kafka_topic_destroy(t->at[i]);
  rl_free(t->at);
  pthread_mutex_destroy(&t->lock);
}

static rd_kafka_topic_t *find(const struct rl_topics *t, const char *name) {
  for (size_t i = 0; i < t->n; i++)
    if (!strcmp(rd_kafka_topic_name(t->at[i]), name)) return t->at[i];
  return NULL;
}

rd_kafka_topic_t *rl_topics_get(struct rl_topics *t, rd_kafka_t *rk, const char *name) {
  pthread_mutex_lock(&t->lock);
  rd_kafka_topic_t *rkt = find(t, name);
  if (!rkt && (rkt = rd_kafka_topic_new(rk, name, NULL))) {
    RL_GROW(t->at, t->cap, t->n + 1);
    t->at[t->n++] = rkt;
  }
  pthread_mutex_unlock(&t->lock);
  return rkt;
}
