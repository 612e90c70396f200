#include "kafka/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
  rd_kafka_resp_err_t code;
  const char *advice;
} advices[] = {
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "create the topic, or " RL_REASON_TOPICS},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, "create the topic, or " RL_REASON_TOPICS},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, "the topic has fewer partitions"},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, "check the topic's name"},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
     "ask for read (or, for an output, write) access to the topic"},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "ask for read access to the group"},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
     "ask for idempotent write access to the cluster, or set enable.idempotence=false"},
    {RD_KAFKA_RESP_ERR__AUTHENTICATION,
     "check sasl.username, sasl.password, sasl.mechanism and security.protocol"},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
     "check sasl.username, sasl.password, sasl.mechanism and security.protocol"},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, "check sasl.mechanism"},
    {RD_KAFKA_RESP_ERR__SSL, "check security.protocol, ssl.ca.location and the broker's certificate"},
    {RD_KAFKA_RESP_ERR__RESOLVE, "check the broker's host name"},
    {RD_KAFKA_RESP_ERR__TRANSPORT, "check the broker's address, that it runs, and security.protocol"},
    {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
     "check the brokers' addresses, that they run, and security.protocol"},
    {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE,
     "the offset was deleted or never existed; start at beginning, end or an offset that is there"},
    {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET,
     "no usable committed offset and auto.offset.reset=error; start at beginning, end or an offset"},
    {RD_KAFKA_RESP_ERR__NO_OFFSET, "nothing was committed"},
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
     "raise the topic's max.message.bytes and message.max.bytes, or send less"},
    {RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, "the member was evicted; raise max.poll.interval.ms"},
    {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, "another member runs with the same group.instance.id"},
    {RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL,
     "the group's members use another partition.assignment.strategy or group.protocol"},
    {RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT,
     "session.timeout.ms is outside the broker's group.min/max.session.timeout.ms"},
    {RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP, "stop the group's members first"},
    {RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND, "check the group's name"},
    {RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, "this broker does not offer it"},
    {RD_KAFKA_RESP_ERR__QUEUE_FULL, "serve delivery reports and try again"},
};

static const char *advice(rd_kafka_resp_err_t code) {
  for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
    if (advices[i].code == code) return advices[i].advice;
  return NULL;
}

int rl_reason_class(rd_kafka_resp_err_t code) {
  switch ((int)code) {
    case RD_KAFKA_RESP_ERR__QUEUE_FULL: return RL_EFULL;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR__BAD_MSG: return RL_EHANDLER;
    default: return RL_EBROKER;
  }
}

bool rl_reason_is_connection(rd_kafka_resp_err_t code) {
  switch ((int)code) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED: return true;
    default: return false;
  }
}

bool rl_reason_is_outage(rd_kafka_resp_err_t code) {
  switch ((int)code) {
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_FETCH_SESSION_ID_NOT_FOUND:
    case RD_KAFKA_RESP_ERR_INVALID_FETCH_SESSION_EPOCH:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED: return true;
    default: return rl_reason_is_connection(code);
  }
}

const char *rl_reason_news(rd_kafka_resp_err_t code, const char *text) {
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) return "no broker can be reached"; /* not "0/1 brokers" */
  return strstr(text, ": Disconnected (") ? NULL : text;
}

static int fill(struct rl_err *err, rd_kafka_resp_err_t code, const char *text, const char *fmt,
                va_list args) {
  char where[512];
  vsnprintf(where, sizeof where, fmt, args);
  const char *todo = advice(code);
  return rl_fail_kafka(err, rl_reason_class(code), (int)code, "%s: %s%s%s", where, text, todo ? ": " : "",
                       todo ? todo : "");
}

int rl_reason(struct rl_err *err, rd_kafka_resp_err_t code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int rc = fill(err, code, rd_kafka_err2str(code), fmt, args);
  va_end(args);
  return rc;
}

int rl_reason_text(struct rl_err *err, rd_kafka_resp_err_t code, const char *text, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int rc = fill(err, code, text && *text ? text : rd_kafka_err2str(code), fmt, args);
  va_end(args);
  return rc;
}

int rl_reason_object(struct rl_err *err, rd_kafka_error_t *error, const char *fmt, ...) {
  if (!error) return 0;
  va_list args;
  va_start(args, fmt);
  int rc = fill(err, rd_kafka_error_code(error), rd_kafka_error_string(error), fmt, args);
  va_end(args);
  rd_kafka_error_destroy(error);
  return rc;
}
