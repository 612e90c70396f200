/* The text of a field's path to the steps it names. */
#ifndef RL_CODEC_PATH_H
#define RL_CODEC_PATH_H

#include "codec/fields.h"

enum { RL_PATH_STEPS = 64 }; /* longest path: bounds the recursion of those who walk one */

/* Fills field->steps, n_steps and meta from field->path. RL_EUSAGE names the path and the column (from 1). */
int rl_path_parse(struct rl_field *field, struct rl_err *err);

/* Where a text in quotes that starts at `at` ends (past its closing quote), or NULL when it is not closed. */
const char *rl_path_quoted_end(const char *at);

/* What the closed quotes that start at `at` hold: \n, \r and \t are what they are in C, \xHH is the byte
 * of two hexadecimal digits, another character behind a backslash is that character. Puts no more than there
 * was, so `to` may be `at`; returns how much. */
size_t rl_path_unquote(char *to, const char *at);

#endif
