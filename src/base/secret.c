#include "base/secret.h"

#include <strings.h>

#include "base/log.h"
#include "base/mem.h"

enum { SHORTEST = 4 }; /* a shorter text stands in too many words to be masked by text */

static struct {
  struct rl_bytes *at;
  size_t n, cap;
} secrets;

static bool known(struct rl_bytes value) {
  for (size_t i = 0; i < secrets.n; i++)
    if (rl_bytes_eq(secrets.at[i], value)) return true;
  return false;
}

/* Longest first: "hunter22" is masked whole although "hunter" is a secret too. */
void rl_secret_add(const char *value) {
  struct rl_bytes secret = rl_bytes_str(value);
  if (secret.len < SHORTEST || known(secret)) return;
  RL_GROW(secrets.at, secrets.cap, secrets.n + 1);
  size_t i = secrets.n++;
  for (; i > 0 && secrets.at[i - 1].len < secret.len; i--) secrets.at[i] = secrets.at[i - 1];
  secrets.at[i] = rl_bytes(rl_strdup(value), secret.len);
}

/* The length of the secret that begins at `at`; 0 when none does. */
static size_t secret_at(const char *at, size_t left) {
  for (size_t i = 0; i < secrets.n; i++) {
    struct rl_bytes s = secrets.at[i];
    if (s.len <= left && *s.data == *at && memcmp(s.data, at, s.len) == 0) return s.len;
  }
  return 0;
}

void rl_secret_mask(struct rl_buf *out, struct rl_bytes text) {
  size_t start = 0;
  for (size_t i = 0; i < text.len;) {
    size_t n = secret_at(text.data + i, text.len - i);
    if (n == 0) {
      i++;
      continue;
    }
    rl_buf_put(out, text.data + start, i - start);
    rl_buf_puts(out, "***");
    start = i += n;
  }
  rl_buf_put(out, text.data + start, text.len - start);
}

static bool has_part(const char *name, const char *part) {
  size_t len = strlen(part);
  for (; *name; name++)
    if (strncasecmp(name, part, len) == 0) return true;
  return false;
}

bool rl_is_secret(const char *name) {
  static const char *const parts[] = {"password",      "passwd",       "passphrase",  "secret",
                                      "token",         "credential",   "jaas",        "key.pem",
                                      "user.info",     "api.key",      "api_key",     "apikey",
                                      "authorization", "keystore.key", "private.key", "oauthbearer.config"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (has_part(name, parts[i])) return true;
  return false;
}
