/* Finishing, third part: where a run starts and ends. */
#include <string.h>

#include "base/mem.h"
#include "stream/settings_impl.h"
#include "stream/start.h"

static void set_text(char **at, const char *text) {
  rl_free(*at);
  *at = text ? rl_strdup(text) : NULL;
}

static int refuse_start(const struct rl_settings *s, struct rl_err *err) {
  return rl_fail(
      err, RL_EUSAGE,
      "start: \"%s\" is no place: expected beginning, end, an offset, -N (so many before the end) or a "
      "time such as 2026-11-30T14:08:54Z",
      s->start);
}

/* A group goes on where it is: start only says what becomes of a partition it has no offset for. */
static int finish_group_start(struct rl_settings *s, const struct rl_start *start, struct rl_err *err) {
  if (start->kind == RL_START_BEGINNING || start->kind == RL_START_END || start->kind == RL_START_STORED)
    return 0;
  return rl_fail(
      err, RL_EUSAGE,
      "start: \"%s\" cannot be where a group begins: it goes on from its committed offsets, and only "
      "beginning or end can stand for one it lacks; move it with `rille seek --group %s`, or read without "
      "a group",
      s->start, s->group);
}

static int finish_start(struct rl_settings *s, struct rl_err *err) {
  struct rl_start start;
  if (!s->start) s->start = rl_strdup(s->group || s->exit_at_end || s->end ? "beginning" : "end");
  if (!rl_start_parse(s->start, &start)) return refuse_start(s, err);
  if (start.kind == RL_START_STORED && !s->group)
    return rl_fail(err, RL_EUSAGE,
                   "start: stored offsets are a group's, and there is no group: name one (--group)");
  if (start.kind == RL_START_BEGINNING) set_text(&s->start, "beginning");
  if (start.kind == RL_START_END) set_text(&s->start, "end");
  if (start.kind == RL_START_STORED) set_text(&s->start, "stored");
  return s->group ? finish_group_start(s, &start, err) : 0;
}

/* --end end is --exit-at-end. */
static int finish_end(struct rl_settings *s, struct rl_err *err) {
  struct rl_start end;
  if (!s->end) return 0;
  bool good = rl_start_parse(s->end, &end);
  if (good && end.kind == RL_START_END) {
    s->exit_at_end = true;
    set_text(&s->end, NULL);
    return 0;
  }
  if (!good || (end.kind != RL_START_OFFSET && end.kind != RL_START_TIME))
    return rl_fail(
        err, RL_EUSAGE,
        "end: \"%s\" is no place to stop: expected an offset, a time such as 2026-11-30T14:08:54Z, or end",
        s->end);
  if (s->exit_at_end)
    return rl_fail(
        err, RL_EUSAGE,
        "end (%s) and exit_at_end are two ends: leave one out (--no-exit-at-end takes away what the "
        "script says)",
        s->end);
  return 0;
}

static int check_order(const struct rl_settings *s, struct rl_err *err) {
  struct rl_start start, end;
  if (!s->end || !rl_start_parse(s->start, &start) || !rl_start_parse(s->end, &end)) return 0;
  if (start.kind != end.kind || start.value <= end.value) return 0;
  return rl_fail(err, RL_EUSAGE, "start (%s) lies behind end (%s): there is nothing to read", s->start,
                 s->end);
}

/* Committed offsets say what is done once; a range that is read again has an end to go back from. */
static int check_epochs(const struct rl_settings *s, struct rl_err *err) {
  if (s->epochs <= 1) return 0;
  if (s->group)
    return rl_fail(
        err, RL_EUSAGE,
        "epochs: a group reads each message once (%s): leave the group out (--group ''), or go over "
        "each batch several times in the handler",
        s->group);
  if (rl_settings_from_file(s))
    return rl_fail(err, RL_EUSAGE, "epochs: a file is read once: only topics are read again");
  if (s->exit_at_end || s->end) return 0;
  return rl_fail(err, RL_EUSAGE, "epochs: the range has no end: exit_at_end (-e) or end says where it is");
}

int rl_settings_finish_ends(struct rl_settings *s, struct rl_err *err) {
  if (rl_settings_from_file(s)) return check_epochs(s, err);
  int rc = finish_end(s, err);
  if (!rc) rc = finish_start(s, err);
  if (!rc) rc = check_order(s, err);
  return rc ? rc : check_epochs(s, err);
}
