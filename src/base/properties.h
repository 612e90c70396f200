/* Java-style properties: a key=value a line; blank lines and those that begin with # or ! say nothing. */
#ifndef RL_BASE_PROPERTIES_H
#define RL_BASE_PROPERTIES_H

#include <stdio.h>

/* A line's key and value, without the blanks around them, its own to change; value NULL: there is no "=".
 * What it returns other than 0 ends the reading. */
typedef int rl_property_fn(void *arg, int line, char *key, char *value);

/* 0, or what `fn` returned. ferror(in) and errno tell when the file could not be read to its end. */
int rl_properties_read(FILE *in, rl_property_fn *fn, void *arg);

#endif
