/* Truths about real alerts. The files are not part of the repository: they are looked for in $RILLE_TEST_DATA
 * and ../shared/data; without them these tests are left out. */
#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include "codec_avro_support.h"

static const char *data_dir(void) {
  const char *dir = getenv("RILLE_TEST_DATA");
  if (!dir) dir = "../shared/data";
  return access(dir, R_OK) == 0 ? dir : NULL;
}

static const char no_data[] = "no files in ../shared/data (RILLE_TEST_DATA says where they are)";

static const char *path_of(const char *dir, const char *name) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static struct rl_buf load(const char *path) {
  struct rl_buf file = RL_BUF_INIT;
  FILE *in = fopen(path, "rb");
  size_t n;
  rl_buf_puts(&file, "");
  if (!in) UNIT_FAIL("cannot read %s", path);
  while (in && (n = fread(rl_buf_reserve(&file, 1 << 20), 1, 1 << 20, in)) > 0) file.len += n;
  if (in) fclose(in);
  return file;
}

static const struct rl_decoder_opts no_opts;

static const char *row_of(const char *dir, const char *name, const char *list) {
  struct rl_buf file = load(path_of(dir, name));
  const char *row = avro_row_as(no_opts, list, &file);
  rl_buf_free(&file);
  return row;
}

/* ---- the purity filter ---- */

static const char purity_fields[] =
    "rb=candidate.rb:f64,nbad=candidate.nbad:i64,fwhm=candidate.fwhm:f64,elong=candidate.elong:f64,magdiff="
    "candidate."
    "magdiff:f64";

struct purity {
  struct codec c;
  int seen, passed;
};

static void purity_start(struct purity *p) {
  *p = (struct purity){0};
  CHECK(avro_open_as(&p->c, purity_fields, no_opts));
}

static bool at_most(const struct rl_cell *cell, double limit) {
  return cell->tag == RL_DOUBLE && fabs(cell->d) <= limit;
}

static void purity_add(struct purity *p, const char *data, size_t len) {
  if (codec_row_bytes(&p->c, data, len) != 0) UNIT_FAIL("%s", p->c.err.text);
  struct rl_cell **col = p->c.columns->col;
  size_t row = p->c.columns->rows - 1;
  p->seen++;
  p->passed += col[0][row].tag == RL_DOUBLE && col[0][row].d >= 0.65 && col[1][row].tag == RL_INT &&
               col[1][row].i == 0 && at_most(&col[2][row], 5) && at_most(&col[3][row], 1.2) &&
               at_most(&col[4][row], 0.1);
}

TEST(the_purity_filter_passes_6_of_the_12_of_2020_02_02) {
  const char *dir = data_dir();
  DIR *ztf = dir ? opendir(path_of(dir, "ztf")) : NULL;
  struct purity p;
  if (!ztf) UNIT_SKIP(no_data);
  purity_start(&p);
  for (struct dirent *entry; (entry = readdir(ztf)) != NULL;) {
    char name[300];
    if (strncmp(entry->d_name, "11", 2) != 0) continue;
    snprintf(name, sizeof name, "ztf/%s", entry->d_name);
    struct rl_buf file = load(path_of(dir, name));
    purity_add(&p, file.data, file.len);
    rl_buf_free(&file);
  }
  closedir(ztf);
  CHECK_INT(p.seen, 12);
  CHECK_INT(p.passed, 6);
  codec_close(&p.c);
}

/* The files in a tar: a header of 512 bytes with the size in octal, then the bytes, filled up to 512. */
TEST(the_purity_filter_passes_9_of_the_30_of_2018_08_19) {
  const char *dir = data_dir();
  struct purity p;
  if (!dir) UNIT_SKIP(no_data);
  gzFile in = gzopen(path_of(dir, "ztf/ztf_public_20180819_mod1000.tar.gz"), "rb");
  char header[512];
  CHECK(in != NULL);
  if (!in) return;
  purity_start(&p);
  while (gzread(in, header, sizeof header) == sizeof header && header[0]) {
    size_t size = strtoul(header + 124, NULL, 8), padded = (size + 511) & ~(size_t)511;
    char *file = malloc(padded + 1);
    CHECK_INT(gzread(in, file, (unsigned)padded), padded);
    if (strstr(header, ".avro")) purity_add(&p, file, size);
    free(file);
  }
  gzclose(in);
  CHECK_INT(p.seen, 30);
  CHECK_INT(p.passed, 9);
  codec_close(&p.c);
}

