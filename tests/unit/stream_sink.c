/* What a sink does with a topic it has not used yet (S5.2). */
#include "base/clock.h"
#include "stream/sink_impl.h"
#include "unit.h"

#define NOBODY "127.0.0.1:1"

static void settings_for(struct rl_settings *s) {
  struct rl_err err = {0};
  rl_settings_init(s);
  if (rl_settings_set(s, rl_setting_find("brokers"), NOBODY, RL_LAYER_CLI, "brokers", &err))
    UNIT_FAIL("%s", err.text);
}

static void opened(void *arg) { (void)arg; }

TEST(s5_2_a_topic_is_looked_up_for_30_seconds_at_most) {
  struct rl_settings s;
  settings_for(&s);
  struct rl_sink *sink = rl_sink_new(&(struct rl_sink_opts){.settings = &s, .opened = opened});
  CHECK_INT(sink->opts.topic_ms, 30000);
  rl_sink_free(sink);
  rl_settings_free(&s);
}

/* Nobody answers: the look-up keeps its bound, and the output is refused with broker and topic named. */
TEST(s5_2_the_look_up_keeps_its_bound_when_nobody_answers) {
  struct rl_settings s;
  struct rl_err err = {0};
  settings_for(&s);
  struct rl_out out = {.topic = "out", .partition = -1, .message = RL_NO_MESSAGE, .value = rl_bytes_str("x")};
  struct rl_sink *sink =
      rl_sink_new(&(struct rl_sink_opts){.settings = &s, .opened = opened, .topic_ms = 300});
  int64_t begun = rl_now();
  CHECK_INT(rl_sink_put(sink, NULL, NULL, NULL, &out, &err), RL_EBROKER);
  int64_t took = rl_now() - begun;
  CHECK(took >= 250 * RL_NS_PER_MS && took < 20 * RL_NS_PER_S);
  CHECK_HAS(err.text, "output topic out: no answer about it from " NOBODY " in 0.");
  rl_sink_free(sink);
  rl_settings_free(&s);
}
