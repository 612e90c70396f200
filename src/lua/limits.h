/* The time a call into a script may take, and stopping it from outside (S10.3).
 *
 * On Linux a timer aimed at the thread that runs Lua, or a signal sent to it, runs a handler *on that
 * thread*: it sets a hook on the coroutine that runs, the one thing Lua allows a signal handler to do. The
 * hook raises and stays, so that it raises again after each pcall of the script, until the call has unwound.
 * A hook set from another thread would be a use after free. Elsewhere a count hook looks at the clock.
 *
 * Which coroutine runs is known because coroutine.resume and wrap say so (lua/coroutine.c). While C code does
 * not return to Lua (a pattern that backtracks) no hook runs: then the call is stuck, and rl_limits_where
 * gives the line it was called from.
 *
 * The realtime signal is unblocked only in the thread of a call, only while the call runs. */
#ifndef RL_LUA_LIMITS_H
#define RL_LUA_LIMITS_H

#include <lua.h>
#include <stdbool.h>

#include "base/err.h"

struct rl_limits;

enum rl_limits_how { RL_LIMITS_SIGNAL, RL_LIMITS_COUNT, RL_LIMITS_BEST };
enum rl_limits_end { RL_LIMITS_KEPT, RL_LIMITS_TIME, RL_LIMITS_STOPPED };

/* SIGNAL is refused (NULL) where the system has no such timers; BEST takes what there is. */
struct rl_limits *rl_limits_new(enum rl_limits_how how);
void rl_limits_free(struct rl_limits *limits);

/* Ties the limits to a state: before any coroutine is made. */
void rl_limits_attach(struct rl_limits *limits, lua_State *L);
/* The limits of a state that has some. */
struct rl_limits *rl_limits_of(lua_State *L);
/* Lets rl_limits_find find them. Raises for lack of memory. */
void rl_limits_announce(lua_State *L);
/* The limits of any state; NULL: it has none, as in the library form. */
struct rl_limits *rl_limits_find(lua_State *L);

/* Around each call, on the thread that makes it. seconds 0: no limit. script: borrowed until the end. */
void rl_limits_begin(struct rl_limits *limits, double seconds, const char *script);
enum rl_limits_end rl_limits_end(struct rl_limits *limits);

/* Makes the call that runs, if any, raise soon. Any thread. */
void rl_limits_stop(struct rl_limits *limits);
/* Is the call that runs to end: for waits in C that no hook can end. Any thread. */
bool rl_limits_due(struct rl_limits *limits);
/* Raises what the hook would, if the call is to end: where such a wait was cut short. */
void rl_limits_check(lua_State *L);
/* The limit that was passed just now cut short a wait for a server: the call's end is the weather (S4.1), and
 * no message is to blame. Nothing when none was passed, or the call was stopped. */
void rl_limits_excuse(struct rl_limits *limits);
bool rl_limits_excused(const struct rl_limits *limits); /* of the call that runs, or ran last */
/* "bright.lua:12" of a call that is stuck, the script while it is not known, NULL while no call runs. Any
 * thread; the text stays good until two more calls got stuck. */
const char *rl_limits_where(struct rl_limits *limits);

/* The coroutine that runs, NULL while no call does. For the thread of the call. */
lua_State *rl_limits_running(const struct rl_limits *limits);

/* For resume: `co` runs now; gives what ran before. And back. */
lua_State *rl_limits_enter(struct rl_limits *limits, lua_State *co);
void rl_limits_leave(struct rl_limits *limits, lua_State *before);

#endif
