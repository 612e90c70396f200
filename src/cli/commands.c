#include "cli/commands.h"

#include <string.h>

#include "base/str.h"

const struct rl_command rl_commands[] = {
    {RL_CMD_RUN, rl_cmd_run, "SCRIPT [options] [-- arguments]", "run a handler over topics, or over a file",
     "Runs the handler that SCRIPT returns, batch by batch. What it finished is committed, nothing else. "
     "Every\n"
     "option is a setting: --batch-size here is batch = { size = … } in the script and RILLE_BATCH_SIZE in "
     "the\n"
     "environment; the command line wins, then the environment, then the script. What follows -- is the\n"
     "script's `arg`. SIGINT or SIGTERM finishes what is in hand and leaves; a second one leaves at once.",
     "rille run bright.lua -b localhost:9092 -t alerts -G bright\n"
     "rille run count.lua --input alerts.ndjson\n"
     "rille run --code 'return function(batch, out) print(#batch) end' -t alerts -e"},
    {RL_CMD_BROKER, rl_cmd_broker, "[options]", "start the embedded broker, for demos and tests",
     "Starts a small Kafka cluster in memory and prints its address on standard output, one line; it runs "
     "until\n"
     "a signal comes. It keeps about 5 MB a partition and drops the oldest beyond that, so spread data over\n"
     "partitions. A topic that is not there is made when it is named. Groups cannot be listed or moved "
     "there,\n"
     "one whose last member left is joined again only after session.timeout.ms (6 s there), and a run of\n"
     "several lanes shares the partitions out by itself, without joining. Nothing outlives the process. The "
     "port is\n"
     "a free one each time: librdkafka's mock cluster, which this is, takes none that is asked for.",
     "rille broker --topics alerts:4,bright:1 &\n"
     "export RILLE_BROKERS=127.0.0.1:PORT   # the address that it printed"},
    {RL_CMD_SEND, rl_cmd_send, "-t TOPIC [options] [FILE …]",
     "send lines of files or standard input as messages",
     "Sends each line as a message and waits until the broker has acknowledged all of them. A message that "
     "is\n"
     "refused is an error that names its file and line. The embedded broker is never filled beyond what it\n"
     "keeps.",
     "rille send -t alerts alerts.ndjson\n"
     "rille send -t ztf --input-format whole *.avro   # a file a message\n"
     "printf 'a:1\\nb:2\\n' | rille send -t pairs -K : -H origin=shell"},
    {RL_CMD_TAP, rl_cmd_tap, "-t TOPIC [options]", "print messages; joins no group",
     "Prints messages as they come: one JSON object a line, or as --format says. In the object, `value` is "
     "a\n"
     "value that is JSON, as it stands, or other text as a string; `value_base64` is what is no text. Keys "
     "and\n"
     "headers have the same two forms. `rille send --input-format ndjson` and `rille run --input` read "
     "these\n"
     "lines. It begins at the beginning unless --start says otherwise.",
     "rille tap -t alerts -c 1\n"
     "rille tap -t alerts -o -5 -e -f '%p %o %k %s\\n'\n"
     "rille tap -t alerts -o 2026-11-30T12:00:00Z"},
    {RL_CMD_LAG, rl_cmd_lag, "-G GROUP [options]", "show how far a group is, partition by partition",
     "For each partition that the group has committed or holds: the committed offset, the end, the "
     "difference,\n"
     "and the member that holds it.",
     "rille lag -G bright"},
    {RL_CMD_GROUPS, rl_cmd_groups, "[-G GROUP] [options]", "list groups, or the members of one",
     "Without -G, lists the groups there are. With it, shows the group's state, its members, where they run, "
     "and\n"
     "which partitions each holds.",
     "rille groups -G bright"},
    {RL_CMD_SEEK, rl_cmd_seek, "-G GROUP -t TOPIC --start WHERE [options]",
     "move a group: to read again, or to skip",
     "Sets the group's committed offsets and prints old and new for each partition. It is refused, with "
     "status 1\n"
     "and the member's name, while a member is up: stop the members first. The topic, the group and where to "
     "are\n"
     "taken from the command line only.",
     "rille seek -G bright -t alerts --start beginning\n"
     "rille seek -G bright -t alerts --start 2026-11-30T12:00:00Z --dry-run"},
    {RL_CMD_SCHEMA, rl_cmd_schema, "FILE|TOPIC [options]",
     "show the paths in messages, to be named as fields",
     "Looks at some messages of a topic, without joining a group, or at a file, and prints the paths that\n"
     "`fields` takes, each with its type, how often it held a value, and one of them. A file is an Avro "
     "schema\n"
     "or container, JSON (one document, or one a line, also as `rille tap` prints messages), CSV or TSV. "
     "The\n"
     "format is guessed unless --decode says it, and what was guessed is said.",
     "rille schema alerts -b localhost:9092\n"
     "rille schema alert.avsc\n"
     "rille schema alerts --script > filter.lua && rille run filter.lua -e"},
    {RL_CMD_VERSION, rl_cmd_version, "", "print the versions of rille and of what it is built on", NULL,
     NULL},
    {RL_CMD_HELP, rl_cmd_help, "[COMMAND]", "show this, or a command's help", NULL, NULL},
};
const size_t rl_commands_count = sizeof rl_commands / sizeof *rl_commands;

const struct rl_command *rl_command_named(const char *name) {
  for (size_t i = 0; i < rl_commands_count; i++)
    if (strcmp(rl_cmd_name(rl_commands[i].cmd), name) == 0) return &rl_commands[i];
  return NULL;
}

const struct rl_command *rl_command_of(enum rl_cmd cmd) { return rl_command_named(rl_cmd_name(cmd)); }

const char *rl_command_nearest(const char *name) {
  const char *names[sizeof rl_commands / sizeof *rl_commands];
  for (size_t i = 0; i < rl_commands_count; i++) names[i] = rl_cmd_name(rl_commands[i].cmd);
  return rl_nearest(name, names, rl_commands_count);
}
