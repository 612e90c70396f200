#include "codec/avro_format.h"

#include "base/mem.h"
#include "codec/avro_suggest.h"
#include "codec/magic.h"

/* ---- opening ---- */

static void set_fingerprint(struct rl_avro_format *f) {
  struct rl_buf canonical = RL_BUF_INIT;
  rl_avro_put_canonical(&canonical, f->reader);
  f->fingerprint = rl_avro_fingerprint(rl_buf_bytes(&canonical));
  rl_buf_free(&canonical);
}

static int read_schema(struct rl_avro_format *f, struct rl_err *err) {
  struct rl_bytes text = f->opts->avro.schema;
  if (!text.data) return 0;
  if (rl_avro_schema_new(&f->reader, &text, 1, true, err) != 0)
    return err ? (err->code = RL_EUSAGE) : RL_EUSAGE;
  set_fingerprint(f);
  return 0;
}

static size_t depth_of(const struct rl_decoder_opts *opts) {
  size_t depth = opts->max_depth ? opts->max_depth : RL_JSON_DEPTH;
  return depth < RL_AVRO_DEPTH_MAX ? depth : RL_AVRO_DEPTH_MAX;
}

static void close_avro(void *self) {
  struct rl_avro_format *f = self;
  rl_avro_cache_free(&f->cache);
  rl_avro_cache_free(&f->own);
  rl_avro_schema_free(f->reader);
  rl_avro_inflate_free(f->inflate);
  rl_json_program_free(&f->steps);
  rl_json_select_free(f->json);
  rl_json_free(f->json_whole);
  rl_buf_free(&f->container.buf);
  rl_free(f->run.tape.at);
  rl_lists_free(&f->run.lists);
  rl_free(f);
}

static int open_avro(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  struct rl_avro_format *f = rl_zalloc(sizeof *f);
  f->opts = opts;
  rl_json_program_make(&f->steps, opts->fields);
  f->inflate = rl_avro_inflate_new();
  f->run.max_depth = depth_of(opts);
  f->run.logical = opts->avro.logical;
  f->run.fields = opts->fields;
  int code = read_schema(f, err);
  struct rl_avro_use own = {&f->steps, NULL}, use = {&f->steps, f->reader};
  rl_avro_cache_init(&f->own, &own);
  rl_avro_cache_init(&f->cache, &use);
  if (code != 0) {
    close_avro(f);
    return code;
  }
  *self = f;
  return 0;
}

/* ---- messages ---- */

static void point_at_value(struct rl_avro_format *f) {
  struct rl_avro_run *r = &f->run;
  r->data = (const uint8_t *)f->value.data;
  r->len = f->value.len;
  r->at = f->frame_at;
  r->base = 0;
  r->inflated = r->copy = r->last = false;
}

static int begin_avro(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_err *err) {
  struct rl_avro_format *f = self;
  f->run.arena = arena;
  f->run.message++;
  rl_lists_begin(&f->run.lists);
  int code = rl_avro_frame(f, msg, err);
  if (code == 0 && f->state == RL_AVRO_ONE) point_at_value(f);
  return code;
}

/* To the next record: 1, with the run at its first byte; 0: none is left. */
static int step(struct rl_avro_format *f, struct rl_err *err) {
  f->run.err = err;
  if (f->state == RL_AVRO_DONE) return 0;
  if (f->state == RL_AVRO_BLOCKS)
    return rl_avro_container_next(&f->container, f->inflate, f->opts->max_inflated, &f->run, err);
  return 1;
}

/* A bare value is the whole message. */
static int finish(struct rl_avro_format *f) {
  if (f->state != RL_AVRO_ONE) return 1;
  f->state = RL_AVRO_DONE;
  if (f->run.at == f->run.len) return 1;
  rl_avro_fault(&f->run, f->run.at, "%zu bytes follow the value: its schema is another",
                f->run.len - f->run.at);
  return RL_EHANDLER;
}

/* Strict: the value is read whole, as written, and then again for its fields. */
static bool check_strictly(struct rl_avro_format *f) {
  size_t at = f->run.at;
  f->run.depth = 0;
  f->run.free_items = RL_AVRO_FREE_ITEMS;
  f->run.tape.n = 0;
  if (!rl_avro_tree(&f->run, f->entry->writer->root)) return false;
  f->run.at = at;
  return true;
}

static int next_json(struct rl_avro_format *f, struct rl_cell *row, struct rl_err *err) {
  struct rl_bytes text = rl_bytes(f->value.data + f->frame_at, f->value.len - f->frame_at);
  f->state = RL_AVRO_DONE;
  int code = rl_json_select_row(f->json, text, f->run.arena, row, err);
  return code == 0 ? 1 : code;
}