/* ---- ZTF ---- */

TEST(d_10_candids_keep_all_their_digits) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  CHECK_STR(
      row_of(dir, "ztf/1127561445515015011.avro", "candid,c=candidate.candid,v=schemavsn,n=candidate.nbad"),
      "1127561445515015011, 1127561445515015011, \"3.3\", 0");
  CHECK_STR(row_of(dir, "ztf/2695378462115010012.avro", "candid"), "2695378462115010012");
}

/* What is said of a path that no value had. */
static const char *suggestion_of(const char *dir, const char *name, const char *path) {
  static char out[256];
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct rl_buf file = load(path_of(dir, name)), near = RL_BUF_INIT;
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(&file), .ops = &ops};
  struct codec c;
  CHECK(avro_open_as(&c, path, no_opts));
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &near);
  bool declared = rl_decoder_declares(c.decoder, &msg, &c.fields.at[0]);
  snprintf(out, sizeof out, "%s%s%s", declared ? "declared" : "there is '", rl_buf_text(&near),
           declared ? "" : "'");
  codec_close(&c);
  rl_buf_free(&near);
  rl_buf_free(&file);
  return out;
}

TEST(cutouts_are_bytes_and_may_be_null) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  CHECK_STR(row_of(dir, "ztf/ZTF20abyfpze.avro", "objectId,cutoutScience,s=cutoutScience.stampData"),
            "\"ZTF20abyfpze\", null, missing");
  CHECK_STR(suggestion_of(dir, "ztf/ZTF20abyfpze.avro", "cutoutScience.stampData"), "declared");
  CHECK_STR(suggestion_of(dir, "ztf/ZTF20abyfpze.avro", "cutoutScience.stampdata"),
            "there is 'cutoutScience.stampData'");
  struct rl_buf file = load(path_of(dir, "ztf/1127561445515015011.avro"));
  struct codec c;
  CHECK(avro_open_as(&c, "s=cutoutScience.stampData:bytes,n=cutoutScience.fileName", no_opts));
  CHECK_INT(codec_row_bytes(&c, file.data, file.len), 0);
  const struct rl_cell *stamp = &c.columns->col[0][0];
  CHECK_INT(stamp->tag, RL_BLOB);
  CHECK(stamp->s > c.payload && stamp->s + stamp->len < c.payload + file.len);
  CHECK(stamp->len > 1000 && memcmp(stamp->s, "\x1f\x8b", 2) == 0);
  codec_close(&c);
  rl_buf_free(&file);
}

TEST(a_container_of_31_alerts_is_31_rows) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct rl_buf file = load(path_of(dir, "fink/part-3-305711_ztf.avro"));
  struct codec c;
  size_t n;
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(&file), .ops = &ops};
  CHECK(avro_open_as(&c, "candid,objectId,m=candidate.magpsf", no_opts));
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), 0);
  CHECK_INT(n, 31);
  for (size_t row = 0; row < c.columns->rows; row++) {
    CHECK_INT(c.columns->col[0][row].tag, RL_INT);
    CHECK_INT(c.columns->col[2][row].tag, RL_DOUBLE);
  }
  codec_close(&c);
  rl_buf_free(&file);
}

/* ---- LSST ---- */

static const char lsst_fields[] =
    "diaSourceId,ra=diaSource.ra,dec=diaSource.dec,snr=diaSource.snr,reliability="
    "diaSource.reliability";
static const char lsst_values[] =
    "7912941781254298, 55.75212760972686, -32.26847858422095, 5.052084445953369, 0.11247663199901581";

TEST(the_lsst_packet_s_fields) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  struct rl_buf schema = load(path_of(dir, "lsst/lsst.v9_0.alert.avsc"));
  struct rl_buf packet = load(path_of(dir, "lsst/7912941781254298.confluent"));
  struct rl_decoder_opts opts = {.avro = {.framing = RL_AVRO_CONFLUENT, .schema = rl_buf_bytes(&schema)}};
  CHECK_STR(avro_row_as(opts, lsst_fields, &packet), lsst_values);
  CHECK_HAS(avro_tape_as(opts, &packet, 0), "\"diaSourceId\" 7912941781254298");
  packet.len--;
  CHECK_HAS(avro_row_as(opts, lsst_fields, &packet),
            "error: Avro: a length of 69120, with 69119 bytes left at byte 69933");
  rl_buf_free(&schema);
  rl_buf_free(&packet);
}

