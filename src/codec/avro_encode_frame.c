/* What stands around values. */
#include "codec/avro_put.h"

enum { SYNC = 16, BLOCK = 64 << 10 }; /* bytes of a block, before it is compressed, that are enough */

void rl_avro_put_single(const struct rl_avro_encoder *encoder, struct rl_buf *out) {
  rl_buf_put(out, "\xC3\x01", 2);
  for (int shift = 0; shift < 64; shift += 8) rl_buf_putc(out, (char)(encoder->fingerprint >> shift));
}

void rl_avro_put_confluent(uint32_t id, struct rl_buf *out) {
  rl_buf_putc(out, 0);
  for (int shift = 24; shift >= 0; shift -= 8) rl_buf_putc(out, (char)(id >> shift));
}

/* ---- containers ---- */

static void put_run(struct rl_buf *out, struct rl_bytes bytes) {
  rl_avro_put_long(out, (int64_t)bytes.len);
  rl_buf_put(out, bytes.data, bytes.len);
}

/* Two halves that differ: the text's print and the canonical form's, turned over. */
static void put_sync(const struct rl_avro_file *file) {
  uint64_t halves[] = {rl_avro_fingerprint(rl_buf_bytes(&file->encoder->text)), ~file->encoder->fingerprint};
  for (int i = 0; i < SYNC; i++) rl_buf_putc(file->out, (char)(halves[i / 8] >> 8 * (i % 8)));
}

void rl_avro_file_begin(struct rl_avro_file *file, struct rl_avro_encoder *encoder, enum rl_avro_codec codec,
                        struct rl_buf *out) {
  *file = (struct rl_avro_file){.encoder = encoder, .codec = codec, .out = out};
  rl_buf_put(out, "Obj\1", 4);
  rl_avro_put_long(out, 2);
  put_run(out, rl_bytes_str("avro.codec"));
  put_run(out, rl_bytes_str(rl_avro_codec_name(codec)));
  put_run(out, rl_bytes_str("avro.schema"));
  put_run(out, rl_buf_bytes(&encoder->text));
  rl_avro_put_long(out, 0);
  put_sync(file);
}

static int flush(struct rl_avro_file *file, struct rl_err *err) {
  struct rl_buf packed = RL_BUF_INIT;
  if (file->values == 0) return 0;
  int code = rl_avro_deflate(file->codec, rl_buf_bytes(&file->block), &packed, err);
  if (code == 0) {
    rl_avro_put_long(file->out, file->values);
    put_run(file->out, rl_buf_bytes(&packed));
    put_sync(file);
  }
  rl_buf_free(&packed);
  rl_buf_clear(&file->block);
  file->values = 0;
  return code;
}

int rl_avro_file_put(struct rl_avro_file *file, const struct rl_cell *value, size_t n,
                     const struct rl_avro_encode_opts *opts, struct rl_err *err) {
  int code = rl_avro_encode(file->encoder, value, n, opts, &file->block, err);
  if (code != 0) return code;
  file->values++;
  return file->block.len >= BLOCK ? flush(file, err) : 0;
}

int rl_avro_file_end(struct rl_avro_file *file, struct rl_err *err) { return flush(file, err); }

void rl_avro_file_free(struct rl_avro_file *file) { rl_buf_free(&file->block); }
