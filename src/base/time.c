/* Times as people write them (ISO 8601): the text half of clock.h. */
#include <stdbool.h>

#include "base/clock.h"

/* Takes exactly `digits` digits, between low and high. */
static bool take(const char **text, int digits, int low, int high, int *value) {
  int n = 0;
  for (int i = 0; i < digits; i++) {
    char c = (*text)[i];
    if (c < '0' || c > '9') return false;
    n = n * 10 + (c - '0');
  }
  *text += digits;
  *value = n;
  return n >= low && n <= high;
}

static bool skip(const char **text, char c) {
  if (**text != c) return false;
  ++*text;
  return true;
}

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01 in the Gregorian calendar; years begin in March here, so that the leap day is last.
 */
static int64_t days_since_epoch(int year, int month, int day) {
  int64_t y = month > 2 ? year : year - 1;
  int64_t m = month > 2 ? month - 3 : month + 9;
  return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static bool take_date(const char **p, int64_t *ms) {
  int year, month, day;
  if (!take(p, 4, 1, 9999, &year) || !skip(p, '-') || !take(p, 2, 1, 12, &month) || !skip(p, '-'))
    return false;
  if (!take(p, 2, 1, days_in_month(year, month), &day)) return false;
  *ms = days_since_epoch(year, month, day) * 86400000;
  return true;
}

/* ".123456": cut to milliseconds. */
static bool take_fraction(const char **p, int64_t *ms) {
  int scale = 100;
  if (**p < '0' || **p > '9') return false;
  for (; **p >= '0' && **p <= '9'; ++*p, scale /= 10) *ms += scale * (**p - '0');
  return true;
}

static bool take_time(const char **p, int64_t *ms) {
  int hour, minute, second = 0;
  if (!take(p, 2, 0, 23, &hour) || !skip(p, ':') || !take(p, 2, 0, 59, &minute)) return false;
  bool seconds = skip(p, ':');
  if (seconds && !take(p, 2, 0, 59, &second)) return false;
  *ms += ((int64_t)hour * 60 + minute) * 60000 + (int64_t)second * 1000;
  return !(seconds && skip(p, '.')) || take_fraction(p, ms);
}

static bool take_zone(const char **p, int64_t *ms) {
  if (skip(p, 'Z') || skip(p, 'z')) return true;
  int sign = skip(p, '+') ? 1 : skip(p, '-') ? -1 : 0, hour, minute;
  if (!sign) return true;
  if (!take(p, 2, 0, 23, &hour)) return false;
  skip(p, ':');
  if (!take(p, 2, 0, 59, &minute)) return false;
  *ms -= sign * ((int64_t)hour * 60 + minute) * 60000;
  return true;
}

int rl_parse_time(const char *text, int64_t *ms) {
  const char *p = text;
  int64_t value;
  if (!take_date(&p, &value)) return false;
  if (skip(&p, 'T') || skip(&p, 't') || skip(&p, ' ')) {
    if (!take_time(&p, &value) || !take_zone(&p, &value)) return false;
  }
  if (*p) return false;
  *ms = value;
  return true;
}
