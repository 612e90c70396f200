/* What the sink's two files share: sink.c is the handler's thread's side, sink_answers.c the reader's. */
#ifndef RL_STREAM_SINK_IMPL_H
#define RL_STREAM_SINK_IMPL_H

#include <pthread.h>

#include "stream/alone.h"
#include "stream/pace.h"
#include "stream/sink.h"
#include "stream/sink_file.h"

struct rl_sink {
  struct rl_sink_opts opts;
  const struct rl_settings *s;
  _Atomic(struct rl_producer *) producer; /* opened by the handler's thread, read by the reader's */
  /* Held by the handler's thread as long as it writes, and a pipe may take its time: the reader, which
   * dead-letters what the broker refuses, only tries it. */
  pthread_mutex_t files_mu;
  struct rl_files *files;   /* under files_mu */
  pthread_mutex_t known_mu; /* never held across a call that waits */
  struct rl_paces known;    /* topics that are there; under known_mu; what is under way: under send_mu */
  atomic_llong sent, rejected;
  /* While outputs are sent again one by one, the handler's thread sends nothing (alone.h). */
  pthread_mutex_t send_mu;
  bool one_by_one;             /* under send_mu; set and cleared by the reader */
  struct rl_alone_queue again; /* the reader's own, as is the next */
  struct rl_alone *alone;      /* on its way */
  struct rl_sent *owed;        /* whose dead letters are still to be written to a file; also the reader's */
};

/* What an output that is on its way carries: given back with its delivery report. */
struct rl_sent {
  struct rl_flight *flight;
  struct rl_pin *pin;   /* the message it came of, where that is still of use */
  struct rl_pace *pace; /* of its topic; NULL: not counted */
  size_t on_wire;       /* what it counts there */
  bool letter;          /* it is a dead letter */
  bool alone;           /* it is sent again, alone */
  size_t bytes;         /* pinned on the flight's account */
  struct rl_sent *next; /* in sink->owed, as is the rest */
  char *why;            /* what its dead letter says, until it is kept for the file */
  uint64_t mark;        /* where it ends in the file */
};

void rl_sent_free(struct rl_sent *sent);

/* An output that is too large, of a message that we still hold: that message is dead-lettered, so that a
 * restart does not meet it again (S5.2). Anything else stays refused. */
bool rl_sink_may_letter(const struct rl_sink *sink, const struct rl_pin *pin, const struct rl_err *why);
void rl_sink_say_lettered(const struct rl_sink *sink, const struct rl_pin *pin, const struct rl_err *why);
/* 0: its dead letter is on its way; else err, which may be another by now. */
int rl_sink_refused(struct rl_sink *sink, struct rl_flight *flight, const struct rl_pin *pin,
                    struct rl_err *err);
void rl_sink_free_answers(struct rl_sink *sink); /* what the reader's side still holds */

#endif
