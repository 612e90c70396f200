import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What is in a topic, by Kafka's own consumer, without a group. */
final class Reading {
  private Reading() {}

  private static void each(JsonNode request, Consumer<ConsumerRecord<byte[], byte[]>> fn)
      throws Exception {
    Properties p = new Properties();
    p.put("bootstrap.servers", request.get("brokers").asText());
    p.put("isolation.level", request.path("isolation").asText("read_committed"));
    p.put("max.poll.records", "10000");
    List<TopicPartition> parts = Cluster.partitions(request, request.get("topic").asText());
    try (KafkaConsumer<byte[], byte[]> c =
        new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      c.assign(parts);
      c.seekToBeginning(parts);
      Map<TopicPartition, Long> ends = c.endOffsets(parts);
      while (parts.stream().anyMatch(tp -> c.position(tp) < ends.get(tp))) {
        c.poll(Duration.ofMillis(100)).forEach(fn);
      }
    }
  }

  private static void put(ObjectNode to, String name, byte[] bytes) {
    if (bytes == null) {
      to.putNull(name);
      return;
    }
    try {
      to.put(name, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      to.put(name + "64", bytes);
    }
  }

  /** {"records": [{p, o, ts, k, v, h: [{n, v}]}]}; k64 and v64 where the bytes are not UTF-8. */
  static void read(JsonNode request, ObjectNode answer) throws Exception {
    ArrayNode records = answer.putArray("records");
    each(
        request,
        r -> {
          ObjectNode node = records.addObject();
          node.put("p", r.partition()).put("o", r.offset()).put("ts", r.timestamp());
          put(node, "k", r.key());
          put(node, "v", r.value());
          ArrayNode headers = node.putArray("h");
          for (Header h : r.headers()) {
            put(headers.addObject().put("n", h.key()), "v", h.value());
          }
        });
  }

  /** Which of {"n":0} … {"n":n-1} are in the topic: how many distinct, how many in all, the first that lack. */
  static void coverage(JsonNode request, ObjectNode answer) throws Exception {
    int n = request.get("n").asInt();
    BitSet seen = new BitSet(n);
    long[] total = {0};
    each(
        request,
        r -> {
          total[0]++;
          seen.set(number(r.value()));
        });
    answer.put("total", total[0]).put("distinct", seen.cardinality());
    ArrayNode missing = answer.putArray("missing");
    for (int i = seen.nextClearBit(0); i < n && missing.size() < 10; i = seen.nextClearBit(i + 1)) {
      missing.add(i);
    }
  }

  private static int number(byte[] value) {
    int n = 0;
    for (int i = "{\"n\":".length(); value[i] >= '0' && value[i] <= '9'; i++) {
      n = n * 10 + value[i] - '0';
    }
    return n;
  }
}
