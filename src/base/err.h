/* Errors: a class that maps to an exit status, Kafka's own code where there is one, and a sentence.
 *
 * A function that can fail returns 0 or one of the negative codes below and fills the caller's
 * `struct rl_err`; it never prints and never exits. The text is for a person: what went wrong, where
 * (file, line, topic, partition, offset) and what to do. `err` may be NULL when nobody reads it. */
#ifndef RL_BASE_ERR_H
#define RL_BASE_ERR_H

enum rl_code {
  RL_OK = 0,
  RL_EFAIL = -1,      /* anything else: status 1 */
  RL_EUSAGE = -2,     /* usage, settings, a script that does not load: status 2 */
  RL_EBROKER = -3,    /* broker unreachable, refused, unknown topic: status 3 */
  RL_EHANDLER = -4,   /* a message or handler failed and nothing could take it: status 4 */
  RL_EWAIT = -5,      /* nothing came within --wait: status 5 */
  RL_EPIPE = -6,      /* an output's reader went away: ends quietly, status 0 */
  RL_ENOMEM = -7,     /* out of memory: status 1 */
  RL_ETRANSIENT = -8, /* weather, not the caller: worth trying again */
  RL_EFULL = -9,      /* a bounded queue is full: try again after serving events */
};

struct rl_err {
  int code;  /* enum rl_code */
  int kafka; /* rd_kafka_resp_err_t, 0 if none */
  char text[1024];
};

/* Fills err (unless NULL) and returns code, so that `return rl_fail(err, …)` reads as one step. The text is
 * cut at a character's end when it is too long, registered secrets are masked (log.h), and err->text itself
 * may be among the arguments. */
__attribute__((format(printf, 3, 4))) int rl_fail(struct rl_err *err, int code, const char *fmt, ...);

/* As rl_fail, with Kafka's code kept beside it. */
__attribute__((format(printf, 4, 5))) int rl_fail_kafka(struct rl_err *err, int code, int kafka,
                                                        const char *fmt, ...);

/* Puts words before the text that is there: "bright.lua: " + text. Returns err->code. */
__attribute__((format(printf, 2, 3))) int rl_err_prefix(struct rl_err *err, const char *fmt, ...);

/* The process's exit status for a code (0 to 5). */
int rl_err_status(int code);

#endif
