#include "base/properties.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
  return text;
}

static int read_line(char *line, int number, rl_property_fn *fn, void *arg) {
  char *text = trim(line), *equals = strchr(text, '=');
  if (!*text || *text == '#' || *text == '!') return 0;
  if (!equals) return fn(arg, number, text, NULL);
  *equals = '\0';
  return fn(arg, number, trim(text), trim(equals + 1));
}

int rl_properties_read(FILE *in, rl_property_fn *fn, void *arg) {
  char *line = NULL;
  size_t cap = 0;
  int rc = 0;
  for (int number = 1; !rc && getline(&line, &cap, in) >= 0; number++) rc = read_line(line, number, fn, arg);
  free(line);
  return rc;
}
