/* Outputs to files: acknowledged when the system took all of it, and synced first where that is asked (S5.3).
 */
#include "stream/sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

/* In place of the C library's: what was asked to be synced, and what it held by then. */
static int syncs, sync_errno;
static off_t synced_size;

int fdatasync(int fd) {
  struct stat st;
  syncs++;
  synced_size = fstat(fd, &st) == 0 ? st.st_size : -1;
  errno = sync_errno;
  return sync_errno ? -1 : 0;
}

static const char *made_path(void) {
  static char path[64];
  snprintf(path, sizeof path, "file:/tmp/stream_files.%d", (int)getpid());
  return path;
}

static long size_of(const char *topic) {
  struct stat st;
  return stat(topic + 5, &st) == 0 ? (long)st.st_size : -1;
}

static void write_line(struct rl_files *files, const char *line) {
  struct rl_err err = {0};
  if (rl_files_json(files, made_path(), rl_bytes_str(line), &err)) UNIT_FAIL("%s", err.text);
}

static struct rl_files *begin(bool fsync_each) {
  syncs = sync_errno = 0;
  synced_size = -1;
  unlink(made_path() + 5);
  return rl_files_new(fsync_each);
}

static void end(struct rl_files *files) {
  rl_files_free(files);
  unlink(made_path() + 5);
}

TEST(s5_3_a_flush_hands_all_of_it_to_the_system) {
  struct rl_err err = {0};
  struct rl_files *files = begin(false);
  write_line(files, "1");
  write_line(files, "22");
  CHECK_INT(rl_files_flush(files, &err), 0);
  CHECK_INT(size_of(made_path()), 5);
  CHECK_INT(syncs, 0);
  end(files);
}

TEST(s5_3_fsync_syncs_what_was_written_before_it_is_acknowledged) {
  struct rl_err err = {0};
  struct rl_files *files = begin(true);
  write_line(files, "123");
  CHECK_INT(syncs, 0);
  CHECK_INT(rl_files_flush(files, &err), 0);
  CHECK_INT(syncs, 1);
  CHECK_INT(synced_size, 4);
  CHECK_INT(rl_files_flush(files, &err), 0);
  CHECK_INT(syncs, 1); /* nothing new */
  write_line(files, "4");
  CHECK_INT(rl_files_flush(files, &err), 0);
  CHECK_INT(syncs, 2);
  CHECK_INT(synced_size, 6);
  end(files);
}

TEST(s5_3_a_sync_that_fails_is_no_acknowledgement) {
  struct rl_err err = {0};
  struct rl_files *files = begin(true);
  write_line(files, "1");
  sync_errno = EIO;
  CHECK(rl_files_flush(files, &err) != 0);
  CHECK_HAS(err.text, "stream_files");
  CHECK_HAS(err.text, "fdatasync");
  sync_errno = 0;
  CHECK_INT(rl_files_flush(files, &err), 0); /* it was not taken for synced */
  CHECK_INT(syncs, 2);
  end(files);
}

/* A limit on the file's size in place of a full disk: write takes a part, then nothing. */
TEST(s5_3_a_write_that_is_cut_short_is_no_acknowledgement) {
  struct rl_err err = {0};
  struct rlimit before, small;
  struct rl_files *files = begin(false);
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 5;
  signal(SIGXFSZ, SIG_IGN);
  write_line(files, "12345678");
  setrlimit(RLIMIT_FSIZE, &small);
  int rc = rl_files_flush(files, &err);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_INT(rc, RL_EFAIL);
  CHECK_HAS(err.text, "stream_files");
  end(files);
}

TEST(s5_3_a_closed_pipe_is_told_from_other_failures) {
  struct rl_err err = {0};
  int pipe_ends[2];
  char topic[32];
  struct rl_files *files = begin(false);
  signal(SIGPIPE, SIG_IGN);
  if (pipe(pipe_ends)) UNIT_FAIL("pipe: %s", strerror(errno));
  snprintf(topic, sizeof topic, "file:/dev/fd/%d", pipe_ends[1]);
  CHECK_INT(rl_files_open(files, topic, &err), 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  rl_files_json(files, topic, rl_bytes_str("1"), &err);
  CHECK_INT(rl_files_flush(files, &err), RL_EPIPE);
  end(files);
}
