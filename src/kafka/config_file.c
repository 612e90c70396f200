/* Java-style properties files (-F). */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/properties.h"
#include "kafka/config.h"

struct file {
  struct rl_kconf *conf;
  const char *path;
  struct rl_err *err;
};

static int set(void *arg, int line, char *key, char *value) {
  const struct file *f = arg;
  struct rl_buf origin = RL_BUF_INIT;
  rl_buf_printf(&origin, "%s:%d", f->path, line);
  int rc = value && *key ? rl_kconf_set(f->conf, key, value, origin.data, f->err)
                         : rl_fail(f->err, RL_EUSAGE, "%s: expected key=value", origin.data);
  rl_buf_free(&origin);
  return rc;
}

int rl_kconf_read_file(struct rl_kconf *conf, const char *path, struct rl_err *err) {
  FILE *in = fopen(path, "re");
  if (!in) return rl_fail(err, RL_EUSAGE, "cannot open the properties file %s: %s", path, strerror(errno));
  struct file f = {conf, path, err};
  int rc = rl_properties_read(in, set, &f);
  if (!rc && ferror(in)) rc = rl_fail(err, RL_EUSAGE, "%s: cannot read: %s", path, strerror(errno));
  fclose(in);
  return rc;
}
