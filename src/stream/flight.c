#include "stream/flight.h"

#include "base/mem.h"
#include "base/tps.h"

static struct rl_mark *mark_of(struct rl_flight *f, const struct rl_msg *msg) {
  struct rl_mark *m = rl_flight_mark(f, msg->slot, msg->epoch);
  if (m) return m;
  RL_GROW(f->marks, f->cap_marks, f->n_marks + 1);
  m = &f->marks[f->n_marks++];
  *m = (struct rl_mark){.slot = msg->slot, .epoch = msg->epoch, .next = RL_OFFSET_INVALID, .live = true};
  return m;
}

struct rl_flight *rl_flight_new(const struct rl_batch *batch) {
  struct rl_flight *f = rl_zalloc(sizeof *f);
  f->number = batch->number;
  for (size_t i = 0; i < batch->n; i++) mark_of(f, &batch->msgs[i]);
  f->batch_bytes = batch->bytes;
  atomic_store(&f->bytes, batch->bytes);
  return f;
}

void rl_flight_free(struct rl_flight *f) {
  rl_free(f->marks);
  rl_free(f);
}

struct rl_mark *rl_flight_mark(struct rl_flight *f, uint32_t slot, uint32_t epoch) {
  for (size_t i = 0; i < f->n_marks; i++)
    if (f->marks[i].slot == slot && f->marks[i].epoch == epoch) return &f->marks[i];
  return NULL;
}

void rl_flight_settle(struct rl_flight *f, const struct rl_batch *batch, const unsigned char *settled) {
  bool *broken = rl_zalloc((f->n_marks + 1) * sizeof *broken);
  f->messages = 0;
  for (size_t i = 0; i < batch->n; i++) {
    struct rl_mark *m = rl_flight_mark(f, batch->msgs[i].slot, batch->msgs[i].epoch);
    f->messages += settled[i] != 0;
    if (!settled[i]) broken[m - f->marks] = true;
    if (!broken[m - f->marks]) m->next = batch->msgs[i].offset + 1;
  }
  rl_free(broken);
}

void rl_flight_strike(struct rl_flight *f, bool (*stale)(uint32_t slot, uint32_t epoch, void *arg),
                      void *arg) {
  for (size_t i = 0; i < f->n_marks; i++)
    if (stale(f->marks[i].slot, f->marks[i].epoch, arg)) f->marks[i].live = false;
}
