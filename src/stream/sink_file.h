/* Outputs "-" (stdout) and "file:PATH": NDJSON, one line an output, acknowledged when the system took all of
 * it (S5.3, S5.5). A value that is JSON stands as it is; anything else as a record with value_base64, which
 * --input reads back. */
#ifndef RL_STREAM_SINK_FILE_H
#define RL_STREAM_SINK_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/msg.h"

struct rl_files;

bool rl_is_file(const char *topic); /* "-" or "file:…" */

struct rl_files *rl_files_new(bool fsync);
void rl_files_free(struct rl_files *files);
int rl_files_open(struct rl_files *files, const char *topic, struct rl_err *err);

/* A line for a value that is known to be one JSON text without line breaks. */
int rl_files_json(struct rl_files *files, const char *topic, struct rl_bytes value, struct rl_err *err);
/* A line for anything: `msg` gives value, key, headers and, where it has them, origin. */
int rl_files_message(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                     const struct rl_header *headers, size_t n_headers, struct rl_err *err);
/* As above, always as a record: a dead letter's headers must not get lost. */
int rl_files_record(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                    const struct rl_header *headers, size_t n_headers, struct rl_err *err);
int rl_files_flush(struct rl_files *files, struct rl_err *err);

/* For a thread that must not wait, as the functions above do while a pipe is full. rl_files_later keeps a
 * record without writing any; *mark says where it ends. rl_files_try writes what goes at once: 1 when the
 * system took (and synced, where asked) all up to the mark, 0 when not yet, or an error. */
int rl_files_later(struct rl_files *files, const char *topic, const struct rl_msg *msg,
                   const struct rl_header *headers, size_t n_headers, uint64_t *mark, struct rl_err *err);
int rl_files_try(struct rl_files *files, const char *topic, uint64_t mark, struct rl_err *err);

#endif
