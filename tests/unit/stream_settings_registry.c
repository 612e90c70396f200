/* Settings of the schema registry: its file, what goes together, and the client that copies share. */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "stream/settings.h"
#include "unit.h"

struct made {
  struct rl_settings s;
  struct rl_err err;
  int rc;
};

static char path[64];

static const char *file_of(const char *text) {
  strcpy(path, "/tmp/rille-registry-XXXXXX");
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  return path;
}

/* "name=value" pairs; '%' before one: of the environment. */
static struct made make(const char *const *pairs) {
  struct made m = {.rc = 0};
  rl_settings_init(&m.s);
  for (; *pairs; pairs++) {
    const char *pair = *pairs + (**pairs == '%');
    char name[RL_SETTING_NAME_MAX] = {0};
    memcpy(name, pair, (size_t)(strchr(pair, '=') - pair));
    enum rl_layer layer = **pairs == '%' ? RL_LAYER_ENV : RL_LAYER_CLI;
    if (rl_settings_set(&m.s, rl_setting_find(name), strchr(pair, '=') + 1, layer, "test", &m.err))
      UNIT_FAIL("%s: %s", pair, m.err.text);
  }
  m.rc = rl_settings_finish(&m.s, &m.err);
  return m;
}

#define MAKE(...) make((const char *const[]){"topics=t", "decode=avro", __VA_ARGS__, NULL})

static void good(struct made m) {
  if (m.rc) UNIT_FAIL("%s", m.err.text);
  rl_settings_free(&m.s);
}

static void refused(struct made m, const char *why) {
  CHECK_INT(m.rc, RL_EUSAGE);
  CHECK_HAS(m.err.text, why);
  rl_settings_free(&m.s);
}

TEST(a_registry_makes_a_client) {
  struct made m = MAKE("registry=http://a:1/x,http://b:2", "framing=confluent");
  CHECK_INT(m.rc, 0);
  CHECK_INT(m.s.registry.n, 2);
  CHECK(m.s.registry_client != NULL);
  struct rl_settings copy;
  rl_settings_copy(&copy, &m.s);
  CHECK(copy.registry_client == m.s.registry_client);
  rl_settings_free(&m.s);
  CHECK_INT(rl_registry_news(copy.registry_client), 0); /* it lives as long as one of them */
  rl_settings_free(&copy);
}

TEST(what_goes_with_a_registry) {
  good(MAKE("registry=https://a", "registry_user=me", "registry_password=hunter22"));
  good(MAKE("registry=https://a", "registry_user=me"));
  good(MAKE("registry=https://a", "registry_token=abcdef", "registry_ca=/x", "registry_certificate=/y",
            "registry_key=/z"));
  good(MAKE("%registry_token=abcdef"));
  good(MAKE("decode=json", "%registry=http://a"));
  refused(MAKE("registry=a:8081"), "registry: \"a:8081\" will not do as a URL");
  refused(MAKE("registry=http://me:hunter22@a"), "registry: this will not do as a URL");
  refused(MAKE("registry_user=me"), "registry_user without registry");
  refused(MAKE("registry=http://a", "registry_password=hunter22"), "registry_password without registry_user");
  refused(MAKE("registry=http://a", "registry_user=me", "registry_token=abcdef"), "two ways to log in");
  refused(MAKE("registry=http://a", "registry_key=/z"), "registry_key without registry_certificate");
  refused(MAKE("decode=json", "registry=http://a"), "registry goes with decode = \"avro\"");
}

TEST(credentials_with_control_characters_are_refused) {
  refused(MAKE("registry=http://a", "registry_token=xyz\nX-Header: y"),
          "registry_token holds a control character");
  refused(MAKE("registry=http://a", "%registry_token=xyz\n"), "registry_token holds a control character");
  refused(MAKE("registry=http://a", "registry_user=m\re"), "registry_user holds a control character");
  refused(MAKE("registry=http://a", "registry_user=me", "registry_password=xyz\t"),
          "registry_password holds a control character");
}

TEST(the_file_stands_for_what_is_not_set) {
  struct made m;
  char pair[100];
  snprintf(pair, sizeof pair, "registry_file=%s",
           file_of("# a comment\nbootstrap.servers=x:1\nschema.registry.url = http://a , http://b\n"
                   "basic.auth.credentials.source=USER_INFO\n"
                   "schema.registry.basic.auth.user.info=me:hunter:22\n\n"
                   "schema.registry.ssl.ca.location=/ca.pem\n"));
  m = MAKE(pair);
  CHECK_STR(m.err.text, "");
  CHECK_INT(m.s.registry.n, 2);
  CHECK_STR(m.s.registry.at[1], "http://b");
  CHECK_STR(m.s.registry_user, "me");
  CHECK_STR(m.s.registry_password, "hunter:22");
  CHECK_STR(m.s.registry_ca, "/ca.pem");
  rl_settings_free(&m.s);
  m = MAKE(pair, "registry=http://c", "%registry_user=you");
  CHECK_INT(m.s.registry.n, 1);
  CHECK_STR(m.s.registry.at[0], "http://c");
  CHECK_STR(m.s.registry_user, "you");
  rl_settings_free(&m.s);
  unlink(path);
}

static void refused_file(const char *text, const char *why) {
  char pair[100];
  snprintf(pair, sizeof pair, "registry_file=%s", file_of(text));
  refused(MAKE(pair), why);
  unlink(path);
}

TEST(files_that_will_not_do) {
  refused(MAKE("registry_file=/no/such/file"), "cannot read /no/such/file");
  refused_file("", "names no schema.registry.url");
  refused_file("schema.registry.url=http://a\nno value\n", ":2: expected key=value");
  refused_file("basic.auth.user.info=me\n", "basic.auth.user.info is USER:PASSWORD");
  refused_file("schema.registry.ssl.keystore.location=x\n",
               "rille does not know schema.registry.ssl.keystore");
  refused_file("basic.auth.credentials.source=SASL_INHERIT\n", "can only be USER_INFO");
}

static char line[200];
static void hear(enum rl_level level, const char *text, void *arg) {
  (void)level, (void)arg;
  snprintf(line, sizeof line, "%s", text);
}

TEST(secrets_are_kept_out_of_every_line) {
  good(MAKE("registry=https://a", "registry_user=me", "registry_password=hunter23"));
  good(MAKE("registry=https://a", "registry_token=tokentoken"));
  rl_log_to(hear, NULL);
  rl_log(RL_ERROR, "hunter23 and tokentoken");
  rl_log_to(NULL, NULL);
  CHECK_HAS(line, "*** and ***");
}

TEST(other_names_for_it) {
  CHECK_STR(rl_setting_nearest("schema.registry.url"), "registry");
  CHECK_STR(rl_setting_nearest("schema_registry"), "registry");
  CHECK_STR(rl_setting_nearest("basic.auth.user.info"), "registry_file");
}
