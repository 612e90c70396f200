/* Tensors: shapes, views over one buffer, arithmetic that agrees with a plain loop. */
#include "model/tensor.h"

#include "meter.h"
#include "model/tensor_fold.h"
#include "model/tensor_line.h"
#include "model/tensor_math.h"
#include "model/tensor_pair.h"
#include "unit.h"

static struct rl_tensor make(enum rl_dtype dtype, int rank, const int64_t *shape) {
  struct rl_tensor t;
  struct rl_err err;
  if (rl_tensor_new(&t, dtype, rank, shape, NULL, &err)) UNIT_FAIL("%s", err.text);
  return t;
}

#define SHAPE(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((const int64_t[]){__VA_ARGS__})

/* 0, 1, 2 … */
static struct rl_tensor count_up(enum rl_dtype dtype, int rank, const int64_t *shape) {
  struct rl_tensor t = make(dtype, rank, shape);
  for (size_t i = 0; i < rl_tensor_count(&t); i++) {
    struct rl_line line = rl_tensor_line(&t, i);
    const int64_t whole = (int64_t)i;
    rl_line_store_int(&line, 1, &whole);
  }
  return t;
}

static double at(const struct rl_tensor *t, int64_t i, int64_t j) {
  struct rl_line line = {t->data, t->dtype, 1};
  double x;
  line.data += (i * t->stride[0] + (t->rank > 1 ? j * t->stride[1] : 0)) * (int64_t)rl_dtype_size(t->dtype);
  rl_line_load(&line, 1, &x);
  return x;
}

TEST(names_and_sizes_of_types) {
  enum rl_dtype dtype;
  for (int i = 0; i < RL_DTYPES; i++) {
    CHECK(rl_dtype_parse(rl_dtype_name((enum rl_dtype)i), &dtype));
    CHECK_INT(dtype, i);
  }
  CHECK(!rl_dtype_parse("float16", &dtype));
  CHECK_INT(rl_dtype_size(RL_FLOAT32) + rl_dtype_size(RL_INT64) + rl_dtype_size(RL_TRUTH), 13);
}

TEST(the_buffer_goes_with_its_last_view) {
  struct meter counted = {.limit = 1 << 20};
  struct rl_tensor_alloc alloc = {metered, &counted};
  struct rl_tensor t;
  struct rl_err err;
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT32, SHAPE(100, 18), &alloc, &err), 0);
  CHECK(counted.used >= 7200 && counted.used < 7400);
  struct rl_tensor row = rl_tensor_row(&t, 5), kept = rl_tensor_share(&row);
  rl_tensor_free(&t);
  CHECK(counted.used >= 7200);
  CHECK(!t.buf);
  rl_tensor_free(&kept);
  CHECK_INT(counted.used, 0);
  rl_tensor_free(&kept); /* an empty value: nothing */
}

TEST(an_allocator_may_refuse) {
  struct meter counted = {.limit = 1000};
  struct rl_tensor_alloc alloc = {metered, &counted};
  struct rl_tensor t;
  struct rl_err err;
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT64, SHAPE(1000), &alloc, &err), RL_ENOMEM);
  CHECK_HAS(err.text, "8000 bytes");
  CHECK(!t.buf);
}

TEST(shapes_that_cannot_be) {
  struct rl_tensor t;
  struct rl_err err;
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT32, 9, nine, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "8 axes");
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT32, SHAPE(3, -2), NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "[3, -2]");
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT32, SHAPE(INT64_MAX, INT64_MAX), NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "more than memory");
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT64, SHAPE(INT64_MAX / 8), NULL, &err), RL_EUSAGE);
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT64, SHAPE(INT64_MAX, 0, INT64_MAX), NULL, &err), 0);
  CHECK_INT(rl_tensor_count(&t), 0);
  rl_tensor_free(&t);
}

