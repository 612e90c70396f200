/* A message kept alive past its batch: forwarded without a copy, or wanted for a dead letter should the
 * broker refuse what came of it. Counted, since one message may be forwarded to several topics. */
#ifndef RL_STREAM_PIN_H
#define RL_STREAM_PIN_H

#include <stdatomic.h>

#include "base/mem.h"
#include "base/msg.h"

struct rl_pin {
  atomic_int refs;
  struct rl_msg msg;
};

/* Takes the release of msg over; the caller marks its own copy as released (handle = NULL) when it lets go.
 */
static inline struct rl_pin *rl_pin_new(const struct rl_msg *msg) {
  struct rl_pin *pin = rl_alloc(sizeof *pin);
  atomic_init(&pin->refs, 1);
  pin->msg = *msg;
  return pin;
}

static inline struct rl_pin *rl_pin_get(struct rl_pin *pin) {
  atomic_fetch_add_explicit(&pin->refs, 1, memory_order_relaxed);
  return pin;
}

static inline void rl_pin_put(struct rl_pin *pin) {
  if (!pin || atomic_fetch_sub_explicit(&pin->refs, 1, memory_order_acq_rel) != 1) return;
  rl_msg_release(&pin->msg);
  rl_free(pin);
}

#endif
