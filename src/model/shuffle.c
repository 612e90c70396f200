#include "model/shuffle.h"

#include <string.h>

static size_t row_bytes(const struct rl_tensor *t) {
  size_t bytes = rl_dtype_size(t->dtype);
  for (int i = 1; i < t->rank; i++) bytes *= (size_t)t->shape[i];
  return bytes;
}

/* ---- what may be added ---- */

static bool same_rows(const struct rl_tensor *a, const struct rl_tensor *b) {
  if (a->dtype != b->dtype || a->rank != b->rank) return false;
  for (int i = 1; i < a->rank; i++)
    if (a->shape[i] != b->shape[i]) return false;
  return true;
}

static int other_rows(const struct rl_shuffle *s, const struct rl_tensor *t, int part, struct rl_err *err) {
  char here[RL_SHAPE_TEXT], there[RL_SHAPE_TEXT];
  const struct rl_tensor *first = &s->rows[part];
  return rl_fail(err, RL_EUSAGE, "tensor %d holds rows of %s %s, those before of %s %s", part + 1,
                 rl_dtype_name(t->dtype), rl_shape_text(here, t->rank - 1, t->shape + 1),
                 rl_dtype_name(first->dtype), rl_shape_text(there, first->rank - 1, first->shape + 1));
}

static int check_part(const struct rl_shuffle *s, const struct rl_tensor *from, int part,
                      struct rl_err *err) {
  const struct rl_tensor *t = &from[part];
  if (t->rank == 0) return rl_fail(err, RL_EUSAGE, "tensor %d has the shape [], and so no rows", part + 1);
  if (t->shape[0] != from[0].shape[0])
    return rl_fail(err, RL_EUSAGE, "tensor 1 has %lld rows, tensor %d has %lld", (long long)from[0].shape[0],
                   part + 1, (long long)t->shape[0]);
  return s->parts && !same_rows(t, &s->rows[part]) ? other_rows(s, t, part, err) : 0;
}

static int check(const struct rl_shuffle *s, const struct rl_tensor *from, int parts, struct rl_err *err) {
  int rc = 0;
  if (parts < 1 || parts > RL_SHUFFLE_PARTS)
    return rl_fail(err, RL_EUSAGE, "a row has 1 to %d parts, not %d", RL_SHUFFLE_PARTS, parts);
  if (s->parts && s->parts != parts)
    return rl_fail(err, RL_EUSAGE, "a row has %d parts, those before had %d", parts, s->parts);
  for (int i = 0; !rc && i < parts; i++) rc = check_part(s, from, i, err);
  return rc;
}

/* ---- room ---- */

static int grow(struct rl_tensor *rows, size_t used, size_t need, const struct rl_tensor *like,
                const struct rl_tensor_alloc *alloc, struct rl_err *err) {
  struct rl_tensor larger;
  int64_t shape[RL_RANK_MAX];
  size_t have = rows->buf ? (size_t)rows->shape[0] : 0, more = have + have / 2;
  if (rows->buf && need <= have) return 0;
  for (int i = 0; i < like->rank; i++) shape[i] = i ? like->shape[i] : (int64_t)(need > more ? need : more);
  int rc = rl_tensor_new(&larger, like->dtype, like->rank, shape, alloc, err);
  if (rc) return rc;
  if (used) memcpy(larger.data, rows->data, used * row_bytes(like));
  rl_tensor_free(rows);
  *rows = larger;
  return 0;
}

int rl_shuffle_add(struct rl_shuffle *s, const struct rl_tensor *from, int parts,
                   const struct rl_tensor_alloc *alloc, struct rl_err *err) {
  int rc = check(s, from, parts, err);
  size_t more = rc ? 0 : (size_t)from[0].shape[0];
  for (int i = 0; !rc && i < parts; i++) rc = grow(&s->rows[i], s->n, s->n + more, &from[i], alloc, err);
  if (rc) {
    if (!s->parts) rl_shuffle_free(s); /* no half of a first row's parts */
    return rc;
  }
  for (int i = 0; i < parts; i++) {
    size_t bytes = row_bytes(&from[i]);
    if (more && bytes) memcpy(s->rows[i].data + s->n * bytes, from[i].data, more * bytes);
  }
  s->parts = parts;
  s->n += more;
  return 0;
}

/* ---- drawing ---- */

size_t rl_shuffle_next(const struct rl_shuffle *s, size_t n, bool rest) {
  if (rest) return s->n < n ? s->n : n;
  return s->n >= n && s->n - n >= s->size ? n : 0;
}

/* The last row takes the place of the one that goes. */
static void take_row(const struct rl_shuffle *s, size_t at, size_t last, size_t to_row,
                     struct rl_tensor *const *to) {
  for (int i = 0; i < s->parts; i++) {
    size_t bytes = row_bytes(&s->rows[i]);
    char *rows = s->rows[i].data;
    if (!bytes) continue;
    memcpy(to[i]->data + to_row * bytes, rows + at * bytes, bytes);
    if (at != last) memcpy(rows + at * bytes, rows + last * bytes, bytes);
  }
}

void rl_shuffle_draw(struct rl_shuffle *s, size_t n, struct rl_tensor *const *to) {
  for (size_t i = 0; i < n; i++) {
    size_t last = s->n - 1, at = (size_t)rl_random_below(&s->random, s->n);
    take_row(s, at, last, i, to);
    s->n = last;
  }
}

void rl_shuffle_free(struct rl_shuffle *s) {
  for (int i = 0; i < RL_SHUFFLE_PARTS; i++) rl_tensor_free(&s->rows[i]);
  s->parts = 0;
  s->n = 0;
}
