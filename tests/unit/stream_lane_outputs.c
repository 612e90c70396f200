/* Outputs of a lane that do not go out at once, or not at all (S5). */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lane_bed.h"

TEST(s5_2_a_forward_too_large_without_a_dead_letter_topic_ends_the_run) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out"};
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lane_fill(b.address, "in", 1, 0, 5, 0);
  lane_fill(b.address, "in", 1, 5, 1, 1200000);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "exit_at_end", "true");
  lanes_set(&l, "batch.size", "1");
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, RL_EHANDLER);
  CHECK_HAS(l.err[0].text, "message.max.bytes");
  CHECK_INT(lane_committed(b.address, "in", "g"), 5);
  bed_stop(&b);
}

/* The second message is past its deadline while the first one's output is not acknowledged for three seconds.
 */
TEST(a_batch_that_may_not_fly_yet_is_waited_for_asleep) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out"};
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lanes_init(&l, b.address, "in", NULL);
  lanes_set(&l, "start", "beginning");
  lanes_set(&l, "in_flight", "1");
  lanes_set(&l, "count", "3");
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  lane_fill(b.address, "in", 1, 0, 1, 0);
  LANE_UNTIL(lanes_sent(&l, 0) == 1);
  rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_PRODUCE, 2, RD_KAFKA_RESP_ERR_NO_ERROR, 0,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, 3000);
  lane_fill(b.address, "in", 1, 1, 1, 0);
  LANE_UNTIL(atomic_load(&script.total) == 2);
  lane_fill(b.address, "in", 1, 2, 1, 0);
  double cpu = lane_cpu();
  int64_t clock = rl_now();
  LANE_UNTIL(atomic_load(&script.total) == 3);
  double waited = (double)(rl_now() - clock) / 1e9;
  CHECK(waited > 1); /* it did wait */
  CHECK(lane_cpu() - cpu < waited / 2);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  bed_stop(&b);
}

/* A pipe that nobody reads until the test drains it. */
struct fifo {
  char path[64], topic[80];
  int fd;
  size_t lines, read;
};

static struct fifo fifo_open(void) {
  struct fifo f = {.fd = -1};
  snprintf(f.path, sizeof f.path, "/tmp/stream_lane_outputs.%d", (int)getpid());
  snprintf(f.topic, sizeof f.topic, "file:%s", f.path);
  unlink(f.path);
  if (mkfifo(f.path, 0600)) UNIT_FAIL("mkfifo: %s", strerror(errno));
  f.fd = open(f.path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return f;
}

static void fifo_drain(struct fifo *f) {
  char buf[65536];
  for (ssize_t n; (n = read(f->fd, buf, sizeof buf)) > 0; f->read += (size_t)n)
    for (ssize_t i = 0; i < n; i++) f->lines += buf[i] == '\n';
}

static void fifo_close(struct fifo *f) {
  close(f->fd);
  unlink(f->path);
}

static struct fifo fifo;

/* Far more than a pipe holds, beside what is forwarded. */
static int floods(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                  struct rl_failure *why) {
  static char text[200000];
  (void)why;
  lane_pass(s, view, out);
  memset(text, '1', sizeof text);
  struct rl_out line = {.json = true,
                        .topic = fifo.topic,
                        .partition = -1,
                        .message = RL_NO_MESSAGE,
                        .value = rl_bytes(text, sizeof text)};
  return rl_outbox_send(out, &line, NULL);
}

/* The broker's refusal of a batch, then of the message alone. */
static void refuse_one(struct bed *b) {
  rd_kafka_mock_push_request_errors(b->cluster, KAFKA_PRODUCE, 2, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                                    RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
}

static int64_t lanes_taken(struct lanes *l) {
  struct rl_stats stats;
  rl_lane_stats(l->at[0], &stats);
  return stats.messages;
}

static int64_t lanes_rejected(struct lanes *l) {
  struct rl_stats stats;
  rl_lane_stats(l->at[0], &stats);
  return stats.rejected;
}

static atomic_int refused;

static void hear(enum rl_level level, const char *line, void *arg) {
  (void)arg;
  if (level == RL_WARN && strstr(line, "dead-lettered")) atomic_fetch_add(&refused, 1);
}

static void pipe_nobody_reads(const char *dead_letter) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out", .handle = floods};
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  rd_kafka_mock_topic_create(b.cluster, "dead", 1, 1);
  lane_fill(b.address, "in", 1, 0, 1, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "dead_letter", dead_letter);
  refuse_one(&b);
  rl_log_level(RL_WARN);
  rl_log_to(hear, NULL);
  atomic_store(&refused, 0);
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  LANE_UNTIL(atomic_load(&refused) == 1); /* its thread writes meanwhile, for as long as nobody reads */
  bool to_topic = strcmp(dead_letter, "dead") == 0;
  if (to_topic) LANE_UNTIL(lanes_rejected(&l) == 1);
  script.forward = NULL;
  lane_fill(b.address, "in", 1, 1, 5, 0);
  LANE_UNTIL(lanes_taken(&l) == 6);
  CHECK_INT(atomic_load(&script.total), 1); /* it did write all the while */
  LANE_UNTIL((fifo_drain(&fifo), lane_committed(b.address, "in", "g")) == 6);
  CHECK_INT(lanes_rejected(&l), 1);
  lanes_stop(&l);
  LANE_UNTIL((fifo_drain(&fifo), rl_lane_ended(l.at[0])));
  lanes_end(&l);
  rl_log_to(NULL, NULL);
  fifo_drain(&fifo);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT((int64_t)fifo.lines, l.stats[0].batches + !to_topic);
  bed_stop(&b);
}

TEST(promise_3_the_reader_goes_on_while_the_handler_writes_to_a_pipe_that_nobody_reads) {
  fifo = fifo_open();
  pipe_nobody_reads("dead");
  fifo_close(&fifo);
}

TEST(promise_3_a_dead_letter_of_the_readers_waits_for_a_pipe_and_the_reader_does_not) {
  fifo = fifo_open();
  pipe_nobody_reads(fifo.topic);
  fifo_close(&fifo);
}

/* Nothing is written to it after the broker's answer. */
TEST(s5_2_a_dead_letter_to_a_file_is_in_it_before_its_message_is_committed) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out"};
  struct lanes l;
  char topic[80], line[2000] = "";
  snprintf(topic, sizeof topic, "file:/tmp/stream_lane_letter.%d", (int)getpid());
  unlink(topic + 5);
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lane_fill(b.address, "in", 1, 0, 1, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "exit_at_end", "true");
  lanes_set(&l, "dead_letter", topic);
  refuse_one(&b);
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(l.stats[0].rejected, 1);
  CHECK_INT(lane_committed(b.address, "in", "g"), 1);
  FILE *f = fopen(topic + 5, "r");
  CHECK(f && fgets(line, sizeof line, f));
  if (f) fclose(f);
  CHECK_HAS(line, "rille.offset");
  CHECK_HAS(line, "value_base64");
  unlink(topic + 5);
  bed_stop(&b);
}