TEST(rows_columns_and_ranges_share_the_elements) {
  struct rl_tensor t = count_up(RL_INT32, SHAPE(4, 3));
  struct rl_tensor row = rl_tensor_row(&t, 2), column = rl_tensor_column(&t, 1);
  struct rl_tensor back = rl_tensor_range(&t, 3, 2, -2);
  CHECK_INT(row.rank, 1);
  CHECK_INT(at(&row, 2, 0), 8);
  CHECK_INT(column.shape[0], 4);
  CHECK_INT(at(&column, 3, 0), 10);
  CHECK_INT(at(&back, 0, 0), 9);
  CHECK_INT(at(&back, 1, 2), 5);
  CHECK(row.buf == t.buf && column.buf == t.buf && rl_tensor_is_compact(&row));
  CHECK(!rl_tensor_is_compact(&column) && !rl_tensor_is_compact(&back));
  rl_tensor_free(&t);
}

TEST(reshape_names_both_shapes) {
  struct rl_tensor t = count_up(RL_UINT8, SHAPE(4, 3)), to;
  struct rl_err err;
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(2, -1, 3), &to, &err), 0);
  CHECK_INT(to.shape[1], 2);
  CHECK_INT(to.stride[0], 6);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(12), &to, &err), 0);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(5, 2), &to, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "[4, 3]");
  CHECK_HAS(err.text, "[5, 2]");
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(-1, -1), &to, &err), RL_EUSAGE);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(-2, 6), &to, &err), RL_EUSAGE);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(5, -1), &to, &err), RL_EUSAGE);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(0, -1), &to, &err), RL_EUSAGE);
  CHECK_INT(rl_tensor_reshape(&t, SHAPE(INT64_MAX, 2, 4), &to, &err), RL_EUSAGE);
  rl_tensor_free(&t);
}

TEST(copies_from_strides_and_to_them) {
  struct rl_tensor t = count_up(RL_FLOAT64, SHAPE(3, 4)), to = make(RL_FLOAT64, SHAPE(4, 3));
  struct rl_tensor turned = to; /* as [3, 4] with the strides of its transpose */
  turned.shape[0] = 3, turned.shape[1] = 4;
  turned.stride[0] = 1, turned.stride[1] = 3;
  rl_tensor_copy(&turned, &t);
  CHECK_INT(at(&to, 3, 1), 7);
  CHECK_INT(at(&to, 0, 2), 8);
  const uint32_t rows[] = {2, 0, 2};
  struct rl_tensor some = make(RL_FLOAT64, SHAPE(3, 4)), column = rl_tensor_column(&t, 3),
                   few = make(RL_FLOAT64, SHAPE(3));
  rl_tensor_gather(&some, &t, rows);
  CHECK_INT(at(&some, 0, 1), 9);
  CHECK_INT(at(&some, 1, 3), 3);
  rl_tensor_gather(&few, &column, rows);
  CHECK_INT(at(&few, 2, 0), 11);
  struct rl_tensor *all[] = {&t, &to, &some, &few};
  for (size_t i = 0; i < 4; i++) rl_tensor_free(all[i]);
}

TEST(bytes_turned_round) {
  struct rl_tensor t = count_up(RL_INT32, SHAPE(3)), wide = count_up(RL_INT64, SHAPE(2));
  rl_tensor_swap_bytes(&t);
  CHECK_INT(at(&t, 2, 0), 0x02000000);
  rl_tensor_swap_bytes(&wide);
  CHECK(at(&wide, 1, 0) == 72057594037927936.0);
  rl_tensor_free(&t);
  rl_tensor_free(&wide);
}

/* ---- conversion ---- */

static int convert_one(double value, enum rl_dtype from, enum rl_dtype to, int64_t *got, struct rl_err *err) {
  struct rl_tensor a = make(from, SHAPE(1)), b = make(to, SHAPE(1));
  struct rl_line line = rl_tensor_line(&a, 0);
  const int64_t whole = (int64_t)(rl_dtype_is_float(from) ? 0 : value);
  if (rl_dtype_is_float(from))
    rl_line_store(&line, 1, &value);
  else
    rl_line_store_int(&line, 1, &whole);
  int rc = rl_tensor_convert(&b, &a, err);
  *got = rc ? 0 : (int64_t)at(&b, 0, 0);
  rl_tensor_free(&a);
  rl_tensor_free(&b);
  return rc;
}

