/* What the commands share that ask a cluster something. */
#ifndef RL_CLI_CLIENT_H
#define RL_CLI_CLIENT_H

#include <sys/types.h>

#include "cli/args.h"
#include "kafka/admin.h"

/* -b, else bootstrap.servers among the properties (then NULL), else localhost:9092. */
const char *rl_client_brokers(const struct rl_cli *cli);
int rl_client_connect_ms(const struct rl_cli *cli); /* --connect */
/* Connects within --connect. */
int rl_client_admin(struct rl_cli *cli, struct rl_admin **out, struct rl_err *err);
/* The same, for what the embedded broker cannot answer: RL_EBROKER there. */
int rl_client_real_admin(struct rl_cli *cli, struct rl_admin **out, struct rl_err *err);
/* Refuses arguments, and a missing -G when `group`, or -t when `topic`. */
int rl_client_form(struct rl_cli *cli, bool group, bool topic, struct rl_err *err);
/* Keeps what `list` names with its topics and -p; an entry of -p that is no partition is RL_EUSAGE. */
int rl_client_select(struct rl_cli *cli, struct rl_tps *list, struct rl_err *err);
void rl_client_sort(struct rl_tps *list); /* by topic and partition */
/* Who holds it: the index of the member in the group, or -1. */
ssize_t rl_client_holder(const struct rl_group *group, const char *topic, int32_t partition);

#endif
