/* The library form (S11): the caller's thread is the handler's side. */
#include <errno.h>
#include <poll.h>

#include "base/mem.h"
#include "stream/history.h"
#include "stream/lane_state.h"

int rl_lane_fd(const struct rl_lane *lane) { return lane->ready.rd; }

/* Takes what was handed over, or asks for it. 1: a batch, 2: nothing yet, 0: the stream ended. */
static int look(struct rl_lane *lane, struct rl_batch **batch, struct rl_flight **flight) {
  int found = 2;
  pthread_mutex_lock(&lane->mu);
  if (lane->given) {
    *batch = lane->given;
    *flight = lane->flying;
    lane->given = NULL;
    lane->flying = NULL;
    found = 1;
  } else if (lane->quit) {
    lane->handler_gone = true;
    found = atomic_load(&lane->ended) ? 0 : 2;
  } else {
    lane->want = true;
  }
  pthread_mutex_unlock(&lane->mu);
  if (found == 2) rl_wake_ring(&lane->bell);
  return found;
}

static int failure_of(struct rl_lane *lane, struct rl_err *err) {
  pthread_mutex_lock(&lane->mu);
  if (lane->err.code) *err = lane->err;
  int code = lane->err.code;
  pthread_mutex_unlock(&lane->mu);
  return code;
}

/* What does not decode never reaches the caller: it is dead-lettered, or the stream fails. */
static int without_bad(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight,
                       struct rl_err *err) {
  return batch->bad ? rl_settle_bad(lane, batch, flight, err) : 0;
}

static int begin(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight, struct rl_err *err) {
  lane->in_hand = batch;
  lane->in_hand_flight = flight;
  if (without_bad(lane, batch, flight, err) == 0) return 1;
  rl_lane_abandon(lane, batch);
  return err->code;
}

static int wait_ready(struct rl_lane *lane, int timeout_ms) {
  struct pollfd fd = {.fd = lane->ready.rd, .events = POLLIN};
  int n = poll(&fd, 1, timeout_ms);
  return n < 0 && errno == EINTR ? 0 : n;
}

int rl_lane_next(struct rl_lane *lane, int timeout_ms, struct rl_batch **batch, struct rl_err *err) {
  struct rl_flight *flight = NULL;
  for (bool waited = false;; waited = true) {
    rl_wake_clear(&lane->ready);
    int found = look(lane, batch, &flight);
    if (found == 1) return begin(lane, *batch, flight, err);
    if (found == 0) return failure_of(lane, err);
    if (waited && timeout_ms >= 0) return 2;
    if (wait_ready(lane, timeout_ms) == 0) return 2;
  }
}

static void finish(struct rl_lane *lane, struct rl_batch *batch, enum rl_flight_state state) {
  struct rl_flight *flight = lane->in_hand_flight;
  lane->in_hand = NULL;
  lane->in_hand_flight = NULL;
  rl_batch_free(batch);
  rl_flight_handled(lane, flight, state);
}

/* What was passed over is dead-lettered already and counted as that (S4.4). */
static void count_passed(struct rl_lane *lane, const struct rl_batch *batch) {
  int64_t n = 0;
  for (size_t i = 0; i < batch->n; i++) n += !batch->bad || !batch->bad[i];
  rl_history_passed(lane->history, n);
}

int rl_lane_done(struct rl_lane *lane, struct rl_batch *batch, struct rl_outbox *out, struct rl_err *err) {
  struct rl_pin **pins = rl_zalloc((batch->n + 1) * sizeof *pins);
  unsigned char *settled = rl_alloc(batch->n + 1);
  int rc = out ? rl_send_staged(lane, lane->in_hand_flight, batch, pins, out) : 0;
  memset(settled, rc == 0, batch->n + 1);
  if (rc == 0) count_passed(lane, batch);
  pthread_mutex_lock(&lane->mu);
  rl_flight_settle(lane->in_hand_flight, batch, settled);
  pthread_mutex_unlock(&lane->mu);
  for (size_t i = 0; i < batch->n; i++) {
    if (!pins[i]) continue;
    batch->msgs[i].handle = NULL;
    rl_pin_put(pins[i]);
  }
  rl_free(settled);
  rl_free(pins);
  finish(lane, batch, RL_FLIGHT_HANDLED);
  return rc ? failure_of(lane, err) : 0;
}

void rl_lane_abandon(struct rl_lane *lane, struct rl_batch *batch) {
  pthread_mutex_lock(&lane->mu);
  lane->gave_up = true;
  pthread_mutex_unlock(&lane->mu);
  finish(lane, batch, RL_FLIGHT_ABANDONED);
}