TEST(conversion_never_makes_up_an_integer) {
  struct rl_err err;
  int64_t got;
  CHECK_INT(convert_one(-2.9, RL_FLOAT64, RL_INT32, &got, &err), 0);
  CHECK_INT(got, -2);
  CHECK_INT(convert_one(2147483647, RL_FLOAT64, RL_INT32, &got, &err), 0);
  CHECK_INT(convert_one(2147483648.0, RL_FLOAT64, RL_INT32, &got, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "element 1 is 2147483648, which no int32 holds");
  CHECK_INT(convert_one(256, RL_INT64, RL_UINT8, &got, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "256, which no uint8");
  CHECK_INT(convert_one(-1, RL_INT32, RL_UINT8, &got, &err), RL_EUSAGE);
  CHECK_INT(convert_one((double)NAN, RL_FLOAT32, RL_INT64, &got, &err), RL_EUSAGE);
  CHECK_INT(convert_one(9223372036854775808.0, RL_FLOAT64, RL_INT64, &got, &err), RL_EUSAGE);
  CHECK_INT(convert_one(-9223372036854775808.0, RL_FLOAT64, RL_INT64, &got, &err), 0);
  CHECK(got == INT64_MIN);
  CHECK_INT(convert_one(0.5, RL_FLOAT32, RL_TRUTH, &got, &err), 0);
  CHECK_INT(got, 1);
  CHECK_INT(convert_one(7, RL_INT64, RL_TRUTH, &got, &err), 0);
  CHECK_INT(got, 1);
}

/* ---- arithmetic, over more than one line's worth ---- */

enum { MANY = 3 * RL_LINE + 7 };

TEST(elementwise_agrees_with_a_plain_loop) {
  struct rl_tensor t = count_up(RL_FLOAT32, SHAPE(MANY)), out = make(RL_FLOAT32, SHAPE(MANY));
  const float *x = (const float *)(const void *)t.data;
  float *y = (float *)(void *)out.data;
  rl_tensor_log(&out, &t);
  for (int i = 0; i < MANY; i++) CHECK(y[i] == (float)log((double)x[i]));
  rl_tensor_clip(&out, &t, 3.5, 600);
  for (int i = 0; i < MANY; i++) CHECK(y[i] == (i < 4 ? 3.5f : i > 600 ? 600.0f : x[i]));
  const double mean = 2, deviation = 4;
  rl_tensor_scale(&out, &t, &mean, 1, &deviation, 1);
  for (int i = 0; i < MANY; i++) CHECK(y[i] == (x[i] - 2) / 4);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(nan_to_and_clip_leave_the_rest) {
  struct rl_tensor t = count_up(RL_FLOAT64, SHAPE(4)), out = make(RL_FLOAT64, SHAPE(4));
  ((double *)(void *)t.data)[2] = (double)NAN;
  rl_tensor_clip(&out, &t, 1, 2);
  CHECK(isnan(at(&out, 2, 0)) && at(&out, 0, 0) == 1 && at(&out, 3, 0) == 2);
  rl_tensor_nan_to(&out, &t, -1);
  CHECK(at(&out, 2, 0) == -1 && at(&out, 3, 0) == 3);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(scale_a_column_each_across_lines) {
  struct rl_tensor t = count_up(RL_FLOAT32, SHAPE(200, 5)), out = make(RL_FLOAT32, SHAPE(200, 5));
  const double mean[] = {0, 1, 2, 3, 4}, deviation = 5;
  rl_tensor_scale(&out, &t, mean, 5, &deviation, 1);
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 5; j++) CHECK(at(&out, i, j) == i);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(normalize_rows_and_a_row_of_zeros) {
  struct rl_tensor t = count_up(RL_FLOAT64, SHAPE(2, 2)), out = make(RL_FLOAT64, SHAPE(2, 2));
  double *x = (double *)(void *)t.data;
  x[0] = x[1] = 0, x[2] = 3, x[3] = -4;
  rl_tensor_normalize(&out, &t);
  CHECK(at(&out, 0, 0) == 0 && at(&out, 0, 1) == 0);
  CHECK(fabs(at(&out, 1, 0) - 0.6) < 1e-15 && fabs(at(&out, 1, 1) + 0.8) < 1e-15);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(softmax_of_large_numbers) {
  struct rl_tensor t = count_up(RL_FLOAT64, SHAPE(1, 2)), out = make(RL_FLOAT64, SHAPE(1, 2));
  ((double *)(void *)t.data)[0] = 1000;
  ((double *)(void *)t.data)[1] = 1001;
  rl_tensor_softmax(&out, &t);
  CHECK(fabs(at(&out, 0, 0) - 0.2689414213699951) < 1e-15);
  CHECK(fabs(at(&out, 0, 0) + at(&out, 0, 1) - 1) < 1e-15);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

/* ---- pairs ---- */

TEST(shapes_go_together_as_numpys) {
  struct rl_tensor a = count_up(RL_INT32, SHAPE(2, 3)), row = count_up(RL_INT32, SHAPE(3)),
                   column = count_up(RL_INT32, SHAPE(2, 1)), other = count_up(RL_INT32, SHAPE(2));
  int64_t shape[RL_RANK_MAX];
  int rank;
  struct rl_err err;
  CHECK_INT(rl_tensor_pair_shape(&a, &other, &rank, shape, &err), RL_EUSAGE);
  CHECK_STR(err.text, "the shapes [2, 3] and [2] do not go together");
  CHECK_INT(rl_tensor_pair_shape(&row, &column, &rank, shape, &err), 0);
  CHECK_INT(rank, 2);
  CHECK_INT(shape[0] * 10 + shape[1], 23);
  struct rl_tensor sum = make(RL_INT64, SHAPE(2, 3));
  rl_tensor_arith(RL_ADD, &a, &row, &sum);
  CHECK_INT(at(&sum, 1, 2), 7);
  rl_tensor_arith(RL_SUB, &row, &column, &sum);
  CHECK_INT(at(&sum, 1, 0), -1);
  struct rl_tensor *all[] = {&a, &row, &column, &other, &sum};
  for (size_t i = 0; i < 5; i++) rl_tensor_free(all[i]);
}

static bool relate(enum rl_relation relation, int64_t a, double b, bool swap) {
  char result;
  struct rl_tensor x = {.data = (char *)&a, .dtype = RL_INT64}, y = {.data = (char *)&b, .dtype = RL_FLOAT64};
  struct rl_tensor out = {.data = &result, .dtype = RL_TRUTH};
  rl_tensor_compare(relation, swap ? &y : &x, swap ? &x : &y, &out);
  return result;
}

TEST(integers_and_floats_compare_exactly) {
  const int64_t wide = 9007199254740993; /* 2^53 + 1 */
  CHECK(relate(RL_REL_GT, wide, 9007199254740992.0, false));
  CHECK(!relate(RL_REL_EQ, wide, 9007199254740992.0, false));
  CHECK(relate(RL_REL_LT, wide, 9007199254740992.0, true));
  CHECK(relate(RL_REL_LT, INT64_MAX, 9223372036854775808.0, false));
  CHECK(relate(RL_REL_EQ, INT64_MIN, -9223372036854775808.0, false));
  CHECK(relate(RL_REL_GT, -2, -2.5, false) && relate(RL_REL_LE, 2, 2.5, false));
  CHECK(relate(RL_REL_GE, 3, 3, false) && relate(RL_REL_NE, 3, 3.5, false));
}

TEST(s8_2_nan_passes_no_comparison) {
  for (int r = RL_REL_EQ; r <= RL_REL_GE; r++) {
    CHECK(!relate((enum rl_relation)r, 1, (double)NAN, false));
    CHECK(!relate((enum rl_relation)r, 1, (double)NAN, true));
  }
  struct rl_tensor t = count_up(RL_FLOAT32, SHAPE(MANY)), out = make(RL_TRUTH, SHAPE(MANY));
  ((float *)(void *)t.data)[5] = NAN;
  rl_tensor_compare(RL_REL_NE, &t, &t, &out);
  CHECK_INT(at(&out, 5, 0) + at(&out, 6, 0), 0);
  rl_tensor_compare(RL_REL_EQ, &t, &t, &out);
  CHECK_INT(at(&out, 5, 0), 0);
  CHECK_INT(at(&out, MANY - 1, 0), 1);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(a_column_beside_a_number_takes_its_stride) {
  struct rl_tensor t = count_up(RL_FLOAT32, SHAPE(MANY, 3)), out = make(RL_TRUTH, SHAPE(MANY));
  struct rl_tensor column = rl_tensor_column(&t, 2);
  double number = 100;
  struct rl_tensor limit = {.data = (char *)&number, .dtype = RL_FLOAT64};
  rl_tensor_compare(RL_REL_LT, &column, &limit, &out);
  for (int i = 0; i < MANY; i++) CHECK_INT(at(&out, i, 0), 3 * i + 2 < 100);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

/* ---- folds ---- */

static double fold(enum rl_fold how, const struct rl_tensor *t) {
  int64_t place[1];
  struct rl_tensor out = {.data = (char *)place, .dtype = rl_tensor_fold_dtype(how, t->dtype)};
  struct rl_err err;
  struct rl_line line = {out.data, out.dtype, 1};
  double x = -1;
  if (rl_tensor_fold(how, t, -1, &out, &err)) return -2;
  rl_line_load(&line, 1, &x);
  return x;
}

TEST(sums_and_their_kin) {
  struct rl_tensor t = count_up(RL_INT64, SHAPE(MANY)), f = count_up(RL_FLOAT64, SHAPE(MANY));
  const double n = MANY;
  CHECK(fold(RL_SUM, &t) == n * (n - 1) / 2 && fold(RL_SUM, &f) == n * (n - 1) / 2);
  CHECK(fold(RL_MEAN, &t) == (n - 1) / 2 && fold(RL_MAX, &t) == n - 1 && fold(RL_MIN, &f) == 0);
  CHECK(fabs(fold(RL_STD, &f) - sqrt((n * n - 1) / 12)) < 1e-9);
  CHECK(fold(RL_ARGMAX, &t) == n && fold(RL_ARGMAX, &f) == n);
  ((double *)(void *)f.data)[3] = (double)NAN;
  CHECK(isnan(fold(RL_SUM, &f)) && isnan(fold(RL_MIN, &f)) && isnan(fold(RL_MAX, &f)));
  CHECK(fold(RL_ARGMAX, &f) == 0);
  rl_tensor_free(&t);
  rl_tensor_free(&f);
}

TEST(folds_along_an_axis) {
  struct rl_tensor t = count_up(RL_INT32, SHAPE(2, 3, 4)), out = make(RL_INT64, SHAPE(2, 4));
  struct rl_err err;
  CHECK_INT(rl_tensor_fold(RL_SUM, &t, 1, &out, &err), 0);
  CHECK_INT(at(&out, 0, 0), 0 + 4 + 8);
  CHECK_INT(at(&out, 1, 3), 15 + 19 + 23);
  rl_tensor_free(&t);
  rl_tensor_free(&out);
}

TEST(an_integer_sum_that_does_not_fit_is_an_error) {
  struct rl_tensor t = count_up(RL_INT64, SHAPE(2)), none = make(RL_FLOAT32, SHAPE(0));
  int64_t place[1];
  struct rl_tensor out = {.data = (char *)place, .dtype = RL_INT64};
  struct rl_err err;
  ((int64_t *)(void *)t.data)[0] = INT64_MAX;
  CHECK_INT(rl_tensor_fold(RL_SUM, &t, -1, &out, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "64 bits");
  out.dtype = RL_FLOAT32;
  CHECK_INT(rl_tensor_fold(RL_MIN, &none, -1, &out, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "[0]");
  CHECK(fold(RL_SUM, &none) == 0 && isnan(fold(RL_MEAN, &none)));
  rl_tensor_free(&t);
  rl_tensor_free(&none);
}
