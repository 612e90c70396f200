/* Offsets: random histories of a small cluster against what must never happen. */
#include "stream/offsets.h"
#include "stream_fake.h"
#include "unit.h"

enum { PARTS = 4, LOG = 400, STEPS = 250, BATCHES = 64 };

/* A partition as the broker has it: which offsets hold a message; the rest are holes. */
struct part_log {
  bool message[LOG];
  int64_t end;       /* of the log */
  int64_t committed; /* by the group; 0 before */
  int64_t stop;      /* -e: INVALID for none */
  bool owned;
  uint32_t epoch;
  int64_t from, fetch;        /* where this epoch began; the next to be fetched */
  bool done_now[LOG];         /* done in this epoch */
  int64_t taken[LOG], eof_at; /* taken in this epoch, in order; the last EOF told */
  size_t n_taken, n_done;
  bool refused; /* a message at or past the end came */
};

struct old_work {
  uint32_t slot, epoch;
  int64_t next;
};

struct cluster {
  uint64_t seed;
  struct rl_offsets o;
  struct part_log parts[PARTS];
  struct rl_tps pending; /* the commit under way */
  struct old_work old[BATCHES];
  size_t n_old;
};

static void append(struct cluster *c, struct part_log *p) {
  for (size_t n = fake_pick(&c->seed, 6); n && p->end < LOG; n--)
    p->message[p->end++] = !fake_chance(&c->seed, 4);
}

static void take_ownership(struct cluster *c, uint32_t slot) {
  struct part_log *p = &c->parts[slot];
  rl_offsets_assign(&c->o, slot);
  p->owned = true;
  CHECK(c->o.at[slot].epoch != p->epoch);
  p->epoch = c->o.at[slot].epoch;
  p->from = p->fetch = p->committed;
  p->n_taken = p->n_done = 0;
  p->refused = false;
  p->eof_at = RL_OFFSET_INVALID;
  memset(p->done_now, 0, sizeof p->done_now);
}

/* What was in hand may still be reported, after the partition is gone. */
static void remember(struct cluster *c, uint32_t slot) {
  const struct part_log *p = &c->parts[slot];
  if (!p->n_taken || c->n_old == BATCHES) return;
  c->old[c->n_old++] = (struct old_work){slot, p->epoch, p->taken[p->n_taken - 1] + 1};
}

static void lose_ownership(struct cluster *c, uint32_t slot) {
  if (c->parts[slot].owned) remember(c, slot);
  c->parts[slot].owned = false;
  rl_offsets_revoke(&c->o, slot);
}

static bool wanted(const struct part_log *p, int64_t offset) {
  return p->stop == RL_OFFSET_INVALID || offset < p->stop;
}

static bool take(struct rl_offsets *o, uint32_t slot, int64_t offset) {
  struct rl_msg m = {.topic = "t", .partition = (int32_t)slot, .slot = slot, .offset = offset};
  bool taken = rl_offsets_take(o, &m);
  if (taken) CHECK_INT(m.epoch, o->at[slot].epoch);
  return taken;
}

static void fetch(struct cluster *c, uint32_t slot) {
  struct part_log *p = &c->parts[slot];
  while (p->fetch < p->end && !p->message[p->fetch]) p->fetch++;
  if (p->fetch < p->end) {
    int64_t offset = p->fetch++;
    bool good = take(&c->o, slot, offset);
    CHECK_INT(good, p->owned && wanted(p, offset) && !(p->eof_at >= p->stop && p->stop != RL_OFFSET_INVALID));
    if (good) p->taken[p->n_taken++] = offset;
    if (!good) p->refused = true;
  } else if (p->eof_at != p->end) {
    p->eof_at = p->end;
    rl_offsets_eof(&c->o, slot, p->end);
  }
}

static void finish(struct cluster *c, uint32_t slot) {
  struct part_log *p = &c->parts[slot];
  if (!p->owned || p->n_done == p->n_taken) return;
  for (size_t n = 1 + fake_pick(&c->seed, p->n_taken - p->n_done); n; n--)
    p->done_now[p->taken[p->n_done++]] = true;
  rl_offsets_done(&c->o, slot, p->epoch, p->taken[p->n_done - 1] + 1);
}

static void finish_old(struct cluster *c) {
  if (!c->n_old) return;
  struct old_work w = c->old[fake_pick(&c->seed, c->n_old)];
  rl_offsets_done(&c->o, w.slot, w.epoch, w.next);
}

/* The rule: all messages that this epoch began with and that lie before a commit were done in it. */
static void check_commit(const struct part_log *p, int64_t offset) {
  CHECK(p->owned);
  CHECK(offset >= p->committed); /* nobody else commits: it never goes back */
  CHECK(offset <= p->end);
  for (int64_t i = p->from; i < offset; i++)
    if (p->message[i]) CHECK(p->done_now[i]);
}

