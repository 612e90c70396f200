/* micro_codec: what a decoder costs, beside copying the messages. No broker, one core.
 *
 *   micro_codec avro|json|csv SECONDS FILE...
 *
 * Of Avro each file is a message, else each line of one. They are copied until they do not fit into a cache,
 * as a stream's messages do not. A line a job: "NAME<tab>BYTES A SECOND<tab>MICROSECONDS A MESSAGE", the best
 * of rounds that together take SECONDS; of CPU, since the machine has other work too. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "codec/decoder.h"

enum { AT_LEAST = 64 << 20, BATCH = 512 };

struct job {
  const char *format, *name;
  const char *fields; /* NULL: whole values; "": copied */
};

#define COLUMNS(type)                                                                                        \
  "f1:" type ",f2:" type ",f3:" type ",f4:" type ",f5:" type ",f6:" type ",f7:" type ",f8:" type ",f9:" type \
  ",f10:" type ",f11:" type ",f12:" type ",f13:" type ",f14:" type ",f15:" type ",f16:" type ",f17:" type    \
  ",f18:" type

static const struct job jobs[] = {
    {"json", "memcpy", ""},
    {"json", "rille: 3 fields", "rb=candidate.rb,mag=candidate.magpsf,nbad=candidate.nbad"},
    {"json", "rille: the whole value", NULL},
    {"avro", "memcpy", ""},
    {"avro", "rille: id and 3 fields",
     "objectId,rb=candidate.rb,nbad=candidate.nbad,magdiff=candidate.magdiff"},
    {"avro", "rille: the same, typed",
     "objectId:str,rb=candidate.rb:f64,nbad=candidate.nbad:i64,magdiff=candidate.magdiff:f64"},
    {"avro", "rille: candidate, whole", "candidate"},
    {"avro", "rille: the whole value", NULL},
    {"csv", "memcpy", ""},
    {"csv", "rille: 18 columns as f32", COLUMNS("f32")},
    {"csv", "rille: 18 columns as auto", COLUMNS("auto")},
    {"csv", "rille: 3 columns as f32", "f1:f32,f9:f32,f18:f32"},
    {"csv", "rille: the whole value", NULL},
};

static const char *const columns[] = {"f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8",  "f9",
                                      "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18"};

struct messages {
  struct rl_msg *at;
  size_t n, cap, bytes;
};

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

static void add(struct messages *to, struct rl_bytes value) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  RL_GROW(to->at, to->cap, to->n + 1);
  to->at[to->n++] = (struct rl_msg){.topic = "t", .value = value, .ops = &ops};
  to->bytes += value.len;
}

static void add_lines(struct messages *to, struct rl_bytes text) {
  for (const char *at = text.data, *end = at + text.len, *past; at < end; at = past + 1) {
    past = memchr(at, '\n', (size_t)(end - at));
    if (!past) past = end;
    if (past > at) add(to, rl_bytes(at, (size_t)(past - at)));
  }
}

static void load(struct messages *to, const char *path, bool lines) {
  struct rl_buf file = RL_BUF_INIT;
  FILE *in = fopen(path, "rb");
  if (!in) {
    perror(path);
    exit(1);
  }
  for (size_t n; (n = fread(rl_buf_reserve(&file, 1 << 16), 1, 1 << 16, in)) > 0;) file.len += n;
  fclose(in);
  if (lines)
    add_lines(to, rl_buf_bytes(&file));
  else
    add(to, rl_buf_bytes(&file));
}

static struct messages spread(const struct messages *few) {
  struct messages many = {0};
  while (many.bytes < (size_t)AT_LEAST)
    for (size_t i = 0; i < few->n; i++) {
      struct rl_bytes value = few->at[i].value;
      add(&many, rl_bytes(memcpy(rl_alloc(value.len), value.data, value.len), value.len));
    }
  return many;
}

static void check(int code, const struct rl_err *err) {
  if (code == 0) return;
  fprintf(stderr, "micro_codec: %s\n", err->text);
  exit(1);
}

/* What a job works with. */
struct bench {
  struct rl_fields fields;
  struct rl_decoder *decoder;
  struct rl_columns *columns;
  struct rl_tape tape;
  char *to; /* memcpy writes over its start again and again, as a parser's scratch is */
};

static void begin(struct bench *b, const struct job *job, const struct messages *m) {
  struct rl_err err;
  size_t n_columns = strcmp(job->format, "csv") == 0 ? sizeof columns / sizeof *columns : 0;
  struct rl_decoder_opts opts = {.fields = &b->fields, .csv = {.columns = columns, .n_columns = n_columns}};
  *b = (struct bench){.fields = RL_FIELDS_INIT, .tape = RL_TAPE_INIT, .to = rl_alloc(m->bytes)};
  if (job->fields && *job->fields) check(rl_fields_parse(&b->fields, job->fields, &err), &err);
  check(rl_decoder_new(&b->decoder, job->format, &opts, &err), &err);
  b->columns = rl_columns_new(&b->fields);
}

static void end(struct bench *b) {
  rl_free(b->to);
  rl_tape_free(&b->tape);
  rl_columns_free(b->columns);
  rl_decoder_free(b->decoder);
  rl_fields_free(&b->fields);
}

static void copy_round(struct bench *b, const struct messages *m) {
  for (size_t i = 0; i < m->n; i++) {
    memcpy(b->to, m->at[i].value.data, m->at[i].value.len);
    __asm__ volatile("" : : "r"(b->to) : "memory"); /* the copy is looked at, for all the compiler knows */
  }
}

static void rows_round(struct bench *b, const struct messages *m) {
  struct rl_err err;
  size_t n;
  for (size_t i = 0; i < m->n; i++) {
    if (i % BATCH == 0) rl_columns_reset(b->columns);
    check(rl_decoder_rows(b->decoder, &m->at[i], b->columns, &n, &err), &err);
  }
}

static void tape_round(struct bench *b, const struct messages *m) {
  struct rl_err err;
  for (size_t i = 0; i < m->n; i++) check(rl_decoder_tape(b->decoder, &m->at[i], 0, &b->tape, &err), &err);
}

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(const struct job *job, const struct messages *m, double seconds) {
  struct bench b;
  begin(&b, job, m);
  double best = 0;
  for (double start = cpu(), now = start; best == 0 || now - start < seconds;) {
    double before = now;
    if (!job->fields)
      tape_round(&b, m);
    else if (*job->fields)
      rows_round(&b, m);
    else
      copy_round(&b, m);
    now = cpu();
    double rate = (double)m->bytes / (now - before);
    if (rate > best) best = rate;
  }
  printf("%s\t%.0f\t%.3f\n", job->name, best, (double)m->bytes / (double)m->n / best * 1e6);
  end(&b);
}

int main(int argc, char **argv) {
  struct messages few = {0};
  bool lines = argc > 1 && strcmp(argv[1], "avro") != 0;
  for (int i = 3; i < argc; i++) load(&few, argv[i], lines);
  if (few.n == 0) {
    fprintf(stderr, "micro_codec avro|json|csv SECONDS FILE...\n");
    return 2;
  }
  struct messages many = spread(&few);
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
    if (strcmp(jobs[i].format, argv[1]) == 0) measure(&jobs[i], &many, strtod(argv[2], NULL));
  return 0; /* what was loaded goes with the process */
}
