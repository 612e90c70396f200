#include "cli/format.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"

static struct rl_piece *add(struct rl_format *f, char what) {
  RL_GROW(f->at, f->cap, f->n + 1);
  f->at[f->n] = (struct rl_piece){what, RL_BUF_INIT};
  return &f->at[f->n++];
}

/* Text up to the next directive, its escapes read. */
static int add_text(struct rl_format *f, const char *text, size_t len, struct rl_err *err) {
  if (len == 0) return 0;
  char *copy = rl_strndup(text, len);
  int rc = rl_unescape(&add(f, 0)->text, copy, err);
  rl_free(copy);
  return rc;
}

static int add_directive(struct rl_format *f, char what, struct rl_err *err) {
  if (what == '%') {
    rl_buf_putc(&add(f, 0)->text, '%');
    return 0;
  }
  if (what && strchr("sSRkKtpoTh", what)) {
    add(f, what);
    return 0;
  }
  return rl_fail(err, RL_EUSAGE,
                 "-f: %%%.1s is no directive: %%s %%k %%t %%p %%o %%T %%h %%S %%K %%R %%%% are", &what);
}

static int make(struct rl_format *f, const char *text, struct rl_err *err) {
  while (*text) {
    size_t len = strcspn(text, "%");
    if (add_text(f, text, len, err)) return err->code;
    text += len;
    if (!*text) return 0;
    if (add_directive(f, text[1], err)) return err->code;
    text += 2;
  }
  return 0;
}

int rl_format_make(struct rl_format *f, const char *text, struct rl_err *err) {
  *f = (struct rl_format){NULL, 0, 0};
  if (make(f, text, err) == 0) return 0;
  rl_format_free(f);
  return err->code;
}

int rl_format_delimited(struct rl_format *f, const char *key_delim, const char *delim, struct rl_err *err) {
  *f = (struct rl_format){NULL, 0, 0};
  if (key_delim) add(f, 'k');
  if (key_delim && add_text(f, key_delim, strlen(key_delim), err)) goto fail;
  add(f, 's');
  if (add_text(f, delim, strlen(delim), err)) goto fail;
  return 0;
fail:
  rl_format_free(f);
  return err->code;
}

static long long length_of(struct rl_bytes b) { return b.data ? (long long)b.len : -1; }

/* The length as a 32-bit big-endian number. */
static void put_binary(struct rl_buf *out, struct rl_bytes value) {
  uint32_t n = (uint32_t)length_of(value);
  const char bytes[4] = {(char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n};
  rl_buf_put(out, bytes, sizeof bytes);
}

static void put_headers(struct rl_buf *out, const struct rl_msg *msg) {
  struct rl_header h;
  for (size_t i = 0; rl_msg_header(msg, i, &h); i++) {
    rl_buf_printf(out, "%s%s=", i ? "," : "", h.name);
    if (h.value.data)
      rl_buf_put(out, h.value.data, h.value.len);
    else
      rl_buf_puts(out, "NULL");
  }
}

static void put_bytes(struct rl_buf *out, struct rl_bytes b) {
  if (b.len) rl_buf_put(out, b.data, b.len);
}

static void put_piece(struct rl_buf *out, const struct rl_piece *p, const struct rl_msg *msg) {
  switch (p->what) {
    case 0: put_bytes(out, rl_buf_bytes(&p->text)); break;
    case 's': put_bytes(out, msg->value); break;
    case 'k': put_bytes(out, msg->key); break;
    case 'S': rl_buf_printf(out, "%lld", length_of(msg->value)); break;
    case 'K': rl_buf_printf(out, "%lld", length_of(msg->key)); break;
    case 'R': put_binary(out, msg->value); break;
    case 't': rl_buf_puts(out, msg->topic); break;
    case 'p': rl_buf_printf(out, "%" PRId32, msg->partition); break;
    case 'o': rl_buf_printf(out, "%" PRId64, msg->offset); break;
    case 'T': rl_buf_printf(out, "%" PRId64, msg->timestamp); break;
    case 'h': put_headers(out, msg); break;
  }
}

void rl_format_put(const struct rl_format *f, struct rl_buf *out, const struct rl_msg *msg) {
  for (size_t i = 0; i < f->n; i++) put_piece(out, &f->at[i], msg);
}

void rl_format_free(struct rl_format *f) {
  for (size_t i = 0; i < f->n; i++) rl_buf_free(&f->at[i].text);
  rl_free(f->at);
  *f = (struct rl_format){NULL, 0, 0};
}
