#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/output.h"

/* One partition as it is shown. */
struct row {
  const struct rl_tp *committed;
  int64_t end, lag; /* -1: unknown */
  const struct rl_member *member;
};

static bool wanted(const struct rl_cli *cli, const char *topic) {
  const struct rl_list *topics = &cli->settings.topics;
  for (size_t i = 0; i < topics->n; i++)
    if (strcmp(topics->at[i], topic) == 0) return true;
  return topics->n == 0;
}

static void add_missing(struct rl_tps *parts, const struct rl_tps *more) {
  for (size_t i = 0; i < more->n; i++)
    if (!rl_tps_find(parts, more->at[i].topic, more->at[i].partition))
      rl_tps_add(parts, more->at[i].topic, more->at[i].partition, RL_OFFSET_INVALID);
}

/* What the group committed, what its members hold, and, for topics that were named, the rest of them. */
static int gather(struct rl_cli *cli, struct rl_admin *a, const struct rl_group *group, struct rl_tps *parts,
                  struct rl_err *err) {
  struct rl_tps all = RL_TPS_INIT;
  int rc = rl_admin_is_embedded(a) ? rl_admin_offsets_embedded(a, cli->settings.group, &all, err)
                                   : rl_admin_offsets(a, cli->settings.group, &all, err);
  if (rc) return rc;
  for (size_t i = 0; i < all.n; i++)
    if (wanted(cli, all.at[i].topic))
      rl_tps_add(parts, all.at[i].topic, all.at[i].partition, all.at[i].offset);
  rl_tps_free(&all);
  for (size_t i = 0; i < group->n_members; i++)
    if (!cli->settings.topics.n) add_missing(parts, &group->members[i].parts);
  for (size_t i = 0; i < cli->settings.topics.n; i++) {
    struct rl_tps whole = RL_TPS_INIT;
    if (rl_admin_partitions(a, cli->settings.topics.at[i], &whole, err)) return err->code;
    add_missing(parts, &whole);
    rl_tps_free(&whole);
  }
  return 0;
}

static struct row row_of(const struct rl_tp *committed, const struct rl_tps *ends,
                         const struct rl_group *group) {
  struct row row = {.committed = committed, .end = -1, .lag = -1};
  const struct rl_tp *end = rl_tps_find(ends, committed->topic, committed->partition);
  if (end && !end->error) row.end = end->offset;
  if (row.end >= 0 && committed->offset >= 0)
    row.lag = row.end > committed->offset ? row.end - committed->offset : 0;
  ssize_t holder = rl_client_holder(group, committed->topic, committed->partition);
  if (holder >= 0) row.member = &group->members[holder];
  return row;
}

static void put_number(struct rl_buf *out, const char *name, int64_t n) {
  rl_buf_printf(out, ",\"%s\":", name);
  if (n < 0)
    rl_buf_puts(out, "null");
  else
    rl_buf_printf(out, "%" PRId64, n);
}

static void put_text(struct rl_buf *out, const char *name, const char *text) {
  rl_buf_printf(out, ",\"%s\":", name);
  if (text)
    rl_put_json_string(out, rl_bytes_str(text));
  else
    rl_buf_puts(out, "null");
}

static int print_json(const struct row *row, struct rl_err *err) {
  struct rl_buf out = RL_BUF_INIT;
  rl_buf_puts(&out, "{\"topic\":");
  rl_put_json_string(&out, rl_bytes_str(row->committed->topic));
  rl_buf_printf(&out, ",\"partition\":%" PRId32, row->committed->partition);
  put_number(&out, "committed", row->committed->offset);
  put_number(&out, "end", row->end);
  put_number(&out, "lag", row->lag);
  put_text(&out, "member", row->member ? row->member->id : NULL);
  put_text(&out, "client_id", row->member ? row->member->client_id : NULL);
  put_text(&out, "host", row->member ? row->member->host : NULL);
  rl_buf_puts(&out, "}\n");
  int rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  return rc;
}

static void add_row(struct rl_table *t, const struct row *row) {
  rl_table_cell(t, "%s", row->committed->topic);
  rl_table_cell(t, "%" PRId32, row->committed->partition);
  rl_table_offset(t, row->committed->offset);
  rl_table_offset(t, row->end);
  rl_table_offset(t, row->lag);
  if (row->member)
    rl_table_cell(t, "%s %s", row->member->client_id, row->member->host);
  else
    rl_table_cell(t, "-");
}

static void add_headings(struct rl_table *t) {
  static const char *const names[] = {"TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "MEMBER"};
  rl_table_init(t, sizeof names / sizeof *names);
  for (size_t i = 0; i < t->columns; i++) rl_table_cell(t, "%s", names[i]);
}

/* The last line: what the known lags come to, and how many are not known. */
static void add_total(struct rl_table *t, int64_t total, size_t unknown) {
  rl_table_cell(t, "total");
  for (int i = 0; i < 3; i++) rl_table_cell(t, "%s", "");
  rl_table_cell(t, "%" PRId64, total);
  if (unknown)
    rl_table_cell(t, "(%zu without a committed offset)", unknown);
  else
    rl_table_cell(t, "%s", "");
}

static int print_rows(const struct rl_cli *cli, const struct rl_tps *parts, const struct rl_tps *ends,
                      const struct rl_group *group, struct rl_err *err) {
  struct rl_table t;
  int64_t total = 0;
  size_t unknown = 0;
  int rc = 0;
  add_headings(&t);
  for (size_t i = 0; i < parts->n && !rc; i++) {
    struct row row = row_of(&parts->at[i], ends, group);
    if (row.lag < 0)
      unknown++;
    else
      total += row.lag;
    if (cli->json)
      rc = print_json(&row, err);
    else
      add_row(&t, &row);
  }
  if (cli->json) {
    rl_table_free(&t);
    return rc;
  }
  add_total(&t, total, unknown);
  return rl_table_print(&t, err);
}

/* Without members the offsets still tell: a log-in may read these and not those, and the embedded broker does
 * not describe groups at all. */
static void describe(struct rl_cli *cli, struct rl_admin *a, struct rl_group *group) {
  struct rl_err err = {0};
  memset(group, 0, sizeof *group);
  if (rl_admin_is_embedded(a) || rl_admin_group(a, cli->settings.group, group, &err) == 0) return;
  memset(group, 0, sizeof *group);
  rl_log(RL_WARN, "the members are not known: %s", err.text);
}

static int show(struct rl_cli *cli, struct rl_admin *a, struct rl_err *err) {
  struct rl_group group;
  struct rl_tps parts = RL_TPS_INIT, ends = RL_TPS_INIT;
  describe(cli, a, &group);
  int rc = gather(cli, a, &group, &parts, err);
  if (!rc && !parts.n)
    rc = rl_fail(err, RL_EBROKER, "group %s has committed nothing and has no members%s", cli->settings.group,
                 rl_admin_is_embedded(a) ? "" : ": `rille groups` lists the groups there are");
  if (!rc) {
    rl_client_sort(&parts);
    rl_tps_copy(&ends, &parts);
    rc = rl_admin_ends(a, &ends, err);
  }
  if (!rc) rc = print_rows(cli, &parts, &ends, &group, err);
  rl_tps_free(&parts);
  rl_tps_free(&ends);
  rl_group_free(&group);
  return rc;
}

int rl_cmd_lag(struct rl_cli *cli, struct rl_err *err) {
  struct rl_admin *a;
  if (rl_client_form(cli, true, false, err) || rl_client_admin(cli, &a, err)) return err->code;
  int rc = show(cli, a, err);
  rl_admin_close(a);
  return rc;
}
