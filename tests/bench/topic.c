/* topic: makes, drops and measures the topics of the bench.
 *
 *   topic make BROKERS NAME PARTITIONS [KEY=VALUE]...
 *   topic drop BROKERS NAME
 *   topic span BROKERS NAME PARTITIONS     "messages=N seconds=S": from the first message's timestamp to the
 * last's
 */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 20000

static void die(const char *what, const char *why) {
  fprintf(stderr, "topic: %s: %s\n", what, why);
  exit(1);
}

static rd_kafka_t *client(rd_kafka_type_t type, const char *brokers) {
  static const char *const settings[][2] = {
      {"group.id", "none"}, {"enable.partition.eof", "true"}, {"queued.max.messages.kbytes", "262144"}};
  char why[512];
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof why);
  for (size_t i = 0; type == RD_KAFKA_CONSUMER && i < sizeof settings / sizeof *settings; i++)
    rd_kafka_conf_set(conf, settings[i][0], settings[i][1], why, sizeof why);
  rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof why);
  if (!rk) die("client", why);
  return rk;
}

static void check(const rd_kafka_topic_result_t **results, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (rd_kafka_topic_result_error(results[i]))
      die(rd_kafka_topic_result_name(results[i]), rd_kafka_err2str(rd_kafka_topic_result_error(results[i])));
}

static void await(rd_kafka_queue_t *answers) {
  size_t n = 0;
  rd_kafka_event_t *event = rd_kafka_queue_poll(answers, ANSWER_MS);
  if (!event) die("admin", "no answer");
  if (rd_kafka_event_error(event)) die("admin", rd_kafka_event_error_string(event));
  const rd_kafka_CreateTopics_result_t *made = rd_kafka_event_CreateTopics_result(event);
  const rd_kafka_DeleteTopics_result_t *dropped = rd_kafka_event_DeleteTopics_result(event);
  if (made) check(rd_kafka_CreateTopics_result_topics(made, &n), n);
  if (dropped) check(rd_kafka_DeleteTopics_result_topics(dropped, &n), n);
  rd_kafka_event_destroy(event);
}

static void make(const char *brokers, const char *name, int partitions, char **configs) {
  char why[512];
  rd_kafka_t *rk = client(RD_KAFKA_PRODUCER, brokers);
  rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
  rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(name, partitions, 1, why, sizeof why);
  if (!topic) die(name, why);
  for (; *configs; configs++) {
    char *eq = strchr(*configs, '=');
    if (!eq) die(*configs, "KEY=VALUE");
    *eq = '\0';
    rd_kafka_NewTopic_set_config(topic, *configs, eq + 1);
  }
  rd_kafka_CreateTopics(rk, &topic, 1, NULL, answers);
  await(answers);
  rd_kafka_NewTopic_destroy(topic);
  rd_kafka_queue_destroy(answers);
  rd_kafka_destroy(rk);
}

static void drop(const char *brokers, const char *name) {
  rd_kafka_t *rk = client(RD_KAFKA_PRODUCER, brokers);
  rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
  rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(name);
  rd_kafka_DeleteTopics(rk, &topic, 1, NULL, answers);
  await(answers);
  rd_kafka_DeleteTopic_destroy(topic);
  rd_kafka_queue_destroy(answers);
  rd_kafka_destroy(rk);
}

static rd_kafka_t *read_from_start(const char *brokers, const char *name, int partitions) {
  rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, brokers);
  rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(partitions);
  for (int i = 0; i < partitions; i++)
    rd_kafka_topic_partition_list_add(all, name, i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(rk, all);
  rd_kafka_topic_partition_list_destroy(all);
  return rk;
}

static void span(const char *brokers, const char *name, int partitions) {
  rd_kafka_t *rk = read_from_start(brokers, name, partitions);
  long long n = 0, first = 0, last = 0;
  for (int ended = 0; ended < partitions;) {
    rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, ANSWER_MS);
    if (!m) die(name, "no answer");
    if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended++;
    } else if (m->err) {
      die(name, rd_kafka_message_errstr(m));
    } else {
      long long at = rd_kafka_message_timestamp(m, NULL);
      first = n == 0 || at < first ? at : first;
      last = at > last ? at : last;
      n++;
    }
    rd_kafka_message_destroy(m);
  }
  printf("messages=%lld seconds=%.3f\n", n, (double)(last - first) / 1e3);
  rd_kafka_consumer_close(rk);
  rd_kafka_destroy(rk);
}

int main(int argc, char **argv) {
  const char *what = argc > 3 ? argv[1] : "";
  if (!strcmp(what, "make") && argc > 4)
    make(argv[2], argv[3], atoi(argv[4]), argv + 5);
  else if (!strcmp(what, "drop"))
    drop(argv[2], argv[3]);
  else if (!strcmp(what, "span") && argc == 5)
    span(argv[2], argv[3], atoi(argv[4]));
  else
    die("usage",
        "make BROKERS NAME PARTITIONS [KEY=VALUE]..., drop BROKERS NAME, span BROKERS NAME PARTITIONS");
  return 0;
}
