/* "Did you mean": the nearest of a list of names. */
#include <ctype.h>

#include "base/str.h"

enum { LONGEST = 96 }; /* names longer than this are never guessed at */

static char plain(char c) {
  if (c == '-' || c == '.') return '_';
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min3(size_t a, size_t b, size_t c) {
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

/* Edit distance with neighbours swapped as one step (optimal string alignment): three rows are enough. */
static size_t distance(const char *a, size_t la, const char *b, size_t lb) {
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      bool same = plain(a[i - 1]) == plain(b[j - 1]);
      now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + !same);
      bool swapped =
          i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) && plain(a[i - 2]) == plain(b[j - 1]);
      if (swapped && older[j - 2] + 1 < now[j]) now[j] = older[j - 2] + 1;
    }
  }
  return rows[la % 3][lb];
}

/* The distance to the whole name or, one step further, to its last part: "mag" for "candidate.mag". */
static size_t name_distance(const char *word, size_t len, const char *name) {
  size_t name_len = strlen(name);
  if (name_len > LONGEST) return LONGEST;
  size_t whole = distance(word, len, name, name_len);
  const char *dot = strrchr(name, '.');
  if (!dot) return whole;
  size_t part = distance(word, len, dot + 1, name_len - (size_t)(dot + 1 - name)) + 1;
  return part < whole ? part : whole;
}

const char *rl_nearest(const char *word, const char *const *candidates, size_t n) {
  size_t len = strlen(word);
  size_t most = len < 3 ? 1 : len / 3 + 1; /* further away it is another word */
  const char *nearest = NULL;
  if (len == 0 || len > LONGEST) return NULL;
  for (size_t i = 0; i < n; i++) {
    size_t d = name_distance(word, len, candidates[i]);
    if (d > most || d >= len) continue;
    nearest = candidates[i];
    if (d == 0) break;
    most = d - 1; /* the first of equals stays */
  }
  return nearest;
}
