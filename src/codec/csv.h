/* CSV and TSV (decoder.h says what they are to a handler): options of the format. */
#ifndef RL_CODEC_CSV_H
#define RL_CODEC_CSV_H

#include <stdbool.h>
#include <stddef.h>

struct rl_csv_opts {
  const char *const *columns; /* names by position; borrowed */
  size_t n_columns;
  bool header;    /* the first record of each message names the columns (one that a field wants no
                   more than once); with `columns`, it is skipped */
  char delimiter; /* 0: a comma, a tab for "tsv" */
  char comment;   /* lines that start with it are skipped; 0: none */
};

#endif
