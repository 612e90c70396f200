#include "codec/magic.h"

#include <string.h>

static const struct {
  const char *bytes;
  size_t n, least; /* bytes to compare, and of the shortest value of the form */
  const char *text;
} magics[] = {[RL_MAGIC_NONE] = {"", 0, 0, ""},
              [RL_MAGIC_CONTAINER] = {"Obj\1", 4, 4, "Obj 01, as Avro's containers do"},
              [RL_MAGIC_CONFLUENT] = {"\0", 1, 5, "00 and a number, as a schema registry's values do"},
              [RL_MAGIC_SINGLE_OBJECT] = {"\xC3\x01", 2, 10, "C3 01, as Avro's single objects do"},
              [RL_MAGIC_GZIP] = {"\x1F\x8B", 2, 2, "1F 8B, as gzip's files do"}};

enum rl_magic rl_magic_of(struct rl_bytes value) {
  for (size_t i = RL_MAGIC_CONTAINER; i < sizeof magics / sizeof *magics; i++)
    if (value.len >= magics[i].least && memcmp(value.data, magics[i].bytes, magics[i].n) == 0)
      return (enum rl_magic)i;
  return RL_MAGIC_NONE;
}

const char *rl_magic_text(enum rl_magic magic) { return magics[magic].text; }
