/* mem, buf and arena: what grows, what stays, and what becomes of sizes that cannot be. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__ /* which those above define */
#include <malloc.h>
#endif

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "unit.h"

/* Runs fn in a child; its stderr goes to text. Returns the signal that ended it, 0 if none. */
static int dies_by(void (*fn)(void), char *text, size_t size) {
  int ends[2], status = 0;
  CHECK_INT(pipe(ends), 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    fn();
    _exit(0);
  }
  close(ends[1]);
  ssize_t n = read(ends[0], text, size - 1);
  text[n > 0 ? n : 0] = '\0';
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static size_t volatile huge = SIZE_MAX;

static void dup_too_much(void) { rl_free(rl_strndup("", huge)); }
static void grow_too_much(void) {
  uint64_t *array = NULL;
  size_t cap = 0;
  RL_GROW(array, cap, huge / 4);
}

TEST(exhaustion_says_so_and_aborts) {
  char text[256];
  CHECK_INT(dies_by(dup_too_much, text, sizeof text), SIGABRT);
  CHECK_HAS(text, "rille: error: out of memory");
  CHECK_INT(dies_by(grow_too_much, text, sizeof text), SIGABRT);
  CHECK_HAS(text, "rille: error: out of memory");
}

TEST(zero_sized_allocations_are_pointers) {
  void *a = rl_alloc(0), *b = rl_zalloc(0);
  CHECK(a != NULL);
  CHECK(b != NULL);
  a = rl_realloc(a, 0);
  CHECK(a != NULL);
  rl_free(a);
  rl_free(b);
  rl_free(NULL);
}

TEST(zalloc_is_zero_and_strndup_ends) {
  unsigned char *z = rl_zalloc(100);
  for (int i = 0; i < 100; i++) CHECK_INT(z[i], 0);
  rl_free(z);
  char *s = rl_strndup("abcdef", 3);
  CHECK_STR(s, "abc");
  rl_free(s);
  s = rl_strdup("");
  CHECK_STR(s, "");
  rl_free(s);
}

TEST(grow_keeps_what_was_there) {
  int *array = NULL;
  size_t cap = 0;
  for (int i = 0; i < 1000; i++) {
    RL_GROW(array, cap, (size_t)i + 1);
    CHECK(cap > (size_t)i);
    array[i] = i;
  }
  for (int i = 0; i < 1000; i++) CHECK_INT(array[i], i);
  int *before = array;
  RL_GROW(array, cap, 10);
  CHECK(array == before);
  rl_free(array);
}

TEST(buf_is_empty_until_something_is_put) {
  struct rl_buf buf = RL_BUF_INIT;
  CHECK(rl_buf_bytes(&buf).data != NULL);
  CHECK_INT(rl_buf_bytes(&buf).len, 0);
  rl_buf_put(&buf, NULL, 0);
  CHECK_STR(buf.data, "");
  rl_buf_free(&buf);
  rl_buf_free(&buf);
}

TEST(buf_is_always_terminated) {
  struct rl_buf buf = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) {
    rl_buf_putc(&buf, 'x');
    CHECK_INT(strlen(buf.data), i + 1);
  }
  rl_buf_clear(&buf);
  CHECK_STR(buf.data, "");
  rl_buf_puts(&buf, "a");
  rl_buf_printf(&buf, "%d-%s", 7, "b");
  rl_buf_put(&buf, "\0c", 2);
  CHECK_INT(buf.len, 6);
  CHECK(memcmp(buf.data, "a7-b\0c", 7) == 0);
  rl_buf_free(&buf);
}

TEST(buf_printf_takes_any_length) {
  struct rl_buf buf = RL_BUF_INIT;
  rl_buf_printf(&buf, "%s", "");
  CHECK_STR(buf.data, "");
  rl_buf_printf(&buf, "%5000d|", 1);
  CHECK_INT(buf.len, 5001);
  CHECK_INT(buf.data[5000], '|');
  rl_buf_free(&buf);
}

TEST(buf_reserve_makes_room_that_the_caller_fills) {
  struct rl_buf buf = RL_BUF_INIT;
  rl_buf_puts(&buf, "ab");
  char *room = rl_buf_reserve(&buf, 1000);
  memset(room, 'z', 1000);
  room[1000] = '\0';
  buf.len += 1000;
  CHECK_INT(strlen(buf.data), 1002);
  CHECK(strncmp(buf.data, "abz", 3) == 0);
  rl_buf_free(&buf);
}

