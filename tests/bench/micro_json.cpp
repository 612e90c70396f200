// micro_json: what selecting three fields of a JSON alert costs, a message, beside the loop of a program that
// asks simdjson's On-Demand for them and stops at the third, trusting the rest. No broker, one core.
//
//   micro_json [FILE.ndjson|-] [ROUNDS] [NAME]     -: alerts made here, 2.9 KB each; NAME: only what has it
//   in
//                                                  its name
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "codec/decoder.h"
#include "codec/json.h"
}

using Messages = std::vector<std::string>;

// 95 numbers of the shapes that floats written as decimals have, and the three fields among them.
static std::string make_alert(std::mt19937_64 &random) {
  std::uniform_real_distribution<double> uniform;
  std::string text = R"({"objectId": "ZTF20abcdefg", "candid": 1127561445515015011, "candidate": {)";
  for (int i = 0; i < 95; i++) {
    char field[96];
    if (i == 17)
      snprintf(field, sizeof field, "\"magpsf\": %.17g, ", 16 + 5 * uniform(random));
    else if (i == 39)
      snprintf(field, sizeof field, "\"nbad\": %d, ", uniform(random) < 0.97 ? 0 : 1);
    else if (i == 40)
      snprintf(field, sizeof field, "\"rb\": %.17g, ", uniform(random));
    else if (i % 5 == 0)
      snprintf(field, sizeof field, "\"count%d\": %d, ", i, int(random() % 10000));
    else
      snprintf(field, sizeof field, "\"measure%d\": %.17g, ", i, 100 * uniform(random));
    text += field;
  }
  return text + R"("drbversion": "d6_m7"}})";
}

// 30 earlier measurements of 12 numbers each, before the three fields.
static std::string make_history(std::mt19937_64 &random) {
  std::uniform_real_distribution<double> uniform;
  std::string text = R"({"prv": [)", alert = make_alert(random);
  for (int i = 0; i < 30; i++) {
    text += i ? ", {" : "{";
    for (int k = 0; k < 12; k++) {
      char field[64];
      snprintf(field, sizeof field, "%s\"%s%d\": %.9g", k ? ", " : "", k == 7 ? "magpsf" : "measure", k,
               16 + 5 * uniform(random));
      text += field;
    }
    text += "}";
  }
  return text + "], " + alert.substr(1);
}

static std::string make_picture(std::mt19937_64 &random) {
  std::uniform_real_distribution<double> uniform;
  std::string text = R"({"image": [)";
  for (int row = 0; row < 63; row++) {
    text += row ? ", [" : "[";
    for (int i = 0; i < 63; i++) {
      char pixel[32];
      snprintf(pixel, sizeof pixel, "%s%.6g", i ? ", " : "", 1000 * uniform(random));
      text += pixel;
    }
    text += "]";
  }
  return text + R"(], "id": 5})";
}

static const char *only = "";

static Messages load(const char *path) {
  Messages messages;
  std::mt19937_64 random(20261130);
  if (!path)
    while (messages.size() < 2000) messages.push_back(make_alert(random));
  std::ifstream in(path ? path : "/dev/null");
  for (std::string line; std::getline(in, line);) messages.push_back(line);
  return messages;
}

// The best of some rounds over all messages: what the machine can do when nothing else runs on it.
template <typename Work>
static void measure(const char *name, const Messages &messages, int rounds, Work work) {
  if (!strstr(name, only)) return;
  double best = INFINITY, sum = 0;
  for (int i = 0; i < rounds; i++) {
    auto start = std::chrono::steady_clock::now();
    sum = work(messages);
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / double(messages.size()));
  }
  printf("%-28s %8.1f ns a message  (sum %.6f)\n", name, best, sum);
}

class Ondemand {
  simdjson::ondemand::parser parser;
  std::vector<char> padded = std::vector<char>(1 << 20);

  void pick(size_t len, double &rb, double &magpsf, double &nbad) {
    auto document = parser.iterate(simdjson::padded_string_view(padded.data(), len, padded.size()));
    int left = 3;
    for (auto field : document["candidate"].get_object()) {
      const char *key = field.key().value().raw();
      if (!strncmp(key, "rb\"", 3))
        rb = field.value().get_double();
      else if (!strncmp(key, "magpsf\"", 7))
        magpsf = field.value().get_double();
      else if (!strncmp(key, "nbad\"", 5))
        nbad = double(int64_t(field.value().get_int64()));
      else
        continue;
      if (--left == 0) break;
    }
  }

 public:
  double operator()(const Messages &messages) {
    double sum = 0;
    for (const std::string &m : messages) {
      memcpy(padded.data(), m.data(), m.size());
      double rb = NAN, magpsf = NAN, nbad = NAN;
      pick(m.size(), rb, magpsf, nbad);
      sum += rb + magpsf + nbad;
    }
    return sum;
  }
};

