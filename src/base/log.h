/* The host's own words: whole lines to stderr, never to stdout.
 *
 * One write a line, safe from any thread. A line starts with its level ("rille: warning: "); colour only on
 * a terminal. Text of several lines (a traceback) is written in one go and its further lines are indented, so
 * that no text can pass for a line of ours; control characters and bytes that are not UTF-8 become \xNN.
 * Secrets that were registered are replaced by "***" wherever they occur. On a terminal a
 * progress line may be standing: it is erased before a line is printed. */
#ifndef RL_BASE_LOG_H
#define RL_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/buf.h"

enum rl_level { RL_ERROR, RL_WARN, RL_INFO, RL_DEBUG };

void rl_log_level(enum rl_level highest); /* default RL_INFO */
bool rl_log_on(enum rl_level level);
__attribute__((format(printf, 2, 3))) void rl_log(enum rl_level level, const char *fmt, ...);
__attribute__((format(printf, 2, 0))) void rl_logv(enum rl_level level, const char *fmt, va_list args);

/* From here on `value` never appears in a line. Values under 4 bytes are kept out by key, not by text. */
void rl_log_secret(const char *value);
/* Puts text with the registered secrets replaced: what rl_fail and rl_log do to theirs. */
void rl_log_mask(struct rl_buf *out, struct rl_bytes text);
/* Whether a setting of this name (Kafka's or ours) holds a secret: password, secret, token, key.pem … */
bool rl_is_secret(const char *name);

/* Shows (text) or erases (NULL) the progress line; does nothing when stderr is no terminal. */
void rl_log_progress(const char *text);

/* Between the two, the caller may write to standard output on the same terminal, and must not log. The
 * progress line is erased before, and stands again once what was written ended its line. */
void rl_log_aside(void);
void rl_log_resume(bool line_ended);

/* Where standard error is a pipe, a line never waits for its reader (stderr.h). rl_log_look writes what was
 * held and goes now; rl_log_finish, before the process ends, waits a little for it. */
void rl_log_look(void);
void rl_log_finish(void);

/* Lines go to fn instead of stderr (as they would stand there, without newline); NULL restores. It is called
 * under the log's lock: it must not log. */
void rl_log_to(void (*fn)(enum rl_level level, const char *line, void *arg), void *arg);

#endif