TEST(buf_take_gives_the_text_away) {
  struct rl_buf buf = RL_BUF_INIT;
  char *empty = rl_buf_take(&buf);
  CHECK_STR(empty, "");
  rl_buf_puts(&buf, "mine");
  char *text = rl_buf_take(&buf);
  CHECK_STR(text, "mine");
  CHECK(buf.data == NULL && buf.len == 0 && buf.cap == 0);
  rl_free(empty);
  rl_free(text);
}

TEST(arena_memory_is_aligned_and_apart) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  char *last = NULL;
  for (size_t size = 0; size < 300; size++) {
    char *p = rl_arena_alloc(&arena, size);
    CHECK_INT((uintptr_t)p % 16, 0);
    CHECK(p != last);
    memset(p, (int)size, size);
    last = p;
  }
  CHECK(arena.used >= 300 * 299 / 2);
  rl_arena_free(&arena);
}

TEST(arena_keeps_earlier_allocations_as_it_grows) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  enum { N = 200 };
  unsigned char *at[N];
  for (int i = 0; i < N; i++) {
    size_t size = i % 20 == 0 ? 600000 : 5000; /* some get a block of their own */
    at[i] = rl_arena_alloc(&arena, size);
    memset(at[i], i, size);
  }
  for (int i = 0; i < N; i++) {
    CHECK_INT(at[i][0], i);
    CHECK_INT(at[i][4999], i);
  }
  rl_arena_free(&arena);
}

TEST(arena_in_steady_state_uses_the_same_memory) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  for (int i = 0; i < 100; i++) rl_arena_alloc(&arena, 1000);
  rl_arena_reset(&arena);
  CHECK_INT(arena.used, 0);
  void *first = rl_arena_alloc(&arena, 1000);
  rl_arena_reset(&arena);
  CHECK(rl_arena_alloc(&arena, 1000) == first);
  rl_arena_free(&arena);
  CHECK(arena.head == NULL);
}

TEST(arena_reset_when_only_a_big_block_was_there) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  rl_arena_reset(&arena);
  memset(rl_arena_alloc(&arena, 8u << 20), 1, 8u << 20);
  rl_arena_reset(&arena);
  CHECK(arena.head == NULL);
  char *p = rl_arena_alloc(&arena, 10);
  memset(p, 1, 10);
  rl_arena_free(&arena);
}

TEST(arena_copies_tell_null_from_empty) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  struct rl_bytes null = rl_arena_copy(&arena, rl_bytes(NULL, 0));
  struct rl_bytes empty = rl_arena_copy(&arena, rl_bytes("", 0));
  struct rl_bytes text = rl_arena_copy(&arena, rl_bytes("a\0b", 3));
  CHECK(null.data == NULL);
  CHECK(empty.data != NULL && empty.len == 0);
  CHECK(rl_bytes_eq(text, rl_bytes("a\0b", 3)));
  CHECK_STR(rl_arena_strdup(&arena, "name"), "name");
  rl_arena_free(&arena);
}

TEST(bytes_equal_only_when_both_are_null_or_neither) {
  CHECK(rl_bytes_eq(rl_bytes(NULL, 0), rl_bytes_str(NULL)));
  CHECK(!rl_bytes_eq(rl_bytes(NULL, 0), rl_bytes_str("")));
  CHECK(rl_bytes_eq(rl_bytes_str("ab"), rl_bytes("ab", 2)));
  CHECK(!rl_bytes_eq(rl_bytes_str("ab"), rl_bytes_str("ac")));
  CHECK(!rl_bytes_eq(rl_bytes_str("ab"), rl_bytes_str("abc")));
}

/* In pages, by the kernel's count. */
static long resident(void) {
  long size = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) UNIT_FAIL("no /proc/self/statm");
  if (file) fclose(file);
  return pages;
}

/* A burst of blocks, with one that stays above them: the top of the heap is not free. */
static void *burst(void) {
  enum { BLOCKS = 256, EACH = 512 << 10 };
  static char *blocks[BLOCKS];
  for (size_t i = 0; i < BLOCKS; i++) memset(blocks[i] = rl_alloc(EACH), 1, EACH);
  void *above = rl_alloc(100);
  for (size_t i = 0; i < BLOCKS; i++) rl_free(blocks[i]);
  return above;
}

TEST(freed_memory_stays_until_it_is_trimmed) {
#ifdef __GLIBC__
  rl_mem_keep();
  long before = resident(), most = 64 << 20 >> 12;
  void *above = burst();
  bool counted = mallinfo2().fordblks >= 100 << 20;
  long kept = resident() - before;
  rl_mem_trim();
  long left = resident() - before;
  rl_free(above);
  if (!counted) UNIT_SKIP("the allocator is another than glibc's");
  CHECK(kept > most);
  CHECK(left < most);
#else
  UNIT_SKIP("the C library is another than glibc");
#endif
}
