/* Names of records, enums and fixed under a reader's schema: what has to be called the same, and where. */
#include "codec_avro_support.h"

static struct rl_buf value, definitions[2];

struct kind {
  const char *format; /* of its definition: name, aliases; and its name in errors */
  const char *name, *bytes, *tape;
  size_t n;
};

static const struct kind kinds[] = {
    {"{\"type\":\"record\",\"name\":\"%s\",%s\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}", "record", "\4",
     "object of 1 \"x\" 2", 1},
    {"{\"type\":\"enum\",\"name\":\"%s\",%s\"symbols\":[\"A\",\"B\"]}", "enum", "\2", "\"B\"", 1},
    {"{\"type\":\"fixed\",\"name\":\"%s\",%s\"size\":2}", "fixed", "ab", "blob \"ab\"", 2},
};

/* Where the definition stands: around it in the schema, around its value, around what is read. */
struct place {
  const char *before, *after, *front, *back, *read;
};

static const struct place places[] = {
    {"", "", "", "", "%s"},
    {"{\"type\":\"record\",\"name\":\"T\",\"fields\":[{\"name\":\"f\",\"type\":", "}]}", "", "",
     "object of 1 \"f\" %s"},
    {"{\"type\":\"array\",\"items\":", "}", "\2", "0", "array of 1 %s"},
    {"{\"type\":\"map\",\"values\":", "}", "\2\2k", "0", "object of 1 \"k\" %s"},
    {"[\"null\",", "]", "\2", "", "%s"},
};
enum { KINDS = 3, PLACES = 5, IN_UNION = 4 };

static const char *define(int at, const struct kind *kind, const struct place *place, const char *name,
                          const char *aliases) {
  char list[128] = "", type[512];
  if (aliases) snprintf(list, sizeof list, "\"aliases\":[%s],", aliases);
  snprintf(type, sizeof type, kind->format, name, list);
  rl_buf_clear(&definitions[at]);
  rl_buf_printf(&definitions[at], "%s%s%s", place->before, type, place->after);
  return rl_buf_text(&definitions[at]);
}

static void put_value(const struct kind *kind, const struct place *place) {
  rl_buf_clear(&value);
  rl_buf_puts(&value, place->front);
  rl_buf_put(&value, kind->bytes, kind->n);
  if (*place->back) rl_buf_putc(&value, 0);
}

/* A container of the value that `writer` wrote, read as `reader` has it. */
static const char *resolved(const char *writer, const char *reader) {
  static struct rl_buf container;
  struct rl_decoder_opts opts = {.avro.schema = rl_bytes_str(reader)};
  rl_buf_clear(&container);
  put_header(&container, writer, NULL);
  put_block(&container, NULL, 1, &value);
  return avro_tape_as(opts, &container, 0);
}

static const char *seen_as(const struct kind *kind, const struct place *written, const struct place *read,
                           const char *name, const char *aliases) {
  put_value(kind, written);
  const char *writer = define(0, kind, written, "a.W", NULL);
  return resolved(writer, define(1, kind, read, name, aliases));
}

/* In every place, in a union of the reader's only, and in one of the writer's only. */
static void each(const char *name, const char *aliases,
                 void (*check)(const struct kind *, const char *want, const char *got)) {
  for (int k = 0; k < KINDS; k++) {
    char want[128];
    for (int p = 0; p < PLACES; p++) {
      snprintf(want, sizeof want, places[p].read, kinds[k].tape);
      check(&kinds[k], want, seen_as(&kinds[k], &places[p], &places[p], name, aliases));
    }
    check(&kinds[k], kinds[k].tape, seen_as(&kinds[k], &places[0], &places[IN_UNION], name, aliases));
    check(&kinds[k], kinds[k].tape, seen_as(&kinds[k], &places[IN_UNION], &places[0], name, aliases));
  }
}

static void reads(const struct kind *kind, const char *want, const char *got) {
  (void)kind;
  CHECK_STR(got, want);
}

