/* Whole values that are no JSON, as a handler reads them. */
#include "lua/reader.h"
#include "lua_made.h"

#define CSV "return { decode = 'csv', csv = { columns = { 'id', 'name' } }, handle = function(batch)\n"

TEST(whole_values_come_from_a_reader_of_the_handlers_own) {
  made_pass(CSV
            "  local a = batch[1]:decode()\n"
            "  assert(a.id == 1 and a.name == 'one' and a ~= batch[1]:decode())\n"
            "  local rows = batch:rows()\n"
            "  assert(rows.n == 3 and rows[2] == nil and rows[3].id == 2 and rows[3].name == rille.null)\n"
            "  local view = batch:map(function(m) return m:decode() and m:decode().id end)\n"
            "  assert(view[1] == 1 and view[2] == nil and view[3] == 2)\n"
            "end }",
            VALUES("1,one", "~", "2,"));
}

TEST(a_value_that_does_not_decode_is_the_messages_failure) {
  made_fail(CSV "batch[2]:decode() end }", VALUES("1,one", "1,2,3"), RL_BLAME_MESSAGE,
            "alerts[3]@101: CSV: 3 cells, where there are 2 columns");
}

TEST(json_and_raw_have_none) {
  made_pass("return function(batch) assert(batch[1]:decode().a == 1) end", VALUES("{\"a\":1}"));
  made_pass("return { decode = 'json', handle = function(batch) assert(batch[1]:decode().a == 1) end }",
            VALUES("{\"a\":1}"));
}

TEST(settings_that_make_no_decoder_stop_the_start) {
  struct made_run r;
  CHECK_INT(made_open(&r, "return { decode = 'csv', csv = { delimiter = '\"' }, handle = print }"),
            RL_EUSAGE);
  CHECK_HAS(r.err.text, "cannot be the delimiter");
  made_close(&r);
}

#define ROWS "1,one\n2,\"t\"\"wo\"\n3,three\n"

TEST(each_record_of_a_message_has_its_own_value) {
  made_pass(CSV
            "  assert(#batch == 5 and tostring(batch) == 'batch 12 (5 rows)')\n"
            "  for i, id in ipairs { 1, 2, 3, 9, 8 } do\n"
            "    assert(batch[i]:decode().id == id and batch[i].offset == (i < 4 and 100 or i == 4 and 101 "
            "or 103))\n"
            "    assert(batch[i] == batch[i] and batch[i].record == (i < 4 and i or 1))\n"
            "  end\n"
            "  assert(batch[2]:decode().name == 't\"wo' and batch[1]:decode().name == 'one')\n"
            "  assert(batch[1] ~= batch[2] and batch[1].value == batch[3].value)\n"
            "  assert(tostring(batch[2]) == 'message alerts[3]@100 record 2')\n"
            "  assert(tostring(batch[4]) == 'message alerts[3]@101')\n"
            "  local rows = batch:rows()\n"
            "  assert(rows.n == 5 and rows[3].name == 'three' and rows[5].id == 8)\n"
            "end }",
            VALUES(ROWS, "9,nine", "\n", "8,"));
}

/* Records before the one that is asked for are passed by in the same pass, and read when it begins anew. */
TEST(records_are_read_in_any_order) {
  made_pass(CSV
            "  for _, i in ipairs { 3, 1, 3, 2, 5, 5, 4, 1 } do\n"
            "    assert(batch[i]:decode().id == i)\n"
            "  end\n"
            "end }",
            VALUES(ROWS, "4,\n5,\n"));
}

/* Mostly the lane has waited for it before the batch was handed over. */
TEST(s4_1_a_schema_that_is_not_there_yet_is_the_weather) {
  struct made_run r;
  CHECK_INT(made_open(&r,
                      "return { decode = 'avro', registry = 'http://127.0.0.1:1',\n"
                      "  handle = function(batch) batch[1]:decode() end }"),
            0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "?");
  struct rl_bytes before = b->msgs[0].value;
  b->msgs[0].value = rl_bytes("\0\0\0\0\1x", 6);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_INT(r.why.blame, RL_BLAME_WEATHER);
  CHECK_HAS(r.why.error, "--code:2: alerts[3]@100: schema 1: http://127.0.0.1:1 is asked for it");
  b->msgs[0].value = before;
  made_settle(&r, b);
  made_close(&r);
}
