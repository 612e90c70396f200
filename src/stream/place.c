#include "stream/place.h"

#include <stdio.h>
#include <string.h>

#include "stream/source.h"

enum { PATH_MAX_SHOWN = 400 };

/* Of a long path its end is what tells, and the line must not be lost. */
static size_t put_line(char *to, size_t size, const char *file, int64_t line) {
  size_t len = strlen(file);
  const char *from = len > PATH_MAX_SHOWN ? file + len - PATH_MAX_SHOWN : file;
  while (from > file && ((unsigned char)*from & 0xC0) == 0x80) from++; /* no half of a character */
  return (size_t)snprintf(to, size, "%s%s:%lld: ", from > file ? "…" : "", from, (long long)line);
}

void rl_place(char to[RL_PLACE_MAX], const struct rl_msg *msg) {
  const char *file;
  int64_t line = rl_source_file_line(msg, &file);
  size_t n = line ? put_line(to, RL_PLACE_MAX, file, line) : 0;
  snprintf(to + n, RL_PLACE_MAX - n, "%s[%d] offset %lld", msg->topic, msg->partition,
           (long long)msg->offset);
}
