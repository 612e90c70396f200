/* A locale that writes "0,5", for tests of what must not depend on it. */
#ifndef RL_UNIT_COMMA_LOCALE_H
#define RL_UNIT_COMMA_LOCALE_H

#include <locale.h>

#include "unit.h"

/* One the machine has, else one made in the build folder: by one test at a time. */
static inline bool comma_locale(void) {
  char here[16];
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    if (system("mkdir -p build/locale && flock build/locale sh -c '{ test -d build/locale/de_DE.UTF-8 ||"
               " localedef -i de_DE -f UTF-8 build/locale/de_DE.UTF-8; } >/dev/null 2>&1'"))
      return false;
    setenv("LOCPATH", "build/locale", 1);
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) return false;
  }
  snprintf(here, sizeof here, "%.1f", 0.5);
  return strcmp(here, "0,5") == 0;
}

static inline void plain_locale(void) { setlocale(LC_ALL, "C"); }

#endif
