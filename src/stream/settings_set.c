/* Setting a value from its text: one small parser a type, and the rule of the layers. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "stream/settings_impl.h"

/* Where a value comes from, for messages. */
struct from {
  const struct rl_setting *what;
  const char *value, *origin;
  enum rl_layer layer;
  struct rl_err *err;
};

void rl_settings_list_add(struct rl_list *list, const char *text, size_t len) {
  RL_GROW(list->at, list->cap, list->n + 1);
  list->at[list->n++] = rl_strndup(text, len);
}

void rl_settings_list_clear(struct rl_list *list) {
  for (size_t i = 0; i < list->n; i++) rl_free(list->at[i]);
  rl_free(list->at);
  *list = (struct rl_list){.at = NULL};
}

bool rl_settings_take_layer(struct rl_settings *s, const struct rl_setting *what, enum rl_layer layer) {
  unsigned char *now = &s->layers[what - rl_settings_table];
  if (*now > layer) return false;
  if (*now < layer && what->type == RL_SET_LIST) rl_settings_list_clear(rl_setting_at(s, what));
  if (*now < layer && what->type == RL_SET_FIELDS) rl_fields_free(rl_setting_at(s, what));
  *now = (unsigned char)layer;
  return true;
}

bool rl_settings_claim(struct rl_settings *s, const char *name, enum rl_layer layer) {
  const struct rl_setting *what = rl_setting_find(name);
  return what && rl_settings_take_layer(s, what, layer);
}

/* An option or a variable names its setting by itself; a file does not. */
static bool names_itself(const char *origin, const struct rl_setting *what) {
  char name[RL_SETTING_NAME_MAX];
  rl_setting_option_name(what, name);
  if (strncmp(origin, "--", 2) == 0 && strcmp(origin + 2, name) == 0) return true;
  rl_setting_env_name(what, name);
  return strcmp(origin, name) == 0;
}

static void put_range(struct rl_buf *out, const struct rl_setting *what) {
  if (what->max > 0) {
    rl_buf_printf(out, " from %.16g to %.16g", what->min, what->max);
  } else {
    rl_buf_printf(out, ", %.16g or more", what->min);
  }
}

/* "a, b or c" */
static void put_choices(struct rl_buf *out, const char *choices) {
  for (const char *c = choices; *c; c++) {
    if (*c != '|') {
      rl_buf_putc(out, *c);
    } else {
      rl_buf_puts(out, strchr(c + 1, '|') ? ", " : " or ");
    }
  }
}

static void put_expected(struct rl_buf *out, const struct rl_setting *what) {
  if (what->choices) {
    put_choices(out, what->choices);
    return;
  }
  const char *kind = what->type == RL_SET_INT    ? "a whole number"
                     : what->type == RL_SET_SIZE ? "a size in bytes such as 65536 or 16MiB"
                     : what->type == RL_SET_BOOL ? "true or false"
                                                 : "a time in seconds such as 0.5, 500ms or 2m";
  rl_buf_puts(out, kind);
  if (what->type != RL_SET_BOOL) put_range(out, what);
}

static const char *nearest_choice(const char *choices, const char *value, char found[RL_SETTING_NAME_MAX]) {
  const char *list[16];
  size_t n = 0;
  char *text = rl_strdup(choices), *rest = NULL;
  for (char *c = strtok_r(text, "|", &rest); c && n < 16; c = strtok_r(NULL, "|", &rest)) list[n++] = c;
  const char *nearest = rl_nearest(value, list, n);
  if (nearest) {
    strncpy(found, nearest, RL_SETTING_NAME_MAX - 1);
    found[RL_SETTING_NAME_MAX - 1] = '\0';
  }
  rl_free(text);
  return nearest ? found : NULL;
}

/* "bright.lua: batch.size: "0" is not what it takes: a whole number, 1 or more". */
static int refuse(const struct from *f) {
  struct rl_buf expected = RL_BUF_INIT;
  char found[RL_SETTING_NAME_MAX];
  const char *nearest = f->what->choices ? nearest_choice(f->what->choices, f->value, found) : NULL;
  bool itself = names_itself(f->origin, f->what);
  put_expected(&expected, f->what);
  rl_fail(f->err, RL_EUSAGE, "%s%s%s: \"%s\" will not do: expected %s%s%s%s", f->origin, itself ? "" : ": ",
          itself ? "" : f->what->name, f->value, expected.data, nearest ? "; did you mean \"" : "",
          nearest ? nearest : "", nearest ? "\"?" : "");
  rl_buf_free(&expected);
  return RL_EUSAGE;
}

/* The place among "a|b|c", '-' and '_' being the same; -1: none. */
static int choice(const char *choices, const char *value, char found[RL_SETTING_NAME_MAX]) {
  int i = 0;
  for (const char *c = choices; *c; i++) {
    size_t len = strcspn(c, "|"), j = 0;
    while (j < len && (c[j] == value[j] || (c[j] == '_' && value[j] == '-'))) j++;
    if (j == len && !value[j] && len < RL_SETTING_NAME_MAX) {
      memcpy(found, c, len);
      found[len] = '\0';
      return i;
    }
    c += len + (c[len] == '|');
  }
  return -1;
}

static int set_string(struct rl_settings *s, const struct from *f) {
  char found[RL_SETTING_NAME_MAX];
  const char *value = f->value;
  if (rl_is_secret(f->what->name)) rl_log_secret(value);
  if (f->what->choices && *value) {
    if (choice(f->what->choices, value, found) < 0) return refuse(f);
    value = found;
  }
  if (!rl_settings_take_layer(s, f->what, f->layer)) return 0;
  char **at = rl_setting_at(s, f->what);
  rl_free(*at);
  *at = *value ? rl_strdup(value) : f->what->text ? rl_strdup(f->what->text) : NULL;
  return 0;
}

