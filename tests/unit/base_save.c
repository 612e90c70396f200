/* Files that are replaced whole. */
#include "base/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char folder[64];

static const char *at(const char *name) {
  static char paths[4][128];
  static int next;
  char *path = paths[next++ % 4];
  if (!*folder) {
    strcpy(folder, "/tmp/rille-save-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
  }
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static int puts_it(FILE *file, const void *text) { return fputs(text, file) < 0; }

static int fails_late(FILE *file, const void *text) {
  fputs(text, file);
  errno = ENOSPC;
  return -1;
}

static int save(const char *name, const char *text) {
  struct rl_err err = {0};
  int rc = rl_save(at(name), puts_it, text, &err);
  if (rc) UNIT_FAIL("%s", err.text);
  return rc;
}

static const char *content(const char *name) {
  static char text[64];
  FILE *file = fopen(at(name), "rb");
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[n] = '\0';
  if (file) fclose(file);
  return file ? text : NULL;
}

static void clear(void) {
  static const char *const names[] = {"a", "link", "far", "pipe"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(at(names[i]));
  CHECK_INT(rmdir(folder), 0); /* nothing else is left in it */
  *folder = '\0';
}

TEST(a_file_is_made_and_replaced_and_keeps_its_mode) {
  struct stat st;
  CHECK_INT(save("a", "one"), 0);
  CHECK_STR(content("a"), "one");
  CHECK_INT(chmod(at("a"), 0640), 0);
  CHECK_INT(save("a", "2"), 0);
  CHECK_STR(content("a"), "2");
  CHECK(stat(at("a"), &st) == 0 && (st.st_mode & 07777) == 0640);
  clear();
}

TEST(a_link_stays_one_and_its_target_is_replaced) {
  struct stat st;
  CHECK_INT(save("a", "old"), 0);
  CHECK_INT(symlink("a", at("link")), 0);
  CHECK_INT(save("link", "new"), 0);
  CHECK(lstat(at("link"), &st) == 0 && S_ISLNK(st.st_mode));
  CHECK_STR(content("a"), "new");
  clear();
}

TEST(a_link_to_what_is_not_there_makes_it) {
  CHECK_INT(symlink("far", at("link")), 0);
  CHECK_INT(save("link", "made"), 0);
  CHECK_STR(content("far"), "made");
  clear();
}

TEST(a_save_that_fails_leaves_the_old_file_and_nothing_else) {
  struct rl_err err = {0};
  CHECK_INT(save("a", "old"), 0);
  CHECK_INT(rl_save(at("a"), fails_late, "half", &err), RL_EFAIL);
  CHECK_HAS(err.text, "/a: No space left on device");
  CHECK_STR(content("a"), "old");
  clear();
}

TEST(what_is_no_plain_file_is_written_to_and_stays) {
  struct stat st;
  struct rl_err err = {0};
  CHECK_INT(mkfifo(at("pipe"), 0600), 0);
  FILE *reader = fopen(at("pipe"), "r+");
  CHECK_INT(save("pipe", "x\n"), 0);
  char line[8] = "";
  CHECK(reader && fgets(line, sizeof line, reader));
  CHECK_STR(line, "x\n");
  CHECK(stat(at("pipe"), &st) == 0 && S_ISFIFO(st.st_mode));
  if (reader) fclose(reader);
  if (access("/dev/full", W_OK) == 0) {
    CHECK_INT(rl_save("/dev/full", puts_it, "x", &err), RL_EFAIL);
    CHECK(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
  }
  clear();
}

TEST(a_folder_that_is_not_there_is_told_with_the_path) {
  struct rl_err err = {0};
  CHECK_INT(rl_save("/nowhere/a", puts_it, "x", &err), RL_EFAIL);
  CHECK_STR(err.text, "/nowhere/a: No such file or directory");
}
