/* Every setting, once: its name, type, default and help stand in one table (settings_table.c), from which the
 * command line, the environment, the script's table, --help, completion and man page are made.
 *
 * A setting is written `batch.size` in a script ({ batch = { size = … } }), `--batch-size` on the command
 * line, RILLE_BATCH_SIZE in the environment. Layers, strongest first: command line, environment, script,
 * default. A stronger layer is never overwritten by a weaker one that comes later; a weaker one's value is
 * checked all the same. An empty text unsets a text setting of a weaker layer (--group ''). */
#ifndef RL_STREAM_SETTINGS_H
#define RL_STREAM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "codec/decoder.h"
#include "codec/registry.h"
#include "kafka/config.h"

enum rl_delivery { RL_AT_LEAST_ONCE, RL_AT_MOST_ONCE, RL_EXACTLY_ONCE };

struct rl_list {
  char **at;
  size_t n, cap;
};

struct rl_settings {
  /* where from */
  char *brokers;             /* -b brokers: NULL until set; default localhost:9092 */
  struct rl_list topics;     /* -t topics */
  struct rl_list partitions; /* -p "0", "0-3" or "topic:0" */
  char *group;               /* -G group */
  char *start;               /* -o start: beginning, end, N, -N (before the end), a time */
  char *end;                 /* --end: an offset or a time */
  char *input;               /* --input FILE, - or kafka://host:port/topic */
  char *input_format;        /* ndjson (default) | lines | whole */
  struct rl_kconf kafka;     /* -F, kafka = {…}, RILLE_KAFKA, -X: weakest first */
  /* when it ends */
  bool exit_at_end; /* -e */
  int64_t count;    /* -c; 0: no limit */
  int64_t epochs;   /* 1: how often the range of a run without a group is read */
  double idle;      /* seconds without a message; 0: never */
  double wait;      /* seconds for the first message; 0: for ever */
  /* batches */
  int64_t batch_size;   /* 512 */
  int64_t batch_bytes;  /* 16 MiB */
  double batch_timeout; /* 0.5 s from the first message */
  /* decoding */
  char *decode;    /* json | avro | csv | tsv | raw; NULL: json with fields or rows, else raw */
  bool decode_lua; /* decode is a function of the script */
  struct rl_fields fields;
  bool strict_fields; /* a field the first batch has nowhere is an error */
  bool strict;        /* also check scalars that are skipped */
  char *rows;         /* json: "[*]", "alerts[*]": the array whose elements are rows; NULL: a row a message */
  char *schema;       /* avro: the file of a schema */
  char *framing;      /* avro: as rl_avro_framing_parse takes it */
  struct rl_list registry; /* avro: URLs of a schema registry */
  char *registry_user;     /* basic authentication */
  char *registry_password;
  char *registry_token; /* bearer */
  char *registry_ca;    /* files, PEM */
  char *registry_certificate;
  char *registry_key;
  char *registry_file; /* properties that stand for the settings above */
  bool logical;        /* avro */
  struct rl_list csv_columns;
  char *csv_delimiter; /* one character, or \t; NULL: the format's */
  bool csv_header;
  char *csv_comment; /* one character; NULL: none */
  /* delivery and failure */
  enum rl_delivery delivery;
  bool commit;             /* true */
  int64_t in_flight;       /* 8 batches */
  int64_t in_flight_bytes; /* 64 MiB; of messages, not of the fetch responses that they keep (S6.4) */
  int64_t retries;         /* 0 */
  double backoff;          /* 1 s, doubled each time, with jitter */
  double backoff_max;      /* 60 s */
  bool bisect;             /* true */
  char *dead_letter;       /* topic */
  int64_t dead_letter_max; /* 10 in a row, or over half of the last 1,000; 0: no limit */
  double outage;           /* seconds an outage is waited for; 0: for ever */
  double connect;          /* 10 s */
  double drain;            /* 5 s */
  bool fsync;
  /* limits */
  double limits_time;      /* 300 s a handler call; 0: none */
  int64_t limits_memory;   /* 1 GiB a Lua state */
  int64_t limits_depth;    /* 1000: nesting of a message */
  int64_t limits_output;   /* 256 MiB staged a handler call */
  int64_t limits_inflated; /* 64 MiB of a message's compressed blocks */
  int64_t limits_columns;  /* 16 MiB of a batch's columns */
  /* the rest */
  int64_t lanes;                       /* 1 */
  double explain;                      /* 15 s between the lines that explain a wait */
  unsigned char *layers;               /* which layer set what; internal */
  struct rl_kconf *kafka_from;         /* what `kafka` is made of, by strength; internal */
  struct rl_buf schema_text;           /* what the file `schema` holds, once finished; internal */
  struct rl_registry *registry_client; /* of `registry`, once finished; NULL: none. Shared by all copies, and
                                          ended with the last of them. */
};