static int set_enum(struct rl_settings *s, const struct from *f) {
  char found[RL_SETTING_NAME_MAX];
  int i = choice(f->what->choices, f->value, found);
  if (i < 0) return refuse(f);
  if (rl_settings_take_layer(s, f->what, f->layer))
    *(enum rl_delivery *)rl_setting_at(s, f->what) = (enum rl_delivery)i;
  return 0;
}

static int set_bool(struct rl_settings *s, const struct from *f) {
  bool value;
  if (!rl_parse_bool(f->value, &value)) return refuse(f);
  if (rl_settings_take_layer(s, f->what, f->layer)) *(bool *)rl_setting_at(s, f->what) = value;
  return 0;
}

static bool in_range(const struct rl_setting *what, double value) {
  return value >= what->min && (what->max <= 0 || value <= what->max);
}

static int set_int(struct rl_settings *s, const struct from *f) {
  int64_t value;
  bool good = f->what->type == RL_SET_SIZE ? rl_parse_size(f->value, &value) : rl_parse_i64(f->value, &value);
  if (!good || !in_range(f->what, (double)value)) return refuse(f);
  if (rl_settings_take_layer(s, f->what, f->layer)) *(int64_t *)rl_setting_at(s, f->what) = value;
  return 0;
}

static int set_seconds(struct rl_settings *s, const struct from *f) {
  double value;
  if (!rl_parse_seconds(f->value, &value) || !in_range(f->what, value)) return refuse(f);
  if (rl_settings_take_layer(s, f->what, f->layer)) *(double *)rl_setting_at(s, f->what) = value;
  return 0;
}

/* To the next comma; within brackets of a regular expression it separates nothing ("^a{1,2}"). */
static size_t item_length(const char *text) {
  bool regex = *text == '^';
  int depth = 0;
  size_t i = 0;
  for (; text[i] && (text[i] != ',' || depth > 0); i++) {
    if (!regex) continue;
    if (text[i] == '\\' && text[i + 1]) {
      i++;
    } else if (strchr("([{", text[i])) {
      depth++;
    } else if (strchr(")]}", text[i]) && depth > 0) {
      depth--;
    }
  }
  return i;
}

static void add_trimmed(struct rl_list *list, const char *text, size_t len) {
  while (len && *text == ' ') text++, len--;
  while (len && text[len - 1] == ' ') len--;
  if (len) rl_settings_list_add(list, text, len);
}

static int set_list(struct rl_settings *s, const struct from *f) {
  if (!rl_settings_take_layer(s, f->what, f->layer)) return 0;
  const char *p = f->value;
  for (;;) {
    while (*p == ' ') p++;
    size_t len = item_length(p);
    add_trimmed(rl_setting_at(s, f->what), p, len);
    if (!p[len]) return 0;
    p += len + 1;
  }
}

static int set_fields(struct rl_settings *s, const struct from *f) {
  struct rl_fields weaker = RL_FIELDS_INIT;
  bool mine = rl_settings_take_layer(s, f->what, f->layer);
  int rc = rl_fields_parse(mine ? rl_setting_at(s, f->what) : &weaker, f->value, f->err);
  rl_fields_free(&weaker);
  return rc ? rl_err_prefix(f->err, "%s: ", f->origin) : 0;
}

static void append_kafka(struct rl_kconf *to, const struct rl_kconf *from) {
  RL_GROW(to->at, to->cap, to->n + from->n);
  for (size_t i = 0; i < from->n; i++)
    to->at[to->n++] = (struct rl_kpair){.key = rl_strdup(from->at[i].key),
                                        .value = rl_strdup(from->at[i].value),
                                        .origin = rl_strdup(from->at[i].origin)};
}

/* The last one wins there: so the weakest come first, whatever order they were set in. */
void rl_settings_kafka_rebuild(struct rl_settings *s) {
  rl_kconf_free(&s->kafka);
  for (size_t i = 0; i < RL_KAFKA_RANKS; i++) append_kafka(&s->kafka, &s->kafka_from[i]);
}

static int set_kafka(struct rl_settings *s, const struct from *f) {
  bool file = f->what->type == RL_SET_FILE;
  struct rl_kconf *rank = &s->kafka_from[(size_t)f->layer + (file ? RL_KAFKA_FILES : RL_KAFKA_PAIRS)];
  int rc = file ? rl_kconf_read_file(rank, f->value, f->err)
                : rl_kconf_set_pair(rank, f->value, f->origin, f->err);
  if (rc) return rc;
  rl_settings_take_layer(s, f->what, f->layer);
  rl_settings_kafka_rebuild(s);
  return 0;
}

int rl_settings_set(struct rl_settings *s, const struct rl_setting *what, const char *value,
                    enum rl_layer layer, const char *origin, struct rl_err *err) {
  struct from f = {.what = what, .value = value, .origin = origin, .layer = layer, .err = err};
  switch (what->type) {
    case RL_SET_STRING: return set_string(s, &f);
    case RL_SET_LIST: return set_list(s, &f);
    case RL_SET_INT:
    case RL_SET_SIZE: return set_int(s, &f);
    case RL_SET_SECONDS: return set_seconds(s, &f);
    case RL_SET_BOOL: return set_bool(s, &f);
    case RL_SET_ENUM: return set_enum(s, &f);
    case RL_SET_FIELDS: return set_fields(s, &f);
    case RL_SET_KAFKA:
    case RL_SET_FILE: return set_kafka(s, &f);
  }
  return rl_fail(err, RL_EFAIL, "%s: setting %s has no known type", origin, what->name);
}
