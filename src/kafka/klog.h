/* librdkafka's log through ours. One a client, as its opaque: it remembers what was said lately, so that a
 * broker that is down for an hour fills no screen. */
#ifndef RL_KAFKA_KLOG_H
#define RL_KAFKA_KLOG_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

struct rl_klog;

struct rl_klog *rl_klog_new(bool verbose); /* verbose: the user set `debug`, so all of it is shown */
void rl_klog_free(struct rl_klog *log);
/* For rd_kafka_conf_set_log_cb; called on any of librdkafka's threads. */
void rl_klog_cb(const rd_kafka_t *rk, int level, const char *facility, const char *text);
/* Was this (but for its numbers) said within the last minute? Remembers it. Any thread. */
bool rl_klog_repeats(struct rl_klog *log, const char *text);

#endif
