#include "stream/place.h"

#include <stdio.h>

#include "stream/source.h"

void rl_place(char to[RL_PLACE_MAX], const struct rl_msg *msg) {
  const char *file;
  size_t n = 0;
  int64_t line = rl_source_file_line(msg, &file);
  if (line) n = (size_t)snprintf(to, RL_PLACE_MAX / 2, "%s:%lld: ", file, (long long)line);
  if (n >= RL_PLACE_MAX / 2) n = RL_PLACE_MAX / 2 - 1; /* a path that long was cut */
  snprintf(to + n, RL_PLACE_MAX - n, "%s[%d] offset %lld", msg->topic, msg->partition,
           (long long)msg->offset);
}
