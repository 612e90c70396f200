/* A batch's tensors and views, as a script sees them. */
#include "lua/batch_fill.h"
#include "lua_made.h"

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
