/* micro_avro: what the projection of an alert filter costs over real containers, beside copying them. No
 * broker, one core.
 *
 *   micro_avro [SECONDS] FILE.avro ...
 *
 * Prints a line a job: bytes a second, time a message, and the ratio to memcpy: id and three candidate fields
 * (the purity filter's job), a whole record as a tree, the whole value; over the files as they are, which fit
 * a cache, and over so many copies that they do not. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "codec/decoder.h"

struct job {
  const char *name;
  const char *fields; /* NULL: whole values; "": copied */
};

struct files {
  struct rl_msg *at;
  size_t n, cap, bytes;
};

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

static void load(struct files *files, const char *path) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  struct rl_buf file = RL_BUF_INIT;
  FILE *in = fopen(path, "rb");
  if (!in) {
    perror(path);
    exit(1);
  }
  for (size_t n; (n = fread(rl_buf_reserve(&file, 1 << 16), 1, 1 << 16, in)) > 0;) file.len += n;
  fclose(in);
  RL_GROW(files->at, files->cap, files->n + 1);
  files->at[files->n++] = (struct rl_msg){.topic = "t", .value = rl_buf_bytes(&file), .ops = &ops};
  files->bytes += file.len;
}

static void check(int code, const struct rl_err *err) {
  if (code == 0) return;
  fprintf(stderr, "micro_avro: %s\n", err->text);
  exit(1);
}

static void copy_round(const struct files *files, char *to) {
  for (size_t i = 0; i < files->n; i++) {
    memcpy(to, files->at[i].value.data, files->at[i].value.len);
    __asm__ volatile("" : : "r"(to) : "memory"); /* the copy is looked at, for all the compiler knows */
  }
}

static void rows_round(const struct files *files, struct rl_decoder *d, struct rl_columns *c) {
  struct rl_err err;
  size_t n;
  rl_columns_reset(c);
  for (size_t i = 0; i < files->n; i++) check(rl_decoder_rows(d, &files->at[i], c, &n, &err), &err);
}

static void tape_round(const struct files *files, struct rl_decoder *d, struct rl_tape *tape) {
  struct rl_err err;
  for (size_t i = 0; i < files->n; i++) check(rl_decoder_tape(d, &files->at[i], 0, tape, &err), &err);
}

/* As many copies as do not fit into a cache: what a stream's messages are. */
static struct files spread(const struct files *files) {
  struct files many = {0};
  while (many.bytes < (size_t)256 << 20)
    for (size_t i = 0; i < files->n; i++) {
      struct rl_bytes value = files->at[i].value;
      RL_GROW(many.at, many.cap, many.n + 1);
      many.at[many.n] = files->at[i];
      many.at[many.n++].value.data = memcpy(rl_alloc(value.len), value.data, value.len);
      many.bytes += value.len;
    }
  return many;
}

/* Bytes a second; the best of rounds that together take `seconds`, since the machine has other work too. */
static double measure(const struct job *job, const struct files *files, double seconds) {
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_decoder_opts opts = {.fields = &fields};
  struct rl_decoder *d;
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err err;
  bool copies = job->fields && !*job->fields;
  if (job->fields && *job->fields) check(rl_fields_parse(&fields, job->fields, &err), &err);
  check(rl_decoder_new(&d, "avro", &opts, &err), &err);
  struct rl_columns *c = rl_columns_new(&fields);
  char *to =
      rl_alloc(files->bytes); /* memcpy writes over its start again and again, as a parser's scratch is */
  double best = 0;
  for (int64_t start = rl_now(), now = start; now - start < rl_seconds(seconds);) {
    int64_t before = now;
    if (copies)
      copy_round(files, to);
    else if (job->fields)
      rows_round(files, d, c);
    else
      tape_round(files, d, &tape);
    now = rl_now();
    double rate = (double)files->bytes / ((double)(now - before) / (double)RL_NS_PER_S);
    if (rate > best) best = rate;
  }
  rl_free(to);
  rl_tape_free(&tape);
  rl_columns_free(c);
  rl_decoder_free(d);
  rl_fields_free(&fields);
  return best;
}

static void run_jobs(const char *where, const struct files *files, double seconds) {
  static const struct job jobs[] = {
      {"memcpy", ""},
      {"id and 3 candidate fields", "objectId,rb=candidate.rb,nbad=candidate.nbad,magdiff=candidate.magdiff"},
      {"the same, typed",
       "objectId:str,rb=candidate.rb:f64,nbad=candidate.nbad:i64,magdiff=candidate.magdiff:f64"},
      {"candidate, whole", "candidate"},
      {"the whole value", NULL}};
  double size = (double)files->bytes / (double)files->n, copied = 0;
  printf("%s: %zu messages of %.1f kB\n", where, files->n, size / 1000);
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    double rate = measure(&jobs[i], files, seconds);
    if (i == 0) copied = rate;
    printf("  %-28s %7.2f GB/s  %7.2f us a message  %5.2f of memcpy\n", jobs[i].name, rate / 1e9,
           size / rate * 1e6, rate / copied);
  }
}

int main(int argc, char **argv) {
  struct files files = {0};
  double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
  int first = seconds > 0 ? 2 : 1;
  for (int i = first; i < argc; i++) load(&files, argv[i]);
  if (files.n == 0) {
    fprintf(stderr, "micro_avro [SECONDS] FILE.avro ...\n");
    return 2;
  }
  if (seconds <= 0) seconds = 2;
  struct files many = spread(&files);
  run_jobs("in cache", &files, seconds);
  run_jobs("from memory", &many, seconds);
  return 0;
}
