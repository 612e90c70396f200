/* rille.tensor and a batch's tensors and views, as a script sees them. */
#include "lua/tensor.h"

#include "lua/batch_fill.h"
#include "lua_made.h"

/* Code that checks itself, in a handler: misuse and memory are a handler's. */
static void pass(const char *code) {
  char script[8192];
  snprintf(script, sizeof script,
           "local T = rille.tensor\n"
           "local function same(t, want)\n"
           "  local got = tostring(t)\n"
           "  if got ~= want then error('\\n' .. got .. '\\nis not\\n' .. want, 2) end\n"
           "end\n"
           "local function fails(part, f, ...)\n"
           "  local ok, err = pcall(f, ...)\n"
           "  err = tostring(err)\n"
           "  if ok or not err:find(part, 1, true) then error(err .. ' without ' .. part, 2) end\n"
           "end\n"
           "return function(batch)\n%s\nend",
           code);
  made_pass(script, VALUES("x"));
}

TEST(from_tables) {
  pass(
      "same(T{1, 2, 3}, 'tensor int64 [3]: 1 2 3')\n"
      "same(T{{1.5, 2}, {3, 4}}, 'tensor float32 [2, 2]: 1.5 2 3 4')\n"
      "same(T({1, 2}, 'float64'), 'tensor float64 [2]: 1.0 2.0')\n"
      "same(T{true, false}, 'tensor bool [2]: true false')\n"
      "same(T({true, 0, 2.5}, 'bool'), 'tensor bool [3]: true false true')\n"
      "same(T({{1, 2.0}}, 'uint8'), 'tensor uint8 [1, 2]: 1 2')\n"
      "same(T{}, 'tensor float32 [0]')\n"
      "same(T{{}, {}}, 'tensor float32 [2, 0]')\n"
      "same(T{1, nil, 3, n = 4}, 'tensor float32 [4]: 1 nan 3 nan')\n"
      "same(T{{1}, {rille.null}}, 'tensor float32 [2, 1]: 1 nan')\n"
      "same(T{0/0, -(0/0)}, 'tensor float32 [2]: nan nan')\n"
      "same(T({-1}, 'float64'):log(), 'tensor float64 [1]: nan')\n"
      "assert(tostring(T{0/0}:sum()) == 'nan' and tostring(T{-(0/0)}[1]) == 'nan')\n"
      "same(T({1/0, -1/0}, 'float64'):to 'float32', 'tensor float32 [2]: inf -inf')\n"
      "same(T({1e-300}, 'float64'):to 'float32', 'tensor float32 [1]: 0')\n"
      "same(T{9007199254740993, 1}, 'tensor int64 [2]: 9007199254740993 1')\n"
      "assert(T({9007199254740993}, 'int64'):totable()[1] == 9007199254740993)\n");
}

TEST(tables_that_are_no_tensor) {
  pass(
      "fails(\"[2] has the shape [1, ...], the first of its kind [2, ...]\", T, {{1, 2}, {3}})\n"
      "fails('[2] is a number, where a row of 2 is wanted', T, {{1, 2}, 3})\n"
      "fails('[2][1] is no number but a string', T, {{1}, {'x'}})\n"
      "fails('[2] is no number but a table', T, {1, {2}})\n"
      "fails('[1][2] is 1.5, which no int64 holds', T, {{1, 1.5}}, 'int64')\n"
      "fails('[1] is 256, which no uint8 holds', T, {256}, 'uint8')\n"
      "fails('[2] is 1e+300, which no float32 holds', T, {1, 1e300})\n"
      "fails('[1] is 1e400, which no float64 holds', T, {rille.json.decode '1e400'}, 'float64')\n"
      "fails('which no int32 holds', T, {1, nil, 3}, 'int32')\n"
      "fails('missing, which no bool holds', T, {true, nil, true, n = 3}, 'bool')\n"
      "fails('rille.tensor.stack joins tensors', T, {T{1}, T{2}})\n"
      "fails('nests deeper', T, {{{{{{{{{1}}}}}}}}})\n");
}

