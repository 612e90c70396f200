/* The life of settings, and their names. */
#include "stream/settings.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "stream/settings_impl.h"

/* The table's defaults are written as a user would write them; the unit tests read each. */
void rl_settings_init(struct rl_settings *s) {
  *s = (struct rl_settings){.layers = rl_zalloc(rl_settings_count)};
  s->kafka_from = rl_zalloc(RL_KAFKA_RANKS * sizeof *s->kafka_from);
  for (size_t i = 0; i < rl_settings_count; i++) {
    const struct rl_setting *what = &rl_settings_table[i];
    if (what->text) rl_settings_set(s, what, what->text, RL_LAYER_DEFAULT, "default", NULL);
  }
}

/* KAFKA and FILE share `kafka`, which is freed apart. */
static void free_value(struct rl_settings *s, const struct rl_setting *what) {
  void *at = rl_setting_at(s, what);
  if (what->type == RL_SET_STRING) rl_free(*(char **)at);
  if (what->type == RL_SET_LIST) rl_settings_list_clear(at);
  if (what->type == RL_SET_FIELDS) rl_fields_free(at);
}

void rl_settings_free(struct rl_settings *s) {
  for (size_t i = 0; i < rl_settings_count; i++) free_value(s, &rl_settings_table[i]);
  for (size_t i = 0; s->kafka_from && i < RL_KAFKA_RANKS; i++) rl_kconf_free(&s->kafka_from[i]);
  rl_kconf_free(&s->kafka);
  rl_buf_free(&s->schema_text);
  rl_registry_unref(s->registry_client);
  rl_free(s->kafka_from);
  rl_free(s->layers);
  *s = (struct rl_settings){.layers = NULL};
}

static void copy_list(struct rl_list *to, const struct rl_list *from) {
  *to = (struct rl_list){.at = NULL};
  for (size_t i = 0; i < from->n; i++) rl_settings_list_add(to, from->at[i], strlen(from->at[i]));
}

static void copy_value(struct rl_settings *to, const struct rl_settings *from,
                       const struct rl_setting *what) {
  void *at = rl_setting_at(to, what);
  const void *old = (const char *)from + what->offset;
  const char *text = what->type == RL_SET_STRING ? *(char *const *)old : NULL;
  if (text) *(char **)at = rl_strdup(text);
  if (what->type == RL_SET_LIST) copy_list(at, old);
  if (what->type == RL_SET_FIELDS) rl_fields_copy(at, old);
}

void rl_settings_copy(struct rl_settings *to, const struct rl_settings *from) {
  *to = *from;
  for (size_t i = 0; i < rl_settings_count; i++) copy_value(to, from, &rl_settings_table[i]);
  rl_kconf_copy(&to->kafka, &from->kafka);
  to->kafka_from = rl_zalloc(RL_KAFKA_RANKS * sizeof *to->kafka_from);
  for (size_t i = 0; i < RL_KAFKA_RANKS; i++) rl_kconf_copy(&to->kafka_from[i], &from->kafka_from[i]);
  to->schema_text = (struct rl_buf)RL_BUF_INIT;
  rl_buf_put(&to->schema_text, from->schema_text.data, from->schema_text.len);
  rl_registry_ref(to->registry_client);
  to->layers = rl_alloc(rl_settings_count);
  memcpy(to->layers, from->layers, rl_settings_count);
}

const struct rl_setting *rl_setting_find(const char *name) {
  for (size_t i = 0; i < rl_settings_count; i++)
    if (strcmp(rl_settings_table[i].name, name) == 0) return &rl_settings_table[i];
  return NULL;
}

/* What other tools call it. */
static const char *translate(const char *name) {
  static const struct {
    const char *theirs, *ours;
  } words[] = {
      {"auto.offset.reset", "start"},
      {"auto_offset_reset", "start"},
      {"basic.auth.user.info", "registry_file"},
      {"batch_flush_timeout", "batch.timeout"},
      {"bearer.auth.token", "registry_token"},
      {"bootstrap.servers", "brokers"},
      {"bootstrap_servers", "brokers"},
      {"columns", "csv.columns"},
      {"commit_after_batch", "commit"},
      {"consumer_options", "kafka"},
      {"credentials_file", "kafka_file"},
      {"dead_letter_queue", "dead_letter"},
      {"dlq", "dead_letter"},
      {"from", "start"},
      {"group.id", "group"},
      {"group_id", "group"},
      {"offset", "start"},
      {"peek_timeout", "wait"},
      {"schema.registry.url", "registry"},
      {"schema_registry", "registry"},
      {"schema_registry_url", "registry"},
      {"servers", "brokers"},
      {"timeout", "batch.timeout"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].theirs, name) == 0) return words[i].ours;
  return NULL;
}

const char *rl_setting_nearest(const char *name) {
  const char *ours = translate(name);
  if (ours) return ours;
  const char **names = rl_alloc(rl_settings_count * sizeof *names);
  for (size_t i = 0; i < rl_settings_count; i++) names[i] = rl_settings_table[i].name;
  const char *nearest = rl_nearest(name, names, rl_settings_count);
  rl_free(names);
  return nearest;
}

static void spell(const char *name, const char *prefix, char separator, bool upper,
                  char out[RL_SETTING_NAME_MAX]) {
  size_t n = strlen(prefix);
  memcpy(out, prefix, n);
  for (; *name && n + 1 < RL_SETTING_NAME_MAX; name++) {
    char c = *name;
    if (c == '.' || c == '_') c = separator;
    if (upper && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    out[n++] = c;
  }
  out[n] = '\0';
}

void rl_setting_option_name(const struct rl_setting *what, char out[RL_SETTING_NAME_MAX]) {
  spell(what->name, "", '-', false, out);
}

void rl_setting_env_name(const struct rl_setting *what, char out[RL_SETTING_NAME_MAX]) {
  spell(what->name, "RILLE_", '_', true, out);
}

enum rl_layer rl_settings_layer(const struct rl_settings *s, const char *name) {
  const struct rl_setting *what = rl_setting_find(name);
  return what ? (enum rl_layer)s->layers[what - rl_settings_table] : RL_LAYER_DEFAULT;
}

bool rl_settings_is_set(const struct rl_settings *s, const char *name) {
  return rl_settings_layer(s, name) > RL_LAYER_DEFAULT;
}
