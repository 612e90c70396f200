/* What may be under way to a topic that takes less than a request of ours. */
#include "stream/pace.h"

#include "unit.h"

TEST(s5_1_a_topic_without_a_limit_always_has_room) {
  struct rl_pace pace = {.topic = "t", .under_way = (size_t)1 << 40};
  CHECK(rl_pace_room(&pace, (size_t)1 << 30));
}

TEST(s5_1_what_is_under_way_fits_in_one_request) {
  struct rl_pace pace = {.topic = "t", .limit = 2000, .under_way = 1000};
  CHECK(rl_pace_room(&pace, 939)); /* 61 of the batch's header */
  CHECK(!rl_pace_room(&pace, 940));
}

TEST(s5_1_a_record_over_the_limit_goes_when_nothing_is_under_way) {
  struct rl_pace pace = {.topic = "t", .limit = 2000};
  CHECK(rl_pace_room(&pace, 5000));
  pace.under_way = 1;
  CHECK(!rl_pace_room(&pace, 5000));
}

TEST(a_record_counts_with_key_headers_and_what_the_format_adds) {
  const struct rl_header headers[] = {{"ab", rl_bytes_str("c")}, {"d", rl_bytes(NULL, 0)}};
  struct rl_record record = {
      .key = rl_bytes_str("key"), .value = rl_bytes_str("value"), .headers = headers, .n_headers = 2};
  CHECK_INT(rl_pace_bytes(&record), 3 + 5 + 26 + (2 + 1 + 10) + (1 + 10));
}

TEST(a_topic_is_found_by_its_name_and_stays_where_it_is) {
  struct rl_paces paces = {0};
  CHECK(rl_paces_find(&paces, "t0") == NULL);
  rl_paces_add(&paces, "t0", 7);
  struct rl_pace *first = rl_paces_find(&paces, "t0");
  char name[8];
  for (int i = 1; i < 100; i++) {
    snprintf(name, sizeof name, "t%d", i);
    rl_paces_add(&paces, name, 0);
  }
  CHECK(rl_paces_find(&paces, "t0") == first && first->limit == 7);
  CHECK(rl_paces_find(&paces, "t99") != NULL && rl_paces_find(&paces, "t100") == NULL);
  rl_paces_free(&paces);
}