TEST(s4_6_misuse_is_the_scripts_failure) {
  static const struct {
    const char *code, *part;
  } cases[] = {{"rille.tensor(5)", "rille.tensor: a table of numbers is wanted, not number"},
               {"rille.tensor({1}, 'float')", "there is no type 'float' (did you mean 'float32'?)"},
               {"rille.tensor{1}.shap", "a tensor has no 'shap'"},
               {"rille.tensor{1}[1.5]", "a tensor has no '1.5'"},
               {"rille.tensor{1}:scale('x', 1)", "the mean must be a tensor, not string"},
               {"rille.tensor{1}:rows(5)", "a mask (a bool tensor) or a list of positions is wanted"},
               {"rille.tensor{1}:rows(rille.tensor{1.5})", "a mask (bool) or positions"},
               {"rille.tensor{1} & rille.tensor{1}", "joins bool tensors, not int64"},
               {"rille.tensor{1}.to()", "call it with a colon: tensor:to(...)"},
               {"rille.tensor.zeros(3)", "the shape is a table"},
               {"rille.tensor.from_bytes('', 'float32', {1}, '=')", "the byte order is \"<\" or \">\""},
               {"rille.tensor.from_bytes(5, 'float32')", "the bytes must be a string"},
               {"rille.tensor{1}:clip(0/0)", "the lower bound is NaN"},
               {"batch:tensor{}", "the list of columns is empty"},
               {"batch:tensor{'x'}", "there is no field 'x'"},
               {"batch:sort('x')", "there is no field 'x'"},
               {"batch:with{ rows = {1} }", "'rows' is a batch's own"},
               {"batch:with{ {1} }", "a column's name is a string, not number"},
               {"batch:with{ x = 5 }", "x must be a tensor or an array, not number"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[300];
    snprintf(code, sizeof code, "return function(batch) return %s end", cases[i].code);
    made_fail(code, VALUES("x"), RL_BLAME_SCRIPT, cases[i].part);
  }
  made_fail("return function(batch) local t = rille.tensor{1} t[1] = 2 end", VALUES("x"), RL_BLAME_SCRIPT,
            "a tensor cannot be changed");
}

TEST(what_the_data_did_is_the_messages_failure) {
  static const struct {
    const char *code, *part;
  } cases[] = {
      {"rille.tensor{1, 2} + rille.tensor{1, 2, 3}", "the shapes [2] and [3] do not go together"},
      {"rille.tensor{{1, 2}}:scale({1, 2, 3}, 1)", "[3] does not go with [1, 2]"},
      {"rille.tensor{1}:reshape(2)", "the shape [1] (1 elements) cannot become [2]"},
      {"rille.tensor.from_bytes(nil, 'float32')", "there are no bytes: nil came"},
      {"rille.tensor.from_bytes('abcde', 'float32', {2})",
       "5 bytes are no float32 of shape [2]: they hold [1] of them and a part"},
      {"rille.tensor.stack{rille.tensor{1}, rille.tensor{1, 2}}", "item 2 is int64 [2], the first int64 [1]"},
      {"rille.tensor{1}:to('bool'):rows{2}", "there is no row 2 among 1"},
      {"rille.tensor{1, 2}:rows(rille.tensor{true})", "a mask of shape [1] does not go with [2] rows"},
      {"rille.tensor{300}:to('uint8')", "element 1 is 300, which no uint8 holds"},
      {"rille.tensor({1, 2.0^128}, 'float64'):to('float32')",
       "element 2 is 3.4028236692093846e+38, which no float32 holds"},
      {"rille.tensor{0/0}:to('int32')", "element 1 is nan, which no int32 holds"},
      {"rille.tensor{1, 2}:item()", "the shape [2] holds not one number but 2"},
      {"rille.tensor{{1, 2}}:column(3)", "the shape [1, 2] has no column 3"},
      {"rille.tensor{{1, 2}}:sum(3)", "the shape [1, 2] has no axis 3"},
      {"batch:with{ x = {1, 2} }", "x has the shape [2], the batch [1]"},
      {"batch:with{ x = rille.tensor{{1, 2}} }", "x has the shape [1, 2], the batch [1]"},
      {"batch:select{1, 1}", "row 1 is named twice"},
      {"batch:select{2}", "there is no row 2 among 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[300];
    snprintf(code, sizeof code, "return function(batch) return nil, tostring(%s) end", cases[i].code);
    made_fail(code, VALUES("x"), RL_BLAME_MESSAGE, cases[i].part);
  }
}

TEST(views_and_members) {
  pass(
      "local t = T{{1, 2, 3}, {4, 5, 6}}\n"
      "assert(#t == 2 and t.dtype == 'int64' and t.size == 6 and #t.shape == 2 and t.shape[2] == 3)\n"
      "assert(t[2][3] == 6 and math.type(t[2][3]) == 'integer' and t[3] == nil and t[0] == nil)\n"
      "same(t[1], 'tensor int64 [3]: 1 2 3')\n"
      "same(t:column(2), 'tensor int64 [2]: 2 5')\n"
      "same(t:column(2) + 1, 'tensor int64 [2]: 3 6')\n"
      "same(t:reshape(3, -1), 'tensor int64 [3, 2]: 1 2 3 4 5 6')\n"
      "same(t:column(3):reshape{1, 2}, 'tensor int64 [1, 2]: 3 6')\n"
      "local n = 0\n"
      "for i, row in ipairs(t) do n = n + row[1] end\n"
      "assert(n == 5)\n"
      "local back = t:totable()\n"
      "assert(#back == 2 and back[2][1] == 4 and math.type(back[2][1]) == 'integer')\n"
      "assert(T({5}, 'int32'):reshape{}:item() == 5 and T({5}, 'int32'):reshape{}:totable() == 5)\n"
      "assert(T({1, 0}, 'bool'):totable()[1] == true)\n");
}

TEST(rows_by_mask_and_by_position) {
  pass(
      "local t = T{{1, 2}, {3, 4}, {5, 6}, {7, 8}}\n"
      "same(t:rows(T{true, false, false, true}), 'tensor int64 [2, 2]: 1 2 7 8')\n"
      "same(t:rows(T{true, true, false, true}), 'tensor int64 [3, 2]: 1 2 3 4 7 8')\n"
      "same(t:rows{4, 1, 1}, 'tensor int64 [3, 2]: 7 8 1 2 1 2')\n"
      "same(t:rows(T{3, 2}), 'tensor int64 [2, 2]: 5 6 3 4')\n"
      "same(t:rows{}, 'tensor int64 [0, 2]')\n"
      "same(t:rows(t:column(1):gt(3)), 'tensor int64 [2, 2]: 5 6 7 8')\n"
      "same(t:column(2):rows{1, 2, 4}, 'tensor int64 [3]: 2 4 8')\n");
}

TEST(math) {
  pass(
      "same(T{{1.0, 10}, {3, 30}}:scale({2, 20}, T{1, 10}), 'tensor float32 [2, 2]: -1 -1 1 1')\n"
      "same(T{{3.0, 4}, {0, 0}}:normalize(), 'tensor float32 [2, 2]: 0.6 0.8 0 0')\n"
      "same(T{1.0, 5, 9}:clip(2, 8), 'tensor float32 [3]: 2 5 8')\n"
      "same(T{1, 5, 9}:clip(nil, 5.5), 'tensor int64 [3]: 1 5 5')\n"
      "same(T({1, 200}, 'uint8'):clip(-5, 300), 'tensor uint8 [2]: 1 200')\n"
      "same(T{9007199254740993}:clip(9007199254740994), 'tensor int64 [1]: 9007199254740994')\n"
      "same(T{1.0, 0}:log(), 'tensor float32 [2]: 0 -inf')\n"
      "same(T{0}:exp(), 'tensor float64 [1]: 1.0')\n");
}

TEST(math_that_a_model_needs) {
  pass(
      "same(T{1, nil, n = 2}:nan_to(7), 'tensor float32 [2]: 1 7')\n"
      "same(T{{0.0, 0}, {1, 1}}:softmax(), 'tensor float32 [2, 2]: 0.5 0.5 0.5 0.5')\n"
      "same(T{{1, 5, 2}, {9, 0, 9}}:argmax(-1), 'tensor int64 [2]: 2 1')\n"
      "assert(T{3, 8, 1}:argmax() == 2 and T{1, nil, n = 2}:argmax() == nil and T{}:max() == nil)\n"
      "local t = T{{1, 2}, {3, 4}}\n"
      "assert(t:sum() == 10 and math.type(t:sum()) == 'integer' and t:mean() == 2.5 and t:min() == 1)\n"
      "same(t:mean(1), 'tensor float64 [2]: 2.0 3.0')\n"
      "same(t:max(2), 'tensor int64 [2]: 2 4')\n"
      "assert(T{true, false, true}:sum() == 2 and T{1.0, 3}:std() == 1)\n"
      "assert(T{1, 2, 4}:sum(1) == 7)\n"
      "same(t:to 'float32', 'tensor float32 [2, 2]: 1 2 3 4')\n"
      "assert(t:to 'int64' == t)\n");
}

TEST(operators_and_comparisons) {
  pass(
      "local t = T{1.0, 2, 3}\n"
      "same(1 - t, 'tensor float32 [3]: 0 -1 -2')\n"
      "same(t * {2, 2, 2}, 'tensor float32 [3]: 2 4 6')\n"
      "same(t / 2, 'tensor float32 [3]: 0.5 1 1.5')\n"
      "same(T{1, 2} / 2, 'tensor float64 [2]: 0.5 1.0')\n"
      "same(-T{1, -2}, 'tensor int64 [2]: -1 2')\n"
      "same(T{math.maxinteger} + 1, 'tensor int64 [1]: ' .. math.mininteger)\n"
      "same(t:ge(2) & ~t:eq(3), 'tensor bool [3]: false true false')\n"
      "same(t:lt(2) | t:gt(2), 'tensor bool [3]: true false true')\n"
      "same(T{1, nil, n = 2}:ne(5), 'tensor bool [2]: true false')\n"
      "same(t:le(T{3, 2, 1}), 'tensor bool [3]: true true false')\n"
      "same(T{{1, 5}, {5, 1}}:gt(T{2, 2}), 'tensor bool [2, 2]: false true true false')\n"
      "same(T{true, false}:eq(true), 'tensor bool [2]: true false')\n");
}

TEST(from_bytes_zeros_and_stack) {
  pass(
      "same(T.from_bytes('\\0\\0\\x80\\x3f\\0\\0\\0\\x40', 'float32'), 'tensor float32 [2]: 1 2')\n"
      "same(T.from_bytes('\\0\\1\\0\\2', 'uint8', {2, -1}), 'tensor uint8 [2, 2]: 0 1 0 2')\n"
      "same(T.from_bytes(('>d'):pack(1.5), 'float64', {1}, '>'), 'tensor float64 [1]: 1.5')\n"
      "same(T.from_bytes(('>i8'):pack(9007199254740993), 'int64', {}, '>'), 'tensor int64 []: "
      "9007199254740993')\n"
      "same(T.from_bytes('', 'float32', {0, 5}), 'tensor float32 [0, 5]')\n"
      "same(T.zeros{2, 2}, 'tensor float32 [2, 2]: 0 0 0 0')\n"
      "same(T.zeros({2}, 'bool'), 'tensor bool [2]: false false')\n"
      "local a, b = T{{1, 2}, {3, 4}}, T{{5, 6}, {7, 8}}\n"
      "same(T.stack{a, b}, 'tensor int64 [2, 2, 2]: 1 2 3 4 5 6 7 8')\n"
      "same(T.stack({a, b}, -1), 'tensor int64 [2, 2, 2]: 1 5 2 6 3 7 4 8')\n"
      "same(T.stack({a:column(1), b:column(2)}, 2), 'tensor int64 [2, 2]: 1 6 3 8')\n");
}

TEST(json_writes_nested_arrays) {
  pass(
      "local json = rille.json.encode\n"
      "local function is(got, want) assert(got == want, got) end\n"
      "is(json{ t = T{{0.1, 2}, {3.25, 1e-40}} }, '{\"t\":[[0.1,2.0],[3.25,1e-40]]}')\n"
      "is(json(T({0.1}, 'float64') + 0.2), '[0.30000000000000004]')\n"
      "is(json(T{9007199254740993, -1}), '[9007199254740993,-1]')\n"
      "is(json(T{{1, 2}, {3, 4}}:column(2):gt(2)), '[false,true]')\n"
      "is(json(T{5}:reshape{}), '5')\n"
      "is(json(T{}), '[]')\n"
      "fails('NaN or infinity (nan = \"null\" writes null), at t[2][1]', json, { t = T{{1.0}, {0/0}} })\n"
      "is(json(T{1, nil, n = 2}, { nan = 'null' }), '[1.0,null]')\n");
}

/* ---- memory (promise 8) ---- */

TEST(p8_a_tensor_past_the_limit_is_no_memory) {
  made_fail(
      "return { limits = { memory = 4 << 20 }, handle = function() return rille.tensor.zeros{2000000} end }",
      VALUES("x"), RL_BLAME_MESSAGE, "not enough memory: limits.memory is");
  made_fail(
      "return { limits = { memory = 4 << 20 }, handle = function() return rille.tensor.zeros{1 << 40, 1 << "
      "40} end }",
      VALUES("x"), RL_BLAME_MESSAGE, "more than memory can hold");
}

TEST(p8_garbage_tensors_do_not_pile_up) {
  made_no_gc = true;
  made_pass(
      "return { limits = { memory = 16 << 20 }, handle = function()\n"
      "  for i = 1, 300 do\n"
      "    local t = rille.tensor.zeros{250000}\n"
      "    assert(#(t + 1) == 250000)\n"
      "  end\n"
      "end }",
      VALUES("x"));
  made_pass(
      "return { limits = { memory = 16 << 20 }, handle = function()\n"
      "  collectgarbage 'stop'\n"
      "  for i = 1, 300 do rille.tensor.zeros{250000} end\n"
      "end }",
      VALUES("x"));
  made_no_gc = false;
}

TEST(p8_a_view_keeps_its_buffer_and_a_closed_state_frees_all) {
  struct made_run r;
  CHECK_INT(made_open(&r,
                      "return function(batch)\n"
                      "  kept = rille.tensor.zeros{1000, 100}[7]\n"
                      "  collectgarbage()\n"
                      "  assert(kept:sum() == 0)\n"
                      "end"),
            0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "x");
  CHECK_INT(made_handle(&r, b), 0);
  made_settle(&r, b);
  made_close(&r);
}

/* What a finalizer makes while the state closes has no finalizer of its own any more. */
TEST(p8_what_is_made_while_the_state_closes_is_freed_with_it) {
  made_pass(
      "return function(batch)\n"
      "  kept = setmetatable({}, { __gc = function(k)\n"
      "    k.new = rille.tensor.zeros{ 1000 } + 1\n"
      "    assert(#k.old == 0 and k.old:sum() == 0 and k.old[1] == nil and #(k.old + 1) == 0)\n"
      "    assert(not pcall(k.old.item, k.old))\n"
      "  end })\n"
      "  kept.old = rille.tensor{ 1, 2 }\n"
      "end",
      VALUES("x"));
  CHECK_STR(made_log, ""); /* nothing of "error in __gc" */
}

/* ---- batches ---- */

#define FIELDS "fields = { 'id', 'mag', 'rb', 'name', 'ok' },\n"
#define ROWS                                                              \
  VALUES("{\"id\":1,\"mag\":17.5,\"rb\":0.5,\"name\":\"x\",\"ok\":true}", \
         "{\"id\":2,\"mag\":18,\"rb\":null,\"name\":\"y\",\"ok\":false}", \
         "{\"id\":3,\"rb\":0.9,\"name\":\"x\",\"ok\":true}",              \
         "{\"id\":4,\"mag\":16,\"rb\":1e300,\"ok\":true}",                \
         "{\"id\":5,\"mag\":\"bad\",\"rb\":36893488147419103232,\"name\":\"x\",\"ok\":true}")
#define HANDLER(code)                                                                       \
  "return { " FIELDS                                                                        \
  "handle = function(batch, out)\n"                                                         \
  "local function ids(view) local t = {} for i = 1, #view do t[i] = view.id[i] end return " \
  "table.concat(t, ' ') end\n"                                                              \
  "local function same(got, want) got = tostring(got) assert(got == want, got) end\n" code "\nend }"

TEST(batch_tensor_marks_the_complete_rows) {
  made_pass(HANDLER("local t, mask = batch:tensor{ 'mag', 'rb' }\n"
                    "same(t, 'tensor float32 [5, 2]: 17.5 0.5 18 nan nan 0.9 16 nan ...')\n"
                    "same(mask, 'tensor bool [5]: true false false false false')\n"
                    "assert(t[5][1] ~= t[5][1] and t[5][2] == 36893488147419103232.0)\n"
                    "local d, wide = batch:tensor({ 'rb' }, 'float64')\n"
                    "same(wide, 'tensor bool [5]: true false true true true')\n"
                    "assert(d[4][1] == 1e300)\n"
                    "same(batch:tensor 'ok', 'tensor float32 [5, 1]: 1 0 1 1 1')\n"
                    "same(#t:rows(mask), '1')\n"
                    "same(ids(batch:select(mask)), '1')\n"
                    "same(batch:where 'id > 3':tensor{ 'id', 'id' }, 'tensor float32 [2, 2]: 4 4 5 5')\n"
                    "same(batch:where 'id > 9':tensor{ 'id' }, 'tensor float32 [0, 1]')"),
            ROWS);
}

TEST(s4_6_a_column_declared_as_text_is_a_script_failure) {
  made_fail(
      "return { fields = { name = { path = 'name', type = 'str' } }, handle = function(batch) batch:tensor{ "
      "'name' } end }",
      VALUES("{\"name\":\"x\"}"), RL_BLAME_SCRIPT, "the column 'name' is declared as str");
  made_fail("return { fields = { 'id' }, handle = function(batch) batch:tensor({ 'id' }, 'int64') end }",
            VALUES("{\"id\":1}"), RL_BLAME_SCRIPT, "float32 or float64, not int64");
  made_fail("return { fields = { 'mag' }, handle = function(batch) batch:tensor{ 'mga' } end }",
            VALUES("{\"mag\":1}"), RL_BLAME_SCRIPT, "did you mean 'mag'?");
}

TEST(arrays_of_a_declared_shape_are_a_tensor_of_their_own) {
  made_pass(
      "return { fields = { 'id', image = { path = 'image', type = 'f32', shape = { 2, 2 } },\n"
      "    wide = { path = 'wide', type = 'f64', shape = { 2 } }, n = { path = 'n', type = 'i64', shape = { "
      "2 } } },\n"
      "  handle = function(batch)\n"
      "    local function same(got, want) got = tostring(got) assert(got == want, got) end\n"
      "    local t, complete = batch:tensor 'image'\n"
      "    same(t, 'tensor float32 [4, 2, 2]: 1 2 3 4 5 6 7 8 ...')\n"
      "    same(t[3], 'tensor float32 [2, 2]: nan nan nan nan')\n"
      "    same(t[4], 'tensor float32 [2, 2]: 9 nan 0 0')\n"
      "    same(complete, 'tensor bool [4]: true true false false')\n"
      "    same(batch:tensor{ 'wide' }, 'tensor float32 [4, 2]: 1.5 2 1 nan nan nan nan nan')\n"
      "    local d, all = batch:tensor({ 'wide' }, 'float64')\n"
      "    same(d[2], 'tensor float64 [2]: 1.0 1e+300')\n"
      "    same(all, 'tensor bool [4]: true true false false')\n"
      "    same(batch:select{ 2, 1 }:tensor('n', 'float64'), 'tensor float64 [2, 2]: 3.0 4.0 1.0 2.0')\n"
      "    same(batch:select{}:tensor 'image', 'tensor float32 [0, 2, 2]')\n"
      "  end }",
      VALUES("{\"id\":1,\"image\":[[1,2],[3,4]],\"wide\":[1.5,2],\"n\":[1,2]}",
             "{\"id\":2,\"image\":[5,6,7,8],\"wide\":[1,1e300],\"n\":[3,4]}", "{\"id\":3}",
             "{\"id\":4,\"image\":[[9,null],[0,0]]}"));
  static const char *const fields =
      "return { fields = { 'id', image = { path = 'image', type = 'f32', shape = { 2 } }, l = 'l[*].x' }, "
      "handle = "
      "function(batch) batch:tensor{ %s } end }";
  static const char *const cases[][2] = {
      {"'id', 'image'", "'image' holds arrays: it makes a tensor of its own"},
      {"'image', 'id'", "'image' holds arrays"},
      {"'l'", "'l' holds lists of any length"}};
  for (size_t i = 0; i < 3; i++) {
    char code[300];
    snprintf(code, sizeof code, fields, cases[i][0]);
    made_fail(code, VALUES("{\"id\":1}"), RL_BLAME_SCRIPT, cases[i][1]);
  }
}

TEST(text_where_none_was_declared_is_told_once) {
  struct made_run r;
  CHECK_INT(made_open(&r, "return { fields = { 'a' }, handle = function(batch) batch:tensor{ 'a' } end }"),
            0);
  for (int i = 0; i < 2; i++) {
    struct rl_batch *b = made_batch(&r);
    made_add(&r, b, NULL, "{\"a\":\"text\"}");
    CHECK_INT(made_handle(&r, b), 0);
    made_settle(&r, b);
  }
  CHECK_STR(made_log,
            "rille: warning: batch:tensor: the column 'a' holds text: where it does, the tensor has NaN and "
            "the row is not complete\n");
  made_close(&r);
}

TEST(group_by_in_order_of_first_appearance) {
  made_pass(
      HANDLER("local seen = {}\n"
              "for name, view in batch:group_by 'name' do seen[#seen + 1] = name .. ':' .. ids(view) end\n"
              "same(table.concat(seen, ' | '), 'x:1 3 5 | y:2')\n"
              "for value, view in batch:where('id >= 4'):group_by 'mag' do\n"
              "  seen[#seen + 1] = tostring(value) .. ':' .. ids(view)\n"
              "end\n"
              "same(table.concat(seen, ' | ', 3), '16:4 | bad:5')\n"
              "local n = 0\n"
              "for wide, view in batch:group_by 'rb' do n = n + #view end\n"
              "assert(n == 4)\n"
              "for ok, view in batch:group_by 'ok' do if ok == false then same(ids(view), '2') end end"),
      ROWS);
  made_pass(
      "return { fields = { 'v' }, handle = function(batch)\n"
      "  local n = 0\n"
      "  for v, view in batch:group_by 'v' do n = n + 1 assert(v == 1 and math.type(v) == 'integer') "
      "assert(#view "
      "== 2) end\n"
      "  assert(n == 1)\n"
      "end }",
      VALUES("{\"v\":1}", "{\"v\":[1]}", "{\"v\":1.0}", "{\"v\":null}", "{}", "{\"v\":{\"a\":1}}"));
}

TEST(sort_is_stable_and_missing_comes_last) {
  made_pass(HANDLER("same(ids(batch:sort 'mag'), '4 1 2 5 3')\n"
                    "same(ids(batch:sort('mag', 'desc')), '2 1 4 5 3')\n"
                    "same(ids(batch:sort 'name'), '1 3 5 2 4')\n"
                    "same(ids(batch:sort('name', 'desc')), '2 1 3 5 4')\n"
                    "same(ids(batch:sort 'ok'), '2 1 3 4 5')\n"
                    "same(ids(batch:sort('id', 'desc'):sort 'name'), '5 3 1 2 4')\n"
                    "same(ids(batch:sort('id', 'desc'):where 'rb ~= nil'), '5 4 3 1')\n"
                    "same(ids(batch:sort('rb', 'desc')), '4 5 3 1 2')\n"
                    "assert(batch:sort('id', 'desc')[1] == batch[5])"),
            ROWS);
}

TEST(select_by_mask_and_by_position) {
  made_pass(HANDLER("same(ids(batch:select{ 4, 2 }), '4 2')\n"
                    "same(ids(batch:select{ 4, 2 }:select{ 2 }), '2')\n"
                    "same(ids(batch:select(rille.tensor{ 5, 1 })), '5 1')\n"
                    "same(ids(batch:select(batch:tensor{ 'id' }:column(1):ge(4))), '4 5')\n"
                    "assert(#batch:select{} == 0)"),
            ROWS);
}

TEST(with_adds_columns_that_everything_knows) {
  made_pass(HANDLER("local w = batch:sort('id', 'desc'):with{\n"
                    "  score = rille.tensor{ 0.125, 0.25, 0.5, 0.75, 1 },\n"
                    "  tag = { 'a', nil, 'a', rille.null, 'b', n = 5 } }\n"
                    "same(ids(w:where 'score > 0.3'), '3 2 1')\n"
                    "same(ids(w:where('tag == \"a\"'):sort 'score'), '5 3')\n"
                    "assert(w.score[1] == 0.125 and w.tag.n == 5 and w.tag[2] == nil)\n"
                    "local rows = w:where('score >= 0.75'):rows()\n"
                    "assert(rows[1].id == 2 and rows[1].score == 0.75 and rows[2].tag == 'b')\n"
                    "same(w:where('id < 3'):tensor{ 'id', 'score' }, 'tensor float32 [2, 2]: 2 0.75 1 1')\n"
                    "local seen = {}\n"
                    "for tag, view in w:group_by 'tag' do seen[#seen + 1] = tag .. ids(view) end\n"
                    "same(table.concat(seen, ' '), 'a5 3 b1')\n"
                    "local more = w:where('score < 0.6'):with{ again = { 1, 2, 3 } }\n"
                    "same(ids(more:where 'again * score == 1.5'), '3')\n"
                    "assert(not pcall(function() return batch.score end) and #batch:where 'mag > 0' == 3)"),
            ROWS);
}

TEST(with_takes_every_kind_of_value) {
  made_pass(HANDLER("local w = batch:with{ i = { 1, 2.5, true, 'text\\xff', rille.json.decode '1e400' },\n"
                    "  b = rille.tensor{ true, false, true, false, true },\n"
                    "  l = rille.tensor{ 9007199254740993, 0, 0, 0, 0 },\n"
                    "  s = rille.tensor{ {1.5}, {0}, {0}, {0}, {0} } }\n"
                    "collectgarbage()\n"
                    "assert(w.i[1] == 1 and w.i[2] == 2.5 and w.i[3] == true and w.i[4] == 'text\\xff')\n"
                    "assert(tostring(w.i[5]) == '1e400' and w.b[2] == false and w.s[1] == 1.5)\n"
                    "assert(w.l[1] == 9007199254740993)\n"
                    "same(ids(w:where 'b'), '1 3 5')\n"
                    "same(ids(w:where 'l == 9007199254740993'), '1')\n"
                    "local ok, err = pcall(w.with, w, { s = {} })\n"
                    "assert(not ok and tostring(err):find(\"there is a column 's' already\", 1, true))"),
            ROWS);
}

TEST(with_and_no_fields) {
  made_pass(
      "return function(batch)\n"
      "  local w = batch:with{ score = { 0.5, 0.75 } }\n"
      "  local high = w:where 'score > 0.6'\n"
      "  assert(#high == 1 and high[1].value == 'b' and w:rows()[2].score == 0.75)\n"
      "end",
      VALUES("a", "b"));
}

TEST(s8_5_a_view_of_a_batch_that_is_over_raises) {
  struct made_run r;
  CHECK_INT(
      made_open(&r,
                "return { fields = { 'id' }, handle = function(batch)\n"
                "  if kept then\n"
                "    for _, use in pairs{ function() return kept:sort 'id' end,\n"
                "      function() return kept:with{ a = { 1 } } end, function() return kept.score end,\n"
                "      function() return kept:tensor{ 'score' } end, function() return groups() end } do\n"
                "      local ok, err = pcall(use)\n"
                "      assert(not ok and tostring(err):find('is over', 1, true), tostring(err))\n"
                "    end\n"
                "  end\n"
                "  kept = batch:with{ score = { 0.5 } }\n"
                "  groups = kept:group_by 'score'\n"
                "end }"),
      0);
  for (int i = 0; i < 2; i++) {
    struct rl_batch *b = made_batch(&r);
    made_add(&r, b, NULL, "{\"id\":1}");
    if (made_handle(&r, b)) UNIT_FAIL("%s", r.why.error);
    made_settle(&r, b);
  }
  made_close(&r);
}
