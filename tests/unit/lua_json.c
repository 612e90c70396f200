/* rille.json as scripts see it (S9, seed-systems D 9 to 13). */
#include "lua_snippet.h"

#define ROUND_TRIP(text) CHECK_LUA("return rille.json.encode(rille.json.decode[==[" text "]==])", text)

TEST(d10_numbers_come_back_as_they_were) {
  ROUND_TRIP("{\"id\":228930314431312345}");
  ROUND_TRIP("2510000000000000003");
  ROUND_TRIP("1549661404000");
  ROUND_TRIP("18446744073709551615");
  ROUND_TRIP("[10000,10000.0]");
  ROUND_TRIP("1e400");
  ROUND_TRIP("-1e400");
  ROUND_TRIP("[-9223372036854775808,9223372036854775807,9223372036854775808]");
  ROUND_TRIP("[0.1,1e-300,1.7976931348623157e+308,5e-324,0.30000000000000004,-0.0]");
}

TEST(d10_integers_are_integers_to_lua) {
  CHECK_LUA("return math.type(rille.json.decode('10000'))", "integer");
  CHECK_LUA("return math.type(rille.json.decode('10000.0'))", "float");
  CHECK_LUA("return rille.json.decode('{\"id\":228930314431312345}').id == 228930314431312345", "true");
}

TEST(d11_empty_arrays_objects_and_nulls_stay_apart) {
  ROUND_TRIP("{\"a\":[1,null,\"x\"]}");
  ROUND_TRIP("{\"bar\":{},\"foo\":[]}");
  ROUND_TRIP("{\"a\":null}");
  ROUND_TRIP("[[],{},[[]],[null]]");
  ROUND_TRIP("null");
  ROUND_TRIP("[null,null]");
  CHECK_LUA("return rille.json.encode(rille.json.decode('{\"foo\":[],\"bar\":{}}'))",
            "{\"bar\":{},\"foo\":[]}");
}

TEST(s9_4_null_is_one_value) {
  CHECK_LUA("return rille.json.decode('null') == rille.null", "true");
  CHECK_LUA("return rille.json.decode('[null]')[1] == rille.json.null and rille.null ~= nil", "true");
  CHECK_LUA("return rille.json.encode({a = rille.null})", "{\"a\":null}");
  CHECK_LUA("return rille.json.encode(nil)", "null");
}

TEST(s9_4_keys_are_sorted_by_their_bytes) {
  CHECK_LUA("return rille.json.encode{b = 1, a = 2, ab = 3, ['a!'] = 4, [''] = 5, ['\\xc3\\xa9'] = 6, Z = 7}",
            "{\"\":5,\"Z\":7,\"a\":2,\"a!\":4,\"ab\":3,\"b\":1,\"\xc3\xa9\":6}");
  CHECK_LUA("return rille.json.encode{z = {y = {x = 1, w = {}}, b = {2, 3}}, a = {c = 1, b = 2}}",
            "{\"a\":{\"b\":2,\"c\":1},\"z\":{\"b\":[2,3],\"y\":{\"w\":{},\"x\":1}}}");
}

TEST(s9_4_many_keys_are_sorted_too) {
  CHECK_LUA(
      "local t, want = {}, {}\n"
      "for i = 1, 3000 do local k = ('%04d%s'):format(i, ('x'):rep(i % 90)) t[k] = i want[i] = '\"' .. k .. "
      "'\":' .. i end\n"
      "return rille.json.encode(t) == '{' .. table.concat(want, ',') .. '}'",
      "true");
}

TEST(s9_4_arrays_and_objects_made_by_hand) {
  CHECK_LUA("return rille.json.encode({})", "{}");
  CHECK_LUA("return rille.json.encode(rille.json.array({}))", "[]");
  CHECK_LUA("return rille.json.encode(rille.json.array())", "[]");
  CHECK_LUA("return rille.json.encode({1, 2, {3}})", "[1,2,[3]]");
  CHECK_LUA("return rille.json.encode(rille.json.object({5, 6, a = 7}))", "{\"1\":5,\"2\":6,\"a\":7}");
  CHECK_LUA("return rille.json.encode(rille.json.object())", "{}");
  CHECK_LUA("local t = rille.json.decode('[1,2]') t[1], t[2] = nil, nil return rille.json.encode(t)", "[]");
}

TEST(s8_1_columns_and_packed_tables_keep_their_holes) {
  CHECK_LUA("return rille.json.encode(table.pack(1, nil, 3, nil))", "[1,null,3,null]");
  CHECK_LUA("return rille.json.encode(rille.json.array({n = 2}))", "[null,null]");
  CHECK_LUA("return rille.json.encode({n = 3})", "{\"n\":3}");
  CHECK_LUA("local t = rille.json.decode('[1,2,3]') t[2] = nil return rille.json.encode(t)", "[1,null,3]");
}

