/* Who fills a batch's columns, and when: the reader, while the handler is at the batch before. A message made
 * here notes who asks it for its header, which is when the column of that header gets its cell. The source in
 * the place of source_file.c's is ours: both its functions are here, so that the linker does not take that
 * file from the library. */
#include "lane_bed.h"
#include "stream/source.h"
#include "stream_fake.h"

enum { MESSAGES = 20 };

/* ── messages that note who asks ── */

static struct {
  size_t taken, released;
  bool assigned, ended;
  bool is_asked[MESSAGES];
  pthread_t by[MESSAGES]; /* set before the message is handed over */
  atomic_int asked;
} made;

static bool note_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  size_t n = (size_t)msg->offset;
  if (i > 0) return false;
  made.by[n] = pthread_self();
  if (!made.is_asked[n]) atomic_fetch_add(&made.asked, 1);
  made.is_asked[n] = true;
  *out = (struct rl_header){"h", msg->value};
  return true;
}

static const struct rl_msg_ops noting = {note_header, fake_release};

/* ── their source ── */

static bool made_serve(void *self, struct rl_kev *ev) {
  (void)self;
  if (made.assigned) return false;
  *ev = (struct rl_kev){.kind = RL_KEV_ASSIGN};
  rl_tps_add(&ev->tps, "t", 0, RL_OFFSET_INVALID);
  return made.assigned = true;
}

static enum rl_take made_take(void *self, struct rl_msg *msg, struct rl_err *err) {
  (void)self, (void)err;
  if (made.taken == MESSAGES) {
    enum rl_take last = made.ended ? RL_TAKE_NONE : RL_TAKE_EOF;
    made.ended = true;
    return last;
  }
  *msg = fake_msg(0, (int64_t)made.taken++, "v", &made.released);
  msg->ops = &noting;
  return RL_TAKE_MSG;
}

static uint32_t made_slot(void *self, const char *topic, int32_t partition) {
  return (void)self, (void)topic, (void)partition, 0;
}
static int made_list(void *self, const struct rl_tps *parts, struct rl_err *err) {
  return (void)self, (void)parts, (void)err, 0;
}
static int64_t made_high(void *self, const char *topic, int32_t partition) {
  return (void)self, (void)topic, (void)partition, -1;
}
static bool made_yes(void *self) { return (void)self, true; }
static bool made_no(void *self) { return (void)self, false; }
static bool made_reachable(void *self, int timeout_ms) { return (void)self, (void)timeout_ms, true; }
static int made_close(void *self, struct rl_err *err) { return (void)self, (void)err, 0; }

int rl_source_file(struct rl_source *out, const struct rl_settings *s, struct rl_err *err) {
  (void)s, (void)err;
  *out = (struct rl_source){.self = &made,
                            .fd = -1,
                            .clear = lane_no_call,
                            .serve = made_serve,
                            .take = made_take,
                            .slot = made_slot,
                            .accept = made_list,
                            .yield = made_list,
                            .commit = made_list,
                            .high = made_high,
                            .joined = made_yes,
                            .may_commit = made_no,
                            .reachable = made_reachable,
                            .close_begin = made_close,
                            .closed = made_yes,
                            .destroy = lane_no_call};
  return 0;
}

int64_t rl_source_file_line(const struct rl_msg *msg, const char **file) { return (void)msg, (void)file, 0; }

/* ── the handler ── */

static int unfilled, by_handler; /* rows without their cell; columns that this thread filled */

static int look(struct script *s, const struct rl_view *view, struct rl_outbox *out, struct rl_failure *why) {
  (void)out, (void)why;
  for (size_t i = 0; i < view->n; i++) {
    size_t n = (size_t)view->batch->msgs[view->rows[i]].offset;
    unfilled += !made.is_asked[n] || view->batch->columns->col[0][view->rows[i]].tag != RL_BLOB;
    by_handler += pthread_equal(made.by[n], pthread_self()) != 0;
  }
  atomic_fetch_add(&s->total, (int)view->n);
  return 0;
}

static void begin(struct lanes *l, struct script *script) {
  lanes_init(l, NULL, NULL, NULL);
  lanes_set(l, "input", "-");
  lanes_set(l, "decode", "raw");
  lanes_set(l, "fields", "h=@headers.h");
  lanes_set(l, "batch.size", "4");
  lanes_set(l, "batch.timeout", "60");
  lanes_go(l, script);
}

static void check_cells(void) {
  CHECK_INT(made.asked, MESSAGES);
  CHECK_INT(made.released, MESSAGES);
  CHECK_INT(unfilled, 0);
  CHECK_INT(by_handler, 0);
}

/* While the handler is held in its first batch, one waits in the slot, and one is full behind it. */
TEST(columns_are_filled_by_the_reader_while_the_handler_is_at_the_batch_before) {
  struct script script = {.handle = look, .gate = 1};
  struct lanes l;
  begin(&l, &script);
  LANE_UNTIL(atomic_load(&script.calls) == 1 && atomic_load(&made.asked) == 3 * 4);
  atomic_store(&script.gate, 0);
  lanes_end(&l);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(script.total, MESSAGES);
  check_cells();
}