static double number(const rl_cell &cell) {
  if (cell.tag == RL_INT) return double(cell.i);
  return cell.tag == RL_DOUBLE ? cell.d : double(cell.len);
}

class Select {
  rl_fields fields = RL_FIELDS_INIT;
  rl_decoder *decoder = nullptr;
  rl_columns *columns = nullptr;

 public:
  explicit Select(const char *list, bool strict = false) {
    rl_err err;
    rl_decoder_opts opts = {};
    opts.fields = &fields;
    opts.strict = strict;
    if (rl_fields_parse(&fields, list, &err) || rl_decoder_new(&decoder, "json", &opts, &err)) {
      fprintf(stderr, "%s\n", err.text);
      exit(1);
    }
    columns = rl_columns_new(&fields);
  }
  explicit Select(const rl_field_spec &spec) {
    rl_err err;
    rl_decoder_opts opts = {};
    opts.fields = &fields;
    if (rl_fields_add_spec(&fields, nullptr, "image", &spec, &err) ||
        rl_decoder_new(&decoder, "json", &opts, &err)) {
      fprintf(stderr, "%s\n", err.text);
      exit(1);
    }
    columns = rl_columns_new(&fields);
  }
  ~Select() {
    rl_decoder_free(decoder);
    rl_columns_free(columns);
    rl_fields_free(&fields);
  }
  double operator()(const Messages &messages) {
    double sum = 0;
    size_t n = 0;
    for (const std::string &m : messages) {
      rl_msg msg = {};
      msg.value = rl_bytes(m.data(), m.size());
      rl_err err;
      if (rl_decoder_row(decoder, &msg, columns, &err)) fprintf(stderr, "%s\n", err.text);
      for (size_t f = 0; f < fields.n; f++) sum += number(columns->col[f][columns->rows - 1]);
      if (++n % 512 == 0) rl_columns_reset(columns);
    }
    rl_columns_reset(columns);
    return sum;
  }
};

class Tape {
  rl_json *json = rl_json_new();
  rl_tape tape = RL_TAPE_INIT;

 public:
  ~Tape() {
    rl_json_free(json);
    rl_tape_free(&tape);
  }
  double operator()(const Messages &messages) {
    double cells = 0;
    for (const std::string &m : messages) {
      rl_err err;
      if (rl_json_tape(json, rl_bytes(m.data(), m.size()), 0, &tape, &err)) fprintf(stderr, "%s\n", err.text);
      cells += double(tape.n);
    }
    return cells;
  }
};

int main(int argc, char **argv) {
  const Messages messages = load(argc > 1 && strcmp(argv[1], "-") ? argv[1] : nullptr);
  const int rounds = argc > 2 ? atoi(argv[2]) : 30;
  if (argc > 3) only = argv[3];
  size_t bytes = 0;
  for (const std::string &m : messages) bytes += m.size();
  printf("%zu messages of %zu bytes\n", messages.size(), bytes / std::max<size_t>(messages.size(), 1));
  const char *three = "candidate.rb,candidate.magpsf,candidate.nbad";
  Ondemand ondemand;
  Select select(three), strict(three, true);
  Tape tape;
  measure("On-Demand, stops at third", messages, rounds, [&](auto &m) { return ondemand(m); });
  measure("select, whole document", messages, rounds, [&](auto &m) { return select(m); });
  measure("select, strict", messages, rounds, [&](auto &m) { return strict(m); });
  measure("tape, everything", messages, rounds, [&](auto &m) { return tape(m); });

  std::mt19937_64 random(20261130);
  Messages histories, pictures;
  while (histories.size() < 500) histories.push_back(make_history(random));
  while (pictures.size() < 100) pictures.push_back(make_picture(random));
  Select one("m=prv[0].magpsf7"), list("m=prv[*].magpsf7"), typed("m=prv[*].magpsf7:f64"), id("id");
  rl_field_spec spec = {};
  spec.type = RL_F32;
  spec.shape.n = 2, spec.shape.at[0] = spec.shape.at[1] = 63;
  Select shaped(spec);
  measure("30 elements, skipped", histories, rounds, [&](auto &m) { return select(m); });
  measure("30 elements, one", histories, rounds, [&](auto &m) { return one(m); });
  measure("30 elements, a list", histories, rounds, [&](auto &m) { return list(m); });
  measure("30 elements, a list of f64", histories, rounds, [&](auto &m) { return typed(m); });
  measure("63 x 63, skipped", pictures, rounds, [&](auto &m) { return id(m); });
  measure("63 x 63, an array of f32", pictures, rounds, [&](auto &m) { return shaped(m); });
  measure("63 x 63, tape", pictures, rounds, [&](auto &m) { return tape(m); });
}
