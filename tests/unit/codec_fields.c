/* Paths, lists of fields, their types and errors. */
#include "codec_support.h"

/* "candidate|[0]|rb" */
static const char *steps_of(const char *path) {
  static char out[1024];
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_err err = {0};
  out[0] = 0;
  if (rl_fields_add(&fields, "x", path, RL_AUTO, false, &err) != 0) {
    CHECK_INT(err.code, RL_EUSAGE);
    snprintf(out, sizeof out, "%s", err.text);
  }
  for (size_t i = 0; fields.n && i < fields.at[0].n_steps; i++) {
    const struct rl_step *step = &fields.at[0].steps[i];
    size_t used = strlen(out);
    if (step->key)
      snprintf(out + used, sizeof out - used, "%s%s", i ? "|" : "", step->key);
    else if (step->each)
      snprintf(out + used, sizeof out - used, "%s[*]", i ? "|" : "");
    else
      snprintf(out + used, sizeof out - used, "%s[%lld]", i ? "|" : "", (long long)step->index);
  }
  rl_fields_free(&fields);
  return out;
}

TEST(paths_are_dotted_with_indices) {
  CHECK_STR(steps_of("objectId"), "objectId");
  CHECK_STR(steps_of("candidate.magpsf"), "candidate|magpsf");
  CHECK_STR(steps_of("prv[0].mag"), "prv|[0]|mag");
  CHECK_STR(steps_of("prv[-1][2]"), "prv|[-1]|[2]");
  CHECK_STR(steps_of("[-1]"), "[-1]");
  CHECK_STR(steps_of("[3].a"), "[3]|a");
  CHECK_STR(steps_of("a b.c-d:e"), "a b|c-d:e");
}

TEST(a_star_goes_through_all_elements) {
  CHECK_STR(steps_of("prv[*].mag"), "prv|[*]|mag");
  CHECK_STR(steps_of("[*][0][*]"), "[*]|[0]|[*]");
  CHECK_STR(steps_of("\"[*]\""), "[*]");
  CHECK_HAS(steps_of("@key[*]"), "expected @key, @topic");
}

TEST(keys_with_dots_brackets_or_quotes_are_quoted) {
  CHECK_STR(steps_of("\"a.b\".c"), "a.b|c");
  CHECK_STR(steps_of("a.\"b[0]\"[1]"), "a|b[0]|[1]");
  CHECK_STR(steps_of("\"say \\\"x\\\" \\\\\""), "say \"x\" \\");
  CHECK_STR(steps_of("\"\""), "");
  CHECK_STR(steps_of("\"@timestamp\""), "@timestamp");
}

TEST(what_cannot_be_seen_has_escapes_in_quotes) {
  CHECK_STR(steps_of("\"a\\tb\\n\".\"\\r\""), "a\tb\n|\r");
  CHECK_STR(steps_of("\"\\x1B\\x7f\\xC3\\xa9\""), "\x1B\x7F\xC3\xA9");
  CHECK_STR(steps_of("\"\\x4\\xg1\\x\""), "x4xg1x");
  CHECK_STR(steps_of("\"\\\\n\\q\""), "\\nq");
  CHECK_STR(steps_of("a\\n"), "a\\n");
  CHECK_HAS(steps_of("a.\"\\x00\""), "a key that holds a NUL cannot be named");
}

TEST(path_errors_name_path_column_and_what_was_expected) {
  CHECK_STR(
      steps_of("a..b"),
      "field path 'a..b': expected a key (one that holds . [ ] or \" is written in quotes) at column 3");
  CHECK_HAS(steps_of(""),
            "expected a key (one that holds . [ ] or \" is written in quotes) at column 1, where");
  CHECK_HAS(steps_of("a."), "at column 3, where it ends");
  CHECK_HAS(steps_of(".a"), "at column 1");
  CHECK_HAS(steps_of("a[x]"), "expected an index (0, 1 … or -1 for the last) or * for all at column 3");
  CHECK_HAS(steps_of("a[*"), "expected an index");
  CHECK_HAS(steps_of("a[**]"), "expected an index");
  CHECK_HAS(steps_of("a[]"), "expected an index");
  CHECK_HAS(steps_of("a[ 1]"), "expected an index");
  CHECK_HAS(steps_of("a[99999999999999999999]"), "expected an index");
  CHECK_HAS(steps_of("a[1"), "expected ']' at column 4, where it ends");
  CHECK_HAS(steps_of("a[1]b"), "expected '.', '[' or the path's end at column 5");
  CHECK_HAS(steps_of("a]"), "expected '.', '[' or the path's end at column 2");
  CHECK_HAS(steps_of("\"a\"b"), "expected '.', '[' or the path's end at column 4");
  CHECK_HAS(steps_of("a.\"b"), "expected a closing '\"' at column 5");
}

