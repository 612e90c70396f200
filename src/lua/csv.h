/* rille.csv.encode(row or list of rows [, options]) for scripts: text, or raises what cannot be a cell.
 *
 *   columns    names, in order: the cells of a row. Without them the keys of all rows, sorted; a row that is
 * a list has its items as cells header     the names come first, as a record of their own delimiter  one
 * ASCII character (default a comma)
 *
 * A row is a table of scalars, by name or a list; a list of rows is a list of tables. One row is a record
 * without a line's end, as a message's value wants it; a list is a line each, ended by LF. nil and rille.null
 * are empty. What cells look like says codec/csv_write.h. */
#ifndef RL_LUA_CSV_H
#define RL_LUA_CSV_H

#include <lua.h>

void rl_lua_open_csv(lua_State *L); /* pushes the table rille.csv; after rl_lua_open_json */

#endif
