/* A lane whose messages' schemas are at a registry: one that is slow, down, back, or has none. */
#include "lane_bed.h"
#include "registry_bed.h"

#define NUMBER "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"n\",\"type\":\"int\"}]}"

struct field {
  struct bed b;
  struct registry_bed registry;
  struct script script;
  struct lanes l;
  atomic_int order[LANE_MESSAGES]; /* numbers as they were handled, by one lane */
  atomic_int ordered;
};

static struct field *current;

/* `total`, which the tests wait for, comes last. */
static void take(struct field *f, int number) {
  int at = atomic_fetch_add(&f->ordered, 1);
  atomic_store(&f->order[at], number);
  atomic_fetch_add(&f->script.seen[number], 1);
  atomic_fetch_add(&f->script.total, 1);
}

static int note(struct script *s, const struct rl_view *view, struct rl_outbox *out, struct rl_failure *why) {
  (void)s, (void)out, (void)why;
  for (size_t i = 0; i < view->n; i++) take(current, (int)view->batch->columns->col[0][view->rows[i]].i);
  return 0;
}

static void field_start(struct field *f, int partitions, const char *group) {
  memset(f, 0, sizeof *f);
  current = f;
  f->b = lanes_decode(&f->l, partitions, group, "avro", "n");
  f->script.handle = note;
  registry_start(&f->registry, 0);
  lanes_set(&f->l, "registry", f->registry.http.url);
}

static void field_stop(struct field *f) {
  registry_stop(&f->registry);
  bed_stop(&f->b);
}

/* The number under a schema's id. */
static void put_framed(struct rl_buf *value, int number, const void *arg) {
  unsigned id = *(const unsigned *)arg, zigzag = (unsigned)number << 1;
  char bytes[] = {0,        (char)(id >> 24),      (char)(id >> 16),   (char)(id >> 8),
                  (char)id, (char)(zigzag | 0x80), (char)(zigzag >> 7)};
  rl_buf_put(value, bytes, sizeof bytes);
}

static void produce(struct field *f, int partitions, unsigned id, int from, int n) {
  bed_send(&(struct bed_load){f->b.address, "in", partitions, from, n, put_framed, &id, NULL});
}

static void down(struct field *f, const char *path) {
  registry_put(&f->registry, path, "503 Service Unavailable", "not now");
}

static void up(struct field *f, const char *path) { registry_schema(&f->registry, path, NUMBER, ""); }

/* Ten messages of a schema that is there, and ten of one that is not to be had. */
static void second_is_down(struct field *f) {
  up(f, "/schemas/ids/1");
  down(f, "/schemas/ids/2");
  produce(f, 1, 1, 0, 10);
  produce(f, 1, 2, 10, 10);
}

static void in_order(const struct field *f, int n) {
  for (int i = 0; i < n; i++)
    if (atomic_load(&f->order[i]) != i)
      UNIT_FAIL("%d is the %dth that was handled", atomic_load(&f->order[i]), i);
}

TEST(s4_1_messages_wait_for_a_registry_that_is_down_in_their_order) {
  static struct field f;
  field_start(&f, 1, NULL);
  second_is_down(&f);
  produce(&f, 1, 1, 20, 10);
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(atomic_load(&f.script.total) == 10); /* those before go their way */
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/2") >= 3);
  CHECK_INT(atomic_load(&f.script.total), 10);
  up(&f, "/schemas/ids/2");
  LANE_UNTIL(atomic_load(&f.script.total) == 30);
  in_order(&f, 30);
  lanes_stop(&f.l);
  lanes_end(&f.l);
  CHECK_STR(f.l.err[0].text, "");
  CHECK_INT(registry_asked(&f.registry, "/schemas/ids/1"), 1);
  field_stop(&f);
}

/* The first message of the run waits already, and the run is to end with the topic. */
TEST(s4_1_a_run_that_ends_with_its_topic_waits_too) {
  static struct field f;
  field_start(&f, 1, NULL);
  down(&f, "/schemas/ids/1");
  produce(&f, 1, 1, 0, 10);
  lanes_set(&f.l, "exit_at_end", "true");
  lanes_set(&f.l, "idle", "0.3"); /* and no wait is idleness */
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/1") >= 5);
  CHECK(!rl_lane_ended(f.l.at[0]));
  up(&f, "/schemas/ids/1");
  lanes_end(&f.l);
  CHECK_STR(f.l.err[0].text, "");
  in_order(&f, 10);
  CHECK_INT(f.script.total, 10);
  field_stop(&f);
}

