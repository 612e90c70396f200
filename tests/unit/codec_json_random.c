/* Documents and paths made by chance: selection and tape agree on each, sound, damaged and cut. */
#include "codec_reference.h"
#include "unit.h"

static uint64_t seed;

static uint32_t chance(uint32_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)((seed >> 20) % n);
}

static void put_one_of(struct rl_buf *out, const char *const *texts, uint32_t n) {
  rl_buf_puts(out, texts[chance(n)]);
}
#define PUT_ONE_OF(out, ...)                                 \
  do {                                                       \
    static const char *const texts_[] = {__VA_ARGS__};       \
    put_one_of(out, texts_, sizeof texts_ / sizeof *texts_); \
  } while (0)

static void put_blanks(struct rl_buf *out) { PUT_ONE_OF(out, "", "", "", " ", "\n", "\t \r"); }

/* Few keys, so that they come twice and paths meet them. */
static void put_key(struct rl_buf *out) {
  PUT_ONE_OF(out, "\"a\"", "\"b\"", "\"c\"", "\"\\u0061\"", "\"\\u0062\"", "\"a long key of many bytes\"",
             "\"\"", "\"a\\n\"", "\"\\\\\"", "\"\\\"\"", "\"ä\"", "\"abcdefgh\"");
}

static void put_scalar(struct rl_buf *out) {
  PUT_ONE_OF(out, "null", "true", "false", "0", "-1", "12.5", "1e5", "18446744073709551615", "1e999",
             "2510000000000000003", "\"\"", "\"text\"", "\"\\u00e4\\ud83d\\ude00\"", "\"[{,:\\\"}]\"",
             "\"\\\\\"", "0.1",
             "\"a text of more than sixty-four bytes, so that it spans the blocks that are read at once\"");
}

enum { DEPTH = 5 };

/* The root is mostly an object. */
static void put_value(struct rl_buf *out, int depth) {
  uint32_t kind = depth == DEPTH && chance(8) > 0 ? 2 : depth > 0 ? chance(4) : 0;
  uint32_t n = chance(5);
  if (kind < 2) {
    put_scalar(out);
    return;
  }
  rl_buf_putc(out, kind == 2 ? '{' : '[');
  put_blanks(out);
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) rl_buf_putc(out, ',');
    put_blanks(out);
    if (kind == 2) {
      put_key(out);
      put_blanks(out);
      rl_buf_putc(out, ':');
      put_blanks(out);
    }
    put_value(out, depth - 1);
    put_blanks(out);
  }
  rl_buf_putc(out, kind == 2 ? '}' : ']');
}

static void put_path(struct rl_buf *out, bool index_first) {
  uint32_t n = 1 + chance(4);
  for (uint32_t i = 0; i < n; i++) {
    bool index = i > 0 ? chance(3) == 0 : index_first;
    if (index && chance(3) == 0) {
      rl_buf_puts(out, "[*]");
      continue;
    }
    if (index) {
      rl_buf_printf(out, "[%d]", (int)chance(8) - 4);
      continue;
    }
    if (i > 0) rl_buf_putc(out, '.');
    PUT_ONE_OF(out, "a", "b", "c", "a", "b", "\"a long key of many bytes\"", "\"\"", "ä", "\"\\\\\"",
               "abcdefgh");
  }
}

static void make_fields(struct rl_fields *fields) {
  uint32_t n = 1 + chance(6);
  for (uint32_t i = 0; i < n; i++) {
    struct rl_buf path = RL_BUF_INIT;
    char name[16];
    struct rl_err err;
    snprintf(name, sizeof name, "f%u", i);
    put_path(&path, chance(4) == 0);
    if (rl_fields_add(fields, name, path.data, RL_AUTO, false, &err) != 0) UNIT_FAIL("%s", err.text);
    rl_buf_free(&path);
  }
}

static void damage(struct rl_buf *document) {
  static const char bytes[] = "{}[],:\"\\ 0-9.eEtfn\x01\xff\xc3\n";
  size_t at = chance((uint32_t)document->len);
  switch (chance(3)) {
    case 0: document->len = at; break;
    case 1: document->data[at] = bytes[chance(sizeof bytes - 1)]; break;
    default: memmove(document->data + at, document->data + at + 1, --document->len - at);
  }
}

/* An exact allocation, so that a read past the end shows. */
static void check(const struct rl_fields *fields, const struct rl_buf *document, bool strict) {
  char *exact = malloc(document->len ? document->len : 1);
  memcpy(exact, document->data, document->len);
  const char *wrong = reference_disagreement(fields, rl_bytes(exact, document->len), strict);
  if (wrong) {
    for (size_t f = 0; f < fields->n; f++) printf("  %s\n", fields->at[f].path);
    UNIT_FAIL("%s: %.*s", wrong, (int)document->len, document->data);
  }
  free(exact);
}

static void make_and_check(int rounds, int damages) {
  for (int i = 0; i < rounds; i++) {
    struct rl_buf document = RL_BUF_INIT;
    struct rl_fields fields = RL_FIELDS_INIT;
    put_value(&document, DEPTH);
    make_fields(&fields);
    for (int k = 0; k < damages && document.len > 0; k++) damage(&document);
    check(&fields, &document, i % 2);
    rl_fields_free(&fields);
    rl_buf_free(&document);
  }
}

TEST(selection_and_tape_agree_on_sound_documents) {
  seed = 88172645463325252;
  make_and_check(20000, 0);
}

TEST(selection_and_tape_agree_on_damaged_documents) {
  seed = 362436069362436069;
  make_and_check(20000, 1);
  make_and_check(5000, 3);
}

TEST(s9_1_every_beginning_of_a_document_is_refused) {
  static const char document[] =
      " {\"a\":[1,-2.5e3,\"\\u00e4\\\\\",{\"b\":null,\"c\":{}}],\"b\":{\"a\":true},\"c\":\"ä\"}";
  struct rl_fields fields = RL_FIELDS_INIT;
  CHECK_INT(rl_fields_parse(&fields, "x=a[-1].b,y=b.a,c", NULL), 0);
  for (size_t len = 0; len < sizeof document - 1; len++) {
    struct rl_decoder_opts opts = {.fields = &fields};
    struct rl_decoder *decoder;
    struct rl_buf part = {(char *)document, len, len};
    struct rl_err err;
    CHECK_INT(rl_decoder_new(&decoder, "json", &opts, NULL), 0);
    struct rl_msg msg = {.topic = "t", .value = rl_bytes(document, len)};
    CHECK_INT(rl_decoder_row(decoder, &msg, NULL, &err), RL_EHANDLER);
    rl_decoder_free(decoder);
    check(&fields, &part, true);
  }
  rl_fields_free(&fields);
}
