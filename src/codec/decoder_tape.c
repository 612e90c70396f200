/* A decoder's whole values: records of a message in their order are read in one pass. */
#include "codec/decoder_impl.h"

static int json_tape(struct rl_decoder *d, const struct rl_msg *msg, struct rl_tape *tape,
                     struct rl_err *err) {
  if (!d->json) d->json = rl_json_new();
  return rl_json_tape(d->json, msg->value, d->opts.max_depth, tape, err);
}

void rl_decoder_tape_end(struct rl_decoder *d) { d->taped = NULL; }

static int begin_tapes(struct rl_decoder *d, const struct rl_msg *msg, struct rl_err *err) {
  rl_arena_reset(&d->whole);
  d->next_record = 0;
  int code = d->rows->begin(d->self, msg, &d->whole, err);
  d->taped = code == 0 ? msg : NULL;
  return code;
}

/* To the record with that number, and past it. */
static int next_tapes(struct rl_decoder *d, size_t record, struct rl_tape *tape, struct rl_err *err) {
  int code = 1;
  while (d->next_record < record && (code = d->rows->next(d->self, d->row, err)) == 1) d->next_record++;
  if (code == 1) code = d->rows->next_tape(d->self, tape, err);
  if (code == 0)
    return rl_fail(err, RL_EHANDLER, "record %zu of a message of %zu", record + 1, d->next_record);
  d->next_record++;
  return code;
}

int rl_decoder_tape(struct rl_decoder *d, const struct rl_msg *msg, size_t record, struct rl_tape *tape,
                    struct rl_err *err) {
  rl_tape_reset(tape);
  if (!msg->value.data) return rl_fail(err, RL_EHANDLER, "a null value, which holds nothing to decode");
  if (!d->rows && record > 0) return rl_fail(err, RL_EHANDLER, "record %zu of a message of 1", record + 1);
  if (!d->rows) return json_tape(d, msg, tape, err);
  int code = d->taped == msg && record >= d->next_record ? 0 : begin_tapes(d, msg, err);
  if (code == 0) code = next_tapes(d, record, tape, err);
  if (code == 1) return 0;
  d->taped = NULL;
  tape->n = 0;
  return code;
}
