#include "base/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>

int rl_wake_open(struct rl_wake *wake) {
  wake->rd = wake->wr = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return wake->rd < 0 ? -1 : 0;
}

#else

static int prepare(int fd) {
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -1;
  return fcntl(fd, F_SETFL, O_NONBLOCK);
}

int rl_wake_open(struct rl_wake *wake) {
  int ends[2];
  wake->rd = wake->wr = -1;
  if (pipe(ends) < 0) return -1;
  wake->rd = ends[0];
  wake->wr = ends[1];
  if (prepare(ends[0]) == 0 && prepare(ends[1]) == 0) return 0;
  int why = errno;
  rl_wake_close(wake);
  errno = why;
  return -1;
}

#endif

/* A full counter or pipe (EAGAIN) is rung already. errno is kept: signal handlers ring too. */
void rl_wake_ring(const struct rl_wake *wake) {
  static const uint64_t one = 1;
  int before = errno;
  while (write(wake->wr, &one, sizeof one) < 0 && errno == EINTR) continue;
  errno = before;
}

void rl_wake_clear(const struct rl_wake *wake) {
  uint64_t rings[64];
  ssize_t got;
  do got = read(wake->rd, rings, sizeof rings);
  while (got == (ssize_t)sizeof rings || (got < 0 && errno == EINTR));
}

void rl_wake_close(struct rl_wake *wake) {
  if (wake->rd >= 0) close(wake->rd);
  if (wake->wr >= 0 && wake->wr != wake->rd) close(wake->wr);
  wake->rd = wake->wr = -1;
}
