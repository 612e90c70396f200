/* Destroying a handle, in bounded time.
 *
 * librdkafka 2.0 never ends the thread of a broker that it still counts a partition of a deleted topic to,
 * and any version waits for ever for a message that was not released. Such a handle is left to end with the
 * process. */
#ifndef RL_KAFKA_FAREWELL_H
#define RL_KAFKA_FAREWELL_H

#include <stdbool.h>

struct rd_kafka_s; /* rd_kafka_t */

/* Destroys rk with the flags of rd_kafka_destroy_flags; `after(arg)` runs once it is gone, on another thread.
 * False: it was not gone within 2 s and goes on in the background. */
bool rl_farewell(struct rd_kafka_s *rk, int flags, void (*after)(void *arg), void *arg);

/* How many go on so now. While there are any, the process must end by _exit: what exit() takes down (OpenSSL,
 * for one) their threads still use. */
int rl_farewells_unended(void);

#endif