TEST(s4_1_a_stop_ends_the_wait_at_once_and_nothing_behind_it_is_committed) {
  static struct field f;
  field_start(&f, 1, "g");
  second_is_down(&f);
  lanes_set(&f.l, "drain", "30");
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/2") >= 2);
  LANE_UNTIL(lane_committed(f.b.address, "in", "g") == 10);
  int64_t before = rl_now();
  lanes_stop(&f.l);
  lanes_end(&f.l);
  CHECK(rl_now() - before < 15 * RL_NS_PER_S); /* half of `drain`: leaving the group takes its time */
  CHECK_STR(f.l.err[0].text, "");
  CHECK_INT(f.script.total, 10);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 10);
  field_stop(&f);
}

TEST(s4_1_an_outage_that_lasts_longer_than_outage_ends_the_run) {
  static struct field f;
  field_start(&f, 1, "g");
  second_is_down(&f);
  lanes_set(&f.l, "outage", "1");
  lanes_go(&f.l, &f.script);
  rl_lane_wait(f.l.at[0], &f.l.err[0]);
  CHECK_INT(f.l.err[0].code, RL_EHANDLER);
  CHECK_HAS(f.l.err[0].text, "gave up after --outage 1 s: in[0] offset 10: schema 2: GET http://127.0.0.1:");
  CHECK_HAS(f.l.err[0].text, "503 Service Unavailable: not now");
  lanes_end(&f.l);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 10);
  field_stop(&f);
}

static atomic_int told;

static void hear(enum rl_level level, const char *line, void *arg) {
  if (level <= RL_WARN && strstr(line, "s so far: in[0] offset 0: schema 1: ") && strstr(line, arg))
    atomic_fetch_add(&told, 1);
}

TEST(s4_1_a_line_says_what_is_waited_for) {
  static struct field f;
  static char what[] = "503 Service Unavailable: not now";
  field_start(&f, 1, NULL);
  down(&f, "/schemas/ids/1");
  produce(&f, 1, 1, 0, 1);
  lanes_set(&f.l, "explain", "0.2");
  lanes_go(&f.l, &f.script);
  rl_log_level(RL_WARN);
  rl_log_to(hear, what);
  LANE_UNTIL(atomic_load(&told) >= 3);
  rl_log_to(NULL, NULL);
  rl_log_level((enum rl_level)(RL_ERROR - 1));
  lanes_stop(&f.l);
  lanes_end(&f.l);
  field_stop(&f);
}

TEST(s4_2_an_unknown_id_is_dead_lettered_before_the_handler_runs) {
  static struct field f;
  field_start(&f, 1, "g");
  rd_kafka_mock_topic_create(f.b.cluster, "dead", 1, 1);
  up(&f, "/schemas/ids/1");
  registry_put(&f.registry, "/schemas/ids/404", "404 Not Found", REGISTRY_NOT_FOUND);
  produce(&f, 1, 1, 0, 10);
  produce(&f, 1, 404, 10, 5);
  produce(&f, 1, 1, 15, 10);
  lanes_set(&f.l, "dead_letter", "dead");
  lanes_set(&f.l, "backoff", "600");
  lanes_set(&f.l, "backoff_max", "600");
  lanes_set(&f.l, "count", "25");
  lanes_go(&f.l, &f.script);
  lanes_end(&f.l);
  CHECK_STR(f.l.err[0].text, "");
  CHECK_INT(f.script.total, 20);
  CHECK_INT(lane_ends(f.b.address, "dead", NULL, NULL), 5);
  CHECK_INT(registry_asked(&f.registry, "/schemas/ids/404"), 1);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 25);
  field_stop(&f);
}

TEST(s4_2_without_a_dead_letter_topic_an_unknown_id_stops_the_run) {
  static struct field f;
  field_start(&f, 1, "g");
  up(&f, "/schemas/ids/1");
  produce(&f, 1, 1, 0, 10);
  produce(&f, 1, 404, 10, 5);
  lanes_go(&f.l, &f.script);
  rl_lane_wait(f.l.at[0], &f.l.err[0]);
  CHECK_INT(f.l.err[0].code, RL_EHANDLER);
  CHECK_HAS(f.l.err[0].text,
            "in[0] offset 10: the value does not decode: schema 404: the registry has none: ");
  lanes_end(&f.l);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 10);
  field_stop(&f);
}

