#include "codec/fields.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/coerce.h"
#include "codec/path.h"
#include "codec/shape.h"

static const char *const type_names[] = {
    [RL_AUTO] = "auto",    [RL_I64] = "i64", [RL_F64] = "f64",     [RL_F32] = "f32",
    [RL_BOOLEAN] = "bool", [RL_STR] = "str", [RL_BYTES] = "bytes", [RL_ANY] = "any"};
enum { N_TYPES = sizeof type_names / sizeof *type_names };

const char *rl_type_name(enum rl_type type) { return type_names[type]; }

const char *rl_type_nearest(const char *name) { return rl_nearest(name, type_names, N_TYPES); }

int rl_type_parse(const char *name, enum rl_type *type) {
  for (int i = 0; i < N_TYPES; i++) {
    if (strcmp(name, type_names[i]) != 0) continue;
    *type = (enum rl_type)i;
    return 0;
  }
  return RL_EUSAGE;
}

static bool has_text(const struct rl_cell *cell) {
  return cell->tag == RL_TEXT || cell->tag == RL_BLOB || cell->tag == RL_BIG;
}

static void own_text(struct rl_cell *cell) {
  if (has_text(cell)) cell->s = rl_strndup(cell->s, cell->len);
}

static void field_free(struct rl_field *field) {
  for (size_t i = 0; i < field->n_steps; i++) rl_free(field->steps[i].key);
  rl_free(field->steps);
  rl_free(field->name);
  rl_free(field->path);
  if (has_text(&field->fallback)) rl_free((char *)field->fallback.s);
}

/* The name a field has when none is given: its last key, "key" for "@key", NULL for "[0]". */
static const char *default_name(const struct rl_field *field) {
  for (size_t i = field->n_steps; i-- > 0;)
    if (field->steps[i].key) return field->steps[i].key;
  return field->meta == RL_META_NONE ? NULL : field->path + 1;
}

static int check_name(const struct rl_fields *fields, const struct rl_field *field, struct rl_err *err) {
  if (!*field->name)
    return rl_fail(err, RL_EUSAGE, "field path '%s': its name is empty; give it one", field->path);
  ssize_t twin = rl_fields_find(fields, field->name);
  if (twin < 0) return 0;
  return rl_fail(err, RL_EUSAGE, "two fields are named '%s' (paths '%s' and '%s'): give one another name",
                 field->name, fields->at[twin].path, field->path);
}

/* ---- what is declared ---- */

static bool is_numeric(enum rl_type type) {
  return type == RL_I64 || type == RL_F64 || type == RL_F32 || type == RL_BOOLEAN;
}

static int check_shape(struct rl_field *field, struct rl_err *err) {
  if (!field->shape.n && field->order == RL_NO_ORDER) return 0;
  if (!field->shape.n)
    return rl_fail(err, RL_EUSAGE, "field '%s' (%s): a byte order is that of an array: give it a shape",
                   field->name, field->path);
  if (!is_numeric(field->type))
    return rl_fail(err, RL_EUSAGE, "field '%s' (%s): a shape wants the type i64, f64, f32 or bool, not %s",
                   field->name, field->path, rl_type_name(field->type));
  if (field->meta != RL_META_NONE && field->order == RL_NO_ORDER)
    return rl_fail(err, RL_EUSAGE,
                   "field '%s' (%s): only bytes are read here: say how they hold the array, as in bytes = "
                   "\"little\"",
                   field->name, field->path);
  if (rl_shape_finish(&field->shape)) return 0;
  return rl_fail(err, RL_EUSAGE,
                 "field '%s' (%s): a shape is 1 to %d whole numbers from 1 on, of %d elements at most",
                 field->name, field->path, RL_SHAPE_DIMS, RL_SHAPE_MAX);
}

static int refuse_default(const struct rl_field *field, const char *why, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "field '%s' (%s): %s", field->name, field->path, why);
}

/* Texts stand for bytes here as in JSON. */
static int check_default(struct rl_field *field, struct rl_err *err) {
  if (!field->has_default) return 0;
  if (field->required)
    return refuse_default(field, "a default and required: with a default it is never missing", err);
  if (field->fallback.tag == RL_LIST)
    return field->n_lists && !field->shape.n
               ? 0
               : refuse_default(field, "an empty list is a default of paths with [*] only", err);
  if (rl_coerce_scalar(field, &field->fallback, err) == 0) return 0;
  if (err) err->code = RL_EUSAGE;
  if (err) rl_err_prefix(err, "the default of ");
  return RL_EUSAGE;
}

static int field_fill(const struct rl_fields *fields, struct rl_field *field, const char *name,
                      struct rl_err *err) {
  int code = rl_path_parse(field, err);
  if (code != 0) return code;
  if (!name) name = default_name(field);
  if (!name)
    return rl_fail(err, RL_EUSAGE, "field path '%s' ends in no key: give the field a name", field->path);
  field->name = rl_strdup(name);
  code = check_name(fields, field, err);
  if (code == 0) code = check_shape(field, err);
  return code == 0 ? check_default(field, err) : code;
}

int rl_fields_add_spec(struct rl_fields *fields, const char *name, const char *path,
                       const struct rl_field_spec *spec, struct rl_err *err) {
  struct rl_field field = {.path = rl_strdup(path),
                           .type = spec->type,
                           .required = spec->required,
                           .shape = spec->shape,
                           .order = spec->order,
                           .has_default = spec->has_default,
                           .fallback = spec->fallback};
  own_text(&field.fallback);
  int code = field_fill(fields, &field, name, err);
  if (code != 0) {
    field_free(&field);
    return code;
  }
  RL_GROW(fields->at, fields->cap, fields->n + 1);
  fields->at[fields->n++] = field;
  return 0;
}

int rl_fields_add(struct rl_fields *fields, const char *name, const char *path, enum rl_type type,
                  bool required, struct rl_err *err) {
  struct rl_field_spec spec = {.type = type, .required = required};
  return rl_fields_add_spec(fields, name, path, &spec, err);
}

ssize_t rl_fields_find(const struct rl_fields *fields, const char *name) {
  for (size_t i = 0; i < fields->n; i++)
    if (strcmp(fields->at[i].name, name) == 0) return (ssize_t)i;
  return -1;
}

ssize_t rl_fields_find_either(const struct rl_fields *fields, const char *name) {
  ssize_t found = rl_fields_find(fields, name);
  for (size_t i = 0; found < 0 && i < fields->n; i++)
    if (strcmp(fields->at[i].path, name) == 0) found = (ssize_t)i;
  return found;
}

static struct rl_field field_copy(const struct rl_field *from) {
  struct rl_field to = *from;
  to.name = rl_strdup(from->name);
  to.path = rl_strdup(from->path);
  own_text(&to.fallback);
  to.steps = from->n_steps ? rl_alloc(from->n_steps * sizeof *to.steps) : NULL;
  for (size_t i = 0; i < from->n_steps; i++) {
    to.steps[i] = from->steps[i];
    if (from->steps[i].key) to.steps[i].key = rl_strdup(from->steps[i].key);
  }
  return to;
}

void rl_fields_copy(struct rl_fields *to, const struct rl_fields *from) {
  *to = (struct rl_fields)RL_FIELDS_INIT;
  RL_GROW(to->at, to->cap, from->n);
  for (; to->n < from->n; to->n++) to->at[to->n] = field_copy(&from->at[to->n]);
}

void rl_fields_free(struct rl_fields *fields) {
  for (size_t i = 0; i < fields->n; i++) field_free(&fields->at[i]);
  rl_free(fields->at);
  *fields = (struct rl_fields)RL_FIELDS_INIT;
}
