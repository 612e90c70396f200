/* Allocation that does not fail: on exhaustion it prints one line and aborts, so that callers hold no
 * untested recovery paths. Lua states do not use it: theirs count and may refuse (lua/alloc.h). Sizes that
 * come from outside (a message, a file) are bounded before they get here. */
#ifndef RL_BASE_MEM_H
#define RL_BASE_MEM_H

#include <stddef.h>

__attribute__((malloc, returns_nonnull)) void *rl_alloc(size_t size); /* not cleared */
__attribute__((malloc, returns_nonnull)) void *rl_zalloc(size_t size);
__attribute__((returns_nonnull)) void *rl_realloc(void *p, size_t size);
__attribute__((malloc, returns_nonnull)) char *rl_strdup(const char *text);
__attribute__((malloc, returns_nonnull)) char *rl_strndup(const char *text, size_t len); /* adds a NUL */
void rl_free(void *p);
/* For a program that takes and frees large blocks all the time (what brokers answer): freed memory stays with
 * the process, so that it is not got, cleared and given back again for each. Once, before there are threads.
 */
void rl_mem_keep(void);
/* What is free goes back to the system: for a while without work, it takes milliseconds. Both do nothing with
 * a C library that cannot. */
void rl_mem_trim(void);

/* Grows *array (elements of `size` bytes, capacity *cap) so that it holds at least `need`. */
void rl_grow(void **array, size_t *cap, size_t need, size_t size);
#define RL_GROW(array, cap, need) rl_grow((void **)&(array), &(cap), (need), sizeof *(array))

#endif
