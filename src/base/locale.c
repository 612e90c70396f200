#include "base/locale.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* newlocale("C") can only lack memory; then the locale stays what it is (uselocale(0) changes nothing). */
rl_locale rl_locale_enter(void) {
  pthread_once(&once, make);
  return uselocale(c_locale);
}

void rl_locale_leave(rl_locale before) { uselocale(before); }
