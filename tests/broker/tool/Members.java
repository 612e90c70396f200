import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Members of groups that are not rille: they take partitions, hold them, and give them back; they read nothing. */
final class Members {
  private static final Map<String, Member> KEPT = new ConcurrentHashMap<>();

  private Members() {}

  /** One consumer on its own thread: it polls with everything paused until it is told to leave. */
  private static final class Member extends Thread {
    private final KafkaConsumer<byte[], byte[]> consumer;
    volatile boolean leave;
    volatile List<String> parts = List.of();

    Member(Properties p, List<String> topics) {
      consumer = new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      consumer.subscribe(topics);
    }

    @Override
    public void run() {
      while (!leave) {
        consumer.poll(Duration.ofMillis(20));
        consumer.pause(consumer.assignment());
        parts = consumer.assignment().stream().map(TopicPartition::toString).sorted().toList();
      }
      consumer.close();
    }
  }

  private static Properties properties(JsonNode request) {
    Properties p = new Properties();
    p.put("bootstrap.servers", request.get("brokers").asText());
    p.put("group.id", request.get("group").asText());
    p.put("enable.auto.commit", "false");
    p.put("auto.offset.reset", "earliest");
    String strategy = request.path("strategy").asText("range");
    if (strategy.equals("consumer")) {
      p.put("group.protocol", "consumer");
      return p;
    }
    String name = strategy.equals("range") ? "RangeAssignor" : "CooperativeStickyAssignor";
    p.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + name);
    p.put("heartbeat.interval.ms", "300");
    p.put("session.timeout.ms", request.path("session").asText("45000"));
    return p;
  }

  /**
   * Joins; answers after how many `ms` something (or `want` partitions) was assigned, or -1 when that took longer
   * than `limit` ms. Leaves again unless it is to be kept under a name.
   */
  static void join(JsonNode request, ObjectNode answer) throws Exception {
    List<String> topics = new ArrayList<>();
    request.get("topics").forEach(t -> topics.add(t.asText()));
    Member m = new Member(properties(request), topics);
    long start = System.nanoTime();
    m.start();
    int want = request.path("want").asInt(1);
    long limit = request.path("limit").asLong(10000);
    while (m.parts.size() < want && (System.nanoTime() - start) / 1000000 < limit) {
      Thread.sleep(5);
    }
    answer.put("ms", m.parts.size() < want ? -1 : (System.nanoTime() - start) / 1000000);
    list(m, answer);
    if (request.has("keep")) {
      KEPT.put(request.get("keep").asText(), m);
    } else {
      m.leave = true;
      m.join();
    }
  }

  private static void list(Member m, ObjectNode answer) {
    ArrayNode parts = answer.putArray("parts");
    m.parts.forEach(parts::add);
  }

  static void assigned(JsonNode request, ObjectNode answer) {
    list(KEPT.get(request.get("member").asText()), answer);
  }

  static void leave(JsonNode request) throws Exception {
    Member m = KEPT.remove(request.get("member").asText());
    if (m == null) {
      return;
    }
    m.leave = true;
    m.join();
  }
}