TEST(encode_names_the_path_of_what_it_refuses) {
  CHECK_LUA_HAS("rille.json.encode({a = {b = {1, 2, {c = print}}}})", "a function, at a.b[3].c");
  CHECK_LUA_HAS("rille.json.encode({['x y'] = {[true] = 1}})",
                "mixed keys, neither array nor object, at [\"x y\"]");
  CHECK_LUA_HAS("rille.json.encode({{['x y'] = {z = io.stdout}}})", "a FILE*, at [1][\"x y\"].z");
  CHECK_LUA_HAS("rille.json.encode(print)", "a function, at the top");
  CHECK_LUA_HAS("rille.json.encode({1, nil, 3})", "array with holes");
  CHECK_LUA_HAS("rille.json.encode({1, 2, a = 3})", "mixed keys");
  CHECK_LUA_HAS("rille.json.encode({[0] = 1})", "mixed keys");
  CHECK_LUA_HAS("rille.json.encode({[1.5] = 1})", "mixed keys");
  CHECK_LUA_HAS("rille.json.encode({n = 1, 2, 3})", "mixed keys");
  CHECK_LUA_HAS("rille.json.encode(rille.json.array{a = 1})", "keys that are no positions");
  CHECK_LUA_HAS("rille.json.encode(rille.json.object{[1.5] = 1})", "neither strings nor integers");
  CHECK_LUA_HAS("rille.json.encode({x = rille.json.object{5, ['1'] = 6}})",
                "both as a string and as an integer, at x.1");
  CHECK_LUA_HAS("rille.json.encode(rille.json.array{[2^40 | 0] = 1})", "over a million holes");
  CHECK_LUA_HAS("rille.json.encode({co = coroutine.create(print)})", "a thread, at co");
}

TEST(d12_nan_and_infinity_are_refused_with_their_path) {
  CHECK_LUA_HAS("rille.json.encode({a = {1, 0/0}})", "NaN (nan = \"null\" writes null), at a[2]");
  CHECK_LUA_HAS("rille.json.encode(1/0)", "infinity (nan = \"null\" writes null), at the top");
  CHECK_LUA("return rille.json.encode({0/0, 1/0, -1/0, 1.5}, {nan = 'null'})", "[null,null,null,1.5]");
}

TEST(d13_depth_and_cycles_are_errors) {
  CHECK_LUA_HAS("return select(2, rille.json.decode(('['):rep(100000)))", "at byte");
  CHECK_LUA_HAS("return select(2, rille.json.decode(('['):rep(1001) .. (']'):rep(1001)))", "at byte");
  CHECK_LUA("return type(rille.json.decode(('['):rep(1000) .. (']'):rep(1000)))", "table");
  CHECK_LUA(
      "local t = ('['):rep(4000) .. (']'):rep(4000)\n"
      "local o = {max_depth = 4000} return rille.json.encode(rille.json.decode(t, o), o) == t",
      "true");
  CHECK_LUA_HAS("local t = {} for i = 1, 1001 do t = {t} end rille.json.encode(t)",
                "nested deeper than 1000");
  CHECK_LUA_HAS("local t = {} t.a = {t} rille.json.encode(t)", "a table that is inside itself, at a[1]");
  CHECK_LUA("local t = {1} return rille.json.encode({t, t})", "[[1],[1]]");
}

TEST(d13_the_deepest_that_may_be_asked_for_fits_the_stack) {
  CHECK_LUA(
      "local n, o = 4000, {max_depth = 4000}\n"
      "local t = ('{\"a\":'):rep(n) .. '1' .. ('}'):rep(n)\n"
      "return rille.json.encode(rille.json.decode(t, o), o) == t",
      "true");
}

TEST(d13_invalid_utf8_comes_out_as_valid_json) {
  CHECK_LUA("return rille.json.encode({'a\\xffb', ['n'] = 1})",
            "[\"a\xEF\xBF\xBD"
            "b\"]");
  CHECK_LUA("return rille.json.encode('\\0\\n\"\\\\\\x7f\\u{1F52D}')",
            "\"\\u0000\\n\\\"\\\\\x7f\xF0\x9F\x94\xAD\"");
  CHECK_LUA_HAS("return select(2, rille.json.decode('\"a\\xff\"'))", "at byte");
}

TEST(decode_returns_nil_and_the_place) {
  CHECK_LUA("return rille.json.decode('not json') == nil", "true");
  CHECK_LUA_HAS("return select(2, rille.json.decode('{\"a\":1} {\"a\":2}'))", "at byte");
  CHECK_LUA_HAS("return select(2, rille.json.decode(''))", "byte");
  CHECK_LUA_HAS("return select(2, rille.json.decode('NaN'))", "at byte");
  CHECK_LUA("return rille.json.decode('{\"a\":1,\"a\":2}').a", "2");
}

