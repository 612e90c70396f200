/* A librdkafka handle: its configuration (rille's defaults, then the user's, then what must hold), its log,
 * and first contact. */
#ifndef RL_KAFKA_CLIENT_H
#define RL_KAFKA_CLIENT_H

#include <librdkafka/rdkafka.h>

#include "kafka/config.h"
#include "kafka/joining.h"

enum rl_side { RL_SIDE_CONSUMER = 1, RL_SIDE_PRODUCER = 2, RL_SIDE_ADMIN = 4 };

struct rl_client_opts {
  enum rl_side side;
  const struct rl_kconf *conf; /* NULL: none */
  const char *brokers;         /* NULL: from conf */
  const char *group;           /* consumers: NULL gives one that nothing joins */
  const char *reset;           /* consumers: auto.offset.reset */
  int fetch_wait_ms;           /* consumers; 0: librdkafka's own */
  int lane;
  bool embedded;              /* consumers: of the embedded broker */
  struct rl_joining *joining; /* NULL: nobody asks */
};

/* NULL and err on failure. */
rd_kafka_t *rl_client_open(const struct rl_client_opts *opts, struct rl_err *err);
/* Ends the handle, within some seconds whatever holds on to it. flags: RD_KAFKA_DESTROY_F_… */
void rl_client_close(rd_kafka_t *rk, int flags);

/* Waits for a broker's first answer. Error events that come to `events` meanwhile say why there is none. */
int rl_client_connect(rd_kafka_t *rk, rd_kafka_queue_t *events, int timeout_ms, struct rl_err *err);
/* Copies a setting that is in force into buf. */
const char *rl_client_setting(rd_kafka_t *rk, const char *key, char *buf, size_t size);

/* The mock cluster gives itself away by its cluster id. */
bool rl_client_is_embedded(rd_kafka_t *rk, int timeout_ms);

#endif
