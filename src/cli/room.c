#include "cli/room.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/client.h"
#include "kafka/broker.h"
#include "kafka/consumer.h"

enum {
  COUNT_S = 30,      /* what stands there is read within this */
  SET_BYTES = 61,    /* a set's own head in the log */
  RECORD_BYTES = 32, /* at most, of a record's own: lengths, offset, timestamp */
  HEADER_BYTES = 10, /* at most, of a header's lengths */
};

uint32_t rl_murmur2(struct rl_bytes key) {
  const uint32_t m = 0x5bd1e995;
  const unsigned char *p = (const unsigned char *)key.data;
  uint32_t h = 0x9747b28c ^ (uint32_t)key.len;
  size_t left = key.len;
  for (; left >= 4; p += 4, left -= 4) {
    uint32_t k = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    k *= m;
    k ^= k >> 24;
    h = h * m ^ k * m;
  }
  if (left == 3) h ^= (uint32_t)p[2] << 16;
  if (left >= 2) h ^= (uint32_t)p[1] << 8;
  if (left >= 1) h = (h ^ p[0]) * m;
  h = (h ^ h >> 13) * m;
  return h ^ h >> 15;
}

int64_t rl_room_cost(struct rl_bytes key, struct rl_bytes value, const struct rl_header *headers, size_t n) {
  size_t cost = SET_BYTES + RECORD_BYTES + key.len + value.len;
  for (size_t i = 0; i < n; i++) cost += HEADER_BYTES + strlen(headers[i].name) + headers[i].value.len;
  return (int64_t)cost;
}

static int64_t cost_of(const struct rl_msg *msg) {
  int64_t cost = rl_room_cost(msg->key, msg->value, NULL, 0);
  struct rl_header h;
  for (size_t i = 0; rl_msg_header(msg, i, &h); i++)
    cost += HEADER_BYTES + (int64_t)strlen(h.name) + (int64_t)h.value.len;
  return cost;
}

/* Counts what the consumer has; returns how many partitions came to their end. */
static size_t count_some(struct rl_room *room, struct rl_consumer *c) {
  struct rl_msg msg;
  struct rl_kev ev;
  size_t ended = 0;
  rl_consumer_clear(c);
  while (rl_consumer_serve(c, &ev)) rl_kev_free(&ev);
  for (;;) {
    switch (rl_consumer_take(c, &msg, NULL)) {
      case RL_TAKE_NONE: return ended;
      case RL_TAKE_EOF: ended++; break;
      case RL_TAKE_ERROR: break;
      case RL_TAKE_MSG:
        if (msg.partition < room->partitions) room->used[msg.partition] += cost_of(&msg);
        rl_msg_release(&msg);
        break;
    }
  }
}

static int count_all(struct rl_room *room, struct rl_consumer *c, const struct rl_tps *parts,
                     struct rl_err *err) {
  int64_t until = rl_now() + COUNT_S * RL_NS_PER_S;
  size_t ended = 0;
  if (rl_consumer_assign(c, parts, err)) return err->code;
  while ((ended += count_some(room, c)) < parts->n) {
    if (rl_now() > until)
      return rl_fail(err, RL_EBROKER, "cannot read what the embedded broker holds of %s within %d s",
                     parts->at[0].topic, COUNT_S);
    struct pollfd fd = {.fd = rl_consumer_fd(c), .events = POLLIN};
    poll(&fd, 1, rl_poll_ms(rl_now(), until, 1000));
  }
  return 0;
}

static void close_consumer(struct rl_consumer *c) {
  struct rl_kev ev;
  struct rl_err err;
  int64_t until = rl_now() + 5 * RL_NS_PER_S;
  if (rl_consumer_close_begin(c, &err) == 0) {
    while (!rl_consumer_closed(c) && rl_now() < until) {
      rl_consumer_clear(c);
      while (rl_consumer_serve(c, &ev)) {
        if (ev.kind == RL_KEV_REVOKE || ev.kind == RL_KEV_LOST) rl_consumer_yield(c, &ev.tps, &err);
        rl_kev_free(&ev);
      }
      struct pollfd fd = {.fd = rl_consumer_fd(c), .events = POLLIN};
      if (!rl_consumer_closed(c)) poll(&fd, 1, 20);
    }
  }
  rl_consumer_destroy(c);
}

/* Reads the topic, which fits into memory, as the broker keeps no more of it. */
static int count_topic(struct rl_room *room, struct rl_cli *cli, struct rl_tps *parts, struct rl_err *err) {
  struct rl_consumer_opts opts = {
      .conf = &cli->settings.kafka, .brokers = rl_client_brokers(cli), .manual = true, .reset = "earliest"};
  struct rl_consumer *c;
  if (rl_consumer_open(&c, &opts, err)) return err->code;
  for (size_t i = 0; i < parts->n; i++) parts->at[i].offset = RL_OFFSET_BEGINNING;
  int rc = count_all(room, c, parts, err);
  close_consumer(c);
  return rc;
}

static bool is_empty(const struct rl_tps *parts) {
  for (size_t i = 0; i < parts->n; i++)
    if (parts->at[i].offset > 0) return false;
  return true;
}

static int look(struct rl_room *room, struct rl_cli *cli, struct rl_admin *a, const char *topic,
                struct rl_err *err) {
  struct rl_tps parts = RL_TPS_INIT;
  int rc = rl_admin_partitions(a, topic, &parts, err);
  if (!rc) rc = rl_admin_ends(a, &parts, err);
  if (!rc) {
    room->partitions = (int32_t)parts.n;
    room->used = rl_zalloc((parts.n + 1) * sizeof *room->used);
    if (!is_empty(&parts)) rc = count_topic(room, cli, &parts, err);
  }
  rl_tps_free(&parts);
  return rc;
}

int rl_room_open(struct rl_room *room, struct rl_cli *cli, const char *topic, struct rl_err *err) {
  struct rl_admin *a;
  *room = (struct rl_room){NULL, 0};
  if (rl_client_admin(cli, &a, err)) return err->code;
  int rc = rl_admin_is_embedded(a) ? look(room, cli, a, topic, err) : 0;
  rl_admin_close(a);
  return rc;
}

static int32_t emptiest(const struct rl_room *room) {
  int32_t best = 0;
  for (int32_t i = 1; i < room->partitions; i++)
    if (room->used[i] < room->used[best]) best = i;
  return best;
}

int rl_room_take(struct rl_room *room, struct rl_bytes key, int64_t cost, int32_t *partition,
                 struct rl_err *err) {
  if (!room->used || room->partitions == 0) return 0;
  if (*partition < 0)
    *partition =
        key.data ? (int32_t)((rl_murmur2(key) & 0x7fffffff) % (uint32_t)room->partitions) : emptiest(room);
  if (*partition >= room->partitions) return 0; /* the broker will say so */
  int64_t *used = &room->used[*partition];
  if (*used + cost > RL_BROKER_PARTITION_BYTES)
    return rl_fail(
        err, RL_EFULL,
        "partition %" PRId32
        " is full: the embedded broker keeps about 5 MB a partition and would drop "
        "the oldest messages in silence; start it with more partitions (rille broker --topics NAME:%d)",
        *partition, (int)room->partitions * 2);
  *used += cost;
  return 0;
}

void rl_room_free(struct rl_room *room) {
  rl_free(room->used);
  *room = (struct rl_room){NULL, 0};
}