TEST(paths_are_bounded) {
  char path[1024] = "a";
  for (int i = 1; i < 64; i++) strcat(path, ".a");
  CHECK_HAS(steps_of(path), "a|a|a");
  strcat(path, ".a");
  CHECK_HAS(steps_of(path), "more than 64 steps");
}

static enum rl_meta meta_of(const char *path, const char *name) {
  struct rl_fields fields = RL_FIELDS_INIT;
  enum rl_meta meta = RL_META_NONE;
  CHECK_INT(rl_fields_add(&fields, NULL, path, RL_AUTO, false, NULL), 0);
  if (fields.n) {
    meta = fields.at[0].meta;
    CHECK_STR(fields.at[0].name, name);
  }
  rl_fields_free(&fields);
  return meta;
}

TEST(meta_fields_read_the_message) {
  CHECK_INT(meta_of("@key", "key"), RL_META_KEY);
  CHECK_INT(meta_of("@topic", "topic"), RL_META_TOPIC);
  CHECK_INT(meta_of("@partition", "partition"), RL_META_PARTITION);
  CHECK_INT(meta_of("@offset", "offset"), RL_META_OFFSET);
  CHECK_INT(meta_of("@timestamp", "timestamp"), RL_META_TIMESTAMP);
  CHECK_INT(meta_of("@headers.rille.topic", "rille.topic"), RL_META_HEADER);
  CHECK_HAS(steps_of("@keys"), "expected @key, @topic, @partition, @offset, @timestamp or @headers.NAME");
  CHECK_HAS(steps_of("@keys"), "written in quotes: \"@keys\"");
  CHECK_HAS(steps_of("@headers."), "expected a header's name");
}

