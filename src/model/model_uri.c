#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/model_impl.h"

bool rl_model_has_scheme(const struct rl_model_backend *backend, const char *uri) {
  for (const char *const *scheme = backend->schemes; *scheme; scheme++) {
    size_t len = strlen(*scheme);
    if (strncmp(uri, *scheme, len) == 0 && uri[len] == ':') return true;
  }
  return false;
}

static bool is_onnx_file(const char *uri) {
  size_t len = strlen(uri);
  return len > 5 && strcmp(uri + len - 5, ".onnx") == 0 && !strstr(uri, "://");
}

char *rl_model_whole_uri(const char *uri) {
  struct rl_buf whole = RL_BUF_INIT;
  bool bare = is_onnx_file(uri) && strncmp(uri, "onnx:", 5) != 0;
  rl_buf_printf(&whole, "%s%s", bare ? "onnx:" : "", uri);
  return rl_buf_take(&whole);
}

bool rl_model_uri_is_served(const char *uri) {
  const struct rl_model_backend *const *backend = rl_model_backends;
  char *whole = rl_model_whole_uri(uri);
  while (*backend && !rl_model_has_scheme(*backend, whole)) backend++;
  rl_free(whole);
  return *backend && (*backend)->served;
}

/* What stands before an @ may be a password, what follows a ? a token. */
static bool may_hold_secret(const char *uri) {
  return strncmp(uri, "onnx:", 5) != 0 && strpbrk(uri, "@?#") != NULL;
}

int rl_model_unknown_uri(const char *uri, struct rl_err *err) {
  bool shown = !may_hold_secret(uri);
  return rl_fail(err, RL_EUSAGE,
                 "%s%s%s is no model: expected FILE.onnx, onnx:FILE, kserve://HOST:PORT/NAME, kserves://... "
                 "or tfserving://HOST:PORT/NAME",
                 shown ? "\"" : "", shown ? uri : "this URI", shown ? "\"" : "");
}

int rl_model_prefix_uri(const char *uri, struct rl_err *err) {
  bool shown = !may_hold_secret(uri);
  return rl_err_prefix(err, "%.*s%s: ", (int)(shown ? strlen(uri) : strcspn(uri, ":") + 1), uri,
                       shown ? "" : "…");
}
