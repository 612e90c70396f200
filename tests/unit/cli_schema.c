/* rille schema with a registry: the command itself, its standard output in a file. */
#include "cli/commands.h"
#include "codec/avro_encode.h"
#include "registry_bed.h"

#define SCHEMA                                                                                           \
  "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"},{\"name\":\"c\"," \
  "\"type\":"                                                                                            \
  "[\"null\",\"Inner\"]}]}"
#define INNER "{\"type\":\"record\",\"name\":\"Inner\",\"fields\":[{\"name\":\"mag\",\"type\":\"float\"}]}"

/* A file with a value of id 7 in Confluent's framing. */
static const char *packet(void) {
  static char path[64];
  static const char value[] = "\0\0\0\0\7\12\2\0\0\224\101"; /* 5, branch 1, 18.5f */
  snprintf(path, sizeof path, "/tmp/cli_schema.%d", (int)getpid());
  FILE *out = fopen(path, "wb");
  fwrite(value, 1, sizeof value - 1, out);
  fclose(out);
  return path;
}

/* What the command prints, or "error CODE: …". */
static const char *schema(int argc, const char **argv) {
  static char text[4096];
  struct rl_options options;
  struct rl_cli cli;
  struct rl_err err = {0};
  FILE *out = tmpfile();
  fflush(stdout);
  int own = dup(STDOUT_FILENO);
  dup2(fileno(out), STDOUT_FILENO);
  rl_options_make(&options);
  rl_cli_init(&cli, &options, RL_CMD_SCHEMA);
  int rc = rl_cli_parse(&cli, argc, (char *const *)argv, &err);
  if (!rc) rc = rl_cmd_schema(&cli, &err);
  rl_cli_free(&cli);
  rl_options_free(&options);
  fflush(stdout);
  dup2(own, STDOUT_FILENO);
  close(own);
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = 0;
  fclose(out);
  if (rc) snprintf(text, sizeof text, "error %d: %s", rc, err.text);
  return text;
}

#define RUN(...) \
  schema((int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)), (const char *[]){__VA_ARGS__})

TEST(a_registry_is_asked_for_what_values_name) {
  struct registry_bed bed;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/7", SCHEMA,
                  ",\"references\":[{\"name\":\"Inner\",\"subject\":\"inner\",\"version\":1}]");
  registry_schema(&bed, "/subjects/inner/versions/1", INNER, "");
  const char *out = RUN(packet(), "--registry", bed.http.url);
  CHECK_HAS(out, "id     long            1/1     5\n");
  CHECK_HAS(out, "c      record or null  1/1     1 member\n");
  CHECK_HAS(out, "c.mag  float           1/1     18.5\n");
  CHECK_HAS(RUN(packet(), "--registry", bed.http.url, "--script"), "  registry = \"http://127.0.0.1:");
  registry_stop(&bed);
  unlink(packet());
}

TEST(an_id_that_nobody_knows_ends_it) {
  struct registry_bed bed;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/7", "404 Not Found", REGISTRY_NOT_FOUND);
  const char *out = RUN(packet(), "--registry", bed.http.url);
  CHECK_HAS(out, "error -4: ");
  CHECK_HAS(out, "none of the 1 values decodes as avro");
  registry_stop(&bed);
  unlink(packet());
}

TEST(a_registry_that_is_down_is_waited_for_a_bounded_time) {
  struct registry_bed bed;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/7", "503 Service Unavailable", "later");
  CHECK_HAS(RUN(packet(), "--registry", bed.http.url, "--connect", "0.2"), "error -3: schema 7: GET ");
  registry_stop(&bed);
  unlink(packet());
}

TEST(without_a_registry_it_says_what_is_missing) {
  CHECK_HAS(RUN(packet()), "a registry with --registry");
  unlink(packet());
}
