/* Settings from the environment: RILLE_BATCH_SIZE is batch.size. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "stream/settings_impl.h"

static const struct rl_setting *find_variable(const char *name) {
  char own[RL_SETTING_NAME_MAX];
  for (size_t i = 0; i < rl_settings_count; i++) {
    rl_setting_env_name(&rl_settings_table[i], own);
    if (strcmp(own, name) == 0) return &rl_settings_table[i];
  }
  return NULL;
}

/* What is read where it is used: a model's runtime and log-in (rille.model), in the library form too. */
static const char *const models[] = {"RILLE_ONNXRUNTIME",    "RILLE_MODEL_USER",
                                     "RILLE_MODEL_PASSWORD", "RILLE_MODEL_PASSWORD_FILE",
                                     "RILLE_MODEL_TOKEN",    "RILLE_MODEL_TOKEN_FILE"};
enum { MODELS = sizeof models / sizeof *models };

static bool is_models(const char *name) {
  for (size_t i = 0; i < MODELS; i++)
    if (strcmp(name, models[i]) == 0) return true;
  return false;
}

/* Only the name: its value may be a secret. */
static void warn_unknown(const char *name) {
  char *word = rl_strdup(name + strlen("RILLE_"));
  for (char *c = word; *c; c++)
    if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
  const char *nearest = rl_setting_nearest(word);
  char own[RL_SETTING_NAME_MAX];
  if (nearest) rl_setting_env_name(rl_setting_find(nearest), own);
  const char *near = nearest ? own : rl_nearest(name, models, MODELS);
  rl_log(RL_WARN, "the environment has %s, which is no setting%s%s%s", name, near ? "; did you mean " : "",
         near ? near : "", near ? "?" : "");
  rl_free(word);
}

static int set_lines(struct rl_settings *s, const struct rl_setting *what, const char *name,
                     const char *value, struct rl_err *err) {
  char *text = rl_strdup(value), *rest = NULL;
  int rc = 0;
  for (char *line = strtok_r(text, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest))
    rc = rl_settings_set(s, what, line, RL_LAYER_ENV, name, err);
  rl_free(text);
  return rc;
}

static int set_variable(struct rl_settings *s, const char *name, const char *value, struct rl_err *err) {
  const struct rl_setting *what = find_variable(name);
  if (!what) {
    if (!is_models(name)) warn_unknown(name);
    return 0;
  }
  if (!*value) return 0;
  if (what->type == RL_SET_KAFKA) return set_lines(s, what, name, value, err);
  return rl_settings_set(s, what, value, RL_LAYER_ENV, name, err);
}

int rl_settings_env(struct rl_settings *s, char *const *environment, struct rl_err *err) {
  int rc = 0;
  for (; *environment && !rc; environment++) {
    const char *equals = strchr(*environment, '=');
    if (!equals || strncmp(*environment, "RILLE_", 6) != 0) continue;
    char *name = rl_strndup(*environment, (size_t)(equals - *environment));
    rc = set_variable(s, name, equals + 1, err);
    rl_free(name);
  }
  return rc;
}
