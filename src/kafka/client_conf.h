/* The settings of one client, layer on layer. */
#ifndef RL_KAFKA_CLIENT_CONF_H
#define RL_KAFKA_CLIENT_CONF_H

#include "kafka/client.h"

/* NULL and err on failure. */
rd_kafka_conf_t *rl_client_conf(const struct rl_client_opts *opts, struct rl_err *err);

#endif
