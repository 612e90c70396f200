#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/output.h"

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void put_name(struct rl_buf *out, const char *name, bool json) {
  if (json) rl_buf_puts(out, "{\"group\":");
  if (json)
    rl_put_json_string(out, rl_bytes_str(name));
  else
    rl_buf_puts(out, name);
  rl_buf_puts(out, json ? "}\n" : "\n");
}

static int list(const struct rl_cli *cli, struct rl_admin *a, struct rl_err *err) {
  char **names;
  size_t n;
  struct rl_buf out = RL_BUF_INIT;
  if (rl_admin_groups(a, &names, &n, err)) return err->code;
  if (n) qsort(names, n, sizeof *names, by_name);
  for (size_t i = 0; i < n; i++) put_name(&out, names[i], cli->json);
  if (n == 0) rl_log(RL_INFO, "the cluster has no groups");
  rl_admin_names_free(names, n);
  int rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  return rc;
}

static void put_parts(struct rl_buf *out, const struct rl_tps *parts) {
  rl_buf_putc(out, '[');
  for (size_t i = 0; i < parts->n; i++) {
    rl_buf_puts(out, i ? ",{\"topic\":" : "{\"topic\":");
    rl_put_json_string(out, rl_bytes_str(parts->at[i].topic));
    rl_buf_printf(out, ",\"partition\":%" PRId32 "}", parts->at[i].partition);
  }
  rl_buf_putc(out, ']');
}

static void put_text(struct rl_buf *out, const char *before, const char *text) {
  rl_buf_puts(out, before);
  rl_put_json_string(out, rl_bytes_str(text ? text : ""));
}

static void put_group(struct rl_buf *out, const struct rl_group *g) {
  put_text(out, "{\"group\":", g->name);
  put_text(out, ",\"state\":", g->state);
  put_text(out, ",\"protocol\":", g->protocol);
  rl_buf_puts(out, ",\"members\":[");
  for (size_t i = 0; i < g->n_members; i++) {
    const struct rl_member *m = &g->members[i];
    put_text(out, i ? ",{\"member\":" : "{\"member\":", m->id);
    put_text(out, ",\"client_id\":", m->client_id);
    put_text(out, ",\"host\":", m->host);
    rl_buf_puts(out, ",\"partitions\":");
    put_parts(out, &m->parts);
    rl_buf_putc(out, '}');
  }
  rl_buf_puts(out, "]}\n");
}

static void add_member(struct rl_table *t, const struct rl_member *m) {
  struct rl_buf parts = RL_BUF_INIT;
  rl_tps_put(&parts, &m->parts);
  rl_table_cell(t, "%s", m->client_id);
  rl_table_cell(t, "%s", m->host);
  rl_table_cell(t, "%s", m->id);
  rl_table_cell(t, "%s", parts.len ? parts.data : "no partitions");
  rl_buf_free(&parts);
}

static int print_group(const struct rl_group *g, struct rl_err *err) {
  static const char *const names[] = {"CLIENT", "HOST", "MEMBER", "PARTITIONS"};
  struct rl_buf head = RL_BUF_INIT;
  rl_buf_printf(&head, "group %s: %s, %zu member%s", g->name, g->state, g->n_members,
                g->n_members == 1 ? "" : "s");
  if (g->protocol && *g->protocol) rl_buf_printf(&head, ", %s", g->protocol);
  rl_buf_putc(&head, '\n');
  int rc = rl_out_write(&head, err);
  rl_buf_free(&head);
  if (rc || !g->n_members) return rc;
  struct rl_table t;
  rl_table_init(&t, sizeof names / sizeof *names);
  for (size_t i = 0; i < t.columns; i++) rl_table_cell(&t, "%s", names[i]);
  for (size_t i = 0; i < g->n_members; i++) add_member(&t, &g->members[i]);
  return rl_table_print(&t, err);
}

static int show(struct rl_cli *cli, struct rl_admin *a, struct rl_err *err) {
  struct rl_group g;
  struct rl_buf out = RL_BUF_INIT;
  if (rl_admin_group(a, cli->settings.group, &g, err)) return err->code;
  int rc = 0;
  if (!g.exists)
    rc = rl_fail(err, RL_EBROKER, "there is no group %s: `rille groups` lists those there are",
                 cli->settings.group);
  else if (cli->json)
    put_group(&out, &g);
  else
    rc = print_group(&g, err);
  if (!rc) rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  rl_group_free(&g);
  return rc;
}

int rl_cmd_groups(struct rl_cli *cli, struct rl_err *err) {
  struct rl_admin *a;
  if (rl_client_form(cli, false, false, err) || rl_client_real_admin(cli, &a, err)) return err->code;
  int rc = cli->settings.group ? show(cli, a, err) : list(cli, a, err);
  rl_admin_close(a);
  return rc;
}
