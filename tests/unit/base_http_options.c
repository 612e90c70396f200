/* The HTTP client: URLs and options that will not do, and proxies. */
#include "http_client.h"

/* ---- what is refused ---- */

static void refused(const char *url, const char *why, bool shown) {
  struct rl_err err = {0};
  CHECK_INT(rl_http_check_url(url, &err), RL_EUSAGE);
  CHECK_HAS(err.text, why);
  CHECK((strstr(err.text, url) != NULL) == shown);
}

TEST(urls_that_are_none) {
  struct rl_err err = {0};
  CHECK_INT(rl_http_check_url("http://host:8081/apis/ccompat/v7/", &err), 0);
  CHECK_INT(rl_http_check_url("HTTPS://[::1]:8081", &err), 0);
  refused("localhost:8081", "does not start with http://", true);
  refused("ftp://host", "does not start with http://", true);
  refused("http://", "cannot be read", true);
  refused("http://me:hunter2@host", "a user or password", false);
  refused("http://me@host", "a user or password", false);
  refused("http://host?x=y", "a query", false);
  refused("http://host:99999", "cannot be read", true);
}

TEST(options_that_do_not_go_together) {
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  CHECK_INT(rl_http_new(&http, &(struct rl_http_opts){.user = "a", .token = "b"}, &err), RL_EUSAGE);
  CHECK_INT(rl_http_new(&http, &(struct rl_http_opts){.key = "k.pem"}, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "k.pem");
}

/* They would end the header's line, and begin another. */
TEST(credentials_with_control_characters_are_refused_and_not_repeated) {
  static const struct rl_http_opts bad[] = {{.token = "xyz\nX-Header: y"},
                                            {.token = "xyz\r"},
                                            {.user = "xyz\t", .password = "p"},
                                            {.user = "me", .password = "xyz\x7f"}};
  static const char *const names[] = {"token", "token", "user", "password"};
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char part[100];
    snprintf(part, sizeof part, "the %s holds a control character", names[i]);
    CHECK_INT(rl_http_new(&http, &bad[i], &err), RL_EUSAGE);
    CHECK_HAS(err.text, part);
    CHECK(!strstr(err.text, "xyz"));
  }
  rl_http_free(client(&(struct rl_http_opts){.user = "J\xc3\xb6rg", .password = "\xe2\x82\xac 5"}));
}

TEST(a_certificate_file_that_is_none_is_the_user_s) {
  struct got g;
  char url[64];
  struct http_bed bed;
  http_bed_start(&bed, 0, hello, NULL);
  snprintf(url, sizeof url, "https://127.0.0.1:%d", bed.port);
  struct rl_http *http = client(&(struct rl_http_opts){.ca = "/no/such/file.pem"});
  get(&g, http, url, "/");
  CHECK_INT(g.code, RL_EUSAGE);
  CHECK_HAS(g.err.text, "/no/such/file.pem");
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

TEST(parts_of_urls) {
  struct rl_buf out = RL_BUF_INIT;
  rl_http_put_url(&out, "http://a/b//", "/c");
  rl_buf_putc(&out, ' ');
  rl_http_put_escaped(&out, rl_bytes("a-Z._~9/ %\0\xff", 12));
  CHECK_STR(out.data, "http://a/b/c a-Z._~9%2F%20%25%00%FF");
  rl_buf_free(&out);
}

TEST(the_loopback_is_reached_directly) {
  struct http_bed bed;
  struct got g;
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  http_bed_start(&bed, 0, hello, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, 0);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
  unsetenv("http_proxy");
}

static bool proxied(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  http_say(out, "200 OK", "", strstr(asked->head, "GET http://registry.invalid/x HTTP") ? "through" : "?");
  return true;
}

TEST(a_proxy_of_the_environment_is_used) {
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, proxied, NULL);
  setenv("http_proxy", bed.url, 1);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  get(&g, http, "http://registry.invalid", "/x");
  CHECK_INT(g.code, 0);
  CHECK_STR(rl_buf_text(&g.call.answer), "through");
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
  unsetenv("http_proxy");
}
