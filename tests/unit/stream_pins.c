/* What an output that is on its way keeps of the message it came of (S6.4): a message pins its whole fetch
 * response, so a small one is copied into the producer and let go with its batch. */
#include "kafka_bed.h"
#include "stream/sink.h"
#include "stream_fake.h"

#define SMALL 3000
#define LARGE (64 << 10)

struct scene {
  struct bed b;
  struct rl_settings s;
  struct rl_sink *sink;
  struct rl_batch *batch;
  struct rl_flight *flight;
  struct rl_pin *pins[1];
  size_t released, batch_bytes;
};

static void nothing(void *arg) { (void)arg; }
static bool no_room(void *arg) {
  (void)arg;
  return false;
}

/* One message of that size, forwarded; nothing of its answer is read yet. */
static void forward(struct scene *c, size_t size, const char *dead_letter) {
  static char text[LARGE + 1];
  struct rl_err err = {0};
  memset(c, 0, sizeof *c);
  c->b = bed_start("out", 1);
  rd_kafka_mock_topic_create(c->b.cluster, "dead", 1, 1);
  rl_settings_init(&c->s);
  rl_settings_set(&c->s, rl_setting_find("brokers"), c->b.address, RL_LAYER_CLI, "test", &err);
  if (dead_letter)
    rl_settings_set(&c->s, rl_setting_find("dead_letter"), dead_letter, RL_LAYER_CLI, "test", &err);
  CHECK_STR(err.text, "");
  struct rl_sink_opts opts = {.settings = &c->s, .opened = nothing, .wait_room = no_room};
  c->sink = rl_sink_new(&opts);
  memset(text, 'x', size);
  text[size] = '\0';
  struct rl_msg msg = fake_msg(0, 0, text, &c->released);
  c->batch = rl_batch_new(NULL, 1);
  rl_batch_add(c->batch, &msg);
  c->flight = rl_flight_new(c->batch);
  c->batch_bytes = atomic_load(&c->flight->bytes);
  struct rl_out out = {.kind = RL_OUT_FORWARD, .topic = "out", .partition = -1};
  if (rl_sink_put(c->sink, c->flight, c->batch, c->pins, &out, &err)) UNIT_FAIL("%s", err.text);
  CHECK_INT(c->flight->pending, 1);
}

/* As when the batch is settled. */
static void let_go(struct scene *c) {
  if (c->pins[0]) c->batch->msgs[0].handle = NULL;
  rl_pin_put(c->pins[0]);
  rl_batch_free(c->batch);
  CHECK_INT(c->flight->pending, 1);
}

static void acknowledge(struct scene *c) {
  for (int64_t end = rl_now() + BED_PATIENCE; c->flight->pending && rl_now() < end;) {
    bed_wait(rl_sink_fd(c->sink));
    rl_sink_serve(c->sink);
  }
  CHECK_INT(rl_sink_sent(c->sink), 1);
}

static void end(struct scene *c) {
  rl_sink_free(c->sink);
  rl_flight_free(c->flight);
  rl_settings_free(&c->s);
  bed_stop(&c->b);
}

TEST(s6_4_a_small_forwarded_message_is_let_go_with_its_batch) {
  struct scene c;
  forward(&c, SMALL, NULL);
  CHECK(!c.pins[0]);
  CHECK_INT(c.flight->bytes, c.batch_bytes);
  let_go(&c);
  CHECK_INT(c.released, 1); /* and its output is still on its way */
  acknowledge(&c);
  CHECK_INT(c.released, 1);
  end(&c);
}

TEST(s6_4_a_large_one_is_not_copied_but_kept_and_counted_until_it_is_acknowledged) {
  struct scene c;
  forward(&c, LARGE, NULL);
  CHECK(c.pins[0] && c.pins[0]->refs == 2); /* the batch's and the output's */
  CHECK_INT(c.flight->bytes, c.batch_bytes + LARGE);
  let_go(&c);
  CHECK_INT(c.released, 0);
  acknowledge(&c);
  CHECK_INT(c.released, 1);
  CHECK_INT(c.flight->bytes, c.batch_bytes);
  end(&c);
}

/* It is the dead letter, should the broker refuse it for its size (S5.2). */
TEST(s6_4_with_a_dead_letter_topic_a_small_one_is_kept_and_counted_too) {
  struct scene c;
  forward(&c, SMALL, "dead");
  CHECK(c.pins[0] && c.pins[0]->refs == 2);
  CHECK_INT(c.flight->bytes, c.batch_bytes + SMALL);
  let_go(&c);
  CHECK_INT(c.released, 0);
  acknowledge(&c);
  CHECK_INT(c.released, 1);
  end(&c);
}
