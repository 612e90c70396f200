#include "codec/path.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

struct parser {
  struct rl_field *field;
  const char *at;
  struct rl_err *err;
};

static int expected(const struct parser *p, const char *what) {
  const char *path = p->field->path;
  return rl_fail(p->err, RL_EUSAGE, "field path '%s': expected %s at column %td%s", path, what,
                 p->at - path + 1, *p->at ? "" : ", where it ends");
}

static int add_step(struct parser *p, char *key, int64_t index) {
  struct rl_field *field = p->field;
  if (field->n_steps == RL_PATH_STEPS) {
    rl_free(key);
    return rl_fail(p->err, RL_EUSAGE, "field path '%s': more than %d steps", field->path, RL_PATH_STEPS);
  }
  field->steps = rl_realloc(field->steps, (field->n_steps + 1) * sizeof *field->steps);
  field->steps[field->n_steps++] = (struct rl_step){key, index, false};
  return 0;
}

const char *rl_path_quoted_end(const char *at) {
  for (at++; *at && *at != '"'; at++)
    if (*at == '\\' && at[1]) at++;
  return *at ? at + 1 : NULL;
}

static int hex(char c) { return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10; }

/* *c is at what follows the backslash, and left at its last character. */
static char escaped(const char **c) {
  static const char names[] = "nrt", bytes[] = "\n\r\t";
  const char *at = *c, *known = strchr(names, *at);
  if (known && *at) return bytes[known - names];
  if (*at != 'x' || !isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2])) return *at;
  *c += 2;
  return (char)(hex(at[1]) << 4 | hex(at[2]));
}

size_t rl_path_unquote(char *to, const char *at) {
  char *start = to;
  for (const char *c = at + 1; *c != '"'; c++) {
    if (*c == '\\') {
      c++;
      *to++ = escaped(&c);
    } else {
      *to++ = *c;
    }
  }
  return (size_t)(to - start);
}

static int parse_quoted(struct parser *p) {
  const char *end = rl_path_quoted_end(p->at);
  if (!end) {
    p->at += strlen(p->at);
    return expected(p, "a closing '\"'");
  }
  char *key = rl_zalloc((size_t)(end - p->at));
  size_t len = rl_path_unquote(key, p->at);
  bool has_nul = strlen(key) < len;
  p->at = end;
  if (!has_nul) return add_step(p, key, 0);
  rl_free(key);
  return rl_fail(p->err, RL_EUSAGE, "field path '%s': a key that holds a NUL cannot be named in a path",
                 p->field->path);
}

static int parse_bare(struct parser *p) {
  size_t len = strcspn(p->at, ".[]\"");
  if (len == 0) return expected(p, "a key (one that holds . [ ] or \" is written in quotes)");
  const char *start = p->at;
  p->at += len;
  return add_step(p, rl_strndup(start, len), 0);
}

/* The key's own end is checked by whoever looks for the next step. */
static int parse_key(struct parser *p) { return *p->at == '"' ? parse_quoted(p) : parse_bare(p); }

static int parse_each(struct parser *p) {
  p->at += 3;
  int code = add_step(p, NULL, 0);
  if (code != 0) return code;
  p->field->steps[p->field->n_steps - 1].each = true;
  p->field->n_lists++;
  return 0;
}

static int parse_index(struct parser *p) {
  if (strncmp(p->at, "[*]", 3) == 0) return parse_each(p);
  p->at++;
  char *end;
  long long index = strtoll(p->at, &end, 10);
  bool digits = isdigit((unsigned char)*p->at) || (*p->at == '-' && isdigit((unsigned char)p->at[1]));
  if (!digits || index == LLONG_MAX || index == LLONG_MIN)
    return expected(p, "an index (0, 1 … or -1 for the last) or * for all");
  p->at = end;
  if (*p->at != ']') return expected(p, "']'");
  p->at++;
  return add_step(p, NULL, index);
}

static int parse_next(struct parser *p) {
  if (*p->at == '[') return parse_index(p);
  if (*p->at != '.') return expected(p, "'.', '[' or the path's end");
  p->at++;
  return parse_key(p);
}

static int parse_steps(struct parser *p) {
  int code = *p->at == '[' ? parse_index(p) : parse_key(p);
  while (code == 0 && *p->at) code = parse_next(p);
  return code;
}

static const struct {
  const char *name;
  enum rl_meta meta;
} metas[] = {{"@key", RL_META_KEY},
             {"@topic", RL_META_TOPIC},
             {"@partition", RL_META_PARTITION},
             {"@offset", RL_META_OFFSET},
             {"@timestamp", RL_META_TIMESTAMP}};

static const char header_prefix[] = "@headers.";

/* Everything after the prefix is the header's name: they hold dots (rille.topic). */
static int parse_header(struct parser *p) {
  p->at += sizeof header_prefix - 1;
  if (!*p->at) return expected(p, "a header's name");
  p->field->meta = RL_META_HEADER;
  return add_step(p, rl_strdup(p->at), 0);
}

static int parse_meta(struct parser *p) {
  if (strncmp(p->at, header_prefix, sizeof header_prefix - 1) == 0) return parse_header(p);
  for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
    if (strcmp(p->at, metas[i].name) != 0) continue;
    p->field->meta = metas[i].meta;
    return 0;
  }
  return rl_fail(p->err, RL_EUSAGE,
                 "field path '%s': expected @key, @topic, @partition, @offset, @timestamp or @headers.NAME; "
                 "a key of the value that starts with @ is written in quotes: \"%s\"",
                 p->field->path, p->field->path);
}

int rl_path_parse(struct rl_field *field, struct rl_err *err) {
  struct parser p = {field, field->path, err};
  return *p.at == '@' ? parse_meta(&p) : parse_steps(&p);
}