/* What is wrong says little when the file was taken for the writer's schema: of a registry's value, which is
 * off by five bytes then, and of one whose schema is its key. */
static int explain(const struct rl_avro_format *f, int code, struct rl_err *err) {
  bool bare = f->opts->avro.framing == RL_AVRO_AUTO && f->state != RL_AVRO_BLOCKS && f->reader &&
              !f->opts->avro.registry;
  if (code != RL_EHANDLER || !err || !bare) return code;
  if (rl_avro_key_is_schema(f->key))
    return rl_fail(err, code, "%s (the key looks like the schema it was written with: try framing = \"key\")",
                   err->text);
  if (rl_avro_key_is_schema(f->value))
    return rl_fail(err, code, "%s (it begins as JSON does: decode = \"json\"?)", err->text);
  if (rl_magic_of(f->value) != RL_MAGIC_CONFLUENT) return code;
  return rl_fail(err, code, "%s (it begins with %s: try framing = \"confluent\")", err->text,
                 rl_magic_text(RL_MAGIC_CONFLUENT));
}

static int next_avro(void *self, struct rl_cell *row, struct rl_err *err) {
  struct rl_avro_format *f = self;
  int code = step(f, err);
  if (code != 1) return code;
  if (f->state == RL_AVRO_JSON) return next_json(f, row, err);
  f->run.last = f->run.last && !f->opts->strict;
  for (size_t i = 0; i < f->steps.n_order; i++) row[f->steps.order[i]] = (struct rl_cell){.tag = RL_MISSING};
  bool fine = (!f->opts->strict || check_strictly(f)) &&
              rl_avro_program_run(&f->run, f->entry->program, f->steps.order, row);
  return explain(f, fine ? finish(f) : RL_EHANDLER, err);
}

/* ---- whole values ---- */

static int json_tape(struct rl_avro_format *f, struct rl_tape *tape, struct rl_err *err) {
  struct rl_bytes text = rl_bytes(f->value.data + f->frame_at, f->value.len - f->frame_at);
  f->state = RL_AVRO_DONE;
  if (!f->json_whole) f->json_whole = rl_json_new();
  int code = rl_json_tape(f->json_whole, text, f->opts->max_depth, tape, err);
  return code == 0 ? 1 : code;
}

/* The run appends to a tape of its own: for the time being that is the caller's. */
static int next_tape(void *self, struct rl_tape *tape, struct rl_err *err) {
  struct rl_avro_format *f = self;
  int code = step(f, err);
  if (code != 1) return code;
  if (f->state == RL_AVRO_JSON) return json_tape(f, tape, err);
  struct rl_tape own = f->run.tape;
  struct rl_arena *arena = f->run.arena;
  f->run.message++; /* names are kept in the arena of their record, and go with it */
  f->run.tape = *tape;
  f->run.arena = &tape->arena;
  f->run.depth = 0;
  f->run.free_items = RL_AVRO_FREE_ITEMS;
  bool fine = rl_avro_tree(&f->run, rl_avro_entry_schema(f->entry)->root);
  tape->at = f->run.tape.at;
  tape->n = f->run.tape.n;
  tape->cap = f->run.tape.cap;
  f->run.tape = own;
  f->run.arena = arena;
  f->run.message++;
  return explain(f, fine ? finish(f) : RL_EHANDLER, err);
}

static bool several_avro(void *self) { return ((struct rl_avro_format *)self)->state == RL_AVRO_BLOCKS; }

static bool declares_avro(void *self, const struct rl_msg *msg, const struct rl_field *field) {
  struct rl_avro_format *f = self;
  if (rl_avro_frame(f, msg, NULL) != 0 || f->state == RL_AVRO_JSON) return false;
  return rl_avro_declares(f->reader ? f->reader : rl_avro_entry_schema(f->entry), field);
}

static void suggest_avro(void *self, const struct rl_msg *msg, const struct rl_field *field,
                         struct rl_buf *out) {
  struct rl_avro_format *f = self;
  if (rl_avro_frame(f, msg, NULL) == 0 && f->state != RL_AVRO_JSON && !declares_avro(self, msg, field))
    rl_avro_suggest(rl_avro_entry_schema(f->entry), field, out);
}

const struct rl_format rl_format_avro = {"avro", open_avro, close_avro, NULL, suggest_avro, declares_avro};
const struct rl_format_rows rl_avro_rows = {begin_avro, next_avro, next_tape, several_avro};
