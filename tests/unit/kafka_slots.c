/* Slots: one number a topic-partition, found again whatever else came. */
#include "kafka/slots.h"
#include "unit.h"

TEST(numbers_are_stable_and_names_interned) {
  struct rl_slots s;
  rl_slots_init(&s);
  uint32_t first = rl_slots_find(&s, "alerts", 0);
  const char *name = s.at[first].topic;
  for (int32_t p = 0; p < 2000; p++) {
    rl_slots_find(&s, "alerts", p);
    rl_slots_find(&s, "other", p);
  }
  CHECK_INT(s.n, 4000);
  CHECK_INT(s.n_topics, 2);
  CHECK_INT(rl_slots_find(&s, "alerts", 0), first);
  CHECK(s.at[rl_slots_find(&s, "alerts", 1999)].topic == name);
  CHECK_INT(s.at[rl_slots_find(&s, "other", 77)].partition, 77);
  CHECK_STR(s.at[rl_slots_find(&s, "other", 77)].topic, "other");
  rl_slots_free(&s);
}
