/* wake and tps. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/tps.h"
#include "base/wake.h"
#include "unit.h"

static bool rings(const struct rl_wake *wake) {
  struct pollfd fd = {.fd = wake->rd, .events = POLLIN};
  return poll(&fd, 1, 0) == 1;
}

TEST(many_rings_are_one) {
  struct rl_wake wake;
  CHECK_INT(rl_wake_open(&wake), 0);
  CHECK(!rings(&wake));
  rl_wake_clear(&wake); /* nothing there: does not wait */
  for (int i = 0; i < 1000; i++) rl_wake_ring(&wake);
  CHECK(rings(&wake));
  rl_wake_clear(&wake);
  CHECK(!rings(&wake));
  rl_wake_ring(&wake);
  CHECK(rings(&wake));
  rl_wake_close(&wake);
  CHECK_INT(wake.rd, -1);
  rl_wake_close(&wake);
}

TEST(a_full_bell_does_not_block_and_errno_stays) {
  struct rl_wake wake;
  CHECK_INT(rl_wake_open(&wake), 0);
  uint64_t full = UINT64_MAX - 1;
  CHECK_INT(write(wake.wr, &full, sizeof full), sizeof full);
  errno = EDOM;
  rl_wake_ring(&wake);
  CHECK_INT(errno, EDOM);
  CHECK(rings(&wake));
  rl_wake_clear(&wake);
  CHECK(!rings(&wake));
  rl_wake_close(&wake);
}

static struct rl_wake from_signal;
static void ring_it(int number) {
  (void)number;
  rl_wake_ring(&from_signal);
}

TEST(a_signal_handler_may_ring) {
  CHECK_INT(rl_wake_open(&from_signal), 0);
  signal(SIGUSR1, ring_it);
  raise(SIGUSR1);
  CHECK(rings(&from_signal));
  signal(SIGUSR1, SIG_DFL);
  rl_wake_close(&from_signal);
}

TEST(tps_add_find_copy) {
  struct rl_tps list = RL_TPS_INIT, copy;
  char name[] = "alerts";
  rl_tps_add(&list, name, 0, 10)->error = 3;
  rl_tps_add(&list, name, 1, RL_OFFSET_END);
  rl_tps_add(&list, "other", 0, 5);
  name[0] = 'X'; /* the list has its own */
  CHECK_INT(list.n, 3);
  CHECK_INT(rl_tps_find(&list, "alerts", 1)->offset, RL_OFFSET_END);
  CHECK(rl_tps_find(&list, "other", 0) == &list.at[2]);
  CHECK(rl_tps_find(&list, "other", 1) == NULL);
  CHECK(rl_tps_find(&list, "alert", 0) == NULL);
  rl_tps_copy(&copy, &list);
  rl_tps_free(&list);
  CHECK_INT(list.n, 0);
  CHECK_INT(copy.n, 3);
  CHECK_STR(copy.at[0].topic, "alerts");
  CHECK_INT(copy.at[0].error, 3);
  rl_tps_free(&copy);
}

TEST(tps_put_reads_as_a_list) {
  struct rl_tps list = RL_TPS_INIT;
  struct rl_buf out = RL_BUF_INIT;
  rl_tps_put(&out, &list);
  CHECK_INT(out.len, 0);
  rl_tps_add(&list, "alerts", 0, 1);
  rl_tps_add(&list, "alerts", 12, 1);
  rl_tps_put(&out, &list);
  CHECK_STR(out.data, "alerts[0], alerts[12]");
  rl_buf_free(&out);
  rl_tps_free(&list);
  rl_tps_add(&list, "again", 0, 1);
  CHECK_INT(list.n, 1);
  rl_tps_free(&list);
}