/* Nothing is committed before it can be decoded, so nothing is lost to the outage. */
TEST(s3_2_at_most_once_waits_before_it_commits) {
  static struct field f;
  field_start(&f, 1, "g");
  second_is_down(&f);
  lanes_set(&f.l, "delivery", "at_most_once");
  lanes_set(&f.l, "count", "20");
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/2") >= 3);
  LANE_UNTIL(atomic_load(&f.script.total) == 10);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 10);
  up(&f, "/schemas/ids/2");
  lanes_end(&f.l);
  CHECK_STR(f.l.err[0].text, "");
  in_order(&f, 20);
  CHECK_INT(lane_committed(f.b.address, "in", "g"), 20);
  field_stop(&f);
}

/* The message that waits goes with its partition, whoever gets it handles it. */
TEST(s2_1_a_message_that_waits_is_struck_when_its_partition_goes) {
  static struct field f;
  field_start(&f, 2, "g");
  down(&f, "/schemas/ids/1");
  produce(&f, 2, 1, 0, 20);
  lanes_set(&f.l, "kafka", "partition.assignment.strategy=cooperative-sticky");
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/1") >= 2);
  lanes_start(&f.l, &f.script);
  LANE_UNTIL(lanes_assigned(&f.l, 0) == 1 && lanes_assigned(&f.l, 1) == 1);
  CHECK_INT(atomic_load(&f.script.total), 0);
  up(&f, "/schemas/ids/1");
  LANE_UNTIL(lane_missing(&f.script, 20) == 0);
  LANE_UNTIL(lane_committed(f.b.address, "in", "g") == 20);
  lanes_stop(&f.l);
  lanes_end(&f.l);
  CHECK_INT(f.l.err[0].code, 0);
  CHECK_INT(f.l.err[1].code, 0);
  CHECK_INT(lane_doubled(&f.script, 20), 0);
  field_stop(&f);
}

/* The reader goes on serving its queues while it waits: the poll interval is over three times. */
TEST(s6_3_a_wait_for_the_registry_evicts_nobody) {
  static struct field f;
  field_start(&f, 1, "g");
  down(&f, "/schemas/ids/1");
  produce(&f, 1, 1, 0, 10);
  lanes_set(&f.l, "kafka", "session.timeout.ms=6000");
  lanes_set(&f.l, "kafka", "max.poll.interval.ms=6000");
  lanes_go(&f.l, &f.script);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/1") >= 2);
  int64_t until = rl_now() + 8 * RL_NS_PER_S;
  LANE_UNTIL(rl_now() > until);
  CHECK_INT(lanes_assigned(&f.l, 0), 1);
  up(&f, "/schemas/ids/1");
  LANE_UNTIL(lane_committed(f.b.address, "in", "g") == 10);
  lanes_stop(&f.l);
  lanes_end(&f.l);
  CHECK_INT(lane_doubled(&f.script, 10), 0);
  field_stop(&f);
}

TEST(s11_the_library_form_waits_too) {
  static struct field f;
  struct rl_batch *batch = NULL;
  struct rl_err err = {0};
  field_start(&f, 1, NULL);
  down(&f, "/schemas/ids/1");
  produce(&f, 1, 1, 0, 10);
  struct rl_lane *lane = lanes_go(&f.l, NULL);
  LANE_UNTIL(registry_asked(&f.registry, "/schemas/ids/1") >= 2);
  CHECK_INT(rl_lane_next(lane, 0, &batch, &err), 2);
  up(&f, "/schemas/ids/1");
  for (int n = 0; n < 10;) {
    CHECK_INT(rl_lane_next(lane, -1, &batch, &err), 1);
    for (size_t i = 0; i < batch->n; i++) CHECK_INT(batch->columns->col[0][i].i, n++);
    CHECK_INT(rl_lane_done(lane, batch, NULL, &err), 0);
  }
  lanes_stop(&f.l);
  CHECK_INT(rl_lane_next(lane, -1, &batch, &err), 0);
  lanes_end(&f.l);
  field_stop(&f);
}
