/* `rille send`: lines to messages, messages to a producer. */
#ifndef RL_CLI_SEND_H
#define RL_CLI_SEND_H

#include "base/arena.h"
#include "cli/args.h"
#include "cli/lines.h"
#include "cli/room.h"
#include "cli/signals.h"
#include "codec/json.h"
#include "kafka/producer.h"

struct rl_sender {
  struct rl_cli *cli;
  struct rl_producer *producer;
  struct rl_room room;
  struct rl_signals signals;
  int32_t partition; /* -p; -1: by key */
  bool ndjson;       /* lines are messages, not values */
  struct rl_buf delim, key_delim;
  struct rl_header *headers; /* -H; names and values in header_texts */
  struct rl_list header_texts;
  struct rl_json *json;
  struct rl_tape tape;
  struct rl_arena arena; /* of the line in hand */
  int64_t taken, acknowledged, failed;
  int64_t heard;             /* when a report came last */
  int shown;                 /* refusals that got a line */
  struct rl_err first, last; /* of the messages that were refused */
};

/* Reads the options. RL_EUSAGE. On an error nothing is held. */
int rl_sender_init(struct rl_sender *s, struct rl_cli *cli, struct rl_err *err);
void rl_sender_free(struct rl_sender *s);
/* Among records a blank line is none, and no mistake. */
bool rl_sender_skips(const struct rl_sender *s, struct rl_bytes line);
/* What a line says: key, value, headers, timestamp. Lives as long as the line and the arena. */
int rl_sender_read(struct rl_sender *s, struct rl_bytes line, struct rl_record *out, struct rl_err *err);

#endif
