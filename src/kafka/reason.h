/* Kafka's error codes as sentences that say what to do, and as rille's classes. */
#ifndef RL_KAFKA_REASON_H
#define RL_KAFKA_REASON_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

#include "base/err.h"

/* What to do about a topic that is not there. */
#define RL_REASON_TOPICS "list what is there with kafka-topics --list"

/* RL_EBROKER, RL_EHANDLER (refused for good: too large, invalid) or RL_EFULL. */
int rl_reason_class(rd_kafka_resp_err_t code);
/* A connection's trouble, which librdkafka goes on about by itself. */
bool rl_reason_is_connection(rd_kafka_resp_err_t code);
/* Of a fetch: the cluster's trouble, which librdkafka tries again by itself; nothing is skipped. */
bool rl_reason_is_outage(rd_kafka_resp_err_t code);
/* What is worth telling of an error event's text; NULL when it is no news: an idle connection that the broker
 * closed is opened again when it is needed. */
const char *rl_reason_news(rd_kafka_resp_err_t code, const char *text);
/* Fills err: the words of fmt, librdkafka's text for the code, and what to do. Returns err->code. */
__attribute__((format(printf, 3, 4))) int rl_reason(struct rl_err *err, rd_kafka_resp_err_t code,
                                                    const char *fmt, ...);
/* As rl_reason with librdkafka's own, longer text in place of the code's. */
__attribute__((format(printf, 4, 5))) int rl_reason_text(struct rl_err *err, rd_kafka_resp_err_t code,
                                                         const char *text, const char *fmt, ...);
/* Takes librdkafka's error object over and destroys it. Returns 0 when it is NULL. */
__attribute__((format(printf, 3, 4))) int rl_reason_object(struct rl_err *err, rd_kafka_error_t *error,
                                                           const char *fmt, ...);

#endif
