#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "stream/start.h"

/* All partitions of the topics named, those of -p if it is given. */
static int gather(struct rl_cli *cli, struct rl_admin *a, struct rl_tps *parts, struct rl_err *err) {
  for (size_t i = 0; i < cli->settings.topics.n; i++) {
    struct rl_tps whole = RL_TPS_INIT;
    if (rl_admin_partitions(a, cli->settings.topics.at[i], &whole, err)) return err->code;
    for (size_t j = 0; j < whole.n; j++)
      if (!rl_tps_find(parts, whole.at[j].topic, whole.at[j].partition))
        rl_tps_add(parts, whole.at[j].topic, whole.at[j].partition, RL_OFFSET_INVALID);
    rl_tps_free(&whole);
  }
  return rl_client_select(cli, parts, err);
}

static int64_t between(int64_t offset, int64_t low, int64_t high) {
  return offset < low ? low : offset > high ? high : offset;
}

/* Turns `start` into an offset a partition, within what the partition holds: an offset outside it would make
 * the group's next member begin by its reset rule instead. */
static int resolve(struct rl_admin *a, const struct rl_start *start, struct rl_tps *to, struct rl_err *err) {
  struct rl_tps begins, ends;
  rl_tps_copy(&begins, to);
  rl_tps_copy(&ends, to);
  int rc = rl_admin_begins(a, &begins, err);
  if (!rc) rc = rl_admin_ends(a, &ends, err);
  if (!rc && start->kind == RL_START_TIME) rc = rl_admin_times(a, to, start->value, err);
  for (size_t i = 0; i < to->n && !rc; i++) {
    int64_t low = begins.at[i].offset, high = ends.at[i].offset, at = to->at[i].offset;
    if (start->kind == RL_START_BEGINNING) at = low;
    if (start->kind == RL_START_END) at = high;
    if (start->kind == RL_START_OFFSET) at = start->value;
    if (start->kind == RL_START_BEFORE) at = high - start->value;
    if (start->kind == RL_START_TIME && at < 0) at = high;
    to->at[i].offset = between(at, low, high);
  }
  rl_tps_free(&begins);
  rl_tps_free(&ends);
  return rc;
}

/* Moving a group under its members would be undone by their next commit. */
static int check_idle(struct rl_cli *cli, struct rl_admin *a, struct rl_err *err) {
  struct rl_group g;
  if (rl_admin_group(a, cli->settings.group, &g, err)) return err->code;
  int rc = 0;
  if (g.n_members)
    rc = rl_fail(
        err, RL_EFAIL,
        "group %s is in use: member %s on %s is up%s; stop it first (`rille groups -G %s` shows who is up)",
        cli->settings.group, g.members[0].client_id, g.members[0].host, g.n_members > 1 ? ", and others" : "",
        cli->settings.group);
  rl_group_free(&g);
  return rc;
}

static void put_offset(struct rl_buf *out, int64_t offset, const char *none) {
  if (offset >= 0)
    rl_buf_printf(out, "%" PRId64, offset);
  else
    rl_buf_puts(out, none);
}

static void put_move(struct rl_buf *out, const struct rl_tp *to, int64_t from, bool json) {
  if (!json) {
    rl_buf_printf(out, "%s[%" PRId32 "]  ", to->topic, to->partition);
    put_offset(out, from, "none");
    rl_buf_printf(out, " → %" PRId64 "\n", to->offset);
    return;
  }
  rl_buf_puts(out, "{\"topic\":");
  rl_put_json_string(out, rl_bytes_str(to->topic));
  rl_buf_printf(out, ",\"partition\":%" PRId32 ",\"from\":", to->partition);
  put_offset(out, from, "null");
  rl_buf_printf(out, ",\"to\":%" PRId64 "}\n", to->offset);
}

static int print_moves(const struct rl_cli *cli, const struct rl_tps *to, const struct rl_tps *from,
                       struct rl_err *err) {
  struct rl_buf out = RL_BUF_INIT;
  for (size_t i = 0; i < to->n; i++) {
    const struct rl_tp *old = rl_tps_find(from, to->at[i].topic, to->at[i].partition);
    put_move(&out, &to->at[i], old ? old->offset : -1, cli->json);
  }
  int rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  return rc;
}

static int move(struct rl_cli *cli, struct rl_admin *a, const struct rl_start *start, struct rl_err *err) {
  struct rl_tps to = RL_TPS_INIT, from = RL_TPS_INIT;
  int rc = gather(cli, a, &to, err);
  if (!rc) rc = check_idle(cli, a, err);
  if (!rc) rc = rl_admin_offsets(a, cli->settings.group, &from, err);
  if (!rc) rc = resolve(a, start, &to, err);
  if (!rc && !cli->dry_run) rc = rl_admin_set_offsets(a, cli->settings.group, &to, err);
  if (!rc) rc = print_moves(cli, &to, &from, err);
  rl_tps_free(&to);
  rl_tps_free(&from);
  return rc;
}

static int where_to(struct rl_cli *cli, struct rl_start *start, struct rl_err *err) {
  const char *text = cli->settings.start;
  if (!text) return rl_cli_misuse(cli, err, "`rille seek` needs to know where to: --start WHERE");
  if (rl_start_parse(text, start) && start->kind != RL_START_STORED) return 0;
  return rl_cli_misuse(
      cli, err,
      "--start: \"%s\" is no place to go on: beginning, end, an offset, -N before the end or a "
      "time (2026-11-30T12:00:00Z) are",
      text);
}

int rl_cmd_seek(struct rl_cli *cli, struct rl_err *err) {
  struct rl_admin *a;
  struct rl_start start = {RL_START_BEGINNING, 0};
  if (rl_client_form(cli, true, true, err) || where_to(cli, &start, err) ||
      rl_client_real_admin(cli, &a, err))
    return err->code;
  int rc = move(cli, a, &start, err);
  rl_admin_close(a);
  return rc;
}