/* Asked for the packet's number, gives the schema of the file. */
struct one_schema {
  struct rl_schema_source source;
  struct rl_bytes bytes;
  struct rl_schema_text text;
  uint32_t id;
};

static int get_one(struct rl_schema_source *source, uint32_t id, const struct rl_schema_text **out,
                   struct rl_err *err) {
  struct one_schema *one = (struct one_schema *)source;
  (void)err;
  one->id = id;
  *out = &one->text;
  return 0;
}

TEST(the_lsst_packet_s_number_is_900) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  struct rl_buf schema = load(path_of(dir, "lsst/lsst.v9_0.alert.avsc"));
  struct rl_buf packet = load(path_of(dir, "lsst/7912941781254298.confluent"));
  struct one_schema one = {.source = {get_one}, .bytes = rl_buf_bytes(&schema)};
  one.text = (struct rl_schema_text){RL_SCHEMA_AVRO, &one.bytes, 1};
  CHECK(packet.len > 5 && memcmp(packet.data, "\0\0\0\x03\x84", 5) == 0);
  struct rl_decoder_opts opts = {.avro.registry = &one.source};
  CHECK_STR(avro_row_as(opts, lsst_fields, &packet), lsst_values);
  CHECK_INT(one.id, 900);
  rl_buf_free(&schema);
  rl_buf_free(&packet);
}

/* ---- Fink: a bare value, its schema in the key ---- */

TEST(fink_s_schema_is_the_key) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct rl_buf file = load(path_of(dir, "fink/fink-broker-sample-alert-1.avro"));
  const char *schema = strchr(file.data + 20, '{');
  size_t schema_len = 9012, block = 9069, block_len = 47158; /* as its container has them */
  struct codec c;
  struct rl_msg msg = {.topic = "t",
                       .key = rl_bytes(schema, schema_len),
                       .value = rl_bytes(file.data + block, block_len),
                       .ops = &ops};
  CHECK(avro_open_as(&c, "objectId,candid,m=candidate.magpsf,p=prv_candidates[0].jd", no_opts));
  if (rl_decoder_row(c.decoder, &msg, c.columns, &c.err) != 0) UNIT_FAIL("%s", c.err.text);
  char got[512];
  snprintf(got, sizeof got, "%s", codec_cells(&c));
  CHECK_STR(got, row_of(dir, "fink/fink-broker-sample-alert-1.avro",
                        "objectId,candid,m=candidate.magpsf,p=prv_candidates[0].jd"));
  CHECK_HAS(got, "\"ZTF");
  codec_close(&c);
  rl_buf_free(&file);
}

/* ---- damage ---- */

TEST(a_container_that_was_mangled_is_an_error_with_its_byte) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  const char *row = row_of(dir, "damaged/test_alerts_Ia_Hsiao_v2_53.avro", "objectId,candid");
  CHECK_HAS(row, "error: Avro: ");
  CHECK_HAS(row, "at byte 81385");
}

/* The two beside it hold nothing that a reader of Avro could object to: lengths, markers and texts are sound,
 * and fastavro reads the same (tests/diff). */
TEST(what_is_sound_among_the_damaged_is_read) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  CHECK_STR(row_of(dir, "damaged/121540793515135003.avro", "objectId,candid"),
            "\"ZTF18aaaaaad\", -121540793515135003");
  CHECK_STR(row_of(dir, "damaged/516171791415015025.avro", "objectId,candid"),
            "\"ZTF18aaxlzgi\", 516171791415015025");
}

TEST(every_cut_of_a_real_alert_is_an_error) {
  const char *dir = data_dir();
  if (!dir) UNIT_SKIP(no_data);
  struct rl_buf file = load(path_of(dir, "ztf/1127561445515015011.avro"));
  struct codec c;
  CHECK(avro_open_as(&c, "candid,m=candidate.magpsf", no_opts));
  for (size_t len = 0; len < file.len; len += 97) {
    CHECK_INT(codec_row_bytes(&c, file.data, len), RL_EHANDLER);
    CHECK_STR(codec_cells(&c), "missing, missing");
  }
  codec_close(&c);
  rl_buf_free(&file);
}
