/* Finishing: the schema registry, its properties file, and the client that all decoders share. */
#include <errno.h>
#include <string.h>

#include "base/http.h"
#include "base/mem.h"
#include "base/properties.h"
#include "stream/settings_impl.h"

/* What the names in the file stand for; name NULL: nothing but this value will do. */
static const struct {
  const char *property, *name, *value;
} properties[] = {
    {"schema.registry.url", "registry", NULL},
    {"basic.auth.user.info", "registry_user", NULL}, /* and registry_password */
    {"bearer.auth.token", "registry_token", NULL},
    {"schema.registry.ssl.ca.location", "registry_ca", NULL},
    {"schema.registry.ssl.certificate.location", "registry_certificate", NULL},
    {"schema.registry.ssl.key.location", "registry_key", NULL},
    {"basic.auth.credentials.source", NULL, "USER_INFO"},
    {"bearer.auth.credentials.source", NULL, "STATIC_TOKEN"},
};

struct file {
  struct rl_settings *s;
  bool *open; /* by number of the setting: nothing but the file has set it */
  const char *path;
  int line;
  struct rl_err *err;
};

/* ---- the file ---- */

static int set(const struct file *f, const char *name, const char *value) {
  const struct rl_setting *what = rl_setting_find(name);
  if (!f->open[what - rl_settings_table]) return 0;
  return rl_settings_set(f->s, what, value, RL_LAYER_DEFAULT, f->path, f->err);
}

static int set_user_info(const struct file *f, char *value) {
  char *colon = strchr(value, ':');
  if (!colon)
    return rl_fail(f->err, RL_EUSAGE, "registry_file: %s:%d: basic.auth.user.info is USER:PASSWORD", f->path,
                   f->line);
  *colon = '\0';
  int rc = set(f, "registry_user", value);
  return rc ? rc : set(f, "registry_password", colon + 1);
}

static bool is_ours(const char *key) {
  return strncmp(key, "schema.registry.", 16) == 0 || strncmp(key, "basic.auth.", 11) == 0 ||
         strncmp(key, "bearer.auth.", 12) == 0;
}

static int unknown(const struct file *f, const char *key) {
  if (!is_ours(key)) return 0; /* Kafka's own often stand in the same file */
  struct rl_buf names = RL_BUF_INIT;
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
    if (properties[i].name) rl_buf_printf(&names, "%s%s", names.len ? ", " : "", properties[i].property);
  int rc = rl_fail(f->err, RL_EUSAGE, "registry_file: %s:%d: rille does not know %s; it knows %s", f->path,
                   f->line, key, rl_buf_text(&names));
  rl_buf_free(&names);
  return rc;
}

static int set_property(const struct file *f, const char *key, char *value) {
  const char *bare = strncmp(key, "schema.registry.", 16) == 0 ? key + 16 : key;
  for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
    if (strcmp(key, properties[i].property) != 0 && strcmp(bare, properties[i].property) != 0) continue;
    if (!strcmp(properties[i].property, "basic.auth.user.info")) return set_user_info(f, value);
    if (properties[i].name) return set(f, properties[i].name, value);
    if (!strcmp(value, properties[i].value)) return 0;
    return rl_fail(f->err, RL_EUSAGE, "registry_file: %s:%d: %s can only be %s here", f->path, f->line, key,
                   properties[i].value);
  }
  return unknown(f, key);
}

static int take_property(void *arg, int line, char *key, char *value) {
  struct file *f = arg;
  f->line = line;
  if (!value) return rl_fail(f->err, RL_EUSAGE, "registry_file: %s:%d: expected key=value", f->path, line);
  return set_property(f, key, value);
}

static int read_file(struct rl_settings *s, struct rl_err *err) {
  if (!s->registry_file) return 0;
  FILE *in = fopen(s->registry_file, "re");
  if (!in)
    return rl_fail(err, RL_EUSAGE, "registry_file: cannot read %s: %s", s->registry_file, strerror(errno));
  struct file f = {.s = s, .path = s->registry_file, .err = err};
  f.open = rl_alloc(rl_settings_count * sizeof *f.open);
  for (size_t i = 0; i < rl_settings_count; i++) f.open[i] = s->layers[i] == RL_LAYER_DEFAULT;
  int rc = rl_properties_read(in, take_property, &f);
  if (!rc && ferror(in))
    rc = rl_fail(err, RL_EUSAGE, "registry_file: cannot read %s: %s", f.path, strerror(errno));
  fclose(in);
  rl_free(f.open);
  return rc;
}

/* ---- what goes together ---- */

/* In the environment they may stand for other runs. */
static int check_alone(const struct rl_settings *s, struct rl_err *err) {
  static const char *const names[] = {"registry_user", "registry_password",    "registry_token",
                                      "registry_ca",   "registry_certificate", "registry_key"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (rl_settings_is_set(s, names[i]) && rl_settings_layer(s, names[i]) != RL_LAYER_ENV)
      return rl_fail(err, RL_EUSAGE, "%s without registry, the URL it is for", names[i]);
  if (s->registry_file)
    return rl_fail(err, RL_EUSAGE, "registry_file: %s names no schema.registry.url, and registry is not set",
                   s->registry_file);
  return 0;
}

static int check_login(const struct rl_settings *s, struct rl_err *err) {
  if (s->registry_password && !s->registry_user)
    return rl_fail(err, RL_EUSAGE, "registry_password without registry_user");
  if (s->registry_user && s->registry_token)
    return rl_fail(err, RL_EUSAGE,
                   "registry_user and registry_token are two ways to log in: leave one out (--registry-token "
                   "'' takes away what the script says)");
  if (s->registry_key && !s->registry_certificate)
    return rl_fail(err, RL_EUSAGE, "registry_key without registry_certificate");
  int rc = rl_http_check_login("registry_token", s->registry_token, err);
  if (!rc) rc = rl_http_check_login("registry_user", s->registry_user, err);
  return rc ? rc : rl_http_check_login("registry_password", s->registry_password, err);
}

static int make_client(struct rl_settings *s, struct rl_err *err) {
  struct rl_registry_opts opts = {.urls = (const char *const *)s->registry.at,
                                  .n_urls = s->registry.n,
                                  .http = {.connect = s->connect,
                                           .timeout = s->connect,
                                           .ca = s->registry_ca,
                                           .certificate = s->registry_certificate,
                                           .key = s->registry_key,
                                           .user = s->registry_user,
                                           .password = s->registry_password,
                                           .token = s->registry_token},
                                  .backoff = s->backoff,
                                  .backoff_max = s->backoff_max};
  rl_registry_unref(s->registry_client);
  s->registry_client = NULL;
  return rl_registry_new(&s->registry_client, &opts, err) ? rl_err_prefix(err, "registry: ") : 0;
}

int rl_settings_finish_registry(struct rl_settings *s, struct rl_err *err) {
  int rc = read_file(s, err);
  if (rc) return rc;
  if (!s->registry.n) return check_alone(s, err);
  rc = check_login(s, err);
  return rc ? rc : make_client(s, err);
}
