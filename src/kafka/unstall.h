/* A consumer's queue that was full, before librdkafka 2.2.0: the thread that fetches then sleeps until
 * something wakes it, or for a second, while a lane empties the queue in a tenth of that. So it is woken
 * whenever an eighth of what the queue may hold was taken. From 2.2.0 on fetch.queue.backoff.ms bounds that
 * sleep, and nothing is done here.
 *
 * What wakes the threads of all brokers, and asks no broker for anything, is rd_kafka_sasl_set_credentials:
 * it is given those that are in force. */
#ifndef RL_KAFKA_UNSTALL_H
#define RL_KAFKA_UNSTALL_H

#include <librdkafka/rdkafka.h>

struct rl_unstall {
  size_t bytes, messages; /* taken since the last wake-up */
  size_t bytes_step, messages_step;
  char *user, *password;
};

void rl_unstall_init(struct rl_unstall *u, rd_kafka_t *rk);
void rl_unstall_free(struct rl_unstall *u);
void rl_unstall_now(struct rl_unstall *u, rd_kafka_t *rk);

/* A message of so many bytes left the queue. */
static inline void rl_unstall_taken(struct rl_unstall *u, rd_kafka_t *rk, size_t bytes) {
  u->bytes += bytes;
  u->messages++;
  if (u->bytes >= u->bytes_step || u->messages >= u->messages_step) rl_unstall_now(u, rk);
}

#endif
