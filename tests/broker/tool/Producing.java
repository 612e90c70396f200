import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Messages of any shape: keys and values that are null, empty or binary, headers, times, transactions. */
final class Producing {
  private static final Map<String, KafkaProducer<byte[], byte[]>> PRODUCERS = new ConcurrentHashMap<>();

  private Producing() {}

  private static KafkaProducer<byte[], byte[]> producer(JsonNode request) {
    String brokers = request.get("brokers").asText();
    String id = request.path("txn").asText("");
    return PRODUCERS.computeIfAbsent(
        brokers + " " + id,
        k -> {
          Properties p = new Properties();
          p.put("bootstrap.servers", brokers);
          p.put("linger.ms", "2");
          p.put("batch.size", "262144");
          p.put("max.request.size", "20000000");
          p.put("buffer.memory", "134217728");
          if (!id.isEmpty()) {
            p.put("transactional.id", id);
          }
          KafkaProducer<byte[], byte[]> made =
              new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer());
          if (!id.isEmpty()) {
            made.initTransactions();
          }
          return made;
        });
  }

  private static void begin(JsonNode request, KafkaProducer<byte[], byte[]> p) {
    if (request.has("txn") && !request.path("going").asBoolean()) {
      p.beginTransaction();
    }
  }

  /** `end`: commit, abort, or absent: the transaction stays open until end_txn. */
  private static void end(JsonNode request, KafkaProducer<byte[], byte[]> p) {
    p.flush();
    switch (request.path("end").asText("")) {
      case "commit" -> p.commitTransaction();
      case "abort" -> p.abortTransaction();
      default -> {}
    }
  }

  static void endTransaction(JsonNode request) {
    end(request, producer(request));
  }

  private static byte[] bytes(JsonNode record, String name) {
    if (record.hasNonNull(name + "64")) {
      return Base64.getDecoder().decode(record.get(name + "64").asText());
    }
    return record.hasNonNull(name) ? record.get(name).asText().getBytes(StandardCharsets.UTF_8) : null;
  }

  private static ProducerRecord<byte[], byte[]> record(JsonNode request, JsonNode r) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            request.get("topic").asText(),
            r.has("p") ? (Integer) r.get("p").asInt() : null,
            r.has("ts") ? (Long) r.get("ts").asLong() : null,
            bytes(r, "k"),
            bytes(r, "v"));
    for (JsonNode h : r.path("h")) {
      byte[] value = h.get(1).isNull() ? null : h.get(1).asText().getBytes(StandardCharsets.UTF_8);
      record.headers().add(h.get(0).asText(), value);
    }
    return record;
  }

  /** records: [{p, ts, k, v, k64, v64, h: [[name, value]]}]; answers {"at": [[partition, offset]]}. */
  static void produce(JsonNode request, ObjectNode answer) throws Exception {
    KafkaProducer<byte[], byte[]> p = producer(request);
    begin(request, p);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (JsonNode r : request.get("records")) {
      sent.add(p.send(record(request, r)));
    }
    end(request, p);
    ArrayNode at = answer.putArray("at");
    for (Future<RecordMetadata> s : sent) {
      at.addArray().add(s.get().partition()).add(s.get().offset());
    }
  }

  /** n messages {"n":FROM…} over `partitions` in turn, padded to about `size` bytes; keys k0, k1, … with `keys`. */
  static void generate(JsonNode request) throws Exception {
    KafkaProducer<byte[], byte[]> p = producer(request);
    String topic = request.get("topic").asText();
    int partitions = request.path("partitions").asInt(1);
    long from = request.path("from").asLong(0);
    int size = request.path("size").asInt(0);
    String pad = size > 20 ? ",\"pad\":\"" + "x".repeat(size - 20) + "\"}" : "}";
    begin(request, p);
    Future<RecordMetadata> last = null;
    for (long n = from; n < from + request.get("n").asLong(); n++) {
      byte[] value = ("{\"n\":" + n + pad).getBytes(StandardCharsets.US_ASCII);
      byte[] key = request.has("keys") ? ("k" + n % request.get("keys").asInt()).getBytes() : null;
      last = p.send(new ProducerRecord<>(topic, (int) (n % partitions), key, value));
    }
    end(request, p);
    if (last != null && !request.path("end").asText("").equals("abort")) {
      last.get();
    }
  }
}
