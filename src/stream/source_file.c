/* Lines of a file or of stdin as messages: a handler runs with no broker at all.
 *
 * A line is a value; in ndjson a record as rille writes it is read back with its key, headers and origin.
 * Memory holds the lines of the batches under way, no more. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "codec/magic.h"
#include "stream/ndjson.h"
#include "stream/source.h"

#define CHUNK (256 * 1024)
#define LINE_MAX_BYTES (1u << 30)

struct file {
  char *name;
  int fd;
  bool lines; /* every line is a value, blank ones too */
  bool whole; /* all of the file is one value */
  bool told;  /* input_format says which of these, and what the file begins with does not matter */
  bool at_eof, said_eof, assigned, closing;
  int64_t line; /* number of the next line, from 1 */
  struct rl_buf buf;
  size_t at;      /* what of buf is not yet a message */
  size_t scanned; /* up to here there is no line break */
  struct rl_json *json;
  struct rl_tape scratch;
};

/* What a message of a file holds. */
struct line {
  struct rl_arena arena;
  struct rl_header *headers;
  size_t n_headers;
  const char *file;
  int64_t number; /* of the line in its file, from 1 */
};

static bool line_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  const struct line *l = msg->handle;
  if (i >= l->n_headers) return false;
  *out = l->headers[i];
  return true;
}

static void line_release(struct rl_msg *msg) {
  struct line *l = msg->handle;
  rl_arena_free(&l->arena);
  rl_free(l);
}

static const struct rl_msg_ops line_ops = {line_header, line_release};

int64_t rl_source_file_line(const struct rl_msg *msg, const char **file) {
  if (msg->ops != &line_ops || !msg->handle) return 0;
  const struct line *l = msg->handle;
  *file = l->file;
  return l->number;
}

static int make_message(struct file *f, struct rl_bytes text, struct rl_msg *msg, struct rl_err *err) {
  struct line *l = rl_zalloc(sizeof *l);
  rl_arena_init(&l->arena);
  l->file = f->name;
  l->number = f->line;
  *msg = (struct rl_msg){
      .topic = f->name, .offset = f->line - 1, .timestamp = -1, .handle = l, .ops = &line_ops};
  int record =
      f->lines ? 0
               : rl_ndjson_get(text, f->json, &f->scratch, &l->arena, msg, &l->headers, &l->n_headers, err);
  if (record == 0) msg->value = rl_arena_copy(&l->arena, text);
  if (record >= 0) return 0;
  rl_msg_release(msg);
  return rl_err_prefix(err, "%s:%lld: ", f->name, (long long)f->line);
}

/* Descriptors stay blocking, as stdin is shared with others: they are asked before they are read. */
static bool readable(const struct file *f) {
  struct pollfd fd = {.fd = f->fd, .events = POLLIN};
  return poll(&fd, 1, 0) > 0;
}

/* Cut at its line breaks a binary file would be many values that do not decode. */
static int check_lines(const struct file *f, struct rl_err *err) {
  enum rl_magic magic = f->told || f->line ? RL_MAGIC_NONE : rl_magic_of(rl_buf_bytes(&f->buf));
  if (magic == RL_MAGIC_NONE) return 0;
  return rl_fail(err, RL_EUSAGE, "%s begins with %s, and is not lines: %s", f->name, rl_magic_text(magic),
                 magic == RL_MAGIC_GZIP ? "unpack it first" : "--input-format whole makes it one value");
}

/* Reads more; false when nothing came now. */
static bool read_more(struct file *f, struct rl_err *err) {
  if (f->at) { /* what is used up makes room */
    memmove(f->buf.data, f->buf.data + f->at, f->buf.len - f->at);
    f->buf.len -= f->at;
    f->scanned -= f->at;
    f->at = 0;
  }
  ssize_t n = read(f->fd, rl_buf_reserve(&f->buf, CHUNK), CHUNK);
  if (n > 0) f->buf.len += (size_t)n;
  if (n == 0) f->at_eof = true;
  if (n < 0 && errno != EAGAIN && errno != EINTR) rl_fail(err, RL_EFAIL, "%s: %s", f->name, strerror(errno));
  if (n > 0 && f->buf.len > LINE_MAX_BYTES)
    rl_fail(err, RL_EFAIL, "%s:%lld: a line of over 1 GiB", f->name, (long long)f->line);
  return n >= 0 && check_lines(f, err) == 0;
}

