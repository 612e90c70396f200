/* rille.model as a script sees it: what it is, and whom failures blame. */
#include <unistd.h>

#include "lua_model_made.h"

TEST(a_model_is_called_as_a_function) {
  reset();
  made_pass(HANDLE("local m = rille.model 'fake:one'\n" X "local y = m(x)\n"
                   "assert(tostring(y) == 'tensor float32 [2, 2]: 2 4 6 8', tostring(y))\n"
                   "assert(tostring(m{ x = x }) == tostring(y))\n"
                   "assert(tostring(m(x:rows{2})) == 'tensor float32 [1, 2]: 6 8')\n"
                   "local both = rille.model 'fake:two' { x = x }\n"
                   "assert(tostring(both.double) == tostring(y))\n"
                   "assert(tostring(both.half) == 'tensor float32 [2, 2]: 0.5 1 1.5 2')\n"
                   "local n = 0 for _ in pairs(both) do n = n + 1 end assert(n == 2)"),
            VALUES("a"));
  CHECK_INT(fake.opens, 2);
  CHECK_INT(fake.closes, 2);
}

TEST(a_view_is_made_compact_and_float64_becomes_float32) {
  reset();
  made_pass(HANDLE("local m = rille.model 'fake:one'\n"
                   "local wide = rille.tensor({{1, 2, 9}, {3, 4, 9}}, 'float64')\n"
                   "local y = m(rille.tensor.stack({ wide:column(1), wide:column(2) }, -1))\n"
                   "assert(tostring(y) == 'tensor float32 [2, 2]: 2 4 6 8', tostring(y))\n"
                   "local turned = rille.tensor.stack{ rille.tensor({1, 3}, 'float32'), rille.tensor({2, 4}, "
                   "'float32') }\n"
                   "local columns = rille.tensor.stack({ turned[1], turned[2] }, 2)\n"
                   "assert(tostring(m{ x = columns }) == tostring(y))"),
            VALUES("a"));
}

TEST(it_says_what_it_takes_and_gives) {
  reset();
  made_pass(HANDLE("local m <close> = rille.model 'fake:two'\n"
                   "assert(#m.inputs == 1 and #m.outputs == 2)\n"
                   "local i = m.inputs[1]\n"
                   "assert(i.name == 'x' and i.dtype == 'float32' and #i.shape == 2 and i.shape[1] == -1 and "
                   "i.shape[2] == 2)\n"
                   "assert(m.outputs[2].name == 'half' and m.uri == 'fake:two')\n"
                   "assert(type(getmetatable(m)) == 'string')\n"
                   "local text = tostring(m)\n"
                   "assert(text == 'model fake:two (x float32 [?, 2]) -> (double float32 [?, 2], half "
                   "float32 [?, 2])', text)"),
            VALUES("a"));
}

TEST(a_closed_model_is_closed_again_and_still_says_what_it_was) {
  reset();
  made_pass(HANDLE("local m <close> = rille.model 'fake:two'\n"
                   "m:close()\n"
                   "assert(select('#', m:close()) == 0)\n"
                   "assert(m.uri == 'fake:two' and m.inputs[1].name == 'x' and #m.outputs == 2)\n"
                   "assert(tostring(m) == 'model (closed)')"),
            VALUES("a"));
  CHECK_INT(fake.closes, 1);
}

TEST(options_reach_the_backend) {
  reset();
  made_pass(
      HANDLE("rille.model('fake:one', { batch = 7, threads = 2, timeout = 1.5, retries = 0, warmup = 3,\n"
             "  in_flight = 9, user = 'me', password = 'xyzzy-1' })"),
      VALUES("a"));
  CHECK_INT(fake.opts.batch, 7);
  CHECK_INT(fake.opts.threads, 2);
  CHECK(fake.opts.timeout == 1.5);
  CHECK_INT(fake.opts.retries, -1);
  CHECK_INT(fake.opts.in_flight, 9);
  CHECK_STR(fake.secret, "xyzzy-1");
}

