/* Positions: for each partition what is taken, what is done, what is committed, under which epoch (S1, S2,
 * S3).
 *
 * Pure; the lane's reader owns it. A slot is the source's number for a topic-partition. */
#ifndef RL_STREAM_OFFSETS_H
#define RL_STREAM_OFFSETS_H

#include "base/msg.h"
#include "base/tps.h"

struct rl_part {
  char *topic;
  int32_t partition;
  uint32_t epoch; /* raised at assign, revoke, loss, seek */
  bool assigned;
  bool ended;    /* -e: nothing more is wanted of it */
  int64_t taken; /* offset after the last message taken in this epoch; RL_OFFSET_INVALID before the first */
  int64_t done;  /* offset after the last done; INVALID before */
  int64_t eof;   /* last EOF seen; INVALID before */
  int64_t before_eof; /* what was taken when it came: once that is done, the position is eof */
  int64_t committed;  /* last position the broker took; INVALID when none in this epoch */
  int64_t asked;      /* in the commit that is under way; INVALID when none */
  int64_t end;        /* -e, --end: stop before this offset; INVALID: no end */
  int64_t kept; /* own position, survives revocation; INVALID before the first: commit = false resumes here
                   (S1.4) */
};

struct rl_offsets {
  struct rl_part *at;
  size_t n, cap;
  bool asking; /* a commit is under way: at most one is (S3.1) */
};

void rl_offsets_init(struct rl_offsets *o);
void rl_offsets_free(struct rl_offsets *o);
/* Makes room for slot; names it on first sight. The pointer is good until the next call of this. */
struct rl_part *rl_offsets_part(struct rl_offsets *o, uint32_t slot, const char *topic, int32_t partition);

/* The slot must have been named. New epoch, nothing taken: at assign, seek, and when the source goes back. */
void rl_offsets_assign(struct rl_offsets *o, uint32_t slot);
void rl_offsets_revoke(struct rl_offsets *o, uint32_t slot); /* new epoch; what was not committed is struck */

/* A message was taken: false when it is stale (partition not assigned, offset already taken) or at or past
 * `end`: it is not to be handled (in the latter case `ended` is set). Sets msg->epoch. A message that is
 * taken from the source and not handled for another reason must not be followed by rl_offsets_eof in its
 * epoch: the end would stand for it. */
bool rl_offsets_take(struct rl_offsets *o, struct rl_msg *msg);
/* The message lies before what was taken in this epoch: the topic was made anew or cut, and counting goes on
 * from there after rl_offsets_assign (new epoch). rl_offsets_take refuses it until then. Not of a partition
 * that ended: nothing more is wanted of it. */
bool rl_offsets_went_back(const struct rl_offsets *o, const struct rl_msg *msg);
void rl_offsets_eof(struct rl_offsets *o, uint32_t slot, int64_t end);
/* Everything before offset `next` of the slot is done, if the epoch is still current. */
void rl_offsets_done(struct rl_offsets *o, uint32_t slot, uint32_t epoch, int64_t next);
/* Last done + 1, or E once EOF(E) came and all before it is done; INVALID when there is nothing to say
 * (S1.1). */
int64_t rl_offsets_position(const struct rl_part *p);

/* Positions that are ahead of what is committed, of assigned partitions; marks them asked. n == 0: none, or
 * a commit is under way. Every list with n > 0 is answered exactly once. `out` is overwritten. */
void rl_offsets_commit(struct rl_offsets *o, struct rl_tps *out);
/* The broker took the commit but not this partition of it: before rl_offsets_answer. It goes again. */
void rl_offsets_refused(struct rl_offsets *o, const char *topic, int32_t partition);
/* The answer: ok moves committed to asked, else they go again with the next commit (S2.4). Touches nothing
 * that changed its epoch since. */
void rl_offsets_answer(struct rl_offsets *o, bool ok);
/* All assigned partitions ended (and there is at least one)? (S1.2) Their work may still be in hand. */
bool rl_offsets_all_ended(const struct rl_offsets *o);
/* Nothing that was taken of an assigned partition is still to be done. */
bool rl_offsets_all_done(const struct rl_offsets *o);
/* The same, and every position of an assigned partition is committed. */
bool rl_offsets_settled(const struct rl_offsets *o);

#endif
