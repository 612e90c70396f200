#include "kafka/unstall.h"

#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "kafka/client.h"

enum { PARTS = 8 };

static char *text_setting(rd_kafka_t *rk, const char *key) {
  size_t size = 0;
  if (rd_kafka_conf_get(rd_kafka_conf(rk), key, NULL, &size) != RD_KAFKA_CONF_OK || size == 0)
    return rl_strdup("");
  char *text = rl_zalloc(size);
  rl_client_setting(rk, key, text, size);
  return text;
}

/* A part of a limit, at least 1. */
static size_t step(rd_kafka_t *rk, const char *key, int64_t unit) {
  char text[64];
  int64_t limit = 0;
  rl_parse_i64(rl_client_setting(rk, key, text, sizeof text), &limit);
  return limit * unit > PARTS ? (size_t)(limit * unit / PARTS) : 1;
}

void rl_unstall_init(struct rl_unstall *u, rd_kafka_t *rk) {
  *u = (struct rl_unstall){.bytes_step = SIZE_MAX, .messages_step = SIZE_MAX};
  if (rl_kconf_has("fetch.queue.backoff.ms")) return;
  u->bytes_step = step(rk, "queued.max.messages.kbytes", 1024);
  u->messages_step = step(rk, "queued.min.messages", 1);
  u->user = text_setting(rk, "sasl.username");
  u->password = text_setting(rk, "sasl.password");
}

void rl_unstall_free(struct rl_unstall *u) {
  rl_free(u->user);
  rl_free(u->password);
}

void rl_unstall_now(struct rl_unstall *u, rd_kafka_t *rk) {
  u->bytes = u->messages = 0;
  if (!u->user) return;
  rd_kafka_error_t *error = rd_kafka_sasl_set_credentials(rk, u->user, u->password);
  if (error) rd_kafka_error_destroy(error); /* only when one of them is NULL */
}