TEST(s4_6_misuse_is_the_scripts_failure) {
  CHECK_LUA_HAS("rille.json.decode(5)", "rille.json.decode");
  CHECK_LUA_HAS("rille.json.decode('1', {max_dept = 5})", "max_depth");
  CHECK_LUA_HAS("rille.json.decode('1', {max_depth = 0})", "max_depth is an integer from 1 to 4000");
  CHECK_LUA_HAS("rille.json.encode(1, {nan = 'zero'})", "nan is \"null\"");
  CHECK_LUA_HAS("rille.json.encode()", "takes a value");
  CHECK_LUA_HAS("rille.json.array(5)", "takes a table");
  CHECK_LUA_HAS("rille.json.array(setmetatable({}, {}))", "metatable of its own");
}

TEST(pretty_puts_one_item_a_line) {
  CHECK_LUA("return rille.json.encode({a = {1, {}, rille.json.array{}}, b = {c = true}}, {pretty = true})",
            "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": {\n    \"c\": true\n  }\n}");
}

TEST(metamethods_are_not_asked) {
  CHECK_LUA(
      "return rille.json.encode(setmetatable({a = 1}, {__pairs = error, __index = error, __len = error}))",
      "{\"a\":1}");
}

TEST(a_gc_that_decodes_in_the_middle_disturbs_nothing) {
  CHECK_LUA(
      "collectgarbage('setpause', 0) collectgarbage('setstepmul', 1000)\n"
      "local n = 0\n"
      "local function litter() setmetatable({}, {__gc = function()\n"
      "  n = n + 1 assert(rille.json.encode(rille.json.decode('{\"x\":[1,2,{\"y\":[]}]}')) == "
      "'{\"x\":[1,2,{\"y\":[]}]}') "
      "end}) end\n"
      "local items = {} for i = 1, 500 do items[i] = '{\"k' .. i .. '\":[' .. i .. ',\"v' .. i .. '\"]}' "
      "end\n"
      "local text = '[' .. table.concat(items, ',') .. ']'\n"
      "for i = 1, 4 do litter() litter() litter() litter() assert(rille.json.encode(rille.json.decode(text)) "
      "== text) end\n"
      "return n > 3",
      "true");
}

TEST(cells_become_lua_values) {
  lua_State *L = snippet_state();
  static const struct rl_cell tree[] = {{.tag = RL_OBJECT, .len = 3},
                                        {.tag = RL_TEXT, .len = 1, .s = "b"},
                                        {.tag = RL_NULL},
                                        {.tag = RL_TEXT, .len = 1, .s = "a"},
                                        {.tag = RL_ARRAY, .len = 1},
                                        {.tag = RL_OBJECT},
                                        {.tag = RL_TEXT, .len = 1, .s = "c"},
                                        {.tag = RL_ARRAY, .len = 1},
                                        {.tag = RL_BLOB, .len = 1, .s = "x"}};
  struct rl_cell cells[] = {{.tag = RL_MISSING},
                            {.tag = RL_NULL},
                            {.tag = RL_BOOL, .i = 1},
                            {.tag = RL_INT, .i = INT64_MIN},
                            {.tag = RL_DOUBLE, .d = 2.5},
                            {.tag = RL_BIG, .len = 5, .s = "1e400"},
                            {.tag = RL_TEXT, .len = 3, .s = "a\0b"},
                            {.tag = RL_JSON, .len = 8, .s = "[1,null]"},
                            {.tag = RL_BLOB, .len = 2, .s = "\xff\0"},
                            {.tag = RL_TREE, .len = 9, .tree = tree}};
  lua_newtable(L);
  for (int i = 0; i < 10; i++) {
    rl_lua_push_cell(L, &cells[i]);
    lua_rawseti(L, -2, i + 1);
  }
  struct rl_buf out = RL_BUF_INIT;
  rl_lua_mark_array(L);
  CHECK_INT(rl_lua_encode_json(L, -1, &out, NULL), 0);
  CHECK_STR(out.data,
            "[null,null,true,-9223372036854775808,2.5,1e400,\"a\\u0000b\",[1,null],\"\xef\xbf\xbd\\u0000\",{"
            "\"a\":[{}],\"b\":null,"
            "\"c\":[\"x\"]}]");
  rl_buf_free(&out);
  lua_close(L);
}

TEST(a_failed_encoding_leaves_the_buffer_as_it_was) {
  lua_State *L = snippet_state();
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err;
  rl_buf_puts(&out, "before");
  CHECK_INT(luaL_dostring(L, "return {a = {1, 2, print}}"), 0);
  int top = lua_gettop(L);
  CHECK_INT(rl_lua_encode_json(L, -1, &out, &err), RL_EHANDLER);
  CHECK_INT(rl_lua_encode_json(L, -1, &out, NULL), RL_EHANDLER);
  CHECK_STR(out.data, "before");
  CHECK_HAS(err.text, "a function, at a[3]");
  CHECK_INT(lua_gettop(L), top);
  rl_buf_free(&out);
  lua_close(L);
}
