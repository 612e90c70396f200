/* For the tests of rille.model: a backend made here, in place of the real ones. */
#ifndef LUA_MODEL_MADE_H
#define LUA_MODEL_MADE_H

#include <lauxlib.h>
#include <time.h>

#include "lua_made.h"
#include "model/model_impl.h"

/* "fake:NAME" takes x [?, 2] float32; "fake:two" gives double and half, others double alone. */
static struct {
  int opens, closes;
  int open_fails, run_fails;
  int lacks_memory; /* as many runs fail for lack of it: the collector goes round */
  bool hangs;       /* a run ends only when it is told to */
  atomic_bool running;
  lua_State *interrupts; /* a run that hangs sets a hook there */
  struct rl_model_opts opts;
  char secret[64];
} fake;

static inline void add_port(struct rl_model_ports *ports, const char *name) {
  ports->at = rl_realloc(ports->at, (ports->n + 1) * sizeof *ports->at);
  ports->at[ports->n++] = (struct rl_model_port){rl_strdup(name), RL_FLOAT32, 2, {-1, 2}};
}

static inline int fake_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
  if (fake.open_fails) return rl_fail(err, fake.open_fails, "no answer");
  fake.opens++;
  fake.opts = *o->opts;
  snprintf(fake.secret, sizeof fake.secret, "%s",
           o->opts->token      ? o->opts->token
           : o->opts->password ? o->opts->password
                               : "");
  add_port(o->inputs, "x");
  add_port(o->outputs, "double");
  if (strcmp(o->uri, "fake:two") == 0) add_port(o->outputs, "half");
  *self = o->outputs;
  return 0;
}

static inline void interrupt(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted!");
}

static inline void hang(const struct rl_model_run *run) {
  atomic_store(&fake.running, true);
  if (fake.interrupts) lua_sethook(fake.interrupts, interrupt, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 1);
  if (!run->go_on) UNIT_FAIL("a run that nothing ends");
  while (run->go_on(run->arg)) nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static inline int fake_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  const struct rl_model_ports *outputs = self;
  if (fake.hangs) {
    hang(run);
    return rl_fail(err, RL_ETRANSIENT, "ended");
  }
  if (fake.run_fails) return rl_fail(err, fake.run_fails, "it broke");
  if (fake.lacks_memory && fake.lacks_memory--) return rl_fail(err, RL_ENOMEM, "no memory");
  const struct rl_tensor *x = &run->inputs[0].t;
  run->outputs = rl_zalloc(outputs->n * sizeof *run->outputs);
  run->n_outputs = outputs->n;
  for (size_t i = 0; i < outputs->n; i++) {
    run->outputs[i].name = outputs->at[i].name;
    int rc = rl_tensor_new(&run->outputs[i].t, RL_FLOAT32, x->rank, x->shape, run->alloc, err);
    if (rc) return rc;
    for (size_t k = 0; k < rl_tensor_count(x); k++)
      ((float *)(void *)run->outputs[i].t.data)[k] =
          ((const float *)(const void *)x->data)[k] * (i ? 0.5F : 2.0F);
  }
  return 0;
}

static inline void fake_close(void *self) {
  (void)self;
  fake.closes++;
}

static const char *const schemes[] = {"fake", NULL};
static struct rl_model_backend backend = {
    .schemes = schemes, .open = fake_open, .run = fake_run, .close = fake_close};
/* In place of the room's own: its file is not linked. */
const struct rl_model_backend *const rl_model_backends[] = {&backend, NULL};

static inline void reset(void) {
  memset(&fake, 0, sizeof fake);
  unsetenv("RILLE_MODEL_USER");
  unsetenv("RILLE_MODEL_PASSWORD");
  unsetenv("RILLE_MODEL_PASSWORD_FILE");
  unsetenv("RILLE_MODEL_TOKEN");
  unsetenv("RILLE_MODEL_TOKEN_FILE");
}

#define HANDLE(code) "return function(batch)\n" code "\nend"
#define X "local x = rille.tensor({{1, 2}, {3, 4}}, 'float32')\n"

#endif
