/* Batches, messages and `out` as a handler sees them (S8.1, S8.4, S8.5, S10.1). */
#include "lua_made.h"

#define ALERT(id, mag) "{\"objectId\":\"" id "\",\"candidate\":{\"magpsf\":" mag "}}"

TEST(batch_properties) {
  made_pass(
      "return function(batch, out)\n"
      "  assert(#batch == 2 and batch.number == 12 and batch.cause == 'timeout' and batch.attempt == 1)\n"
      "  assert(batch.part == nil)\n"
      "  assert(tostring(batch) == 'batch 12 (2 messages)')\n"
      "  assert(tostring(batch:select { 1 }) == 'batch 12 (1 message)')\n"
      "end",
      VALUES("a", "b"));
}

TEST(message_members) {
  made_pass(
      "return function(batch)\n"
      "  local m = batch[1]\n"
      "  assert(m.topic == 'alerts' and m.partition == 3 and m.offset == 100)\n"
      "  assert(m.timestamp == 1700000000100 and m.timestamp_type == 'create')\n"
      "  assert(m.key == 'k' and m.value == 'a' and #m.headers == 0)\n"
      "  assert(batch[0] == nil and batch[3] == nil and batch[-1] == nil)\n"
      "end",
      VALUES("a", "b"));
}

TEST(d_9_null_empty_and_absent_stay_apart) {
  struct made_run r;
  CHECK_INT(
      made_open(&r,
                "return function(batch)\n"
                "  local null, empty = batch[1], batch[2]\n"
                "  assert(null.key == nil and null.value == nil)\n"
                "  assert(empty.key == '' and empty.value == '')\n"
                "  assert(null:decode() == nil)\n"
                "  local h = empty.headers\n"
                "  assert(#h == 3 and h[1].name == 'a' and h[1].value == '1' and h[3].value == '2')\n"
                "  assert(h.a == '2' and h.b == require 'rille'.null and h.c == nil and h[2].value == nil)\n"
                "end"),
      0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, NULL);
  made_add(&r, b, "", "");
  struct made *m = b->msgs[1].handle;
  m->headers[0] = (struct rl_header){"a", rl_bytes_str("1")};
  m->headers[1] = (struct rl_header){"b", rl_bytes(NULL, 0)};
  m->headers[2] = (struct rl_header){"a", rl_bytes_str("2")};
  m->n_headers = 3;
  CHECK_INT(made_handle(&r, b), 0);
  if (r.why.error) UNIT_FAIL("%s", r.why.error);
  made_settle(&r, b);
  made_close(&r);
}

TEST(s8_5_the_same_object_each_time) {
  made_pass(
      "return function(batch)\n"
      "  assert(batch[1] == batch[1] and batch[1] ~= batch[2])\n"
      "  for i, m in batch:messages() do assert(m == batch[i]) end\n"
      "  local n = 0\n"
      "  for i, m in ipairs(batch) do n = n + 1; assert(m == batch[i]) end\n"
      "  assert(n == 2)\n"
      "end",
      VALUES("a", "b"));
}

TEST(map_gives_an_array_with_n) {
  made_pass(
      "return function(batch)\n"
      "  local t = batch:map(function(m, i) if i ~= 2 then return m.value .. i end end)\n"
      "  assert(t.n == 3 and t[1] == 'a1' and t[2] == nil and t[3] == 'c3')\n"
      "end",
      VALUES("a", "b", "c"));
}

#define FIELDS                                                                                            \
  "return { fields = { 'objectId', mag = 'candidate.magpsf', sure = { path = 'candidate.magpsf', type = " \
  "'f64' } },"

TEST(s8_1_columns) {
  made_pass(
      FIELDS
      "handle = function(batch)\n"
      "  local ids, mags, sure = batch.objectId, batch.mag, batch.columns.sure\n"
      "  assert(ids.n == 4 and ids[1] == 'x' and ids[4] == nil)\n"
      "  assert(mags.n == 4 and mags[1] == 17.5 and math.type(mags[2]) == 'integer' and mags[3] == nil)\n"
      "  assert(sure[1] == 17.5 and sure[2] == 18.0 and sure[3] ~= sure[3] and sure[4] ~= sure[4])\n"
      "  assert(batch.columns.mag == batch.mag)\n"
      "  local seen = 0\n"
      "  for name, column in pairs(batch.columns) do seen = seen + 1; assert(column.n == 4) end\n"
      "  assert(seen == 3)\n"
      "end }",
      VALUES(ALERT("x", "17.5"), ALERT("y", "18"), ALERT("z", "null"), "~"));
}

