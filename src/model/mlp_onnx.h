/* A network as an ONNX file's bytes, by one walk over its messages that counts them, writes them, or holds a
 * file's against them: so what is read is just what would be written, and the reader trusts no length that
 * stands in a file. */
#ifndef RL_MODEL_MLP_ONNX_H
#define RL_MODEL_MLP_ONNX_H

#include "model/mlp.h"

struct rl_mlp_walk {
  enum { RL_WALK_COUNT, RL_WALK_WRITE, RL_WALK_CHECK } what;
  FILE *file;
  const struct rl_mlp *m; /* COUNT looks at its spec alone; CHECK fills its weights */
  const char *text;       /* the metadata */
  size_t at;              /* the next byte */
  bool wrong;             /* WRITE: errno says why; CHECK: the byte at wrong_at is another, or is not there */
  size_t wrong_at;
};

void rl_mlp_put_model(struct rl_mlp_walk *w);
/* Reads the beginning of a file up to the metadata's text, of which the length is returned; or w->wrong. */
size_t rl_mlp_find_text(struct rl_mlp_walk *w);

#endif
