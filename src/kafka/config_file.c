/* Java-style properties files (-F). */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kafka/config.h"

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
  return text;
}

static int read_line(struct rl_kconf *conf, char *line, const char *origin, struct rl_err *err) {
  char *text = trim(line);
  if (!*text || *text == '#' || *text == '!') return 0;
  char *eq = strchr(text, '=');
  if (!eq || eq == text) return rl_fail(err, RL_EUSAGE, "%s: expected key=value", origin);
  *eq = '\0';
  return rl_kconf_set(conf, trim(text), trim(eq + 1), origin, err);
}

static int read_lines(struct rl_kconf *conf, FILE *in, const char *path, struct rl_err *err) {
  struct rl_buf origin = RL_BUF_INIT;
  char *line = NULL;
  size_t cap = 0;
  int rc = 0;
  for (int number = 1; !rc && getline(&line, &cap, in) >= 0; number++) {
    rl_buf_clear(&origin);
    rl_buf_printf(&origin, "%s:%d", path, number);
    rc = read_line(conf, line, origin.data, err);
  }
  if (!rc && ferror(in)) rc = rl_fail(err, RL_EUSAGE, "%s: cannot read: %s", path, strerror(errno));
  free(line);
  rl_buf_free(&origin);
  return rc;
}

int rl_kconf_read_file(struct rl_kconf *conf, const char *path, struct rl_err *err) {
  FILE *in = fopen(path, "re");
  if (!in) return rl_fail(err, RL_EUSAGE, "cannot open the properties file %s: %s", path, strerror(errno));
  int rc = read_lines(conf, in, path, err);
  fclose(in);
  return rc;
}
