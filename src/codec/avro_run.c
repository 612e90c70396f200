#include "codec/avro_run.h"

#include <stdarg.h>

bool rl_avro_fault(struct rl_avro_run *r, size_t at, const char *fmt, ...) {
  struct rl_buf text = RL_BUF_INIT;
  va_list args;
  if (!r->err) return false;
  va_start(args, fmt);
  rl_buf_vprintf(&text, fmt, args);
  va_end(args);
  if (r->inflated)
    rl_fail(r->err, RL_EHANDLER, "Avro: %s at byte %zu of the inflated block at byte %zu", text.data, at,
            r->base);
  else
    rl_fail(r->err, RL_EHANDLER, "Avro: %s at byte %zu", text.data, r->base + at);
  rl_buf_free(&text);
  return false;
}

bool rl_avro_fault_end(struct rl_avro_run *r, uint64_t want) {
  return rl_avro_fault(r, r->at, "cut short: %llu bytes wanted, %zu are left", (unsigned long long)want,
                       rl_avro_left(r));
}

bool rl_avro_fault_length(struct rl_avro_run *r, size_t at, int64_t length) {
  if (length < 0) return rl_avro_fault(r, at, "a length of %lld", (long long)length);
  return rl_avro_fault(r, at, "a length of %lld, with %zu bytes left", (long long)length, rl_avro_left(r));
}

bool rl_avro_long_slow(struct rl_avro_run *r, int64_t *value) {
  size_t start = r->at;
  uint64_t n = 0;
  for (unsigned shift = 0; r->at < r->len; shift += 7) {
    uint64_t byte = r->data[r->at++];
    if (shift == 63 && byte > 1) return rl_avro_fault(r, start, "an integer over 64 bits");
    n |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = rl_avro_unzigzag(n);
      return true;
    }
  }
  return rl_avro_fault(r, start, "cut short: an integer has no end");
}

bool rl_avro_branch(struct rl_avro_run *r, uint32_t n_branches, uint32_t *branch) {
  size_t start = r->at;
  int64_t i;
  if (!rl_avro_long(r, &i)) return false;
  *branch = (uint32_t)i;
  if (i >= 0 && i < n_branches) return true;
  return rl_avro_fault(r, start, "branch %lld of a union of %u", (long long)i, n_branches);
}

/* Items that take bytes are bounded by those that are left; the others by a number. */
static bool check_count(struct rl_avro_run *r, size_t start, uint64_t least, uint64_t n, uint64_t bytes) {
  if (least > 0 ? n <= bytes / least : n <= r->free_items) {
    if (least == 0) r->free_items -= (size_t)n;
    return true;
  }
  if (least == 0) return rl_avro_fault(r, start, "%llu items that take no bytes", (unsigned long long)n);
  return rl_avro_fault(r, start, "%llu items, with %llu bytes left", (unsigned long long)n,
                       (unsigned long long)bytes);
}

bool rl_avro_block(struct rl_avro_run *r, uint64_t least, uint64_t *n, int64_t *size) {
  size_t start = r->at;
  int64_t count = 0;
  *size = -1;
  if (!rl_avro_long(r, &count)) return false;
  if (count >= 0) {
    *n = (uint64_t)count;
    return check_count(r, start, least, *n, rl_avro_left(r));
  }
  *n = 0 - (uint64_t)count;
  size_t from = r->at;
  if (!rl_avro_long(r, size)) return false;
  if (*size < 0 || (uint64_t)*size > rl_avro_left(r)) return rl_avro_fault_length(r, from, *size);
  return check_count(r, start, least, *n, (uint64_t)*size);
}
