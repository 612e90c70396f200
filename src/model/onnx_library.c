/* Where ONNX Runtime's library is. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/onnx_runtime.h"

#define VARIABLE "RILLE_ONNXRUNTIME"

/* RTLD_LOCAL: its symbols are its own, as ours are ours. */
static void *open_file(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static void *open_named(const char *path, struct rl_err *err) {
  if (*path != '/') {
    rl_fail(err, RL_EUSAGE, VARIABLE " is %s: an absolute path is wanted", path);
    return NULL;
  }
  void *library = open_file(path);
  if (!library) rl_fail(err, RL_EUSAGE, VARIABLE ": %s", dlerror());
  return library;
}

/* Cuts the last name off a path; false: it was not absolute. */
static bool to_folder(char *path) {
  char *slash = *path == '/' ? strrchr(path, '/') : NULL;
  if (slash) *slash = '\0';
  return slash != NULL;
}

static bool program_folder(char folder[PATH_MAX]) {
  ssize_t len = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  folder[len > 0 ? len : 0] = '\0';
  return to_folder(folder);
}

/* Of the file that holds this code: the program's own, or the Lua module. */
static bool module_folder(char folder[PATH_MAX]) {
  static const char here; /* an address in it */
  Dl_info info;
  if (!dladdr(&here, &info) || !info.dli_fname || *info.dli_fname != '/') return false;
  return realpath(info.dli_fname, folder) && to_folder(folder);
}

/* Where it was looked for without success, until one loads. The first file that was there and did not load
 * is what to tell of. */
struct search {
  char *path; /* of the one that loaded */
  struct rl_buf fault;
};

/* dlerror's text without the name that was asked for, with which it begins if it has found that one or none.
 */
static const char *without_name(const char *name, const char *why) {
  size_t len = strlen(name);
  return strncmp(why, name, len) == 0 && strncmp(why + len, ": ", 2) == 0 ? why + len + 2 : why;
}

static void note_fault(struct search *s, const char *path, const char *why) {
  if (!s->fault.len)
    rl_buf_printf(&s->fault, "%s, which is there, does not load: %s", path, without_name(path, why));
}

static void *open_in(const char *folder, struct search *s) {
  static const char *const places[] = {"libonnxruntime.so", "../lib/rille/libonnxruntime.so",
                                       "../../rille/libonnxruntime.so"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    struct rl_buf name = RL_BUF_INIT;
    rl_buf_printf(&name, "%s/%s", folder, places[i]);
    void *library = open_file(rl_buf_text(&name));
    if (library) {
      s->path = rl_buf_take(&name);
      return library;
    }
    if (access(rl_buf_text(&name), F_OK) == 0) note_fault(s, rl_buf_text(&name), dlerror());
    rl_buf_free(&name);
  }
  return NULL;
}

static void *open_beside(struct search *s) {
  char folder[PATH_MAX];
  void *library = program_folder(folder) ? open_in(folder, s) : NULL;
  if (!library && module_folder(folder)) library = open_in(folder, s);
  return library;
}

/* An empty or relative folder in LD_LIBRARY_PATH is the working directory or below it. */
static bool system_is_safe(void) {
  const char *list = getenv("LD_LIBRARY_PATH");
  if (!list || !*list) return true;
  for (const char *part = list;; part++) {
    if (*part != '/') return false;
    part += strcspn(part, ":;");
    if (!*part) return true;
  }
}

/* Asked for by its bare name: what is somewhere is told by its path, or by what it needs and lacks. */
static bool is_nowhere(const char *name, const char *why) { return without_name(name, why) != why; }

static void *open_systems(struct search *s) {
  static const char *const names[] = {"libonnxruntime.so.1", "libonnxruntime.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names && system_is_safe(); i++) {
    void *library = open_file(names[i]);
    const char *why = library ? NULL : dlerror();
    if (library) s->path = rl_strdup(names[i]);
    if (library) return library;
    if (!is_nowhere(names[i], why)) note_fault(s, names[i], why);
  }
  return NULL;
}

static void *open_anywhere(char **path, struct rl_err *err) {
  struct search s = {.fault = RL_BUF_INIT};
  void *library = open_beside(&s);
  if (!library) library = open_systems(&s);
  if (!library && s.fault.len)
    rl_fail(err, RL_EUSAGE, "%s", rl_buf_text(&s.fault));
  else if (!library)
    rl_fail(
        err, RL_EUSAGE,
        "there is no ONNX Runtime: `make onnxruntime` puts libonnxruntime.so beside the program, or " VARIABLE
        " names the file (man rille-model)");
  rl_buf_free(&s.fault);
  *path = s.path;
  return library;
}

void *rl_onnx_load(char **path, struct rl_err *err) {
  const char *named = getenv(VARIABLE);
  if (named && *named) {
    void *library = open_named(named, err);
    if (library) *path = rl_strdup(named);
    return library;
  }
  return open_anywhere(path, err);
}
