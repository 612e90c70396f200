/* The C locale for a stretch of code on this thread: a script may call os.setlocale, and then printf and
 * strtod write and read "0,5". What is between enter and leave must not return early. */
#ifndef RL_BASE_LOCALE_H
#define RL_BASE_LOCALE_H

#include <locale.h>

typedef locale_t rl_locale;

rl_locale rl_locale_enter(void); /* the one before, for leave */
void rl_locale_leave(rl_locale before);

#endif