TEST(s4_1_a_model_that_is_not_there_is_the_weather) {
  reset();
  fake.run_fails = RL_ETRANSIENT;
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32'))"), VALUES("a"),
            RL_BLAME_WEATHER, "--code:2: fake:one: it broke");
  reset();
  fake.open_fails = RL_ETRANSIENT;
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_WEATHER, "fake:one: no answer");
}

TEST(s4_2_the_models_own_errors_and_shapes_are_the_batchs) {
  reset();
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2, 3}}, 'float32'))"), VALUES("a"),
            RL_BLAME_MESSAGE, "takes x float32 [?, 2], and the tensor's shape is [1, 3]");
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor{{1, 2}})"), VALUES("a"), RL_BLAME_MESSAGE,
            "the tensor int64: t:to(\"float32\") converts it");
  fake.run_fails = RL_EFAIL;
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32'))"), VALUES("a"),
            RL_BLAME_MESSAGE, "it broke");
}

TEST(s4_6_misuse_is_the_scripts_failure) {
  static const struct {
    const char *code, *part;
  } cases[] = {
      {"rille.model()", "rille.model: the URI must be a string, not nil"},
      {"rille.model 'susy.onx'", "\"susy.onx\" is no model"},
      {"rille.model('fake:one', { thread = 1 })", "unknown option 'thread' (did you mean 'threads'?)"},
      {"rille.model('fake:one', { batch = 0 })", "batch is a whole number from 1"},
      {"rille.model('fake:one', { batch = 1.5 })", "rille.model: the batch must be an integer, not 1.5"},
      {"rille.model('fake:one', { threads = 1e300 })", "the threads must be an integer, not 1e+300"},
      {"rille.model('fake:one', { batch = '2' })", "the batch must be an integer, not string"},
      {"rille.model('fake:one', { timeout = 0 })", "timeout is a number of seconds above 0"},
      {"rille.model('fake:one', { user = 'a', token = 'b' })", "two ways to log in"},
      {"rille.model('fake:one', { password = 'b' })", "password without user"},
      {"rille.model('fake:one', { key = 'b' })", "key without certificate"},
      {"rille.model 'fake:one'()", "model: one argument is wanted, not 0"},
      {"rille.model 'fake:one'(5)", "model: the input must be a tensor, not number"},
      {"rille.model 'fake:one'(rille.tensor{1}, 5)", "model: one argument is wanted, not 2"},
      {"rille.model 'fake:one'(rille.tensor{1}, rille.tensor{true})",
       "model: one argument is wanted, not 2: batch:tensor gives the complete rows beside the tensor"},
      {"rille.model 'fake:one'{ x = 5 }", "model: the input 'x' must be a tensor, not number"},
      {"rille.model 'fake:one'{ 1 }", "a table of them by name"},
      {"rille.model 'fake:one'{ y = rille.tensor{1} }", "the model has no input 'y': it takes x"},
      {"rille.model 'fake:one'{}", "the input 'x' is missing"},
      {"rille.model 'fake:one'.input", "a model has no 'input' (did you mean 'inputs'?)"},
      {"(function() local m = rille.model 'fake:one' m:close() m(1) end)()", "the model is closed"},
      {"(function() local m = rille.model 'fake:one' m:close() return m.input end)()",
       "a model has no 'input' (did you mean 'inputs'?)"},
      {"rille.model 'fake:one'.close(5)", "model:close: it is no model but a number"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[300];
    reset();
    snprintf(code, sizeof code, "return function(batch) local _ = %s end", cases[i].code);
    made_fail(code, VALUES("x"), RL_BLAME_SCRIPT, cases[i].part);
    CHECK_INT(fake.opens, fake.closes);
  }
  reset();
  fake.open_fails = RL_EFAIL; /* a file that cannot be used: no message is to blame */
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "fake:one: no answer");
}

TEST(promise_7_a_missing_model_is_told_at_load) {
  struct made_run r;
  static const int codes[] = {RL_EFAIL, RL_ETRANSIENT, RL_EUSAGE};
  for (int i = 0; i < 3; i++) {
    reset();
    fake.open_fails = codes[i];
    CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
    CHECK_HAS(r.err.text, "--code:1: fake:one: no answer");
    made_close(&r);
  }
}

