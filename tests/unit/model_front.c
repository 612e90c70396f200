/* The front of models: one model for who asks for the same, URIs, warmup. */
#include "front_bed.h"

TEST(one_uri_with_the_same_options_is_one_model) {
  reset();
  struct rl_model *a = open_with("fake:sum", plain), *b = open_with("fake:sum", plain);
  CHECK(a == b);
  CHECK_INT(fake.opened, 1);
  struct rl_model *c = open_with("fake:sum", (struct rl_model_opts){.batch = 3});
  struct rl_model *d = open_with("fake:sum", (struct rl_model_opts){.token = "t"});
  CHECK(c != a && d != a && d != c);
  CHECK_INT(fake.opened, 3);
  rl_model_close(a);
  CHECK_INT(fake.closed, 0);
  struct bench t;
  CHECK_INT(run_rows(&t, b, RL_FLOAT32, 2), 0); /* the other owner's still runs */
  done(&t);
  rl_model_close(b);
  CHECK_INT(fake.closed, 1);
  a = open_with("fake:sum", plain); /* anew */
  CHECK_INT(fake.opened, 4);
  rl_model_close(a);
  rl_model_close(c);
  rl_model_close(d);
  CHECK_INT(fake.closed, 4);
  rl_model_close(NULL);
}

struct opener {
  pthread_t thread;
  struct rl_model *m;
  int rc;
  struct rl_err err;
};

static void *open_it(void *arg) {
  struct opener *o = arg;
  o->rc = rl_model_open_among(&o->m, backends, "fake:sum", &plain, NULL, NULL, &o->err);
  return NULL;
}

static bool no(void *arg) {
  (void)arg;
  return false;
}

/* Starts a thread that is within open, and stays there until open_gate. */
static void open_behind_gate(struct opener *o) {
  fake.gate = true;
  pthread_create(&o->thread, NULL, open_it, o);
  pthread_mutex_lock(&fake.mu);
  while (!fake.waiting) pthread_cond_wait(&fake.cv, &fake.mu);
  pthread_mutex_unlock(&fake.mu);
}

static void open_gate(void) {
  pthread_mutex_lock(&fake.mu);
  fake.gate = false;
  pthread_cond_broadcast(&fake.cv);
  pthread_mutex_unlock(&fake.mu);
}

TEST(who_comes_while_it_opens_waits_and_shares_it) {
  reset();
  struct opener first = {0}, second = {0};
  struct rl_model *m;
  struct rl_err err;
  open_behind_gate(&first);
  CHECK_INT(rl_model_open_among(&m, backends, "fake:sum", &plain, no, NULL, &err), RL_ETRANSIENT);
  CHECK(m == NULL);
  CHECK_HAS(err.text, "fake:sum: the wait for it was ended");
  pthread_create(&second.thread, NULL, open_it, &second);
  open_gate();
  pthread_join(first.thread, NULL);
  pthread_join(second.thread, NULL);
  CHECK(first.m && first.m == second.m);
  CHECK_INT(fake.opened, 1);
  rl_model_close(first.m);
  rl_model_close(second.m);
  CHECK_INT(fake.closed, 1);
}

TEST(an_opening_that_failed_is_tried_anew) {
  reset();
  struct opener first = {0};
  fake.open_fails = RL_ETRANSIENT;
  open_behind_gate(&first);
  open_gate();
  pthread_join(first.thread, NULL);
  CHECK_INT(first.rc, RL_ETRANSIENT);
  CHECK_STR(first.err.text, "fake:sum: it is not there");
  fake.open_fails = 0;
  struct rl_model *m = open_with("fake:sum", plain);
  CHECK_INT(fake.opened, 2);
  rl_model_close(m);
}

TEST(uris) {
  struct rl_model *m;
  struct rl_err err;
  CHECK_INT(rl_model_open(&m, "http://host/model", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "\"http://host/model\" is no model: expected FILE.onnx, onnx:FILE");
  CHECK_INT(rl_model_open(&m, "http://me:secret@host/model.onnx", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK(!strstr(err.text, "secret"));
  CHECK_INT(rl_model_open(&m, "http://host/model?token=secret", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK(!strstr(err.text, "secret"));
  CHECK_INT(rl_model_open(&m, "", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_INT(rl_model_open(&m, "/nowhere/there.is.no.onnx", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "onnx:/nowhere/there.is.no.onnx: cannot read the file: No such file");
}

/* The backend refuses it in words of its own; the front puts the URI before them. */
TEST(no_uri_that_may_hold_a_secret_is_told) {
  static const char *const uris[] = {"fake://me:secret@host/m", "fake:me:secret@host/m",
                                     "fake://host/m?token=secret", "fake://host/m#secret"};
  struct rl_model *m;
  struct rl_err err;
  reset();
  fake.open_fails = RL_EUSAGE;
  for (size_t i = 0; i < 4; i++) {
    CHECK_INT(rl_model_open_among(&m, backends, uris[i], &plain, NULL, NULL, &err), RL_EUSAGE);
    CHECK_STR(err.text, "fake:…: it is not there");
  }
}

/* ---- warmup ---- */

TEST(warmup_runs_zeros_before_anybody_asks) {
  reset();
  struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.warmup = 7});
  CHECK_INT(fake.calls, 1);
  CHECK_INT(fake.rows[0], 7);
  rl_model_close(m);
  fake.run_fails = RL_EFAIL;
  struct rl_err err;
  CHECK_INT(
      rl_model_open_among(&m, backends, "fake:sum", &(struct rl_model_opts){.warmup = 1}, NULL, NULL, &err),
      RL_EFAIL);
  CHECK_STR(err.text, "fake:sum: it broke");
  CHECK_INT(fake.opened, fake.closed);
  fake.run_fails = 0;
  CHECK_INT(
      rl_model_open_among(&m, backends, "fake:bare", &(struct rl_model_opts){.warmup = 1}, NULL, NULL, &err),
      RL_EUSAGE);
  CHECK_HAS(err.text, "warmup: the model does not say what it takes");
}
