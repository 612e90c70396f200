#include "lua/where_arith.h"

#include <math.h>

static struct rl_cell none(void) { return (struct rl_cell){.tag = RL_MISSING}; }

static struct rl_cell integer(uint64_t value) { return (struct rl_cell){.tag = RL_INT, .i = (int64_t)value}; }

static struct rl_cell real(double value) {
  return isnan(value) ? none() : (struct rl_cell){.tag = RL_DOUBLE, .d = value};
}

static bool is_operand(const struct rl_cell *cell) {
  return cell->tag == RL_INT || (cell->tag == RL_DOUBLE && !isnan(cell->d));
}

static double to_double(const struct rl_cell *cell) {
  return cell->tag == RL_INT ? (double)cell->i : cell->d;
}

/* Towards minus infinity. Division by -1 is negation: INT64_MIN / -1 would trap. */
static struct rl_cell floor_divide(int64_t a, int64_t b) {
  if (b == 0) return none();
  if (b == -1) return integer(0 - (uint64_t)a);
  int64_t q = a / b;
  return integer((uint64_t)(q - (a % b != 0 && (a ^ b) < 0)));
}

static struct rl_cell modulo(int64_t a, int64_t b) {
  if (b == 0) return none();
  if (b == -1) return integer(0);
  int64_t r = a % b;
  return integer((uint64_t)(r != 0 && (r ^ b) < 0 ? r + b : r));
}

static double modulo_double(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static struct rl_cell integers(enum rl_where_op op, int64_t a, int64_t b) {
  switch (op) {
    case RL_W_ADD: return integer((uint64_t)a + (uint64_t)b);
    case RL_W_SUB: return integer((uint64_t)a - (uint64_t)b);
    case RL_W_MUL: return integer((uint64_t)a * (uint64_t)b);
    case RL_W_IDIV: return floor_divide(a, b);
    default: return modulo(a, b);
  }
}

static struct rl_cell reals(enum rl_where_op op, double a, double b) {
  switch (op) {
    case RL_W_ADD: return real(a + b);
    case RL_W_SUB: return real(a - b);
    case RL_W_MUL: return real(a * b);
    case RL_W_DIV: return real(a / b);
    case RL_W_IDIV: return real(floor(a / b));
    case RL_W_MOD: return real(modulo_double(a, b));
    default: return real(b == 2 ? a * a : pow(a, b));
  }
}

static struct rl_cell negative(const struct rl_cell *a) {
  return a->tag == RL_INT ? integer(0 - (uint64_t)a->i) : real(-a->d);
}

struct rl_cell rl_where_arith(enum rl_where_op op, const struct rl_cell *a, const struct rl_cell *b) {
  if (!is_operand(a)) return none();
  if (op == RL_W_NEG) return negative(a);
  if (!is_operand(b)) return none();
  bool whole = a->tag == RL_INT && b->tag == RL_INT && op != RL_W_DIV && op != RL_W_POW;
  return whole ? integers(op, a->i, b->i) : reals(op, to_double(a), to_double(b));
}