TEST(a_name_defaults_to_the_last_key) {
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_err err;
  CHECK_INT(rl_fields_add(&fields, NULL, "candidate.rb", RL_F64, true, &err), 0);
  CHECK_INT(rl_fields_add(&fields, NULL, "prv[0].fid[1]", RL_AUTO, false, &err), 0);
  CHECK_STR(fields.at[0].name, "rb");
  CHECK_STR(fields.at[0].path, "candidate.rb");
  CHECK_INT(fields.at[0].type, RL_F64);
  CHECK(fields.at[0].required);
  CHECK_STR(fields.at[1].name, "fid");
  CHECK_INT(rl_fields_add(&fields, NULL, "[0]", RL_AUTO, false, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "give the field a name");
  CHECK_INT(rl_fields_add(&fields, NULL, "old.rb", RL_AUTO, false, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "two fields are named 'rb' (paths 'candidate.rb' and 'old.rb')");
  CHECK_INT(rl_fields_add(&fields, "", "a", RL_AUTO, false, &err), RL_EUSAGE);
  CHECK_INT(fields.n, 2);
  CHECK_INT(rl_fields_find(&fields, "fid"), 1);
  CHECK_INT(rl_fields_find(&fields, "fi"), -1);
  rl_fields_free(&fields);
  CHECK_INT(fields.n, 0);
}

/* ":required:shape=2x3:bytes=big:default=5", what there is of it. */
static const char *declared(const struct rl_field *f) {
  static char out[512];
  struct rl_buf text = RL_BUF_INIT;
  rl_buf_puts(&text, f->required ? ":required" : "");
  for (uint32_t i = 0; i < f->shape.n; i++) rl_buf_printf(&text, "%s%u", i ? "x" : ":shape=", f->shape.at[i]);
  if (f->order) rl_buf_puts(&text, f->order == RL_LITTLE ? ":bytes=little" : ":bytes=big");
  if (f->has_default) rl_buf_puts(&text, ":default="), put_cell(&text, &f->fallback);
  snprintf(out, sizeof out, "%s", rl_buf_text(&text));
  rl_buf_free(&text);
  return out;
}

/* "name=path:type …" or the error. */
static const char *list_of(const char *list) {
  static char out[1024];
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_err err = {0};
  out[0] = 0;
  int code = rl_fields_parse(&fields, list, &err);
  if (code != 0) snprintf(out, sizeof out, "%s", err.text);
  for (size_t i = 0; code == 0 && i < fields.n; i++) {
    const struct rl_field *f = &fields.at[i];
    size_t used = strlen(out);
    snprintf(out + used, sizeof out - used, "%s%s=%s:%s%s", i ? " " : "", f->name, f->path,
             rl_type_name(f->type), declared(f));
  }
  rl_fields_free(&fields);
  return out;
}

TEST(lists_have_names_paths_and_types) {
  CHECK_STR(list_of("objectId,mag=candidate.magpsf,rb=candidate.rb:f64"),
            "objectId=objectId:auto mag=candidate.magpsf:auto rb=candidate.rb:f64");
  CHECK_STR(list_of(" a , b = c.d : i64 "), "a=a:auto b=c.d:i64");
  CHECK_STR(list_of("x=\"a,b=c:d\".e:str"), "x=\"a,b=c:d\".e:str");
  CHECK_STR(list_of("a:any,b:bool,c:bytes,d:f32,e:auto"), "a=a:any b=b:bool c=c:bytes d=d:f32 e=e:auto");
  CHECK_STR(list_of("label=@key:i64"), "label=@key:i64");
}

TEST(lists_say_all_that_a_script_can) {
  CHECK_STR(list_of("rb=c.rb:f64:required"), "rb=c.rb:f64:required");
  CHECK_STR(list_of("a:required, b : i64 : default = 5 ,c"), "a=a:auto:required b=b:i64:default=5 c=c:auto");
  CHECK_STR(list_of("image=cut:f32:shape=63x63:bytes=big"), "image=cut:f32:shape=63x63:bytes=big");
  CHECK_STR(list_of("v:shape=3:f64:bytes=little:default=nan"), "v=v:f64:shape=3:bytes=little:default=nan");
  CHECK_STR(list_of("m=p[*].m:f64:default=0.5,l=p[*].n:default={}"),
            "m=p[*].m:f64:default=0.5 l=p[*].n:auto:default=[]");
}

TEST(a_default_is_what_it_looks_like_or_a_text) {
  CHECK_STR(list_of("a:default=-1"), "a=a:auto:default=-1");
  CHECK_STR(list_of("a:default=1.5e3"), "a=a:auto:default=1500.0");
  CHECK_STR(list_of("a:f64:default=1"), "a=a:f64:default=1.0");
  CHECK_STR(list_of("a:default=true,b:bool:default=false"), "a=a:auto:default=true b=b:bool:default=false");
  CHECK_STR(list_of("a:default=none of it"), "a=a:auto:default=\"none of it\"");
  CHECK_STR(list_of("a:default=\"true\""), "a=a:auto:default=\"true\"");
  CHECK_STR(list_of("a:str:default=5,b:str:default=true"), "a=a:str:default=\"5\" b=b:str:default=\"true\"");
  CHECK_STR(list_of("a:default=\"x,y:z=\\\"q\\\"\",b"), "a=a:auto:default=\"x,y:z=\\\"q\\\"\" b=b:auto");
  CHECK_STR(list_of("a:default=\"\\ttab\\x21\\q\""), "a=a:auto:default=\"\\ttab!q\"");
  CHECK_STR(list_of("a:str:default=\"\",b:str:default="), "a=a:str:default=\"\" b=b:str:default=\"\"");
  CHECK_STR(list_of("a:bytes:default=x"), "a=a:bytes:default=blob \"x\"");
  CHECK_STR(list_of("a=b:default=c=d"), "a=b:auto:default=\"c=d\"");
  CHECK_STR(list_of("a:default=18446744073709551615"), "a=a:auto:default=big 18446744073709551615");
}

TEST(what_is_declared_wrong_is_told) {
  CHECK_HAS(list_of("a:f64:i64"), "field 'a:f64:i64': a type comes twice");
  CHECK_HAS(list_of("a:requierd"), "(did you mean required?)");
  CHECK_HAS(list_of("a:defualt=5"), "'defualt' is no type (did you mean default?)");
  CHECK_HAS(list_of("a:default=5:default=6"), "a default comes twice");
  CHECK_HAS(list_of("a:default=5:required"), "a default and required: with a default it is never missing");
  CHECK_HAS(list_of("a:i64:default=x"), "the default of field 'a' (a): expected i64, found the text \"x\"");
  CHECK_HAS(list_of("a:default=\"x"), "the default's text has no end");
  CHECK_HAS(list_of("a:default=\"x\"y"), "or something behind it");
  CHECK_HAS(list_of("a:default={}"), "an empty list is a default of paths with [*] only");
  CHECK_HAS(list_of("a:f32:shape=63x"), "as in shape=63x63, not '63x'");
  CHECK_HAS(list_of("a:f32:shape="), "a shape is 1 to 8 whole numbers");
  CHECK_HAS(list_of("a:f32:shape=0"), "a shape is 1 to 8 whole numbers");
  CHECK_HAS(list_of("a:f32:shape=1x1x1x1x1x1x1x1x1"), "a shape is 1 to 8 whole numbers");
  CHECK_HAS(list_of("a:f32:shape=2:shape=3"), "a shape comes twice");
  CHECK_HAS(list_of("a:shape=2"), "a shape wants the type i64, f64, f32 or bool, not auto");
  CHECK_HAS(list_of("a:f32:bytes=little"), "a byte order is that of an array: give it a shape");
  CHECK_HAS(list_of("a:f32:shape=2:bytes=small"), "bytes= is little or big, not 'small'");
  CHECK_HAS(list_of("a:f32:shape=2:bytes=big:bytes=big"), "bytes= comes twice");
}

TEST(list_errors_name_the_item) {
  CHECK_HAS(list_of("a,,b"), "an empty field between commas");
  CHECK_HAS(list_of(""), "an empty field");
  CHECK_HAS(list_of("a,"), "an empty field");
  CHECK_HAS(list_of("a:f46"), "field 'a:f46': 'f46' is no type (did you mean f64?); there are auto, i64");
  CHECK_HAS(list_of("a:"), "'' is no type");
  CHECK_HAS(list_of("a,x=b..c"), "field path 'b..c'");
  CHECK_HAS(list_of("=a"), "its name is empty");
  CHECK_HAS(list_of("a,b.a"), "two fields are named 'a'");
  CHECK_HAS(list_of("a.\"b,c"), "expected a closing '\"'");
}

TEST(copies_share_nothing) {
  struct rl_fields fields = RL_FIELDS_INIT, copy;
  CHECK_INT(rl_fields_parse(&fields, "a=b[0].c:i64,k=@key", NULL), 0);
  rl_fields_copy(&copy, &fields);
  rl_fields_free(&fields);
  CHECK_INT(copy.n, 2);
  CHECK_STR(copy.at[0].name, "a");
  CHECK_STR(copy.at[0].path, "b[0].c");
  CHECK_INT(copy.at[0].n_steps, 3);
  CHECK_STR(copy.at[0].steps[2].key, "c");
  CHECK_INT(copy.at[1].meta, RL_META_KEY);
  rl_fields_free(&copy);
  rl_fields_copy(&copy, &fields);
  CHECK_INT(copy.n, 0);
  rl_fields_free(&copy);
}

TEST(types_have_names) {
  enum rl_type type;
  CHECK_INT(rl_type_parse("bool", &type), 0);
  CHECK_INT(type, RL_BOOLEAN);
  CHECK_INT(rl_type_parse("double", &type), RL_EUSAGE);
}
