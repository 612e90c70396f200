/* The whole-text parsers of str.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/locale.h"
#include "base/str.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool rl_parse_i64(const char *text, int64_t *value) {
  const char *digits = text + (*text == '-' || *text == '+');
  if (!is_digit(*digits)) return false;
  char *end;
  errno = 0;
  intmax_t parsed = strtoimax(text, &end, 10);
  if (*end || errno == ERANGE || parsed < INT64_MIN || parsed > INT64_MAX) return false;
  *value = (int64_t)parsed;
  return true;
}

/* The decimal number that text begins with; NULL when there is none or it is out of range. strtod alone would
 * take blanks, hexadecimal, "inf" and "nan" as well. */
static const char *take_double(const char *text, double *value) {
  const char *p = text + (*text == '-' || *text == '+');
  if (!is_digit(*p) && !(*p == '.' && is_digit(p[1]))) return NULL;
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return NULL;
  char *end;
  rl_locale before = rl_locale_enter();
  *value = strtod(text, &end);
  rl_locale_leave(before);
  return isfinite(*value) ? end : NULL;
}

bool rl_parse_double(const char *text, double *value) {
  double parsed;
  const char *end = take_double(text, &parsed);
  if (!end || *end) return false;
  *value = parsed;
  return true;
}

bool rl_parse_bool(const char *text, bool *value) {
  static const char *const yes[] = {"true", "yes", "on", "1"};
  static const char *const no[] = {"false", "no", "off", "0"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    bool is_yes = strcasecmp(text, yes[i]) == 0;
    if (!is_yes && strcasecmp(text, no[i]) != 0) continue;
    *value = is_yes;
    return true;
  }
  return false;
}

struct unit {
  const char *name;
  double scale;
};

static bool find_unit(const struct unit *units, const char *name, double *scale) {
  for (; units->name; units++) {
    if (strcasecmp(units->name, name) != 0) continue;
    *scale = units->scale;
    return true;
  }
  return false;
}

/* A number that is not negative, blanks, a unit. */
static bool parse_with_unit(const char *text, const struct unit *units, double *number, double *scale) {
  const char *end = take_double(text, number);
  if (!end || signbit(*number)) return false;
  while (*end == ' ') end++;
  return find_unit(units, end, scale);
}

bool rl_parse_size(const char *text, int64_t *bytes) {
  static const struct unit units[] = {{"", 1},         {"B", 1},        {"kB", 1e3},     {"MB", 1e6},
                                      {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                      {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"K", 0x1p10},   {"M", 0x1p20},
                                      {"G", 0x1p30},   {"T", 0x1p40},   {NULL, 0}};
  double number, scale;
  int64_t whole;
  if (rl_parse_i64(text, &whole) && *text != '-') { /* exact above 2^53 too */
    *bytes = whole;
    return true;
  }
  if (!parse_with_unit(text, units, &number, &scale) || number * scale >= 0x1p63) return false;
  *bytes = (int64_t)(number * scale);
  return true;
}

bool rl_parse_seconds(const char *text, double *seconds) {
  static const struct unit units[] = {{"", 1},     {"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"m", 60},
                                      {"min", 60}, {"h", 3600}, {"d", 86400}, {NULL, 0}};
  double number, scale;
  if (!parse_with_unit(text, units, &number, &scale)) return false;
  if (!isfinite(number * scale)) return false;
  /* Divided where the unit is a fraction: 500 / 1000 is exactly 0.5, 500 * 0.001 need not be. */
  *seconds = scale < 1 ? number / round(1 / scale) : number * scale;
  return true;
}
