/* Destroying a handle, in bounded time.
 *
 * librdkafka 2.0 never ends the thread of a broker that it still counts a partition of a deleted topic to,
 * and any version waits for ever for a message that was not released. Such a handle is left to end with the
 * process. */
#ifndef RL_KAFKA_FAREWELL_H
#define RL_KAFKA_FAREWELL_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

/* Destroys rk with the flags of rd_kafka_destroy_flags; `after(arg)` runs once it is gone, on another thread.
 * False: it was not gone within 2 s and goes on in the background. */
bool rl_farewell(rd_kafka_t *rk, int flags, void (*after)(void *arg), void *arg);

#endif
