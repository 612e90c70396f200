#include "base/save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

struct save {
  rl_save_write *write;
  const void *arg;
};

/* Closes fd. A device or a pipe cannot be synchronized. */
static bool write_to(int fd, const struct save *s, bool special) {
  FILE *file = fdopen(fd, "wb");
  if (!file) {
    close(fd);
    return false;
  }
  bool good = s->write(file, s->arg) == 0;
  if (good && !special) good = !fflush(file) && !fsync(fd);
  int why = errno;
  if (fclose(file) && good) return false;
  errno = why;
  return good;
}

static bool write_in_place(const char *path, const struct save *s) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  return fd >= 0 && write_to(fd, s, true);
}

/* A file of nobody else's in the folder of `path`: others may save the same path at the same time, lanes of
 * this process and other processes. */
static int open_part(const char *path, struct rl_buf *part) {
  static atomic_uint count;
  for (int tries = 0;; tries++) {
    rl_buf_clear(part);
    rl_buf_printf(part, "%s.%ld-%u.part", path, (long)getpid(), atomic_fetch_add(&count, 1));
    int fd = open(part->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST || tries == 1000) return fd;
  }
}

/* Closes fd. */
static bool fill(int fd, const struct stat *was, const struct save *s) {
  if (was && fchmod(fd, was->st_mode & 07777)) {
    int why = errno;
    close(fd);
    errno = why;
    return false;
  }
  return write_to(fd, s, false);
}

/* was: the file that is there, or NULL. */
static bool replace(const char *path, const struct stat *was, const struct save *s) {
  struct rl_buf part = RL_BUF_INIT;
  int fd = open_part(path, &part);
  bool good = fd >= 0 && fill(fd, was, s) && rename(part.data, path) == 0;
  int why = errno;
  if (fd >= 0 && !good) unlink(part.data);
  rl_buf_free(&part);
  errno = why;
  return good;
}

/* A link to what is not there yet makes it. */
static bool save(const char *path, const struct save *s) {
  struct stat st;
  char target[PATH_MAX];
  if (stat(path, &st) == 0)
    return S_ISREG(st.st_mode) && realpath(path, target) ? replace(target, &st, s) : write_in_place(path, s);
  bool link = lstat(path, &st) == 0;
  return link ? write_in_place(path, s) : replace(path, NULL, s);
}

int rl_save(const char *path, rl_save_write *write, const void *arg, struct rl_err *err) {
  struct save s = {write, arg};
  return save(path, &s) ? 0 : rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
}
