/* Scripts that load and that do not, and the settings in them. */
#include <unistd.h>

#include "lua_made.h"

static void refused(const char *code, const char *part) {
  struct made_run r;
  CHECK_INT(made_open(&r, code), RL_EUSAGE);
  CHECK_HAS(r.err.text, part);
  made_close(&r);
}

TEST(a_script_that_does_not_load) {
  refused("return {", "--code:1: ");
  refused("error('on the way')", "--code:1: on the way");
  refused("error({ message = 'a table' })", "--code:1: a table");
  refused("return nil", "--code returns nothing");
  refused("return 5", "--code returns number");
  refused("return { handel = print }", "no function 'handle'");
  refused("return { handle = 5 }", "'handle' must be a function, not a number");
  refused("return { handle = print, open = {} }", "'open' must be a function, not a table");
  refused("return { handle = print, every = print }", "'every' must be a table");
  refused("return { handle = print, every = { 'x', print } }", "number of seconds above 0");
  refused("return { handle = print, every = { 1 } }", "'every' must be a table");
  refused("\x1bLua", "--code: ");
  refused("require 'rille'.where('a <')\nreturn print", "--code:1: ");
  refused("local x = ('a'):rep(2^30) return print", "not enough memory");
}

TEST(a_file_that_is_not_there) {
  struct rl_script *script;
  struct rl_err err;
  struct rl_script_opts opts = {.path = "/nonexistent/bright.lua"};
  CHECK_INT(rl_script_open(&script, &opts, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "/nonexistent/bright.lua");
  CHECK(script == NULL);
}

TEST(s10_3_a_script_that_does_not_end) {
  struct rl_script *script;
  struct rl_err err;
  struct rl_script_opts opts = {.code = "while true do end", .time = 0.05};
  CHECK_INT(rl_script_open(&script, &opts, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "--code:1: the call took longer");
}

static char folder[] = "/tmp/rille-lua-XXXXXX";
static char path[100];

static void write_file(const char *name, const char *text) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

TEST(the_scripts_folder_and_arguments) {
  CHECK(mkdtemp(folder) != NULL);
  write_file("helper.lua", "return { answer = 42 }");
  write_file("main.lua",
             "assert(require('helper').answer == 42)\n"
             "assert(#arg == 2 and arg[1] == 'one' and arg[2] == '' and arg[0]:find('main.lua'))\n"
             "local a, b, c = ...\nassert(a == 'one' and b == '' and c == nil)\n"
             "assert(require 'cjson'.decode('5') == 5)\n"
             "return function() error('here') end");
  struct rl_script *script;
  struct rl_err err = {0};
  char *args[] = {"one", ""};
  struct rl_script_opts opts = {.path = path, .args = args, .n_args = 2};
  if (rl_script_open(&script, &opts, &err)) UNIT_FAIL("%s", err.text);
  CHECK_STR(rl_script_name(script), path);
  rl_script_close(script);
  write_file("main.lua", "return {\n  handle = 5\n}");
  CHECK_INT(rl_script_open(&script, &opts, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "main.lua: 'handle' must be a function");
  write_file("main.lua", "\nreturn {\n  handle = = 5\n}");
  CHECK_INT(rl_script_open(&script, &opts, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "main.lua:3: ");
  unlink(path);
  write_file("helper.lua", "");
  unlink(path);
  rmdir(folder);
}

/* ---- settings ---- */

TEST(settings_of_all_types) {
  struct made_run r;
  CHECK_INT(
      made_open(
          &r,
          "return { handle = print, topics = { 'a', '^b{1,2}' }, group = 'g', batch = { size = 2^6, timeout "
          "= 0.25,\n"
          "  bytes = '1MiB' }, ['limits.time'] = 7, delivery = 'at_most_once', retries = 3, commit = true,\n"
          "  partitions = 0, start = 100, kafka = { ['socket.timeout.ms'] = 5000,\n"
          "  ['client.id'] = 'x=y' } }"),
      0);
  CHECK_INT(r.s.topics.n, 2);
  CHECK_STR(r.s.topics.at[1], "^b{1,2}");
  CHECK_STR(r.s.group, "g");
  CHECK_INT(r.s.batch_size, 64);
  CHECK(r.s.batch_timeout == 0.25 && r.s.limits_time == 7);
  CHECK_INT(r.s.batch_bytes, 1048576);
  CHECK_INT(r.s.delivery, RL_AT_MOST_ONCE);
  CHECK_INT(r.s.retries, 3);
  CHECK_STR(r.s.partitions.at[0], "0");
  CHECK_STR(r.s.start, "100");
  CHECK_STR(rl_kconf_get(&r.s.kafka, "client.id"), "x=y");
  CHECK_STR(rl_kconf_get(&r.s.kafka, "socket.timeout.ms"), "5000");
  made_close(&r);
}

TEST(hyrax_10_the_forms_of_fields) {
  struct made_run r;
  CHECK_INT(
      made_open(
          &r,
          "return { handle = print, fields = { 'objectId', 'candidate.jd:f64', { path = 'candidate.ra', name "
          "= 'ra' },\n"
          "  zeta = 'candidate.z', mag = { path = 'candidate.magpsf', type = 'f32', required = true },\n"
          "  alpha = 'a.b:i64' } }"),
      0);
  static const struct {
    const char *name, *path;
    enum rl_type type;
    bool required;
  } want[] = {{"objectId", "objectId", RL_AUTO, false},  {"jd", "candidate.jd", RL_F64, false},
              {"ra", "candidate.ra", RL_AUTO, false},    {"alpha", "a.b", RL_I64, false},
              {"mag", "candidate.magpsf", RL_F32, true}, {"zeta", "candidate.z", RL_AUTO, false}};
  CHECK_INT(r.s.fields.n, 6);
  for (size_t i = 0; i < r.s.fields.n && i < 6; i++) {
    CHECK_STR(r.s.fields.at[i].name, want[i].name);
    CHECK_STR(r.s.fields.at[i].path, want[i].path);
    CHECK_INT(r.s.fields.at[i].type, want[i].type);
    CHECK_INT(r.s.fields.at[i].required, want[i].required);
  }
  made_close(&r);
  CHECK_INT(made_open(&r, "return { handle = print, fields = 'id=objectId,mag=candidate.magpsf:f64' }"), 0);
  CHECK_INT(r.s.fields.n, 2);
  made_close(&r);
}

#define WITH(text) "return { handle = print, " text " }"

TEST(settings_that_are_wrong) {
  refused(WITH("bathc = { size = 5 }"), "--code: unknown setting 'bathc' (did you mean 'batch'?)");
  refused(WITH("batch = { sise = 5 }"), "--code: unknown setting 'batch.sise' (did you mean 'batch.size'?)");
  refused(WITH("hanlde = print"), "unknown setting 'hanlde' (did you mean 'handle'?)");
  refused(WITH("group_id = 'x'"), "did you mean 'group'?");
  refused(WITH("qqqqqqqqqq = 1"), "unknown setting 'qqqqqqqqqq'");
  refused(WITH("batch = 512"), "batch must be a table of settings, not a number");
  refused(WITH("batch = { size = 'many' }"), "batch.size");
  refused(WITH("batch = { size = 1.5 }"), "batch.size");
  refused(WITH("batch = { size = {} }"), "batch.size must be a whole number, not a table");
  refused(WITH("commit = 'perhaps'"), "commit");
  refused(WITH("commit = 1"), "commit must be true or false, not a number");
  refused(WITH("group = true"), "group must be a text, not a boolean");
  refused(WITH("topics = { { 'a' } }"), "topics must be a text or a list of texts, not a table");
  refused(WITH("'positional'"), "settings have names");
  refused(WITH("kafka = { ['socket.timeout.ms'] = {} }"), "socket.timeout.ms");
  refused(WITH("kafka = { 'x' }"), "a property's name");
  refused(WITH("kafka = { ['plugin.library.paths'] = 'x' }"), "plugin.library.paths");
  refused(WITH("fields = { x = 5 }"), "--code: fields: x must be a path or a table");
  refused(WITH("fields = { x = { path = 5 } }"), "path of 'x' must be a text, not a number");
  refused(WITH("fields = { x = { path = 'a', type = 'f65' } }"), "expected auto, i64, f64");
  refused(WITH("fields = { x = { path = 'a', requird = true } }"), "'x' has no 'requird'");
  refused(WITH("fields = { x = { path = 'a', required = 1 } }"), "required of 'x' must be true or false");
  refused(WITH("fields = { {} }"), "a field has no path");
  refused(WITH("fields = { 'a', a = 'b' }"), "--code: fields: ");
  refused(WITH("fields = { 'a..b' }"), "--code: fields: ");
  refused(WITH("fields = { 'a\\0b' }"),
          "--code: fields: 'a' is followed by a NUL, which no path, name or type holds");
  refused(WITH("fields = { x = { path = 'a\\0b' } }"), "--code: fields: 'a' is followed by a NUL");
  refused(WITH("fields = 5"), "fields");
  refused(WITH("decode = 'jsno'"), "jsno");
}

TEST(a_stronger_layer_wins) {
  struct rl_script *script;
  struct rl_settings s;
  struct rl_err err = {0};
  struct rl_script_opts opts = {
      .code =
          "return { handle = print, batch = { size = 5 }, fields = { 'a' }, group = 'g',\n"
          "  decode = function() end }"};
  rl_settings_init(&s);
  rl_settings_set(&s, rl_setting_find("batch.size"), "7", RL_LAYER_CLI, "--batch-size", &err);
  rl_settings_set(&s, rl_setting_find("fields"), "b,c", RL_LAYER_ENV, "RILLE_FIELDS", &err);
  rl_settings_set(&s, rl_setting_find("decode"), "json", RL_LAYER_CLI, "--decode", &err);
  CHECK_INT(rl_script_open(&script, &opts, &err), 0);
  CHECK_INT(rl_script_settings(script, &s, &err), 0);
  CHECK_INT(s.batch_size, 7);
  CHECK_INT(s.fields.n, 2);
  CHECK_STR(s.group, "g");
  CHECK(!s.decode_lua);
  struct rl_engine e;
  CHECK_INT(rl_lua_engine_new(&e, script, &s, &err), 0);
  CHECK(e.decode == NULL);
  e.destroy(e.self);
  rl_settings_free(&s);
}
