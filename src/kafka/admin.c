#include "kafka/admin.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kafka/admin_impl.h"
#include "kafka/client.h"
#include "kafka/lookup.h"
#include "kafka/reason.h"

int rl_admin_open(struct rl_admin **out, const struct rl_kconf *conf, const char *brokers, int timeout_ms,
                  struct rl_err *err) {
  struct rl_client_opts client = {.side = RL_SIDE_ADMIN, .conf = conf, .brokers = brokers};
  rd_kafka_t *rk = rl_client_open(&client, err);
  if (!rk) return RL_EUSAGE;
  struct rl_admin *a = rl_zalloc(sizeof *a);
  a->rk = rk;
  a->events = rd_kafka_queue_get_main(rk);
  a->timeout_ms = timeout_ms;
  int rc = rl_client_connect(rk, a->events, timeout_ms, err);
  if (rc)
    rl_admin_close(a);
  else
    *out = a;
  return rc;
}

void rl_admin_close(struct rl_admin *a) {
  if (!a) return;
  rd_kafka_queue_destroy(a->events);
  rl_client_close(a->rk, 0);
  rl_free(a);
}

void rl_order_begin(struct rl_order *order, rd_kafka_t *rk, rd_kafka_admin_op_t op, int timeout_ms) {
  char why[128];
  order->timeout_ms = timeout_ms;
  order->queue = rd_kafka_queue_new(rk);
  order->options = rd_kafka_AdminOptions_new(rk, op);
  rd_kafka_AdminOptions_set_request_timeout(order->options, timeout_ms, why, sizeof why);
}

rd_kafka_event_t *rl_order_wait(struct rl_order *order, const char *what, struct rl_err *err) {
  rd_kafka_event_t *event = rd_kafka_queue_poll(order->queue, order->timeout_ms + 1000);
  rd_kafka_resp_err_t code = event ? rd_kafka_event_error(event) : RD_KAFKA_RESP_ERR__TIMED_OUT;
  if (!code) return event;
  rl_reason_text(err, code, event ? rd_kafka_event_error_string(event) : NULL, "%s", what);
  if (event) rd_kafka_event_destroy(event);
  return NULL;
}

void rl_order_end(struct rl_order *order) {
  rd_kafka_AdminOptions_destroy(order->options);
  rd_kafka_queue_destroy(order->queue);
}

int rl_admin_partitions(struct rl_admin *a, const char *topic, struct rl_tps *out, struct rl_err *err) {
  char *name = (char *)topic;
  struct rl_topic_info *infos;
  size_t n;
  int rc = rl_lookup_topics(a->rk, &name, 1, a->timeout_ms, &infos, &n, err);
  if (rc) return rc;
  struct rl_tps none = RL_TPS_INIT;
  *out = none;
  int error = n ? infos[0].error : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  for (int32_t i = 0; !error && i < infos[0].partitions; i++) rl_tps_add(out, topic, i, RL_OFFSET_INVALID);
  rl_topic_infos_free(infos, n);
  return error ? rl_reason(err, (rd_kafka_resp_err_t)error, "topic %s", topic) : 0;
}

int rl_admin_ends(struct rl_admin *a, struct rl_tps *parts, struct rl_err *err) {
  return rl_lookup_offsets(a->rk, parts, RL_OFFSET_END, a->timeout_ms, err);
}

int rl_admin_begins(struct rl_admin *a, struct rl_tps *parts, struct rl_err *err) {
  return rl_lookup_offsets(a->rk, parts, RL_OFFSET_BEGINNING, a->timeout_ms, err);
}

int rl_admin_times(struct rl_admin *a, struct rl_tps *parts, int64_t ms, struct rl_err *err) {
  for (size_t i = 0; i < parts->n; i++) parts->at[i].offset = ms;
  return rl_lookup_offsets(a->rk, parts, RL_OFFSET_INVALID, a->timeout_ms, err);
}

bool rl_admin_is_embedded(struct rl_admin *a) { return rl_client_is_embedded(a->rk, a->timeout_ms); }