/* The next whole line, or the rest at the end of the file. */
static bool next_line(struct file *f, struct rl_bytes *out) {
  if (f->at == f->buf.len || (f->whole && !f->at_eof)) return false;
  if (f->whole) {
    *out = rl_bytes(f->buf.data + f->at, f->buf.len - f->at);
    f->at = f->scanned = f->buf.len;
    return true;
  }
  char *end = memchr(f->buf.data + f->scanned, '\n', f->buf.len - f->scanned);
  f->scanned = f->buf.len;
  if (!end && !f->at_eof) return false;
  size_t stop = end ? (size_t)(end - f->buf.data) : f->buf.len;
  *out = rl_bytes(f->buf.data + f->at, stop - f->at);
  f->at = f->scanned = end ? stop + 1 : stop;
  if (out->len && out->data[out->len - 1] == '\r') out->len--;
  return true;
}

static bool is_blank(struct rl_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (text.data[i] != ' ' && text.data[i] != '\t') return false;
  return true;
}

static enum rl_take f_take(void *self, struct rl_msg *msg, struct rl_err *err) {
  struct file *f = self;
  struct rl_bytes text;
  if (f->said_eof || !f->assigned) return RL_TAKE_NONE;
  for (;;) {
    if (next_line(f, &text)) {
      f->line++;
      if (!f->lines && is_blank(text)) continue;
      return make_message(f, text, msg, err) ? RL_TAKE_ERROR : RL_TAKE_MSG;
    }
    if (f->at_eof) break;
    bool some = readable(f) && read_more(f, err);
    if (err->code) { /* what cannot be read once is not asked again */
      f->said_eof = true;
      return RL_TAKE_ERROR;
    }
    if (!some) return RL_TAKE_NONE;
  }
  f->said_eof = true;
  return RL_TAKE_EOF;
}

static void f_clear(void *self) { (void)self; }

static bool f_serve(void *self, struct rl_kev *ev) {
  struct file *f = self;
  if (f->assigned) return false;
  *ev = (struct rl_kev){.kind = RL_KEV_ASSIGN};
  rl_tps_add(&ev->tps, f->name, 0, RL_OFFSET_INVALID);
  f->assigned = true;
  return true;
}

static uint32_t f_slot(void *self, const char *topic, int32_t partition) {
  (void)self, (void)topic, (void)partition;
  return 0;
}

static int f_list(void *self, const struct rl_tps *parts, struct rl_err *err) {
  (void)self, (void)parts, (void)err;
  return 0; /* nothing is assigned, taken away or committed: a file is read once, to its end */
}

static int64_t f_high(void *self, const char *topic, int32_t partition) {
  (void)self, (void)topic, (void)partition;
  return -1;
}

static bool f_yes(void *self) {
  (void)self;
  return true;
}

static bool f_no(void *self) {
  (void)self;
  return false;
}

static bool f_reachable(void *self, int timeout_ms) {
  (void)self, (void)timeout_ms;
  return true;
}

static int f_close_begin(void *self, struct rl_err *err) {
  (void)self, (void)err;
  return 0;
}

static void f_destroy(void *self) {
  struct file *f = self;
  if (f->fd != STDIN_FILENO) close(f->fd);
  rl_buf_free(&f->buf);
  rl_json_free(f->json);
  rl_tape_free(&f->scratch);
  rl_free(f->name);
  rl_free(f);
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int open_fd(const char *path, struct rl_err *err) {
  if (strcmp(path, "-") == 0) return STDIN_FILENO;
  if (is_folder(path)) {
    rl_fail(err, RL_EUSAGE,
            "--input %s is a folder: name a file, or - for stdin; `rille send -t TOPIC --input-format whole "
            "FILE…` makes a topic of several",
            path);
    return -1;
  }
  int fd =
      open(path, O_RDONLY | O_CLOEXEC); /* not O_NONBLOCK: a pipe without a writer yet would be at its end */
  if (fd < 0) rl_fail(err, RL_EUSAGE, "cannot read --input %s: %s", path, strerror(errno));
  return fd;
}

int rl_source_file(struct rl_source *out, const struct rl_settings *s, struct rl_err *err) {
  int fd = open_fd(s->input, err);
  if (fd < 0) return err->code;
  struct file *f = rl_zalloc(sizeof *f);
  f->name = rl_strdup(strcmp(s->input, "-") == 0 ? "stdin" : s->input);
  f->fd = fd;
  f->whole = s->input_format && strcmp(s->input_format, "whole") == 0;
  f->lines = f->whole || (s->input_format && strcmp(s->input_format, "lines") == 0);
  f->told = rl_settings_is_set(s, "input_format");
  f->json = rl_json_new();
  *out = (struct rl_source){.self = f,
                            .fd = fd,
                            .clear = f_clear,
                            .serve = f_serve,
                            .take = f_take,
                            .slot = f_slot,
                            .accept = f_list,
                            .yield = f_list,
                            .commit = f_list,
                            .high = f_high,
                            .joined = f_yes,
                            .may_commit = f_no,
                            .reachable = f_reachable,
                            .close_begin = f_close_begin,
                            .closed = f_yes,
                            .destroy = f_destroy};
  return 0;
}
