/* A queue that is full again and again is filled again at once, by any librdkafka (S6.4). */
#include <time.h>

#include "kafka/client.h"
#include "kafka/consumer_impl.h"
#include "kafka_bed.h"

enum { MESSAGES = 3000, SIZE = 1024, QUEUE_KB = 64 };

static struct rl_kconf settings(const char *const *pairs) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  for (; *pairs; pairs++)
    if (rl_kconf_set_pair(&conf, *pairs, "test", &err)) UNIT_FAIL("%s", err.text);
  return conf;
}

/* In batches of 10 messages: a fetch brings whole ones. */
static void fill(struct bed *b) {
  static const char *const pairs[] = {"batch.num.messages=10", NULL};
  static char value[SIZE];
  struct rl_kconf conf = settings(pairs);
  struct rl_producer *p = bed_producer(b->address, &conf);
  struct bed_reports r = {0, 0, {0}};
  struct rl_record record = {.topic = "alerts", .partition = 0, .value = rl_bytes(value, SIZE)};
  struct rl_err err;
  for (int i = 0; i < MESSAGES; i++)
    if (rl_producer_send(p, &record, &err)) UNIT_FAIL("send: %s", err.text);
  bed_flush(p, &r);
  CHECK_INT(r.ok, MESSAGES);
  rl_producer_destroy(p, bed_delivered, &r);
  rl_kconf_free(&conf);
}

static struct rl_consumer *open_small(struct bed *b) {
  static const char *const pairs[] = {"queued.max.messages.kbytes=64", "fetch.message.max.bytes=20000",
                                      "sasl.mechanism=PLAIN",          "sasl.username=galileo",
                                      "sasl.password=eppur-si-muove",  NULL};
  struct rl_kconf conf = settings(pairs);
  struct rl_tps parts = RL_TPS_INIT;
  struct rl_consumer_opts opts = {.conf = &conf, .brokers = b->address, .manual = true};
  struct rl_consumer *c = bed_consumer(&opts);
  struct rl_err err;
  rl_tps_add(&parts, "alerts", 0, RL_OFFSET_BEGINNING);
  if (rl_consumer_assign(c, &parts, &err)) UNIT_FAIL("assign: %s", err.text);
  rl_tps_free(&parts);
  rl_kconf_free(&conf);
  return c;
}

/* Waits until the queue is full, or nothing more comes for a while. */
static void let_it_fill(struct rl_consumer *c) {
  struct timespec tick = {0, RL_NS_PER_MS};
  bed_wait(rl_consumer_fd(c));
  rl_consumer_clear(c);
  for (int i = 0; i < 50 && rd_kafka_queue_length(c->lane) < QUEUE_KB; i++) nanosleep(&tick, NULL);
}

static int take_a_queueful(struct bed_member *m) {
  struct rl_msg msg;
  struct rl_err err;
  struct rl_kev ev;
  int n = 0;
  let_it_fill(m->c);
  while (rl_consumer_serve(m->c, &ev)) bed_event(m, &ev);
  for (enum rl_take t; (t = rl_consumer_take(m->c, &msg, &err)) != RL_TAKE_NONE;) {
    n += t == RL_TAKE_MSG;
    if (t == RL_TAKE_MSG) rl_msg_release(&msg);
  }
  return n;
}

/* Each of the forty times that the queue is full would cost up to a second. */
TEST(s6_4_a_full_queue_does_not_stall) {
  struct bed b = bed_start("alerts", 1);
  fill(&b);
  struct bed_member m = {.c = open_small(&b)};
  int64_t start = rl_now();
  for (int n = 0; n < MESSAGES && rl_now() < start + BED_PATIENCE;) n += take_a_queueful(&m);
  CHECK(rl_now() < start + 15 * RL_NS_PER_S);
  rl_consumer_destroy(m.c);
  bed_stop(&b);
}

TEST(credentials_stay_as_they_are) {
  struct bed b = bed_start("alerts", 1);
  struct rl_consumer *c = open_small(&b);
  char text[64];
  rl_unstall_now(&c->unstall, c->rk);
  CHECK_STR(rl_client_setting(c->rk, "sasl.username", text, sizeof text), "galileo");
  CHECK_STR(rl_client_setting(c->rk, "sasl.password", text, sizeof text), "eppur-si-muove");
  rl_consumer_destroy(c);
  bed_stop(&b);
}