static void refuses(const struct kind *kind, const char *want, const char *got) {
  char found[64];
  (void)want;
  snprintf(found, sizeof found, "%s a.W where the reader's schema has ", kind->name);
  CHECK_HAS(got, found);
  CHECK_HAS(got, " (call that 'W', or add \"aliases\": [\"a.W\"] to it)");
}

TEST(the_same_name_is_the_same_in_any_namespace) {
  each("a.W", NULL, reads);
  each("b.W", NULL, reads);
  each("W", NULL, reads);
}

TEST(another_name_is_an_error_that_says_what_to_do) {
  each("a.R", NULL, refuses);
  each("W.R", NULL, refuses);
  each("a.w", NULL, refuses);
}

TEST(an_alias_names_the_writer_s_in_full_or_without_a_namespace) {
  each("b.R", "\"a.W\"", reads);
  each("b.R", "\"W\"", reads);
  each("a.R", "\"x\",\"W\"", reads);
  each("R", "\"W\"", reads);
  each("R", "\"a.W\"", reads);
}

TEST(an_alias_of_another_namespace_is_another_name) {
  each("b.R", "\"c.W\"", refuses);
  each("a.R", "\"b.W\",\"V\"", refuses);
}

TEST(the_writer_s_aliases_do_not_count) {
  put_value(&kinds[0], &places[0]);
  const char *writer = define(0, &kinds[0], &places[0], "a.W", "\"R\"");
  CHECK_HAS(
      resolved(writer, define(1, &kinds[0], &places[0], "a.R", NULL)),
      "the schema of the value does not fit the reader's: record a.W where the reader's schema has record "
      "a.R (call that 'W', or add \"aliases\": [\"a.W\"] to it)");
}

TEST(sizes_of_fixed_are_equal_and_named_where_they_are_not) {
  put_value(&kinds[2], &places[0]);
  const char *writer = "{\"type\":\"fixed\",\"name\":\"W\",\"size\":2}";
  CHECK_HAS(resolved(writer, "{\"type\":\"fixed\",\"name\":\"W\",\"size\":3}"),
            "fixed W where the reader's schema has fixed W (of 2 bytes, there of 3)");
  CHECK_HAS(resolved(writer, "[\"null\",{\"type\":\"fixed\",\"name\":\"W\",\"size\":3}]"),
            "fixed W where the reader's schema has union of null, fixed W (of 2 bytes, there of 3)");
  CHECK_STR(resolved(writer,
                     "[{\"type\":\"fixed\",\"name\":\"R\",\"aliases\":[\"W\"],\"size\":3},"
                     "{\"type\":\"fixed\",\"name\":\"a.W\",\"size\":2}]"),
            "blob \"ab\"");
}

TEST(of_several_branches_the_nearest_name_is_taken) {
#define ONE(name, aliases, field)                                                                       \
  "{\"type\":\"record\",\"name\":\"" name "\",\"aliases\":[" aliases "],\"fields\":[{\"name\":\"" field \
  "\",\"aliases\":[\"x\"],\"type\":\"int\"}]}"
  put_value(&kinds[0], &places[0]);
  const char *writer = define(0, &kinds[0], &places[0], "a.W", NULL);
  static const char same[] = ONE("a.W", "", "same"), full[] = ONE("b.F", "\"a.W\"", "full");
  static const char brief[] = ONE("b.W", "", "brief"), alias[] = ONE("b.A", "\"W\"", "alias");
  static const char *const nearest[] = {same, full, brief, alias};
  static const char *const wants[] = {"same", "full", "brief", "alias"};
  for (int i = 0; i + 1 < 4; i++) {
    char reader[512], want[64];
    snprintf(reader, sizeof reader, "[%s,%s]", nearest[i + 1], nearest[i]);
    snprintf(want, sizeof want, "object of 1 \"%s\" 2", wants[i]);
    CHECK_STR(resolved(writer, reader), want);
  }
}
