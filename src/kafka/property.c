#include "kafka/property.h"

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Made once, never changed afterwards. */
static struct {
  pthread_once_t once;
  struct rl_kprop *at;
  const char **names;
  size_t n, cap;
} known = {PTHREAD_ONCE_INIT, NULL, NULL, 0, 0};

static const struct rl_kprop *find(const char *name) {
  for (size_t i = 0; i < known.n; i++)
    if (!strcmp(known.at[i].name, name)) return &known.at[i];
  return NULL;
}

/* The text of a "|"-separated cell without its blanks. */
static char *cell(const char **at) {
  const char *from = *at + strspn(*at, " "), *bar = strchr(from, '|');
  if (!bar) return NULL;
  const char *to = bar;
  while (to > from && to[-1] == ' ') to--;
  *at = bar + 1;
  return rl_strndup(from, (size_t)(to - from));
}

static char *alias_in(const char *line) {
  static const char mark[] = "Alias for `";
  const char *at = strstr(line, mark);
  if (!at) return NULL;
  at += sizeof mark - 1;
  return rl_strndup(at, strcspn(at, "`"));
}

/* "acks   |  P  | range | default | importance | Alias for `request.required.acks`: …" */
static void read_line(const char *line) {
  const char *at = line;
  char *name = cell(&at), *side = name ? cell(&at) : NULL;
  bool both = side && !strcmp(side, "*"), c = side && !strcmp(side, "C"), p = side && !strcmp(side, "P");
  if ((both || c || p) && !find(name)) {
    RL_GROW(known.at, known.cap, known.n + 1);
    struct rl_kprop prop = {name, alias_in(at), both || c, both || p};
    known.at[known.n++] = prop;
    name = NULL;
  }
  rl_free(name);
  rl_free(side);
}

static void read_all(void) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  if (!out) return;
  rd_kafka_conf_properties_show(out);
  fclose(out);
  char *rest = text, *line;
  while ((line = strsep(&rest, "\n"))) read_line(line);
  free(text);
  known.names = rl_alloc((known.n + 1) * sizeof *known.names);
  for (size_t i = 0; i < known.n; i++) known.names[i] = known.at[i].name;
}

const struct rl_kprop *rl_kprop_find(const char *name) {
  pthread_once(&known.once, read_all);
  return find(!strncmp(name, "topic.", 6) && !find(name) ? name + 6 : name);
}

const char *rl_kprop_canonical(const char *name) {
  const struct rl_kprop *prop = rl_kprop_find(name);
  if (!prop) return name;
  return prop->alias_of ? prop->alias_of : prop->name;
}

const char *rl_kprop_nearest(const char *name) {
  pthread_once(&known.once, read_all);
  return rl_nearest(name, known.names, known.n);
}
