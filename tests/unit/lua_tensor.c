/* rille.tensor as a script sees it. */
#include "lua/tensor.h"

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
