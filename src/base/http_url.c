/* URLs: which are taken, and parts of them. */
#include <stdlib.h>
#include <strings.h>

#include "base/http_impl.h"

static bool has_part(CURLU *url, CURLUPart part) {
  char *text = NULL;
  bool has = curl_url_get(url, part, &text, 0) == CURLUE_OK && text && *text;
  curl_free(text);
  return has;
}

static bool is_http(const char *url) {
  return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

/* What is wrong with it; NULL: nothing. */
static const char *fault(const char *text, CURLU *url) {
  if (!is_http(text)) return "it does not start with http:// or https://";
  if (curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK) return "it cannot be read";
  if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
    return "it holds a user or password, which are settings of their own";
  if (has_part(url, CURLUPART_QUERY) || has_part(url, CURLUPART_FRAGMENT)) return "it has a query";
  return has_part(url, CURLUPART_HOST) ? NULL : "it names no host";
}

int rl_http_check_url(const char *text, struct rl_err *err) {
  CURLU *url = curl_url();
  const char *what = fault(text, url);
  curl_url_cleanup(url);
  if (!what) return 0;
  bool shown = strpbrk(text, "@?#") == NULL;
  return rl_fail(err, RL_EUSAGE, "%s%s%swill not do as a URL: %s; expected http://HOST:PORT/PATH",
                 shown ? "\"" : "", shown ? text : "this ", shown ? "\" " : "", what);
}

static bool is_loopback_host(const char *host) {
  return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "[::1]") == 0;
}

bool rl_http_is_loopback(const char *text) {
  CURLU *url = curl_url();
  char *host = NULL;
  bool is = curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
            curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && is_loopback_host(host);
  curl_free(host);
  curl_url_cleanup(url);
  return is;
}

static bool is_plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~", c);
}

void rl_http_put_escaped(struct rl_buf *out, struct rl_bytes text) {
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c && is_plain(c))
      rl_buf_putc(out, (char)c);
    else
      rl_buf_printf(out, "%%%02X", c);
  }
}

void rl_http_put_url(struct rl_buf *out, const char *base, const char *path) {
  size_t len = strlen(base);
  while (len > 0 && base[len - 1] == '/') len--;
  rl_buf_put(out, base, len);
  rl_buf_puts(out, path);
}
