/* What the files of the settings unit share. */
#ifndef RL_STREAM_SETTINGS_IMPL_H
#define RL_STREAM_SETTINGS_IMPL_H

#include "stream/settings.h"

/* `kafka_from`: files are weaker than pairs, and among each the layers count (so options given win over a
 * credentials file). */
enum { RL_KAFKA_FILES = 0, RL_KAFKA_PAIRS = RL_LAYER_CLI + 1, RL_KAFKA_RANKS = 2 * RL_KAFKA_PAIRS };

static inline void *rl_setting_at(struct rl_settings *s, const struct rl_setting *what) {
  return (char *)s + what->offset;
}

void rl_settings_list_add(struct rl_list *list, const char *text, size_t len);
void rl_settings_list_clear(struct rl_list *list);
void rl_settings_kafka_rebuild(struct rl_settings *s); /* `kafka` from `kafka_from` */

/* By pointer rather than by name; as rl_settings_claim. */
bool rl_settings_take_layer(struct rl_settings *s, const struct rl_setting *what, enum rl_layer layer);

/* Parts of finish, in this order: brokers, group and input; topics and partitions; start and end. */
int rl_settings_finish_where(struct rl_settings *s, struct rl_err *err);
int rl_settings_finish_topics(struct rl_settings *s, struct rl_err *err);
int rl_settings_finish_ends(struct rl_settings *s, struct rl_err *err);
int rl_settings_finish_format(struct rl_settings *s, struct rl_err *err);   /* once `decode` is known */
int rl_settings_finish_registry(struct rl_settings *s, struct rl_err *err); /* once `decode` is avro */
bool rl_settings_from_file(const struct rl_settings *s); /* input is a file or stdin; once it was read */
bool rl_topic_name_ok(const char *topic);

#endif
