#include "stream/start.h"

#include "unit.h"

static void check_start(const char *text, enum rl_start_kind kind, int64_t value) {
  struct rl_start start;
  if (!rl_start_parse(text, &start)) UNIT_FAIL("\"%s\" is not taken", text);
  CHECK_INT(start.kind, kind);
  CHECK_INT(start.value, value);
}

static void check_no_start(const char *text) {
  struct rl_start start;
  if (rl_start_parse(text, &start)) UNIT_FAIL("\"%s\" is taken", text);
}

TEST(starts_are_words_offsets_and_times) {
  check_start("beginning", RL_START_BEGINNING, 0);
  check_start("Earliest", RL_START_BEGINNING, 0);
  check_start("end", RL_START_END, 0);
  check_start("latest", RL_START_END, 0);
  check_start("stored", RL_START_STORED, 0);
  check_start("0", RL_START_OFFSET, 0);
  check_start("42", RL_START_OFFSET, 42);
  check_start("-10", RL_START_BEFORE, 10);
  check_start("1970-01-02T00:00:00Z", RL_START_TIME, 86400000);
  check_start("1970-01-02", RL_START_TIME, 86400000);
  check_start("s@1234", RL_START_TIME, 1234);
  check_start("e@1234", RL_START_TIME, 1234);
}

TEST(what_is_no_start) {
  static const char *const bad[] = {"",
                                    "begin",
                                    "12x",
                                    "-",
                                    "-0",
                                    "1970-13-01",
                                    "s@",
                                    "s@-1",
                                    "x@5",
                                    "99999999999999999999",
                                    "-9223372036854775808",
                                    " 5"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) check_no_start(bad[i]);
}

static void check_range(const char *text, const char *topic, int32_t first, int32_t last) {
  struct rl_range range;
  if (!rl_range_parse(text, &range)) UNIT_FAIL("\"%s\" is not taken", text);
  CHECK_INT(range.first, first);
  CHECK_INT(range.last, last);
  CHECK_INT(range.topic_len, topic ? strlen(topic) : 0);
  CHECK(topic ? range.topic && strncmp(range.topic, topic, strlen(topic)) == 0 : !range.topic);
}

TEST(partitions_are_numbers_and_ranges) {
  check_range("0", NULL, 0, 0);
  check_range("0-3", NULL, 0, 3);
  check_range("7-7", NULL, 7, 7);
  check_range("alerts:2", "alerts", 2, 2);
  check_range("a.b-c_d:10-12", "a.b-c_d", 10, 12);
  check_range("2147483647", NULL, INT32_MAX, INT32_MAX);
}

TEST(what_are_no_partitions) {
  static const char *const bad[] = {"",   "a",     ":0",  "t:",         "3-1", "-1",
                                    "1-", "1-2-3", "1,2", "2147483648", "t:x", "1 "};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct rl_range range;
    if (rl_range_parse(bad[i], &range)) UNIT_FAIL("\"%s\" is taken", bad[i]);
  }
}
