#include "lua/limits.h"

#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "lua/fail.h"
#include "lua/stuck.h"

/* ThreadSanitizer holds signals back until the program calls into it, which a loop in Lua never does. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#include <sys/syscall.h>
#define HAVE_SIGNAL 1
#define LIMIT_SIGNAL (SIGRTMIN + 4)
/* glibc before 2.38 has the member but not its portable name. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#else
#define HAVE_SIGNAL 0
#endif

#define COUNT_STEP 1000               /* instructions between two looks at the clock, without signals */
#define AGAIN_NS (100 * RL_NS_PER_MS) /* the signal comes again while the call has not unwound */

struct rl_limits {
  enum rl_limits_how how;
  lua_State *L;
  _Atomic(lua_State *) running; /* the coroutine that runs; this thread and its signal handler only */
  atomic_bool in_call;
  atomic_bool stop;      /* rl_limits_stop asked */
  atomic_int why;        /* enum rl_limits_end, once a limit was passed */
  atomic_int raised;     /* how often the hook has raised in this call */
  int seen;              /* `raised` at the last signal: no more since is no step in Lua since */
  atomic_llong deadline; /* RL_NEVER: none */
  double seconds;
  bool excused; /* rl_limits_excuse; the thread of the call only */
  struct rl_stuck stuck;

  pthread_mutex_t lock; /* in_call against rl_limits_stop: a signal goes only to a thread in a call */
  pthread_t thread;
#if HAVE_SIGNAL
  timer_t timer;
  pid_t tid; /* whom the timer is aimed at; 0: there is none */
  sigset_t mask;
#endif
};

struct rl_limits *rl_limits_of(lua_State *L) {
  return *(struct rl_limits **)lua_getextraspace(L);
}

static const char limits_key; /* registry: the limits, of a state that has some */

void rl_limits_announce(lua_State *L) {
  lua_pushlightuserdata(L, rl_limits_of(L));
  lua_rawsetp(L, LUA_REGISTRYINDEX, &limits_key);
}

struct rl_limits *rl_limits_find(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &limits_key);
  struct rl_limits *l = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return l;
}

static enum rl_limits_end passed(struct rl_limits *l) {
  if (!atomic_load(&l->in_call)) return RL_LIMITS_KEPT;
  if (atomic_load(&l->why)) return (enum rl_limits_end)atomic_load(&l->why);
  if (atomic_load(&l->stop)) return RL_LIMITS_STOPPED;
  return rl_now() >= atomic_load(&l->deadline) ? RL_LIMITS_TIME : RL_LIMITS_KEPT;
}

static void hook(lua_State *L, lua_Debug *ar);

static void watch(lua_State *L) { lua_sethook(L, hook, LUA_MASKCALL | LUA_MASKCOUNT, 1); }

static void unwatch(struct rl_limits *l, lua_State *L) {
  if (l->how == RL_LIMITS_COUNT)
    lua_sethook(L, hook, LUA_MASKCOUNT, COUNT_STEP);
  else
    lua_sethook(L, NULL, 0, 0);
}

static void raise_end(lua_State *L, struct rl_limits *l, enum rl_limits_end why) {
  rl_lua_place(L, 0); /* within a hook, level 0 is what ran */
  bool late = why == RL_LIMITS_TIME;
  if (late)
    lua_pushfstring(L, "the call took longer than limits.time (%f s)%s", l->seconds,
                    l->excused ? ", which a server let pass" : "");
  else
    lua_pushliteral(L, "the call was stopped");
  lua_concat(L, 2);
  if (late && l->excused) rl_lua_as_weather(L);
  lua_error(L);
}

static void cut(lua_State *L, struct rl_limits *l, enum rl_limits_end why) {
  atomic_store(&l->why, why);
  atomic_fetch_add(&l->raised, 1);
  watch(L);
  raise_end(L, l, why);
}

bool rl_limits_due(struct rl_limits *l) { return passed(l) != RL_LIMITS_KEPT; }

