/* Why stage 1 refused a text: it says only what, so the place is looked for again. */
#include "base/str.h"
#include "codec/json_walk.h"

static size_t first_bad_utf8(struct rl_bytes text) {
  size_t i = 0;
  while (i < text.len) {
    size_t n = rl_utf8_step(rl_bytes(text.data + i, text.len - i));
    if (n == 0) break;
    i += n;
  }
  return i;
}

/* Walks strings as stage 1 sees them: the start of the one that is not closed, or the first control character
 * inside one. */
static size_t find_in_strings(struct rl_bytes text, bool control) {
  size_t start = 0;
  bool inside = false;
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (inside && control && c < 0x20) return i;
    if (c == '\\' && inside) {
      i++;
    } else if (c == '"') {
      inside = !inside;
      start = i;
    }
  }
  return start;
}

int rl_json_index_error(struct rl_bytes text, enum rl_index_result result, struct rl_err *err) {
  switch (result) {
    case RL_INDEX_EMPTY:
      return rl_fail(err, RL_EHANDLER, "not JSON: nothing but blanks, at byte %zu", text.len);
    case RL_INDEX_UTF8:
      return rl_fail(err, RL_EHANDLER, "not JSON: not UTF-8 at byte %zu", first_bad_utf8(text));
    case RL_INDEX_UNCLOSED:
      return rl_fail(err, RL_EHANDLER, "not JSON: cut short: no end to the string that starts at byte %zu",
                     find_in_strings(text, false));
    case RL_INDEX_CONTROL:
      return rl_fail(err, RL_EHANDLER,
                     "not JSON: a control character stands unescaped in a string at byte %zu",
                     find_in_strings(text, true));
    case RL_INDEX_MEMORY:
      return rl_fail(err, RL_ENOMEM, "out of memory for the index of a JSON document of %zu bytes", text.len);
    default: return rl_fail(err, RL_EFAIL, "simdjson failed on a JSON document of %zu bytes", text.len);
  }
}
