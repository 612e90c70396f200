#include "stream/sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "stream/ndjson.h"

#define FLUSH_AT (1 << 20) /* a batch may write more than we care to hold */

struct file {
  char *topic;
  int fd;
  bool dirty;
  bool regular; /* a file on a disk never makes a writer wait for its reader */
  struct rl_buf buf;
  uint64_t taken; /* bytes that the system took so far; those of buf come next */
};

struct rl_files {
  struct file *at;
  size_t n, cap;
  bool fsync;
  struct rl_json *json;
  struct rl_tape scratch;
};

bool rl_is_file(const char *topic) { return strcmp(topic, "-") == 0 || strncmp(topic, "file:", 5) == 0; }

struct rl_files *rl_files_new(bool fsync_each) {
  struct rl_files *files = rl_zalloc(sizeof *files);
  files->fsync = fsync_each;
  files->json = rl_json_new();
  return files;
}

void rl_files_free(struct rl_files *files) {
  for (size_t i = 0; i < files->n; i++) {
    rl_free(files->at[i].topic);
    rl_buf_free(&files->at[i].buf);
    if (files->at[i].fd != STDOUT_FILENO) close(files->at[i].fd);
  }
  rl_json_free(files->json);
  rl_tape_free(&files->scratch);
  rl_free(files->at);
  rl_free(files);
}

/* stdout may be non-blocking: whoever shares it may have set it so. */
static bool may_write_again(int fd) {
  struct pollfd out = {.fd = fd, .events = POLLOUT};
  return errno == EAGAIN && (poll(&out, 1, -1) >= 0 || errno == EINTR);
}

/* What can be written without waiting; 0: nothing now. A pipe that polls as writable takes PIPE_BUF bytes. */
static size_t room(const struct file *f, size_t len) {
  struct pollfd out = {.fd = f->fd, .events = POLLOUT};
  if (f->regular) return len;
  if (poll(&out, 1, 0) <= 0) return 0;
  return len < PIPE_BUF ? len : PIPE_BUF;
}

static ssize_t write_fd(int fd, const char *data, size_t len) {
  return fd == STDOUT_FILENO ? rl_terminal_write(data, len) : write(fd, data, len);
}

static int write_failed(const struct file *f, struct rl_err *err) {
  if (errno == EPIPE) return rl_fail(err, RL_EPIPE, "%s: its reader went away", f->topic);
  return rl_fail(err, RL_EFAIL, "%s: %s", f->topic, strerror(errno));
}

static void drop_front(struct file *f, size_t n) {
  memmove(f->buf.data, f->buf.data + n, f->buf.len - n);
  f->buf.len -= n;
  f->taken += n;
}

/* All of it; or, when it must not wait, what goes at once. */
static int write_out(struct file *f, bool wait, struct rl_err *err) {
  size_t at = 0;
  int rc = 0;
  while (at < f->buf.len && rc == 0) {
    size_t len = f->buf.len - at;
    if (!wait && (len = room(f, len)) == 0) break;
    ssize_t n = write_fd(f->fd, f->buf.data + at, len);
    if (n >= 0)
      at += (size_t)n;
    else if (!wait && errno == EAGAIN)
      break;
    else if (errno != EINTR && !may_write_again(f->fd))
      rc = write_failed(f, err);
  }
  if (at) drop_front(f, at);
  return rc;
}

/* Lua's print shares stdout: what it wrote before stands before. */
static int open_fd(const char *topic) {
  if (strcmp(topic, "-") == 0) return STDOUT_FILENO;
  return open(topic + 5, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static bool is_regular(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static struct file *find(struct rl_files *files, const char *topic, struct rl_err *err) {
  for (size_t i = 0; i < files->n; i++)
    if (strcmp(files->at[i].topic, topic) == 0) return &files->at[i];
  int fd = open_fd(topic);
  if (fd < 0) {
    rl_fail(err, RL_EFAIL, "cannot write to output %s: %s", topic, strerror(errno));
    return NULL;
  }
  RL_GROW(files->at, files->cap, files->n + 1);
  struct file *f = &files->at[files->n++];
  *f = (struct file){.topic = rl_strdup(topic), .fd = fd, .regular = is_regular(fd)};
  return f;
}

int rl_files_open(struct rl_files *files, const char *topic, struct rl_err *err) {
  return find(files, topic, err) ? 0 : RL_EFAIL;
}

static int put(struct file *f, struct rl_err *err) {
  f->dirty = true;
  return f->buf.len < FLUSH_AT ? 0 : write_out(f, true, err);
}

int rl_files_json(struct rl_files *files, const char *topic, struct rl_bytes value, struct rl_err *err) {
  struct file *f = find(files, topic, err);
  if (!f) return RL_EFAIL;
  rl_buf_put(&f->buf, value.data, value.len);
  rl_buf_putc(&f->buf, '\n');
  return put(f, err);
}

int rl_files_message(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                     const struct rl_header *headers, size_t n_headers, struct rl_err *err) {
  if (msg->value.data && rl_ndjson_plain(msg->value, files->json, &files->scratch))
    return rl_files_json(files, topic, msg->value, err);
  return rl_files_record(files, topic, msg, headers, n_headers, err);
}

static struct file *keep_record(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                                const struct rl_header *headers, size_t n_headers, struct rl_err *err) {
  struct file *f = find(files, topic, err);
  if (f) rl_ndjson_put(&f->buf, msg, headers, n_headers, RL_NDJSON_BASE64, files->json, &files->scratch);
  return f;
}

int rl_files_record(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                    const struct rl_header *headers, size_t n_headers, struct rl_err *err) {
  struct file *f = keep_record(files, topic, msg, headers, n_headers, err);
  return f ? put(f, err) : RL_EFAIL;
}

int rl_files_later(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                   const struct rl_header *headers, size_t n_headers, uint64_t *mark, struct rl_err *err) {
  struct file *f = keep_record(files, topic, msg, headers, n_headers, err);
  if (!f) return RL_EFAIL;
  f->dirty = true;
  *mark = f->taken + f->buf.len;
  return 0;
}

static int sync_file(const struct file *f, struct rl_err *err) {
  if (fdatasync(f->fd) == 0 || errno == EINVAL || errno == EROFS) return 0; /* a pipe has nothing to sync */
  return rl_fail(err, RL_EFAIL, "%s: fdatasync: %s", f->topic, strerror(errno));
}

int rl_files_flush(struct rl_files *files, struct rl_err *err) {
  for (size_t i = 0; i < files->n; i++) {
    struct file *f = &files->at[i];
    if (!f->dirty) continue;
    if (write_out(f, true, err) || (files->fsync && sync_file(f, err))) return err->code;
    f->dirty = false;
  }
  return 0;
}

int rl_files_try(struct rl_files *files, const char *topic, uint64_t mark, struct rl_err *err) {
  struct file *f = find(files, topic, err);
  if (!f || write_out(f, false, err)) return err->code;
  if (f->taken < mark) return 0;
  if (!f->dirty) return 1;
  if (files->fsync && sync_file(f, err)) return err->code;
  f->dirty = f->buf.len > 0;
  return 1;
}
