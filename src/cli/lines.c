#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/magic.h"

enum { CHUNK = 64 * 1024 };
#define LONGEST ((size_t)1 << 30) /* of a piece: no broker takes more */

int rl_lines_check(const char *path, struct rl_err *err) {
  struct stat st;
  if (strcmp(path, "-") == 0) return 0;
  if (stat(path, &st) || access(path, R_OK))
    return rl_fail(err, RL_EUSAGE, "cannot read %s: %s", path, strerror(errno));
  if (!S_ISDIR(st.st_mode)) return 0;
  return rl_fail(err, RL_EUSAGE, "%s is a folder: name a file, or - for stdin", path);
}

int rl_lines_open(struct rl_lines *l, const char *path, struct rl_bytes delim, struct rl_err *err) {
  bool standard = strcmp(path, "-") == 0;
  *l = (struct rl_lines){.fd = STDIN_FILENO, .name = standard ? "standard input" : path, .delim = delim};
  if (standard) return 0;
  if (rl_lines_check(path, err)) return RL_EUSAGE;
  l->fd = open(path, O_RDONLY | O_CLOEXEC);
  return l->fd >= 0 ? 0 : rl_fail(err, RL_EUSAGE, "cannot read %s: %s", path, strerror(errno));
}

/* Drops what was given, so that the buffer holds one piece and a chunk. */
static void compact(struct rl_lines *l) {
  if (l->at == 0) return;
  memmove(l->held.data, l->held.data + l->at, l->held.len - l->at);
  l->held.len -= l->at;
  l->seen -= l->at;
  l->at = 0;
}

/* Of the first chunk, before a piece of it is given. */
static int check_text(const struct rl_lines *l, struct rl_err *err) {
  if (!l->text || l->line || !l->held.len || l->held.len > CHUNK) return 0;
  enum rl_magic magic = rl_magic_of(rl_buf_bytes(&l->held));
  if (magic == RL_MAGIC_NONE && !memchr(l->held.data, 0, l->held.len)) return 0;
  return rl_fail(err, RL_EUSAGE,
                 "%s %s%s, and is not lines: --input-format whole sends it as one message, -D '\\n' all the "
                 "same as lines",
                 l->name, magic ? "begins with " : "holds a NUL", rl_magic_text(magic));
}

static int read_more(struct rl_lines *l, struct rl_err *err) {
  compact(l);
  if (l->held.len > LONGEST)
    return rl_fail(err, RL_EFAIL, "%s:%lld: longer than any message may be, and no delimiter", l->name,
                   (long long)l->line + 1);
  ssize_t got = read(l->fd, rl_buf_reserve(&l->held, CHUNK), CHUNK);
  if (got < 0 && errno == EINTR) return 2;
  if (got < 0) return rl_fail(err, RL_EFAIL, "cannot read %s: %s", l->name, strerror(errno));
  l->held.len += (size_t)got;
  l->at_end = got == 0;
  return check_text(l, err);
}

/* The next delimiter, from where none was seen yet. */
static const char *find(struct rl_lines *l) {
  const char *found = rl_bytes_find(rl_bytes(l->held.data + l->seen, l->held.len - l->seen), l->delim);
  size_t overlap = l->delim.len - 1, unseen = l->held.len - l->at;
  if (!found) l->seen = l->held.len - (unseen < overlap ? unseen : overlap);
  return found;
}

static int give(struct rl_lines *l, size_t len, size_t skip, struct rl_bytes *piece) {
  *piece = rl_bytes(l->held.data + l->at, len);
  l->at += len + skip;
  l->seen = l->at;
  l->line++;
  return 1;
}

int rl_lines_next(struct rl_lines *l, struct rl_bytes *piece, struct rl_err *err) {
  for (;;) {
    const char *end = l->delim.len && l->held.len > l->seen ? find(l) : NULL;
    if (end) return give(l, (size_t)(end - l->held.data) - l->at, l->delim.len, piece);
    size_t rest = l->held.len - l->at;
    if (l->at_end) return rest ? give(l, rest, 0, piece) : 0;
    int rc = read_more(l, err);
    if (rc) return rc;
  }
}

void rl_lines_close(struct rl_lines *l) {
  if (l->fd > STDIN_FILENO) close(l->fd);
  rl_buf_free(&l->held);
}