TEST(s8_1_rows_and_message_fields) {
  made_pass(FIELDS
            "handle = function(batch)\n"
            "  local rows = batch:rows()\n"
            "  assert(rows.n == 2 and rows[1].objectId == 'x' and rows[1].mag == 17.5)\n"
            "  assert(rows[2].mag == nil and rows[2].sure ~= rows[2].sure)\n"
            "  assert(batch[1].fields.objectId == 'x' and batch[2].fields.mag == nil)\n"
            "  assert(batch[1].fields == batch[1].fields)\n"
            "end }",
            VALUES(ALERT("x", "17.5"), ALERT("y", "null")));
}

TEST(s8_4_a_column_is_the_scripts_copy) {
  struct made_run r;
  CHECK_INT(made_open(&r, FIELDS "handle = function(batch)\n"
                                 "  assert(batch.mag[1] == 17.5)\n"
                                 "  batch.mag[1] = 99\n"
                                 "  assert(batch.mag[1] == 99 and batch:rows()[1].mag == 17.5)\n"
                                 "end }"),
            0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, ALERT("x", "17.5"));
  CHECK_INT(made_handle(&r, b), 0);
  CHECK_INT(made_handle(&r, b), 0); /* another attempt has fresh arrays */
  made_settle(&r, b);
  made_close(&r);
}

TEST(s8_5_a_field_with_a_methods_name) {
  struct made_run r;
  CHECK_INT(made_open(&r,
                      "return { fields = { rows = 'a', number = 'b' }, handle = function(batch)\n"
                      "  assert(type(batch.rows) == 'function' and batch.columns.rows[1] == 5)\n"
                      "  assert(batch.number == 12 and batch.columns.number[1] == 6)\n"
                      "end }"),
            0);
  CHECK_HAS(made_log, "the field 'rows' is read as batch.columns.rows");
  CHECK_HAS(made_log, "the field 'number'");
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "{\"a\":5,\"b\":6}");
  CHECK_INT(made_handle(&r, b), 0);
  made_settle(&r, b);
  made_close(&r);
}

TEST(s8_5_views_count_from_1_and_share_messages) {
  made_pass(
      FIELDS
      "handle = function(batch)\n"
      "  local bright = batch:where('mag < 18')\n"
      "  assert(#bright == 2 and bright[1] == batch[1] and bright[2] == batch[3] and bright[3] == nil)\n"
      "  assert(bright.mag.n == 2 and bright.mag[2] == 17 and bright:rows()[2].objectId == 'z')\n"
      "  assert(bright.number == 12 and #bright:where('mag < 17.2') == 1)\n"
      "end }",
      VALUES(ALERT("x", "17.5"), ALERT("y", "18.5"), ALERT("z", "17")));
}

TEST(s4_6_a_wrong_name_is_the_scripts_failure) {
  made_fail(FIELDS "handle = function(batch) return batch.mga end }", VALUES(ALERT("x", "1")),
            RL_BLAME_SCRIPT, "--code:1: there is no field 'mga' (did you mean 'mag'?)");
  made_fail(FIELDS "handle = function(batch) return batch[1].fields.mga end }", VALUES(ALERT("x", "1")),
            RL_BLAME_SCRIPT, "did you mean 'mag'");
  made_fail("return function(batch) return batch.mag end", VALUES("a"), RL_BLAME_SCRIPT,
            "ask for fields first");
  made_fail("return function(batch) return batch[1].vlaue end", VALUES("a"), RL_BLAME_SCRIPT, "no 'vlaue'");
  made_fail("return function(batch) batch:map(5) end", VALUES("a"), RL_BLAME_SCRIPT,
            "must be a function, not number");
  made_fail("return function(batch) batch.map(print) end", VALUES("a"), RL_BLAME_SCRIPT, "batch:map(...)");
}

