#include "stream/ends.h"

static const char *reason_of(struct rl_lane *lane) {
  if (rl_lane_failed(lane)) return "error";
  return lane->last_cause == RL_CAUSE_STOP ? "stop" : "end";
}

void rl_ends_tell(struct rl_lane *lane, bool abandon) {
  const char *reason = reason_of(lane);
  pthread_mutex_lock(&lane->mu);
  lane->quit = true;
  lane->quit_reason = reason;
  if (abandon) lane->abandon = true;
  if (!lane->has_engine && (lane->want || abandon)) lane->handler_gone = true;
  pthread_cond_broadcast(&lane->cv);
  pthread_mutex_unlock(&lane->mu);
  if (!lane->has_engine) rl_wake_ring(&lane->ready);
}

void rl_ends_interrupt(struct rl_lane *lane, int64_t now) {
  if (lane->interrupted != RL_NEVER) return;
  lane->interrupted = now;
  rl_ends_tell(lane, true);
  lane->interrupted_call = atomic_load(&lane->call_started);
  if (lane->has_engine && lane->interrupted_call) lane->engine.interrupt(lane->engine.self);
}

void rl_ends_interrupt_again(struct rl_lane *lane) {
  if (lane->has_engine && lane->interrupted_call &&
      atomic_load(&lane->call_started) == lane->interrupted_call)
    lane->engine.interrupt(lane->engine.self);
}

bool rl_ends_handler_idle(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool idle = lane->want && !lane->given;
  pthread_mutex_unlock(&lane->mu);
  return idle;
}

bool rl_ends_handler_gone(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool gone = lane->handler_gone;
  pthread_mutex_unlock(&lane->mu);
  return gone;
}

bool rl_ends_broken_off(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool yes = lane->err.code != 0 || lane->gave_up;
  pthread_mutex_unlock(&lane->mu);
  return yes;
}
