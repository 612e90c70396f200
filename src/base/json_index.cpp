#include <charconv>
#include <memory>
#include <new>

#include <simdjson.h>

#include "base/json_index.h"

/* simdjson's On-Demand parser walks the same index, but takes what lies between the values it is asked for on
 * trust; the walks here are our own (json_read.h, codec/json_walk.h), so that nothing unsound passes. Stage 1
 * comes from the library, which chooses the machine's instructions at run time: the flags this file is built
 * with do not matter. */
struct rl_index {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

static_assert(RL_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "stage 1 may read past the text");

namespace {

constexpr size_t smallest = 16 << 10;
constexpr size_t largest_kept = 4 << 20; /* an index takes four bytes for each of the text */

enum rl_index_result result_of(simdjson::error_code code) noexcept {
  switch (code) {
    case simdjson::SUCCESS: return RL_INDEX_OK;
    case simdjson::EMPTY: return RL_INDEX_EMPTY;
    case simdjson::UTF8_ERROR: return RL_INDEX_UTF8;
    case simdjson::UNCLOSED_STRING: return RL_INDEX_UNCLOSED;
    case simdjson::UNESCAPED_CHARS: return RL_INDEX_CONTROL;
    case simdjson::MEMALLOC: return RL_INDEX_MEMORY;
    default: return RL_INDEX_FAILED;
  }
}

size_t capacity_for(size_t len) noexcept {
  size_t capacity = smallest;
  while (capacity < len) capacity *= 2;
  return capacity > simdjson::SIMDJSON_MAXSIZE_BYTES ? len : capacity;
}

/* The depth is of simdjson's second stage, which is not used. Not noexcept: what is thrown is to reach the
 * catch below. */
simdjson::error_code reserve(struct rl_index *index, size_t len) {
  if (index->parser && index->parser->capacity() >= len) return simdjson::SUCCESS;
  index->parser.reset();
  const simdjson::implementation *best = simdjson::get_active_implementation();
  return best->create_dom_parser_implementation(capacity_for(len), 1, index->parser);
}

}  // namespace

struct rl_index *rl_index_new(void) noexcept {
  return new (std::nothrow) rl_index;
}

void rl_index_free(struct rl_index *index) noexcept { delete index; }

enum rl_index_result rl_index_run(struct rl_index *index, const uint8_t *text, size_t len,
                                  const uint32_t **at, size_t *n) noexcept try {
  simdjson::error_code code = reserve(index, len);
  if (code == simdjson::SUCCESS) code = index->parser->stage1(text, len, simdjson::stage1_mode::regular);
  if (code != simdjson::SUCCESS) return result_of(code);
  uint32_t *positions = index->parser->structural_indexes.get();
  *n = index->parser->n_structural_indexes;
  positions[*n] = positions[*n + 1] = static_cast<uint32_t>(len);
  *at = positions;
  return RL_INDEX_OK;
} catch (const std::bad_alloc &) {
  return RL_INDEX_MEMORY;
} catch (...) {
  return RL_INDEX_FAILED;
}

void rl_index_trim(struct rl_index *index) noexcept {
  if (index->parser && index->parser->capacity() > largest_kept) index->parser.reset();
}

bool rl_double_of(uint64_t digits, int64_t exponent, bool negative, double *value) noexcept {
  namespace numbers = simdjson::SIMDJSON_BUILTIN_IMPLEMENTATION::numberparsing;
  if (exponent < simdjson::internal::smallest_power || exponent > simdjson::internal::largest_power)
    return false;
  return numbers::compute_float_64(exponent, digits, negative, *value);
}

enum rl_double_result rl_double_from(const char *first, const char *last, double *value) noexcept {
  const std::from_chars_result result = std::from_chars(first, last, *value);
  if (result.ec == std::errc::result_out_of_range) return RL_DOUBLE_OUT_OF_RANGE;
  return result.ec == std::errc() && result.ptr == last ? RL_DOUBLE_OK : RL_DOUBLE_FAILED;
}

enum rl_double_result rl_float_from(const char *first, const char *last, float *value) noexcept {
  const std::from_chars_result result = std::from_chars(first, last, *value);
  if (result.ec == std::errc::result_out_of_range) return RL_DOUBLE_OUT_OF_RANGE;
  return result.ec == std::errc() && result.ptr == last ? RL_DOUBLE_OK : RL_DOUBLE_FAILED;
}

bool rl_int_from(const char *first, const char *last, int64_t *value) noexcept {
  const std::from_chars_result result = std::from_chars(first, last, *value);
  return result.ec == std::errc() && result.ptr == last;
}

size_t rl_double_to(char *out, double value) noexcept {
  return static_cast<size_t>(std::to_chars(out, out + RL_NUMBER_TEXT, value).ptr - out);
}

size_t rl_float_to(char *out, float value) noexcept {
  return static_cast<size_t>(std::to_chars(out, out + RL_NUMBER_TEXT, value).ptr - out);
}

#define RL_QUOTED(text) #text
#define RL_TEXT_OF(macro) RL_QUOTED(macro)

const char *rl_simdjson_version(void) { return RL_TEXT_OF(SIMDJSON_VERSION); }