TEST(raw_decodes_on_demand) {
  made_pass(
      "return function(batch)\n"
      "  assert(batch[1]:decode().a == 1)\n"
      "  local ok, err = pcall(batch[2].decode, batch[2])\n"
      "  assert(not ok and tostring(err):find('alerts[3]@101', 1, true), tostring(err))\n"
      "end",
      VALUES("{\"a\":1}", "not json"));
}

TEST(rows_without_fields_are_decoded_values) {
  made_pass(
      "return function(batch)\n"
      "  local rows = batch:rows()\n"
      "  assert(rows.n == 3 and rows[1].a == 1 and rows[2] == nil and rows[3] == 7)\n"
      "end",
      VALUES("{\"a\":1}", "~", "7"));
  made_fail("return function(batch) batch:rows() end", VALUES("{}", "not json"), RL_BLAME_MESSAGE,
            "alerts[3]@101");
}

/* ---- after the batch ---- */

static const char *const keeper =
    "local kept, view, message, column, fields, iterate\n"
    "return { fields = { mag = 'candidate.magpsf', id = 'objectId' }, handle = function(batch, out)\n"
    "  if kept then\n"
    "    for what, use in pairs {\n"
    "      len = function() return #kept end, index = function() return kept[1] end,\n"
    "      column = function() return kept.id end, rows = function() return kept:rows() end,\n"
    "      where = function() return kept:where('mag < 5') end, map = function() return kept:map(print) "
    "end,\n"
    "      view = function() return view[1] end, view_len = function() return #view end,\n"
    "      value = function() return message.value end, decode = function() return message:decode() end,\n"
    "      headers = function() return message.headers end, columns = function() return column.id end,\n"
    "      step = function() return iterate(kept, 0) end,\n"
    "      forward = function() out:forward('t', kept) end, forward1 = function() out:forward('t', message) "
    "end,\n"
    "      reject = function() out:reject(message, 'no') end,\n"
    "    } do\n"
    "      local ok, err = pcall(use)\n"
    "      assert(not ok and tostring(err):find('over', 1, true), what .. ': ' .. tostring(err))\n"
    "    end\n"
    "    assert(tostring(kept):find('over') and tostring(message):find('over') and column.mag[1] == 17.5)\n"
    "    assert(fields.id == 'x' and fields.nothing == nil)\n"
    "    return\n"
    "  end\n"
    "  kept, view, message, column = batch, batch:where('mag < 18'), batch[1], batch.columns\n"
    "  fields, iterate = message.fields, batch:messages()\n"
    "  assert(column.mag[1] == 17.5 and #view == 1)\n"
    "end }";

TEST(a_batch_that_is_over_raises) {
  struct made_run r;
  CHECK_INT(made_open(&r, keeper), 0);
  for (int i = 0; i < 2; i++) {
    struct rl_batch *b = made_batch(&r);
    made_add(&r, b, NULL, ALERT("x", "17.5"));
    if (made_handle(&r, b)) UNIT_FAIL("%s", r.why.error);
    made_settle(&r, b);
    CHECK_INT(made_live, 0);
  }
  made_close(&r);
}

TEST(a_part_says_so) {
  struct made_run r;
  CHECK_INT(made_open(&r,
                      "return function(batch)\n"
                      "  assert(#batch == 2 and batch.part == '2-3/4' and batch.attempt == 3)\n"
                      "  assert(batch[1].value == 'b' and batch[2].value == 'c')\n"
                      "end"),
            0);
  struct rl_batch *b = made_batch(&r);
  for (const char *v = "abcd"; *v; v++) made_add(&r, b, NULL, (char[]){*v, 0});
  struct rl_view view = {
      .batch = b, .rows = (uint32_t[]){1, 2}, .n = 2, .attempt = 3, .part_at = 1, .parts_of = 4};
  CHECK_INT(r.e.handle(r.e.self, &view, &r.box, &r.why), 0);
  if (r.why.error) UNIT_FAIL("%s", r.why.error);
  made_settle(&r, b);
  made_close(&r);
}