void rl_limits_excuse(struct rl_limits *l) { l->excused = l->excused || passed(l) == RL_LIMITS_TIME; }
bool rl_limits_excused(const struct rl_limits *l) { return l->excused; }

void rl_limits_check(lua_State *L) {
  struct rl_limits *l = rl_limits_find(L);
  enum rl_limits_end why = l ? passed(l) : RL_LIMITS_KEPT;
  if (why != RL_LIMITS_KEPT) cut(L, l, why);
}

/* A coroutine that outlived the call in which it was watched loses its hook at its next step. */
static void hook(lua_State *L, lua_Debug *ar) {
  (void)ar;
  struct rl_limits *l = rl_limits_of(L);
  enum rl_limits_end why = passed(l);
  if (why == RL_LIMITS_KEPT) {
    unwatch(l, L);
    return;
  }
  cut(L, l, why);
}

lua_State *rl_limits_running(const struct rl_limits *l) {
  return atomic_load_explicit(&l->running, memory_order_relaxed);
}

lua_State *rl_limits_enter(struct rl_limits *l, lua_State *co) {
  lua_State *before = atomic_load_explicit(&l->running, memory_order_relaxed);
  atomic_store_explicit(&l->running, co, memory_order_relaxed);
  if (atomic_load_explicit(&l->why, memory_order_relaxed)) watch(co);
  return before;
}

/* `why` is set before the hook is: whoever reads it after moving the pointer sees what the handler missed. */
void rl_limits_leave(struct rl_limits *l, lua_State *before) {
  atomic_store_explicit(&l->running, before, memory_order_relaxed);
  if (before && atomic_load_explicit(&l->why, memory_order_relaxed)) watch(before);
}

#if HAVE_SIGNAL
/* The limits of the call that this thread makes: the signal handler finds them here. Initial-exec, because
 * the first access of another model may allocate, which a signal handler must not. */
static _Thread_local struct rl_limits *current __attribute__((tls_model("initial-exec")));

static void set_timer(struct rl_limits *l, int64_t deadline, int64_t interval) {
  struct itimerspec when = {{0, (long)interval}, {0, 0}};
  if (deadline != RL_NEVER) {
    when.it_value.tv_sec = (time_t)(deadline / RL_NS_PER_S);
    when.it_value.tv_nsec = (long)(deadline % RL_NS_PER_S);
  }
  timer_settime(l->timer, TIMER_ABSTIME, &when, NULL);
}

/* On the thread of the call, between any two of its instructions. The signal keeps coming: the first may have
 * been just before a blocking call of the script, which only a later one interrupts. */
static void cut_short(struct rl_limits *l) {
  enum rl_limits_end why = passed(l);
  if (why == RL_LIMITS_KEPT) return;
  bool again = atomic_exchange(&l->why, why) != RL_LIMITS_KEPT;
  lua_State *L = atomic_load_explicit(&l->running, memory_order_relaxed);
  int raised = atomic_load(&l->raised);
  if (again && raised == l->seen) rl_stuck_note(&l->stuck, L);
  l->seen = raised;
  watch(L);
  if (!again && why == RL_LIMITS_STOPPED) set_timer(l, rl_now() + AGAIN_NS, AGAIN_NS);
}

static void on_signal(int signal) {
  (void)signal;
  int saved = errno;
  if (current) cut_short(current);
  errno = saved;
}

/* Without SA_RESTART: a blocking read of the script ends with EINTR and comes back to Lua. */
static void install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  sigaction(LIMIT_SIGNAL, &action, NULL);
}

static bool aim_timer(struct rl_limits *l) {
  pid_t tid = (pid_t)syscall(SYS_gettid);
  if (l->tid == tid) return true;
  if (l->tid) timer_delete(l->timer);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = LIMIT_SIGNAL;
  event.sigev_notify_thread_id = tid;
  l->tid = timer_create(CLOCK_MONOTONIC, &event, &l->timer) == 0 ? tid : 0;
  return l->tid != 0;
}

static void listen(struct rl_limits *l) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, LIMIT_SIGNAL);
  pthread_sigmask(SIG_UNBLOCK, &set, &l->mask);
}

