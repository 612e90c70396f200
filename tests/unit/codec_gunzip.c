/* gzip under a limit. */
#include "codec/gunzip.h"

#include <zlib.h>

#include "unit.h"

static void add_member(struct rl_buf *file, const void *data, size_t len) {
  z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
  CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  uLong room = deflateBound(&z, (uLong)len);
  z.next_out = (Bytef *)rl_buf_reserve(file, room);
  z.avail_out = (uInt)room;
  CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
  file->len += z.total_out;
  deflateEnd(&z);
}

static struct rl_buf zip(const char *text) {
  struct rl_buf file = RL_BUF_INIT;
  add_member(&file, text, strlen(text));
  return file;
}

TEST(what_was_zipped_comes_out) {
  struct rl_buf file = zip("a cutout"), out = RL_BUF_INIT;
  struct rl_err err;
  CHECK(rl_is_gzip(rl_buf_bytes(&file)));
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 8, &out, &err), 0);
  CHECK_STR(rl_buf_text(&out), "a cutout");
  rl_buf_free(&file);
  rl_buf_free(&out);
}

TEST(what_stands_before_stays_and_is_not_counted) {
  struct rl_buf file = zip("1234"), out = RL_BUF_INIT;
  struct rl_err err;
  rl_buf_puts(&out, "before ");
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 4, &out, &err), 0);
  CHECK_STR(rl_buf_text(&out), "before 1234");
  rl_buf_free(&file);
  rl_buf_free(&out);
}

TEST(nothing_and_members_one_behind_the_other) {
  struct rl_buf file = zip(""), out = RL_BUF_INIT;
  struct rl_err err;
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 1, &out, &err), 0);
  CHECK_INT(out.len, 0);
  add_member(&file, "one ", 4);
  add_member(&file, "two", 3);
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 7, &out, &err), 0);
  CHECK_STR(rl_buf_text(&out), "one two");
  rl_buf_clear(&out);
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 6, &out, &err), RL_EFAIL);
  CHECK_STR(err.text, "gzip data of over 6 bytes when inflated");
  rl_buf_free(&file);
  rl_buf_free(&out);
}

TEST(a_bomb_costs_no_more_than_the_limit) {
  struct rl_buf file = RL_BUF_INIT, out = RL_BUF_INIT;
  struct rl_err err;
  char *zeros = calloc(1, 32 << 20);
  add_member(&file, zeros, 32 << 20);
  free(zeros);
  CHECK(file.len < 100000);
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 1 << 20, &out, &err), RL_EFAIL);
  CHECK_STR(err.text, "gzip data of over 1048576 bytes when inflated");
  CHECK(out.cap < 4 << 20);
  rl_buf_clear(&out);
  CHECK_INT(rl_gunzip(rl_buf_bytes(&file), 32 << 20, &out, &err), 0);
  CHECK_INT(out.len, 32 << 20);
  rl_buf_free(&file);
  rl_buf_free(&out);
}

static void refuse(struct rl_bytes in, const char *part, int line) {
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  int rc = rl_gunzip(in, 1000, &out, &err);
  if (rc != RL_EFAIL || !strstr(err.text, part))
    UNIT_FAIL("line %d: %d \"%s\", without \"%s\"", line, rc, err.text, part);
  rl_buf_free(&out);
}

TEST(damage_is_named_with_its_byte) {
  struct rl_buf file = zip("a cutout, and some more of it");
  refuse(rl_bytes_str(""), "no gzip data, or damaged: cut short at byte 0", __LINE__);
  refuse(rl_bytes_str("SIMPLE"), "no gzip data, or damaged: incorrect header check at byte 2", __LINE__);
  file.data[file.len - 8] ^= 1; /* of the CRC-32 */
  refuse(rl_buf_bytes(&file), "incorrect data check", __LINE__);
  file.data[file.len - 8] ^= 1;
  rl_buf_puts(&file, "more");
  refuse(rl_buf_bytes(&file), "incorrect header check at byte", __LINE__);
  rl_buf_free(&file);
  CHECK(!rl_is_gzip(rl_bytes_str("\x1f")));
  CHECK(!rl_is_gzip(rl_bytes_str("SIMPLE")));
}

TEST(every_cut_is_an_error) {
  struct rl_buf file = zip("a cutout, and some more of it");
  for (size_t len = 0; len < file.len; len++) {
    struct rl_buf cut = RL_BUF_INIT; /* its own memory: a read past its end is seen */
    rl_buf_put(&cut, file.data, len);
    refuse(rl_buf_bytes(&cut), "cut short", __LINE__);
    rl_buf_free(&cut);
  }
  rl_buf_free(&file);
}
