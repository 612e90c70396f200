#include <ctype.h>
#include <string.h>

#include "cli/args.h"

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xN or \xNN: `at` stands on the first digit and is moved past the last. */
static bool hex(const char **at, char *byte) {
  int high = hex_digit(**at);
  if (high < 0) return false;
  ++*at;
  int low = hex_digit(**at);
  if (low >= 0) ++*at;
  *byte = (char)(low < 0 ? high : high * 16 + low);
  return true;
}

int rl_unescape(struct rl_buf *out, const char *text, struct rl_err *err) {
  static const char letters[] = "nrt\\0", bytes[] = "\n\r\t\\\0";
  while (*text) {
    if (*text != '\\') {
      rl_buf_putc(out, *text++);
      continue;
    }
    const char *known = text[1] ? strchr(letters, text[1]) : NULL;
    char byte;
    text += 2;
    if (known)
      rl_buf_putc(out, bytes[known - letters]);
    else if (text[-1] == 'x' && hex(&text, &byte))
      rl_buf_putc(out, byte);
    else
      return rl_fail(err, RL_EUSAGE, "\"\\%.1s\" is no escape: \\n \\r \\t \\0 \\\\ and \\xNN are", text - 1);
  }
  return 0;
}
