#include "kafka/klog.h"

#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <syslog.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define REMEMBERED 16
#define QUIET (60 * RL_NS_PER_S)
#define PERSISTS (5 * RL_NS_PER_S)

struct rl_klog {
  pthread_mutex_t lock;
  bool verbose;
  struct {
    uint64_t hash;
    int64_t when; /* first heard of, within QUIET */
    bool told;
  } said[REMEMBERED];
};

struct rl_klog *rl_klog_new(bool verbose) {
  struct rl_klog *log = rl_zalloc(sizeof *log);
  pthread_mutex_init(&log->lock, NULL);
  log->verbose = verbose;
  return log;
}

void rl_klog_free(struct rl_klog *log) {
  if (!log) return;
  pthread_mutex_destroy(&log->lock);
  rl_free(log);
}

/* FNV-1a over all but what stands in brackets, "(after 3ms in state CONNECT)": it differs each time. */
static uint64_t gist(const char *text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  int depth = 0;
  for (; *text; text++) {
    depth += *text == '(';
    if (!depth) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    depth -= *text == ')' && depth;
  }
  return hash ? hash : 1;
}

/* The place of what was said, or the one to forget for it. */
static size_t place(const struct rl_klog *log, uint64_t hash) {
  size_t oldest = 0;
  for (size_t i = 0; i < REMEMBERED; i++) {
    if (log->said[i].hash == hash) return i;
    if (log->said[i].when < log->said[oldest].when) oldest = i;
  }
  return oldest;
}

/* True once a QUIET for each text: at once, or when it is still heard after `patience`. */
static bool to_tell(struct rl_klog *log, const char *text, int64_t patience) {
  uint64_t hash = gist(text);
  int64_t now = rl_now();
  pthread_mutex_lock(&log->lock);
  size_t at = place(log, hash);
  if (log->said[at].hash != hash || now - log->said[at].when >= QUIET) {
    log->said[at].hash = hash;
    log->said[at].when = now;
    log->said[at].told = false;
  }
  bool tell = !log->said[at].told && now - log->said[at].when >= patience;
  log->said[at].told |= tell;
  pthread_mutex_unlock(&log->lock);
  return tell;
}

bool rl_klog_repeats(struct rl_klog *log, const char *text) { return !to_tell(log, text, 0); }

/* These come as events or as the answer to a call too, and are told from there. */
static bool told_elsewhere(const char *facility) {
  static const char *const names[] = {"FAIL",      "ERROR",      "REQTMOUT", "COMMITFAIL",
                                      "TERMINATE", "AUTOCREATE", "FATAL"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(facility, names[i])) return true;
  return false;
}

static enum rl_level level_of(struct rl_klog *log, int level, const char *facility, const char *text) {
  if (log->verbose) return level <= LOG_WARNING ? RL_WARN : RL_INFO;
  if (level > LOG_WARNING || told_elsewhere(facility)) return RL_DEBUG;
  /* A broker that has just come up gives no producer id for a moment; one that never does must be told of. */
  return to_tell(log, text, strcmp(facility, "GETPID") ? 0 : PERSISTS) ? RL_WARN : RL_DEBUG;
}

/* Without librdkafka's "[thrd:main]: ". */
static const char *without_thread(const char *text) {
  if (strncmp(text, "[thrd:", 6) != 0) return text;
  const char *end = strstr(text, "]: ");
  return end ? end + 3 : text;
}

void rl_klog_cb(const rd_kafka_t *rk, int level, const char *facility, const char *text) {
  struct rl_klog *log = rd_kafka_opaque(rk);
  text = without_thread(text);
  enum rl_level ours = log ? level_of(log, level, facility, text) : RL_DEBUG;
  if (rl_log_on(ours)) rl_log(ours, "kafka: %s (%s)", text, facility);
}
