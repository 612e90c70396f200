#include "codec/avro_cache.h"

#include "base/mem.h"
#include "codec/avro_resolve.h"

void rl_avro_cache_init(struct rl_avro_cache *cache, const struct rl_avro_use *use) {
  *cache = (struct rl_avro_cache){.use = *use};
}

static void entry_free(struct rl_avro_entry *entry) {
  rl_avro_program_free(entry->program);
  rl_avro_schema_free(entry->resolved);
  rl_avro_schema_free(entry->writer);
  rl_free(entry->text);
  rl_free(entry);
}

void rl_avro_cache_free(struct rl_avro_cache *cache) {
  for (size_t i = 0; i < cache->n; i++) entry_free(cache->at[i]);
  *cache = (struct rl_avro_cache){0};
}

static uint64_t word_at(struct rl_bytes text, size_t at) {
  uint64_t word;
  memcpy(&word, text.data + at, sizeof word);
  return word;
}

static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

/* Of its length and of words all over it: what it finds is compared whole, so that it need not see each
 * byte, and a hash that did would cost several times that comparison. */
static uint64_t hash(struct rl_bytes text) {
  uint64_t h = text.len * UINT64_C(0x9E3779B97F4A7C15);
  if (text.len < sizeof h) {
    for (size_t i = 0; i < text.len; i++) h = mix(h, (unsigned char)text.data[i]);
    return h;
  }
  size_t last = text.len - sizeof h, apart = last / 32 + 1;
  for (size_t i = 0; i < last; i += apart) h = mix(h, word_at(text, i));
  return mix(h, word_at(text, last));
}

static struct rl_avro_entry *use_entry(struct rl_avro_cache *cache, struct rl_avro_entry *entry) {
  entry->used = ++cache->asked;
  cache->last = entry;
  return entry;
}

/* ---- making room ---- */

static size_t oldest(const struct rl_avro_cache *cache) {
  size_t found = 0;
  for (size_t i = 1; i < cache->n; i++)
    if (cache->at[i]->used < cache->at[found]->used) found = i;
  return found;
}

static void make_room(struct rl_avro_cache *cache, size_t len) {
  while (cache->n > 0 && (cache->n == RL_AVRO_CACHED || cache->bytes + len > RL_AVRO_CACHED_BYTES)) {
    size_t i = oldest(cache);
    cache->bytes -= cache->at[i]->len;
    entry_free(cache->at[i]);
    cache->at[i] = cache->at[--cache->n];
  }
}

/* ---- making entries ---- */

static int compile(const struct rl_avro_cache *cache, struct rl_avro_entry *entry) {
  const struct rl_avro_schema *reader = cache->use.reader;
  int code = 0;
  if (reader) code = rl_avro_resolve(&entry->resolved, entry->writer, reader, &entry->err);
  if (code == 0)
    code = rl_avro_program_new(&entry->program, rl_avro_entry_schema(entry), cache->use.steps, &entry->err);
  if (code != 0) return code;
  const struct rl_avro_type *root = rl_avro_entry_schema(entry)->root;
  if (entry->program->selects || cache->use.steps->n_order == 0) return 0;
  struct rl_buf type = RL_BUF_INIT;
  rl_avro_put_type(&type, root);
  code = rl_fail(&entry->err, RL_EHANDLER, "Avro: expected a schema with the fields asked for, found %s",
                 rl_buf_text(&type));
  rl_buf_free(&type);
  return code;
}

static struct rl_avro_entry *add(struct rl_avro_cache *cache, struct rl_avro_entry made,
                                 const struct rl_bytes *texts, size_t n) {
  struct rl_avro_entry *entry = rl_alloc(sizeof *entry);
  *entry = made;
  make_room(cache, entry->len);
  int code = rl_avro_schema_new(&entry->writer, texts, n, false, &entry->err);
  if (code == 0) code = compile(cache, entry);
  if (code != 0) {
    rl_avro_schema_free(entry->resolved);
    rl_avro_schema_free(entry->writer);
    rl_avro_program_free(entry->program);
    entry->writer = entry->resolved = NULL;
    entry->program = NULL;
  }
  cache->at[cache->n++] = entry;
  cache->bytes += entry->len;
  cache->made++;
  return use_entry(cache, entry);
}

int rl_avro_entry_check(const struct rl_avro_entry *entry, struct rl_err *err) {
  if (entry->writer) return 0;
  return rl_fail(err, RL_EHANDLER, "%s", entry->err.text);
}

/* ---- looking up ---- */

static bool has_text(const struct rl_avro_entry *entry, struct rl_bytes text) {
  return entry->id < 0 && entry->len == text.len && memcmp(entry->text, text.data, text.len) == 0;
}

static struct rl_avro_entry *find_text(const struct rl_avro_cache *cache, struct rl_bytes text,
                                       uint64_t hashed) {
  for (size_t i = 0; i < cache->n; i++)
    if (cache->at[i]->hash == hashed && has_text(cache->at[i], text)) return cache->at[i];
  return NULL;
}

/* Mostly it is the same as last time, and to see that costs less than a hash. A schema that is too large is
 * not kept: what is wrong with it is seen at once. */
static struct rl_avro_entry *by_text(struct rl_avro_cache *cache, struct rl_bytes text) {
  if (cache->last && has_text(cache->last, text)) return cache->last;
  uint64_t hashed = hash(text);
  struct rl_avro_entry *entry = find_text(cache, text, hashed);
  if (entry) return use_entry(cache, entry);
  struct rl_avro_entry made = {.len = text.len, .id = -1, .hash = hashed};
  made.text = rl_strndup(text.data, text.len);
  return add(cache, made, &text, 1);
}

int rl_avro_cache_by_text(struct rl_avro_cache *cache, struct rl_bytes text, struct rl_avro_entry **out,
                          struct rl_err *err) {
  if (text.len > RL_AVRO_SCHEMA_MAX)
    return rl_fail(err, RL_EHANDLER, "Avro schema: %zu bytes long, which is over the limit of %d", text.len,
                   RL_AVRO_SCHEMA_MAX);
  *out = by_text(cache, text);
  return rl_avro_entry_check(*out, err);
}

struct rl_avro_entry *rl_avro_cache_find_id(struct rl_avro_cache *cache, uint32_t id) {
  if (cache->last && cache->last->id == (int64_t)id) return cache->last;
  for (size_t i = 0; i < cache->n; i++)
    if (cache->at[i]->id == (int64_t)id) return use_entry(cache, cache->at[i]);
  return NULL;
}

struct rl_avro_entry *rl_avro_cache_add_id(struct rl_avro_cache *cache, uint32_t id,
                                           const struct rl_bytes *texts, size_t n) {
  struct rl_avro_entry made = {.id = id};
  for (size_t i = 0; i < n; i++) made.len += texts[i].len;
  return add(cache, made, texts, n);
}
