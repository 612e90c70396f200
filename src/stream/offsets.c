#include "stream/offsets.h"

#include "base/mem.h"

static bool valid(int64_t offset) { return offset != RL_OFFSET_INVALID; }

void rl_offsets_init(struct rl_offsets *o) { *o = (struct rl_offsets){.at = NULL}; }

void rl_offsets_free(struct rl_offsets *o) {
  for (size_t i = 0; i < o->n; i++) rl_free(o->at[i].topic);
  rl_free(o->at);
  rl_offsets_init(o);
}

static void forget(struct rl_part *p) {
  p->ended = false;
  p->taken = p->done = p->eof = p->before_eof = p->committed = p->asked = RL_OFFSET_INVALID;
}

struct rl_part *rl_offsets_part(struct rl_offsets *o, uint32_t slot, const char *topic, int32_t partition) {
  RL_GROW(o->at, o->cap, (size_t)slot + 1);
  for (; o->n <= slot; o->n++) {
    struct rl_part *p = &o->at[o->n];
    *p = (struct rl_part){.end = RL_OFFSET_INVALID, .kept = RL_OFFSET_INVALID};
    forget(p);
  }
  struct rl_part *p = &o->at[slot];
  if (!p->topic) {
    p->topic = rl_strdup(topic);
    p->partition = partition;
  }
  return p;
}

static void new_epoch(struct rl_part *p, bool assigned) {
  p->epoch++;
  p->assigned = assigned;
  forget(p);
}

void rl_offsets_assign(struct rl_offsets *o, uint32_t slot) { new_epoch(&o->at[slot], true); }
void rl_offsets_revoke(struct rl_offsets *o, uint32_t slot) { new_epoch(&o->at[slot], false); }

static struct rl_part *assigned_part(const struct rl_offsets *o, uint32_t slot) {
  return slot < o->n && o->at[slot].assigned ? &o->at[slot] : NULL;
}

int64_t rl_offsets_position(const struct rl_part *p) {
  bool at_eof = valid(p->eof) && (!valid(p->before_eof) || p->done >= p->before_eof);
  return at_eof && p->eof > p->done ? p->eof : p->done; /* INVALID is less than any offset */
}

static void keep_position(struct rl_part *p) {
  int64_t position = rl_offsets_position(p);
  if (valid(position)) p->kept = position;
}

static void note_eof(struct rl_part *p, int64_t eof) {
  p->eof = eof;
  p->before_eof = p->taken;
  keep_position(p);
}

/* The message that shows the end shows too that nothing else lies before it, as an EOF there would. Where
 * nothing was taken, the start may lie behind the end, and a position there would go back. */
static void end_part(struct rl_part *p) {
  p->ended = true;
  if (valid(p->taken)) note_eof(p, p->end);
}

bool rl_offsets_take(struct rl_offsets *o, struct rl_msg *msg) {
  struct rl_part *p = assigned_part(o, msg->slot);
  if (!p || p->ended) return false;
  if (valid(p->taken) && msg->offset < p->taken) return false;
  if (valid(p->end) && msg->offset >= p->end) {
    end_part(p);
    return false;
  }
  p->taken = msg->offset + 1;
  p->ended = valid(p->end) && p->taken >= p->end;
  msg->epoch = p->epoch;
  return true;
}

bool rl_offsets_went_back(const struct rl_offsets *o, const struct rl_msg *msg) {
  const struct rl_part *p = assigned_part(o, msg->slot);
  return p && !p->ended && valid(p->taken) && msg->offset < p->taken;
}

void rl_offsets_eof(struct rl_offsets *o, uint32_t slot, int64_t end) {
  struct rl_part *p = assigned_part(o, slot);
  if (!p || p->ended) return; /* past `end` lie messages that were not handled: no EOF may stand for them */
  note_eof(p, end);
  p->ended = valid(p->end) && end >= p->end;
}

void rl_offsets_done(struct rl_offsets *o, uint32_t slot, uint32_t epoch, int64_t next) {
  struct rl_part *p = assigned_part(o, slot);
  if (!p || p->epoch != epoch || next <= p->done) return;
  p->done = next < p->taken ? next : p->taken;
  keep_position(p);
}

void rl_offsets_commit(struct rl_offsets *o, struct rl_tps *out) {
  *out = (struct rl_tps)RL_TPS_INIT;
  if (o->asking) return;
  for (size_t i = 0; i < o->n; i++) {
    struct rl_part *p = &o->at[i];
    int64_t position = rl_offsets_position(p);
    if (!p->assigned || position <= p->committed) continue;
    rl_tps_add(out, p->topic, p->partition, position);
    p->asked = position;
  }
  o->asking = out->n > 0;
}

void rl_offsets_refused(struct rl_offsets *o, const char *topic, int32_t partition) {
  for (size_t i = 0; i < o->n; i++) {
    struct rl_part *p = &o->at[i];
    if (p->topic && p->partition == partition && strcmp(p->topic, topic) == 0) p->asked = RL_OFFSET_INVALID;
  }
}

void rl_offsets_answer(struct rl_offsets *o, bool ok) {
  for (size_t i = 0; i < o->n; i++) {
    struct rl_part *p = &o->at[i];
    if (ok && valid(p->asked)) p->committed = p->asked;
    p->asked = RL_OFFSET_INVALID;
  }
  o->asking = false;
}

bool rl_offsets_all_ended(const struct rl_offsets *o) {
  size_t assigned = 0, ended = 0;
  for (size_t i = 0; i < o->n; i++) {
    assigned += o->at[i].assigned;
    ended += o->at[i].assigned && o->at[i].ended;
  }
  return assigned && ended == assigned;
}

bool rl_offsets_all_done(const struct rl_offsets *o) {
  for (size_t i = 0; i < o->n; i++)
    if (o->at[i].assigned && o->at[i].done < o->at[i].taken) return false;
  return true;
}

bool rl_offsets_settled(const struct rl_offsets *o) {
  if (!rl_offsets_all_done(o)) return false;
  for (size_t i = 0; i < o->n; i++)
    if (o->at[i].assigned && rl_offsets_position(&o->at[i]) > o->at[i].committed) return false;
  return true;
}
