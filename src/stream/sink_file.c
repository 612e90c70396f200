#include "stream/sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "stream/ndjson.h"

#define FLUSH_AT (1 << 20) /* a batch may write more than we care to hold */

struct file {
  char *topic;
  int fd;
  bool dirty;
  struct rl_buf buf;
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

static int write_all(struct file *f, struct rl_err *err) {
  for (size_t at = 0; at < f->buf.len;) {
    ssize_t n = write(f->fd, f->buf.data + at, f->buf.len - at);
    if (n < 0 && (errno == EINTR || may_write_again(f->fd))) continue;
    if (n < 0 && errno == EPIPE) return rl_fail(err, RL_EPIPE, "%s: its reader went away", f->topic);
    if (n < 0) return rl_fail(err, RL_EFAIL, "%s: %s", f->topic, strerror(errno));
    at += (size_t)n;
  }
  rl_buf_clear(&f->buf);
  return 0;
}

/* Lua's print shares stdout: what it wrote before stands before. */
static int open_fd(const char *topic) {
  if (strcmp(topic, "-") == 0) return STDOUT_FILENO;
  return open(topic + 5, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
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
  *f = (struct file){.topic = rl_strdup(topic), .fd = fd};
  return f;
}

int rl_files_open(struct rl_files *files, const char *topic, struct rl_err *err) {
  return find(files, topic, err) ? 0 : RL_EFAIL;
}

static int put(struct file *f, struct rl_err *err) {
  f->dirty = true;
  return f->buf.len < FLUSH_AT ? 0 : write_all(f, err);
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

int rl_files_record(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                    const struct rl_header *headers, size_t n_headers, struct rl_err *err) {
  struct file *f = find(files, topic, err);
  if (!f) return RL_EFAIL;
  rl_ndjson_put(&f->buf, msg, headers, n_headers, RL_NDJSON_BASE64, files->json, &files->scratch);
  return put(f, err);
}

static int sync_file(const struct file *f, struct rl_err *err) {
  if (fdatasync(f->fd) == 0 || errno == EINVAL || errno == EROFS) return 0; /* a pipe has nothing to sync */
  return rl_fail(err, RL_EFAIL, "%s: fdatasync: %s", f->topic, strerror(errno));
}

int rl_files_flush(struct rl_files *files, struct rl_err *err) {
  for (size_t i = 0; i < files->n; i++) {
    struct file *f = &files->at[i];
    if (!f->dirty) continue;
    if (write_all(f, err) || (files->fsync && sync_file(f, err))) return err->code;
    f->dirty = false;
  }
  return 0;
}
