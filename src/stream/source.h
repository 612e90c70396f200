/* Where a lane's messages come from: a Kafka consumer, or lines of a file. The same small set of calls, so
 * that the reader knows one loop. Meanings are those of kafka/consumer.h; a file assigns itself one
 * partition, answers every commit at once, and ends with EOF. */
#ifndef RL_STREAM_SOURCE_H
#define RL_STREAM_SOURCE_H

#include "kafka/consumer.h"
#include "stream/settings.h"

struct rl_run;

struct rl_source {
  void *self;
  bool tracks; /* has offsets that are committed; false: a file */
  int fd;      /* readable when there may be something to serve or take; -1: always */
  void (*clear)(void *self);
  bool (*serve)(void *self, struct rl_kev *ev);
  enum rl_take (*take)(void *self, struct rl_msg *msg, struct rl_err *err);
  uint32_t (*slot)(void *self, const char *topic, int32_t partition);
  int (*accept)(void *self, const struct rl_tps *parts, struct rl_err *err);
  int (*seek)(void *self, const struct rl_tps *to, int timeout_ms, struct rl_err *err); /* NULL: a file */
  int (*yield)(void *self, const struct rl_tps *parts, struct rl_err *err);
  int (*commit)(void *self, const struct rl_tps *positions, struct rl_err *err);
  int64_t (*high)(void *self, const char *topic, int32_t partition);
  bool (*joined)(void *self);
  bool (*may_commit)(void *self); /* false: not now; rings, or is asked again soon */
  bool (*reachable)(void *self, int timeout_ms);
  int (*look_again)(void *self, struct rl_run *run, struct rl_err *err); /* rl_run_look_again */
  int (*close_begin)(void *self, struct rl_err *err);
  bool (*closed)(void *self);
  void (*destroy)(void *self);
};

/* A member of the group, or, when the run is manual, the partitions in `parts` from their offsets. */
int rl_source_kafka(struct rl_source *out, const struct rl_run *run, int lane, const struct rl_tps *parts,
                    struct rl_err *err);
/* s->input: a path, or "-" for stdin. */
int rl_source_file(struct rl_source *out, const struct rl_settings *s, struct rl_err *err);
/* The line of its file that such a source took the message from, from 1, and the file; 0: of no file, or
 * released. */
int64_t rl_source_file_line(const struct rl_msg *msg, const char **file);

#endif
