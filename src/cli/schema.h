/* `rille schema`: what its parts share. Some messages are read (samples), their format is guessed where it
 * was not said, they are merged to an outline (codec/outline.h), and that is printed. */
#ifndef RL_CLI_SCHEMA_H
#define RL_CLI_SCHEMA_H

#include "base/arena.h"
#include "base/msg.h"
#include "cli/args.h"
#include "codec/outline.h"

enum { RL_SAMPLES_BYTES = 64 << 20 };

struct rl_sample {
  struct rl_bytes key, value;
};

struct rl_samples {
  struct rl_arena arena;
  struct rl_sample *at;
  size_t n, cap, wanted;
  size_t nulls; /* messages without a value, which show nothing */
  bool whole;   /* of a file that is one value */
};

/* Copies it. False: that was enough, of messages or of bytes. */
bool rl_samples_add(struct rl_samples *samples, struct rl_bytes key, struct rl_bytes value);
void rl_samples_free(struct rl_samples *samples);
/* What a file holds: a container, a JSON document, or another text is one value; lines of JSON are one each,
 * and those that `rille tap` wrote the messages they were. schema: the file is an Avro schema and nothing
 * else; its text is in at[0].value. */
int rl_samples_file(struct rl_samples *samples, const char *path, bool *schema, struct rl_err *err);

/* Sets decode, framing and csv.header where the settings (finished) do not say, from what the samples begin
 * with, and puts what was guessed and why, in a sentence, or nothing. is_file: a text may have a line of
 * names. RL_EUSAGE: they look like nothing known. */
int rl_schema_guess(struct rl_settings *s, const struct rl_samples *samples, bool is_file,
                    struct rl_buf *said, struct rl_err *err);

/* All that is printed comes from here. */
struct rl_schema_view {
  const struct rl_outline *outline;
  const struct rl_settings *settings;
  const char *source; /* the file or topic, as it was given */
  bool is_file, whole;
  bool many; /* some message held more than one record */
};
void rl_schema_put_json(struct rl_buf *out, const struct rl_schema_view *view);
int rl_schema_print(const struct rl_schema_view *view, struct rl_err *err); /* the table */
/* A handler with the fields, ready to run. (schema_script.c) */
void rl_schema_put_script(struct rl_buf *out, const struct rl_schema_view *view);
/* Its parts: the settings before the fields (schema_settings.c), and a string as Lua has it. */
void rl_schema_put_settings(struct rl_buf *out, const struct rl_schema_view *view);
void rl_schema_put_string(struct rl_buf *out, struct rl_bytes text);
/* The end, from `handle` on (schema_handler.c). first, number: the columns to show, NULL: there are none;
 * many: a message may be several rows. */
void rl_schema_put_handler(struct rl_buf *out, const char *first, const char *number, bool many);

#endif
