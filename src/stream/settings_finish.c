/* Finishing: what follows from the settings, and what does not go together. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "stream/settings_impl.h"

static int check_delivery(const struct rl_settings *s, struct rl_err *err) {
  if (s->delivery == RL_EXACTLY_ONCE)
    return rl_fail(err, RL_EUSAGE, "delivery: exactly_once is not in this version: use at_least_once");
  if (s->delivery != RL_AT_MOST_ONCE) return 0;
  if (!s->group)
    return rl_fail(
        err, RL_EUSAGE,
        "delivery: at_most_once commits before it handles, and without a group nothing is committed: "
        "name one (--group)");
  if (!s->commit)
    return rl_fail(err, RL_EUSAGE,
                   "delivery: at_most_once commits before it handles: it needs commit = true");
  if (s->retries)
    rl_log(RL_WARN, "delivery is at_most_once, which tries nothing twice: retries (%lld) do not apply",
           (long long)s->retries);
  return 0;
}

/* A function of the script is weaker than an option that names a format. */
static int finish_decode(struct rl_settings *s, struct rl_err *err) {
  if (s->decode && rl_settings_layer(s, "decode") > RL_LAYER_SCRIPT) s->decode_lua = false;
  if (s->decode_lua || !s->decode) {
    rl_free(s->decode);
    s->decode = rl_strdup(!s->decode_lua && (s->fields.n || s->rows) ? "json" : "raw");
    return 0;
  }
  if (strcmp(s->decode, "raw") != 0) return 0;
  for (size_t i = 0; i < s->fields.n; i++) {
    const struct rl_field *field = &s->fields.at[i];
    if (field->meta != RL_META_NONE) continue;
    return rl_fail(
        err, RL_EUSAGE,
        "fields: \"%s\" is read from decoded values, and decode is raw: use json, avro, csv or tsv, or only "
        "fields such as @key and @timestamp",
        field->path);
  }
  return 0;
}

static int check_backoff(struct rl_settings *s, struct rl_err *err) {
  if (s->backoff_max >= s->backoff) return 0;
  if (rl_settings_is_set(s, "backoff_max"))
    return rl_fail(err, RL_EUSAGE, "backoff_max (%g s) is less than backoff (%g s)", s->backoff_max,
                   s->backoff);
  s->backoff_max = s->backoff;
  return 0;
}

int rl_settings_finish(struct rl_settings *s, struct rl_err *err) {
  int rc = rl_settings_finish_where(s, err);
  if (!rc) rc = rl_settings_finish_topics(s, err);
  if (!rc) rc = rl_settings_finish_ends(s, err);
  if (!rc) rc = check_delivery(s, err);
  if (!rc) rc = finish_decode(s, err);
  if (!rc) rc = check_backoff(s, err);
  if (!rc) rc = rl_settings_finish_format(s, err);
  return rc;
}
