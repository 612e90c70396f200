/* S10.2: no C++ exception leaves the one C++ file. The program's operator new is ours here (by the names that
 * the C++ ABI for Linux gives it), and refuses from the N-th call on, N rising. */
#include "codec/json.h"
#include "unit.h"

#define DEFAULT __attribute__((visibility("default")))

static long left = -1; /* calls that still succeed; < 0: all do */
static long refused;

static void *take(size_t size) {
  if (left == 0) {
    refused++;
    return NULL;
  }
  if (left > 0) left--;
  return malloc(size ? size : 1);
}

/* NOLINTBEGIN: the ABI's names */
void _ZSt17__throw_bad_allocv(void) __attribute__((noreturn)); /* std::__throw_bad_alloc() */
DEFAULT void *_Znwm(size_t size);
DEFAULT void *_Znam(size_t size);
DEFAULT void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
DEFAULT void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow);
DEFAULT void _ZdlPv(void *p);
DEFAULT void _ZdaPv(void *p);
DEFAULT void _ZdlPvm(void *p, size_t size);
DEFAULT void _ZdaPvm(void *p, size_t size);

void *_Znwm(size_t size) {
  void *p = take(size);
  if (!p) _ZSt17__throw_bad_allocv();
  return p;
}
void *_Znam(size_t size) { return _Znwm(size); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow) {
  (void)nothrow;
  return take(size);
}
void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow) { return _ZnwmRKSt9nothrow_t(size, nothrow); }
void _ZdlPv(void *p) { free(p); }
void _ZdaPv(void *p) { free(p); }
void _ZdlPvm(void *p, size_t size) {
  (void)size;
  free(p);
}
void _ZdaPvm(void *p, size_t size) { _ZdlPvm(p, size); }
/* NOLINTEND */

/* A parser and its first document, while memory lasts for so many calls. Returns how many were refused. */
static long parse_with(long calls, const char *text, size_t len) {
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err err = {0};
  left = calls;
  refused = 0;
  struct rl_json *json = rl_json_new();
  int rc = rl_json_tape(json, rl_bytes(text, len), 0, &tape, &err);
  left = -1;
  if (refused) CHECK(rc != 0);
  if (refused) CHECK_HAS(err.text, "memory");
  if (!refused) CHECK_INT(rc, 0);
  rl_json_free(json);
  rl_tape_free(&tape);
  return refused;
}

/* valgrind puts operators of its own in the place of these. */
static bool under_valgrind(void) {
  const char *wrap = getenv("WRAP");
  return wrap && strstr(wrap, "valgrind");
}

/* At its very first use the library makes a list of what it can do, and ends the program if it has no memory
 * even for that: it is made before. */
TEST(s10_2_memory_that_cpp_is_refused_is_an_error_and_no_exception) {
  long n = 0;
  if (under_valgrind()) UNIT_SKIP("valgrind has operators new of its own");
  CHECK_INT(parse_with(-1, "[1]", 3), 0);
  while (parse_with(n, "[1]", 3) && n < 100) n++;
  CHECK(n > 1 && n < 100); /* the parser and its index at least */
}

/* A parser that has one index needs a larger one: what it had serves again when that is refused. */
TEST(s10_2_a_parser_goes_on_when_a_larger_index_was_refused) {
  enum { LARGE = 1 << 20 };
  if (under_valgrind()) UNIT_SKIP("valgrind has operators new of its own");
  char *large = malloc(LARGE);
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err err = {0};
  struct rl_json *json = rl_json_new();
  memset(large, ' ', LARGE);
  large[0] = '7';
  CHECK_INT(rl_json_tape(json, rl_bytes("[1]", 3), 0, &tape, &err), 0);
  refused = 0;
  left = 0;
  CHECK(rl_json_tape(json, rl_bytes(large, LARGE), 0, &tape, &err) != 0);
  left = -1;
  CHECK(refused > 0);
  CHECK_HAS(err.text, "memory");
  CHECK_INT(rl_json_tape(json, rl_bytes("[1]", 3), 0, &tape, &err), 0);
  CHECK_INT(rl_json_tape(json, rl_bytes(large, LARGE), 0, &tape, &err), 0);
  CHECK_INT(tape.n, 1);
  rl_json_free(json);
  rl_tape_free(&tape);
  free(large);
}