enum rl_layer { RL_LAYER_DEFAULT, RL_LAYER_SCRIPT, RL_LAYER_ENV, RL_LAYER_CLI };

enum rl_setting_type {
  RL_SET_STRING,
  RL_SET_LIST,
  RL_SET_INT,
  RL_SET_SIZE,
  RL_SET_SECONDS,
  RL_SET_BOOL,
  RL_SET_ENUM,
  RL_SET_FIELDS,
  RL_SET_KAFKA,
  RL_SET_FILE
};

struct rl_setting {
  const char *name; /* "batch.size" */
  char letter;      /* kcat's, 0 if none */
  enum rl_setting_type type;
  size_t offset;       /* in struct rl_settings */
  const char *arg;     /* "N", "SECONDS", "TOPIC" in help */
  const char *text;    /* the default, as it would be written; NULL: none */
  const char *help;    /* one line */
  const char *choices; /* "a|b|c" for ENUM */
  bool script;         /* may stand in a script's table */
  bool library;        /* may stand in rille.stream{…} (S11.1) */
  double min, max;     /* of INT, SIZE and SECONDS; max 0: no upper bound */
};

extern const struct rl_setting rl_settings_table[];
extern const size_t rl_settings_count;

void rl_settings_init(struct rl_settings *s); /* all defaults */
void rl_settings_free(struct rl_settings *s);
void rl_settings_copy(struct rl_settings *to, const struct rl_settings *from);

const struct rl_setting *rl_setting_find(const char *name); /* exact, dotted; NULL if none */
/* The nearest name, for messages; NULL when none is near. */
const char *rl_setting_nearest(const char *name);

/* How a setting is written elsewhere: "batch-size" (with two dashes before it), "RILLE_BATCH_SIZE". */
#define RL_SETTING_NAME_MAX 64
void rl_setting_option_name(const struct rl_setting *what, char out[RL_SETTING_NAME_MAX]);
void rl_setting_env_name(const struct rl_setting *what, char out[RL_SETTING_NAME_MAX]);

/* Sets from text. For LIST and FIELDS each call appends within a layer (a stronger layer's first call
 * clears), a comma separates (not within the brackets of a ^regex); for KAFKA value is "k=v"; for a FILE all
 * that it holds. A STRING with choices takes one of them. `origin` is for messages: "--batch-size",
 * "RILLE_BATCH_SIZE", "bright.lua". RL_EUSAGE with name, value and what is expected. */
int rl_settings_set(struct rl_settings *s, const struct rl_setting *what, const char *value,
                    enum rl_layer layer, const char *origin, struct rl_err *err);
/* For a value that has no text (a script's fields, a decode function): false when a stronger layer has set it
 * and it must be left alone; else it counts as set by this layer, a list that a weaker one set is empty, and
 * the caller puts the value into its place. */
bool rl_settings_claim(struct rl_settings *s, const char *name, enum rl_layer layer);
/* All of RILLE_*; an unknown one is a warning with the nearest name, an empty one counts as not there.
 * RILLE_KAFKA holds one k=v a line. */
int rl_settings_env(struct rl_settings *s, char *const *environment, struct rl_err *err);
bool rl_settings_is_set(const struct rl_settings *s, const char *name); /* by any layer but the default */
enum rl_layer rl_settings_layer(const struct rl_settings *s, const char *name); /* the one that set it */

/* Fills what follows from the rest and refuses what does not go together (RL_EUSAGE): no topic ("topics"),
 * exactly_once ("not in this version"), at_most_once without a group, … Once, when all layers are in. After
 * it: brokers   set, unless `input` is a file (then NULL when none was named); also from bootstrap.servers
 *   group     NULL: none; also from group.id
 *   input     a path or "-"; NULL: Kafka. A kafka:// URI has gone into brokers and topics.
 *   topics    at least one, none twice, unless `input` is a file
 *   start     "beginning" or "end" or an offset, -N, time; in a group "beginning", "end", or "stored": only
 *             from the group's offsets (auto.offset.reset "error"). stream/start.h reads it.
 *   decode    a format's name, or, when decode_lua, what the host decodes before: raw
 *   schema    read, and a schema
 *   registry  with registry_client; from registry_file, too */
int rl_settings_finish(struct rl_settings *s, struct rl_err *err);

/* A decoder as the settings (finished, and outliving it) say, with these fields; NULL: none. RL_EUSAGE. */
int rl_settings_decoder(const struct rl_settings *s, const struct rl_fields *fields, struct rl_decoder **out,
                        struct rl_err *err);

#endif