/* ---- credentials ---- */

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

TEST(credentials_come_from_the_environment_and_are_told_to_nobody) {
  char path[] = "/tmp/rille-model-XXXXXX";
  close(mkstemp(path));
  write_file(path, "from-the-file\n");
  reset();
  setenv("RILLE_MODEL_TOKEN", "t0p-secret", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "t0p-secret");
  struct rl_err err;
  rl_fail(&err, RL_EFAIL, "it was t0p-secret");
  CHECK_STR(err.text, "it was ***");
  made_pass(HANDLE("rille.model('fake:one', { user = 'me', password = 'xyzzy-2' })"), VALUES("a"));
  CHECK_STR(fake.secret, "xyzzy-2"); /* the script's own way wins */
  CHECK(fake.opts.token == NULL);
  reset();
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "from-the-file");
  reset();
  setenv("RILLE_MODEL_USER", "me", 1);
  setenv("RILLE_MODEL_PASSWORD_FILE", path, 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "from-the-file");
  setenv("RILLE_MODEL_PASSWORD", "xyzzy-3", 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "leave one out");
  reset();
  setenv("RILLE_MODEL_PASSWORD", "xyzzy-4", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_HAS(made_log, "the environment has RILLE_MODEL_PASSWORD without RILLE_MODEL_USER");
  reset();
  setenv("RILLE_MODEL_TOKEN_FILE", "/nowhere/token", 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT,
            "RILLE_MODEL_TOKEN_FILE: cannot read /nowhere/token: No such file");
  write_file(path, "");
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "it is empty");
  reset();
  unlink(path);
}

/* A line's end in what is sent would begin a header of its own. */
TEST(control_characters_in_credentials_are_refused_and_not_repeated) {
  static const struct {
    const char *options, *name;
  } cases[] = {{"token = 'xyz\\nheader: y'", "rille.model: token holds"},
               {"token = 'xyz\\0y'", "rille.model: token holds a zero byte"},
               {"user = 'xyz\\127'", "rille.model: user holds"},
               {"user = 'me', password = 'xyz\\ty'", "rille.model: password holds"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[200];
    reset();
    snprintf(code, sizeof code, HANDLE("rille.model('fake:one', { %s })"), cases[i].options);
    made_fail(code, VALUES("a"), RL_BLAME_SCRIPT, cases[i].name);
    CHECK_INT(fake.opens, 0);
  }
}

static void refuse_variable(const char *name, const char *value) {
  struct made_run r;
  char part[100];
  snprintf(part, sizeof part, "rille.model: %s holds a control character", name);
  setenv(name, value, 1);
  CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
  CHECK_HAS(r.err.text, part);
  CHECK(!strstr(r.err.text, "xyz"));
  made_close(&r);
  unsetenv(name);
}

TEST(control_characters_in_the_environment_are_refused_by_the_variables_name) {
  char path[] = "/tmp/rille-model-XXXXXX";
  close(mkstemp(path));
  write_file(path, "xyz\ty\n");
  reset();
  refuse_variable("RILLE_MODEL_TOKEN", "xyz\nheader: y");
  refuse_variable("RILLE_MODEL_TOKEN", "xyz\r\n\r\nGET /");
  refuse_variable("RILLE_MODEL_USER", "xyz\n");
  setenv("RILLE_MODEL_USER", "me", 1);
  refuse_variable("RILLE_MODEL_PASSWORD", "xyz\x01");
  unsetenv("RILLE_MODEL_USER");
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  struct made_run r;
  CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
  CHECK_HAS(r.err.text, "RILLE_MODEL_TOKEN_FILE holds a control character");
  made_close(&r);
  reset();
  unlink(path);
}

TEST(a_secret_in_the_environment_ends_before_its_line_does) {
  reset();
  setenv("RILLE_MODEL_TOKEN", "t0p-secret\r\n\n", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "t0p-secret");
  reset();
  setenv("RILLE_MODEL_USER", "me", 1);
  setenv("RILLE_MODEL_PASSWORD", "with blanks \n", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "with blanks ");
  reset();
}
