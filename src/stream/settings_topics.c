/* Finishing, second part: topics and partitions, and the dead-letter topic beside them. */
#include <regex.h>
#include <string.h>

#include "base/mem.h"
#include "stream/settings_impl.h"
#include "stream/start.h"

/* librdkafka reads a name that starts with ^ with the same calls. */
static int compile(regex_t *regex, const char *text, struct rl_err *err) {
  char why[256];
  int rc = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
  if (!rc) return 0;
  regerror(rc, regex, why, sizeof why);
  return rl_fail(err, RL_EUSAGE, "topics: \"%s\" is no regular expression: %s", text, why);
}

static int check_topic(const char *topic, struct rl_err *err) {
  if (*topic == '^') {
    regex_t regex;
    int rc = compile(&regex, topic, err);
    if (!rc) regfree(&regex);
    return rc;
  }
  if (rl_topic_name_ok(topic)) return 0;
  return rl_fail(
      err, RL_EUSAGE,
      "topics: \"%s\" is no topic name: expected at most 249 letters, digits, dots, '_' and '-', or a "
      "regular expression that starts with ^",
      topic);
}

static bool among(const struct rl_list *list, size_t n, const char *text, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (strlen(list->at[i]) == len && memcmp(list->at[i], text, len) == 0) return true;
  return false;
}

static int check_topics(const struct rl_settings *s, struct rl_err *err) {
  if (s->topics.n == 0 && !rl_settings_from_file(s))
    return rl_fail(err, RL_EUSAGE,
                   "no topics to read: name them with --topics (-t), topics = … in the script, or --input "
                   "kafka://HOST:PORT/TOPIC");
  for (size_t i = 0; i < s->topics.n; i++) {
    const char *topic = s->topics.at[i];
    int rc = check_topic(topic, err);
    if (rc) return rc;
    if (among(&s->topics, i, topic, strlen(topic)))
      return rl_fail(err, RL_EUSAGE, "topics names \"%s\" twice: each once is enough", topic);
  }
  return 0;
}

/* ---- partitions ---- */

static int parse_range(const char *text, struct rl_range *range, struct rl_err *err) {
  if (rl_range_parse(text, range)) return 0;
  return rl_fail(err, RL_EUSAGE,
                 "partitions: \"%s\" is none: expected N, FIRST-LAST, TOPIC:N or TOPIC:FIRST-LAST", text);
}

static bool has_regex(const struct rl_list *topics) {
  for (size_t i = 0; i < topics->n; i++)
    if (topics->at[i][0] == '^') return true;
  return false;
}

/* `-p alerts:0` says the topic by itself. */
static int topics_of_partitions(struct rl_settings *s, struct rl_err *err) {
  for (size_t i = 0; i < s->partitions.n; i++) {
    struct rl_range range;
    int rc = parse_range(s->partitions.at[i], &range, err);
    if (rc) return rc;
    if (range.topic && !among(&s->topics, s->topics.n, range.topic, range.topic_len))
      rl_settings_list_add(&s->topics, range.topic, range.topic_len);
  }
  return 0;
}

static int check_partitions(const struct rl_settings *s, struct rl_err *err) {
  if (s->partitions.n && s->group)
    return rl_fail(err, RL_EUSAGE,
                   "partitions (%s) and group (%s) do not go together: a group shares out all partitions by "
                   "itself; leave one out (--group '' takes away what the script says)",
                   s->partitions.at[0], s->group);
  for (size_t i = 0; i < s->partitions.n; i++) {
    struct rl_range range;
    int rc = parse_range(s->partitions.at[i], &range, err);
    if (rc) return rc;
    if (!range.topic || has_regex(&s->topics)) continue;
    if (!among(&s->topics, s->topics.n, range.topic, range.topic_len))
      return rl_fail(err, RL_EUSAGE, "partitions: \"%s\" is of a topic that topics does not name",
                     s->partitions.at[i]);
  }
  return 0;
}

/* ---- dead letters ---- */

static int reads(const char *topic, const char *name, bool *yes, struct rl_err *err) {
  if (*topic != '^') {
    *yes = strcmp(topic, name) == 0;
    return 0;
  }
  regex_t regex;
  int rc = compile(&regex, topic, err);
  if (rc) return rc;
  *yes = regexec(&regex, name, 0, NULL, 0) == 0;
  regfree(&regex);
  return 0;
}

/* A run that reads its own dead letters writes them again, for ever. */
static int check_dead_letter(const struct rl_settings *s, struct rl_err *err) {
  const char *name = s->dead_letter;
  if (!name || strcmp(name, "-") == 0 || strncmp(name, "file:", 5) == 0) return 0;
  if (!rl_topic_name_ok(name))
    return rl_fail(err, RL_EUSAGE, "dead_letter: \"%s\" is no topic name: expected one, - or file:PATH",
                   name);
  for (size_t i = 0; i < s->topics.n && !rl_settings_from_file(s); i++) {
    bool yes;
    int rc = reads(s->topics.at[i], name, &yes, err);
    if (rc) return rc;
    if (yes)
      return rl_fail(err, RL_EUSAGE,
                     "dead_letter: \"%s\" is among the topics that are read (%s): it would go round", name,
                     s->topics.at[i]);
  }
  return 0;
}

int rl_settings_finish_topics(struct rl_settings *s, struct rl_err *err) {
  int rc = s->topics.n ? 0 : topics_of_partitions(s, err);
  if (!rc) rc = check_topics(s, err);
  if (!rc && !rl_settings_from_file(s)) rc = check_partitions(s, err);
  return rc ? rc : check_dead_letter(s, err);
}
