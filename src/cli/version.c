#include <stdio.h>

#include "base/json_index.h"
#include "cli/commands.h"
#include "kafka/config.h"
#include "lua/version.h"

int rl_cmd_version(struct rl_cli *cli, struct rl_err *err) {
  if (cli->args.n)
    return rl_cli_misuse(cli, err, "`rille version` takes no arguments, not %s", cli->args.at[0]);
  printf("rille %s\nlibrdkafka %s\nLua %s\nsimdjson %s\n", RL_VERSION, rl_kafka_version(), rl_lua_version(),
         rl_simdjson_version());
  return 0;
}