static void arm(struct rl_limits *l) {
  if (!aim_timer(l)) { /* the kernel has no timer left for us: from now on the clock is looked at */
    l->how = RL_LIMITS_COUNT;
    unwatch(l, l->L);
    return;
  }
  current = l;
  listen(l);
  if (atomic_load(&l->deadline) != RL_NEVER) set_timer(l, atomic_load(&l->deadline), AGAIN_NS);
}

static void disarm(struct rl_limits *l) {
  set_timer(l, RL_NEVER, 0);
  pthread_sigmask(SIG_SETMASK, &l->mask, NULL);
  current = NULL;
}
#endif

struct rl_limits *rl_limits_new(enum rl_limits_how how) {
  if (how == RL_LIMITS_SIGNAL && !HAVE_SIGNAL) return NULL;
  if (how == RL_LIMITS_BEST) how = HAVE_SIGNAL ? RL_LIMITS_SIGNAL : RL_LIMITS_COUNT;
#if HAVE_SIGNAL
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (how == RL_LIMITS_SIGNAL) pthread_once(&once, install);
#endif
  struct rl_limits *l = rl_zalloc(sizeof *l);
  l->how = how;
  atomic_init(&l->deadline, RL_NEVER);
  pthread_mutex_init(&l->lock, NULL);
  return l;
}

void rl_limits_free(struct rl_limits *l) {
  if (!l) return;
#if HAVE_SIGNAL
  if (l->tid) timer_delete(l->timer);
#endif
  pthread_mutex_destroy(&l->lock);
  rl_free(l);
}

void rl_limits_attach(struct rl_limits *l, lua_State *L) {
  l->L = L;
  *(struct rl_limits **)lua_getextraspace(L) = l;
  if (l->how == RL_LIMITS_COUNT) unwatch(l, L);
}

void rl_limits_begin(struct rl_limits *l, double seconds, const char *script) {
  int64_t now = rl_now(), limit = seconds > 0 ? rl_seconds(seconds) : RL_NEVER;
  l->seconds = seconds;
  l->excused = false;
  atomic_store(&l->why, RL_LIMITS_KEPT);
  atomic_store(&l->raised, 0);
  l->seen = 0;
  atomic_store(&l->running, l->L);
  atomic_store(&l->deadline, limit > RL_NEVER - now ? RL_NEVER : now + limit);
  rl_stuck_begin(&l->stuck, script);
  pthread_mutex_lock(&l->lock);
  l->thread = pthread_self();
  atomic_store(&l->stop, false);
  atomic_store(&l->in_call, true);
  pthread_mutex_unlock(&l->lock);
#if HAVE_SIGNAL
  if (l->how == RL_LIMITS_SIGNAL) arm(l);
#endif
}

/* The limits were kept when nothing of the script was cut short, even if the time has just passed. */
enum rl_limits_end rl_limits_end(struct rl_limits *l) {
  pthread_mutex_lock(&l->lock);
  atomic_store(&l->in_call, false);
  pthread_mutex_unlock(&l->lock);
#if HAVE_SIGNAL
  if (l->how == RL_LIMITS_SIGNAL) disarm(l);
#endif
  rl_stuck_end(&l->stuck);
  atomic_store(&l->running, NULL);
  if (!atomic_load(&l->why)) return RL_LIMITS_KEPT;
  unwatch(l, l->L);
  return atomic_load(&l->raised) ? (enum rl_limits_end)atomic_load(&l->why) : RL_LIMITS_KEPT;
}

void rl_limits_stop(struct rl_limits *l) {
  pthread_mutex_lock(&l->lock);
  if (atomic_load(&l->in_call)) {
    atomic_store(&l->stop, true);
#if HAVE_SIGNAL
    if (l->how == RL_LIMITS_SIGNAL) pthread_kill(l->thread, LIMIT_SIGNAL);
#endif
  }
  pthread_mutex_unlock(&l->lock);
}

const char *rl_limits_where(struct rl_limits *l) { return rl_stuck_where(&l->stuck); }
