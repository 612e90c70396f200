/* The literals of a `where` expression: numbers and texts as Lua writes them. */
#ifndef RL_LUA_WHERE_TEXT_H
#define RL_LUA_WHERE_TEXT_H

#include "base/buf.h"
#include "codec/cell.h"

/* A numeral of Lua's (decimal or hexadecimal, integer or float) to INT or DOUBLE; a decimal one that fits
 * neither is BIG, as in a document, and borrows `text`. A hexadecimal integer wraps around. False: it is
 * none. */
bool rl_where_number(const char *text, struct rl_cell *value);
/* What stands between the quotes, its escapes resolved. False: *bad is the place of one that does not exist.
 */
bool rl_where_unescape(struct rl_bytes text, struct rl_buf *out, size_t *bad);

#endif
