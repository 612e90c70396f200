/* The unit tests' harness: TEST(name) { CHECK(…); } in a file of its own program; main is here.
 *
 * Every test prints one line, `ok NAME` or `not ok NAME`; the program ends with "N passed, N failed" and
 * exits non-zero if one failed. A failed CHECK says file, line and values and goes on, so one run shows all.
 */
#ifndef RL_UNIT_H
#define RL_UNIT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_test {
  const char *name;
  void (*fn)(void);
  struct unit_test *next;
};

static struct unit_test *unit_first, **unit_last = &unit_first;
static int unit_failures;
static const char *unit_skipped; /* why */

#define TEST(name_)                                                    \
  static void test_##name_(void);                                      \
  static struct unit_test unit_##name_ = {#name_, test_##name_, NULL}; \
  __attribute__((constructor)) static void add_##name_(void) {         \
    *unit_last = &unit_##name_;                                        \
    unit_last = &unit_##name_.next;                                    \
  }                                                                    \
  static void test_##name_(void)

#define UNIT_FAIL(...)                       \
  do {                                       \
    printf("  %s:%d: ", __FILE__, __LINE__); \
    printf(__VA_ARGS__);                     \
    putchar('\n');                           \
    unit_failures++;                         \
  } while (0)

/* Ends the test, which counts as left out: what it needs is not there. */
#define UNIT_SKIP(why)  \
  do {                  \
    unit_skipped = why; \
    return;             \
  } while (0)

#define CHECK(what)                           \
  do {                                        \
    if (!(what)) UNIT_FAIL("not: %s", #what); \
  } while (0)

#define CHECK_INT(got, want)                                                                   \
  do {                                                                                         \
    long long unit_g = (long long)(got), unit_w = (long long)(want);                           \
    if (unit_g != unit_w) UNIT_FAIL("%s is %lld, not %s = %lld", #got, unit_g, #want, unit_w); \
  } while (0)

#define CHECK_STR(got, want)                                                           \
  do {                                                                                 \
    const char *unit_g = (got), *unit_w = (want);                                      \
    if (!unit_g || strcmp(unit_g, unit_w) != 0)                                        \
      UNIT_FAIL("%s is \"%s\", not \"%s\"", #got, unit_g ? unit_g : "(null)", unit_w); \
  } while (0)

#define CHECK_HAS(got, part)                                                               \
  do {                                                                                     \
    const char *unit_g = (got), *unit_p = (part);                                          \
    if (!unit_g || !strstr(unit_g, unit_p))                                                \
      UNIT_FAIL("%s is \"%s\", without \"%s\"", #got, unit_g ? unit_g : "(null)", unit_p); \
  } while (0)

int main(int argc, char **argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (struct unit_test *t = unit_first; t; t = t->next) {
    if (argc > 1 && !strstr(t->name, argv[1])) continue;
    unit_failures = 0;
    unit_skipped = NULL;
    t->fn();
    if (unit_skipped && !unit_failures)
      printf("ok %d - # SKIP %s: %s\n", passed + failed + skipped + 1, t->name, unit_skipped);
    else
      printf("%s %s\n", unit_failures ? "not ok" : "ok", t->name);
    fflush(stdout);
    *(unit_failures ? &failed : unit_skipped ? &skipped : &passed) += 1;
  }
  printf("%d passed, %d failed", passed, failed);
  if (skipped) printf(", %d skipped", skipped);
  printf("\n");
  return failed || !(passed + skipped);
}

#endif
