/* clock: deadlines that saturate, and times as people write them. */
#include "base/clock.h"
#include "unit.h"

TEST(now_does_not_go_back) {
  int64_t last = rl_now();
  for (int i = 0; i < 1000; i++) {
    int64_t now = rl_now();
    CHECK(now >= last);
    last = now;
  }
  CHECK(rl_wall_ms() > INT64_C(1600000000000)); /* 2020 */
}

TEST(seconds_saturate) {
  CHECK_INT(rl_seconds(0), 0);
  CHECK_INT(rl_seconds(0.5), 500000000);
  CHECK_INT(rl_seconds(1e-9), 1);
  CHECK_INT(rl_seconds(300), 300 * RL_NS_PER_S);
  CHECK_INT(rl_seconds(-1), RL_NEVER);
  CHECK_INT(rl_seconds(1e12), RL_NEVER);
  CHECK_INT(rl_seconds((double)INFINITY), RL_NEVER);
  CHECK_INT(rl_seconds((double)NAN), RL_NEVER);
  CHECK_INT(rl_seconds(9223372036.9), RL_NEVER); /* just over INT64_MAX ns */
  CHECK(rl_seconds(9223372036.0) < RL_NEVER);
}

TEST(poll_ms_rounds_up_and_stays_within_its_cap) {
  CHECK_INT(rl_poll_ms(0, 0, 1000), 0);
  CHECK_INT(rl_poll_ms(10, 5, 1000), 0);
  CHECK_INT(rl_poll_ms(0, 1, 1000), 1);
  CHECK_INT(rl_poll_ms(0, RL_NS_PER_MS, 1000), 1);
  CHECK_INT(rl_poll_ms(0, RL_NS_PER_MS + 1, 1000), 2);
  CHECK_INT(rl_poll_ms(0, 5 * RL_NS_PER_S, 1000), 1000);
  CHECK_INT(rl_poll_ms(0, RL_NEVER, 1000), 1000);
  CHECK_INT(rl_poll_ms(-100, RL_NEVER - 1, 1000), 1000);
  CHECK_INT(rl_poll_ms(INT64_MIN, INT64_MAX - 1, 7), 7);
  CHECK_INT(rl_poll_ms(0, RL_NEVER, 0), 0);
  CHECK_INT(rl_poll_ms(0, RL_NEVER, -5), 0);
}

TEST(times_that_are) {
  static const struct {
    const char *text;
    int64_t ms;
  } good[] = {{"1970-01-01", 0},
              {"1970-01-01T00:00:00Z", 0},
              {"2026-11-30T14:08:54Z", INT64_C(1796047734000)},
              {"2026-11-30 14:08:54", INT64_C(1796047734000)},
              {"2026-11-30T14:08", INT64_C(1796047680000)},
              {"2026-11-30T14:08:54.123+01:00", INT64_C(1796044134123)},
              {"2026-11-30T14:08:54.123456789-0230", INT64_C(1796056734123)},
              {"2026-11-30t14:08:54.5z", INT64_C(1796047734500)},
              {"2024-02-29", INT64_C(1709164800000)},
              {"2000-02-29", INT64_C(951782400000)},
              {"1969-12-31T23:59:59.999Z", -1},
              {"0001-01-01", INT64_C(-62135596800000)},
              {"9999-12-31", INT64_C(253402214400000)}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    int64_t ms = 42;
    if (!rl_parse_time(good[i].text, &ms)) UNIT_FAIL("refused %s", good[i].text);
    CHECK_INT(ms, good[i].ms);
  }
}

TEST(times_that_are_none) {
  static const char *const bad[] = {"",
                                    "now",
                                    "2026",
                                    "2026-11",
                                    "2026-13-01",
                                    "2026-00-10",
                                    "2026-02-29",
                                    "1900-02-29",
                                    "2026-04-31",
                                    "2026-11-30T",
                                    "2026-11-30T24:00:00",
                                    "2026-11-30T14",
                                    "2026-11-30T14:60",
                                    "2026-11-30T14:08:60Z",
                                    "2026-11-30T14:08:54.Z",
                                    "2026-11-30T14:08:54+1",
                                    "2026-11-30T14:08:54+25:00",
                                    "2026-11-30T14:08:54ZZ",
                                    "2026-11-30Z",
                                    " 2026-11-30",
                                    "2026-11-30 ",
                                    "26-11-30",
                                    "1796047734000"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    int64_t ms = 42;
    if (rl_parse_time(bad[i], &ms)) UNIT_FAIL("took \"%s\"", bad[i]);
    CHECK_INT(ms, 42);
  }
}
