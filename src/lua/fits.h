/* rille.fits and rille.gunzip: the images that alerts bring along.
 *
 * rille.fits.image(bytes [, limit])   the primary image of a FITS file as a tensor (model/fits.h says of
 * which type), gzip'd or not; nil and a message when it is damaged or none rille.gunzip(bytes [, limit]) what
 * gzip'd bytes hold, or nil and a message
 *
 * limit: the most bytes that inflating may give, 64 MiB if not said. No bytes (nil, rille.null: a cutout that
 * is not there) give nil and a message, too; anything else that is no string is the script's failure. */
#ifndef RL_LUA_FITS_H
#define RL_LUA_FITS_H

#include <lua.h>

int l_gunzip(lua_State *L);
void rl_lua_open_fits(lua_State *L); /* pushes the table rille.fits; after rl_lua_open_tensor and _json */

#endif