static void ask(struct cluster *c) {
  struct rl_tps tps;
  rl_offsets_commit(&c->o, &tps);
  if (c->pending.n) CHECK_INT(tps.n, 0);
  for (size_t i = 0; i < tps.n; i++) check_commit(&c->parts[tps.at[i].partition], tps.at[i].offset);
  if (!c->pending.n) c->pending = tps;
}

static void answer(struct cluster *c, bool ok) {
  if (!c->pending.n) return;
  for (size_t i = 0; i < c->pending.n && ok; i++)
    c->parts[c->pending.at[i].partition].committed = c->pending.at[i].offset;
  rl_tps_free(&c->pending);
  rl_offsets_answer(&c->o, ok);
}

static void step(struct cluster *c) {
  uint32_t slot = (uint32_t)fake_pick(&c->seed, PARTS);
  struct part_log *p = &c->parts[slot];
  switch (fake_pick(&c->seed, 20)) {
    case 0:
      /* A rebalance ends in an assignment only when its commits are answered or lost. */
      answer(c, fake_chance(&c->seed, 2));
      p->owned ? lose_ownership(c, slot) : take_ownership(c, slot);
      break;
    case 1:
    case 2: append(c, p); break;
    case 3: finish_old(c); break;
    case 4:
    case 5:
    case 6: ask(c); break;
    case 7:
    case 8: answer(c, !fake_chance(&c->seed, 3)); break;
    case 9:
    case 10:
    case 11:
    case 12: finish(c, slot); break;
    default: fetch(c, slot); break;
  }
}

static void make(struct cluster *c, uint64_t seed, bool ends) {
  *c = (struct cluster){.seed = seed, .pending = RL_TPS_INIT};
  rl_offsets_init(&c->o);
  for (uint32_t slot = 0; slot < PARTS; slot++) {
    struct part_log *p = &c->parts[slot];
    for (size_t i = fake_pick(&c->seed, 8); i; i--) append(c, p);
    p->committed = (int64_t)fake_pick(&c->seed, (size_t)p->end + 1);
    p->stop = ends ? (int64_t)fake_pick(&c->seed, (size_t)p->end + 1) : RL_OFFSET_INVALID;
    rl_offsets_part(&c->o, slot, "t", (int32_t)slot)->end = p->stop;
  }
}

static void read_to_the_end(struct cluster *c, uint32_t slot) {
  struct part_log *p = &c->parts[slot];
  if (!p->owned) take_ownership(c, slot);
  while (p->fetch < p->end || p->eof_at != p->end) fetch(c, slot);
  while (p->n_done < p->n_taken) finish(c, slot);
}

static int64_t end_of(const struct part_log *p) {
  int64_t stop = p->stop == RL_OFFSET_INVALID || p->stop > p->end ? p->end : p->stop;
  return p->committed > stop ? p->committed : stop;
}

/* Everything is read, done and committed at last: lag 0, and the run may end. */
static void check_end(struct cluster *c, bool ends) {
  answer(c, true);
  for (uint32_t slot = 0; slot < PARTS; slot++) read_to_the_end(c, slot);
  CHECK(rl_offsets_all_done(&c->o));
  ask(c);
  answer(c, true);
  CHECK(rl_offsets_settled(&c->o));
  CHECK_INT(rl_offsets_all_ended(&c->o), ends);
  for (uint32_t slot = 0; slot < PARTS; slot++) {
    const struct part_log *p = &c->parts[slot];
    if (!ends) CHECK_INT(p->committed, p->end);
    /* Where only holes lay before the end, and more behind it, there is no position to be sure of. */
    if (ends && (p->n_taken || !p->refused)) CHECK(p->committed >= end_of(p));
  }
}

static void run_history(uint64_t seed, bool ends) {
  struct cluster c;
  make(&c, seed, ends);
  for (int i = 0; i < STEPS && !unit_failures; i++) step(&c);
  if (!unit_failures) check_end(&c, ends);
  if (unit_failures) UNIT_FAIL("seed %llu", (unsigned long long)seed);
  rl_tps_free(&c.pending);
  rl_offsets_free(&c.o);
}

TEST(s1_s2_s3_random_histories_commit_nothing_undone) {
  for (uint64_t seed = 1; seed <= 10000 && !unit_failures; seed++) run_history(seed, false);
}

TEST(s1_2_random_histories_with_ends) {
  for (uint64_t seed = 1; seed <= 10000 && !unit_failures; seed++) run_history(seed, true);
}
