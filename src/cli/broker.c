#include "kafka/broker.h"

#include <stdio.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/signals.h"

/* The names with their partitions, as the broker wants them. */
static void put_topics(struct rl_buf *out, const struct rl_list *topics) {
  for (size_t i = 0; i < topics->n; i++) rl_buf_printf(out, "%s%s", i ? "," : "", topics->at[i]);
}

static int serve(const struct rl_broker *broker, struct rl_err *err) {
  struct rl_signals signals;
  if (rl_signals_open(&signals, false, err)) return err->code;
  printf("%s\n", rl_broker_address(broker));
  int rc = rl_out_flush(err);
  if (!rc) {
    rl_log(RL_INFO, "the embedded broker listens on %s until a signal comes; it keeps about 5 MB a partition",
           rl_broker_address(broker));
    rl_signals_wait(&signals);
  }
  rl_signals_close(&signals);
  return rc;
}

int rl_cmd_broker(struct rl_cli *cli, struct rl_err *err) {
  if (cli->args.n)
    return rl_cli_misuse(cli, err, "`rille broker` takes no arguments, not %s: topics go after --topics",
                         cli->args.at[0]);
  struct rl_buf topics = RL_BUF_INIT;
  put_topics(&topics, &cli->settings.topics);
  struct rl_broker *broker;
  int rc = rl_broker_start(&broker, topics.len ? topics.data : NULL, (int)cli->brokers_count, err);
  rl_buf_free(&topics);
  if (rc) return rc;
  rc = serve(broker, err);
  rl_broker_stop(broker);
  return rc;
}
