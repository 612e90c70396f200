import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;

/** Questions and orders to the cluster, through Kafka's own admin client and tools. */
final class Cluster {
  private static final Map<String, Admin> ADMINS = new ConcurrentHashMap<>();

  private Cluster() {}

  static Admin admin(JsonNode request) {
    return ADMINS.computeIfAbsent(
        request.get("brokers").asText(),
        b -> {
          Properties p = new Properties();
          p.put("bootstrap.servers", b);
          return Admin.create(p);
        });
  }

  static void create(JsonNode request) throws Exception {
    Map<String, String> configs = new HashMap<>();
    request.path("configs").properties().forEach(e -> configs.put(e.getKey(), e.getValue().asText()));
    NewTopic topic =
        new NewTopic(request.get("topic").asText(), request.path("partitions").asInt(1), (short) 1);
    admin(request).createTopics(List.of(topic.configs(configs))).all().get();
    awaitLeaders(request);
  }

  /** Creation is answered before every partition has its leader. */
  private static void awaitLeaders(JsonNode request) throws Exception {
    String topic = request.get("topic").asText();
    for (int i = 0; i < 200; i++) {
      try {
        partitions(request, topic);
        ends(request, Tool.JSON.createObjectNode());
        return;
      } catch (Exception e) {
        Thread.sleep(25);
      }
    }
  }

  static void delete(JsonNode request) throws Exception {
    admin(request).deleteTopics(List.of(request.get("topic").asText())).all().get();
  }

  static void addPartitions(JsonNode request) throws Exception {
    NewPartitions to = NewPartitions.increaseTo(request.get("partitions").asInt());
    admin(request).createPartitions(Map.of(request.get("topic").asText(), to)).all().get();
    awaitLeaders(request);
  }

  static void deleteRecords(JsonNode request) throws Exception {
    TopicPartition tp =
        new TopicPartition(request.get("topic").asText(), request.path("partition").asInt(0));
    RecordsToDelete before = RecordsToDelete.beforeOffset(request.get("before").asLong());
    admin(request).deleteRecords(Map.of(tp, before)).all().get();
  }

  /** Denies the user `reader` an operation on a topic. */
  static void acl(JsonNode request) throws Exception {
    ResourcePattern topic =
        new ResourcePattern(ResourceType.TOPIC, request.get("topic").asText(), PatternType.LITERAL);
    AclOperation op = AclOperation.fromString(request.get("operation").asText());
    AccessControlEntry deny = new AccessControlEntry("User:reader", "*", op, AclPermissionType.DENY);
    admin(request).createAcls(List.of(new AclBinding(topic, deny))).all().get();
  }

  static List<TopicPartition> partitions(JsonNode request, String topic) throws Exception {
    TopicDescription d =
        admin(request).describeTopics(List.of(topic)).allTopicNames().get().get(topic);
    return d.partitions().stream().map(p -> new TopicPartition(topic, p.partition())).toList();
  }

  /** What a group has committed: {"offsets": {"topic": {"0": 12}}}. */
  static void offsets(JsonNode request, ObjectNode answer) throws Exception {
    ObjectNode offsets = answer.putObject("offsets");
    admin(request)
        .listConsumerGroupOffsets(request.get("group").asText())
        .partitionsToOffsetAndMetadata()
        .get()
        .forEach(
            (tp, o) -> {
              if (o != null) {
                offsets.withObject("/" + tp.topic()).put("" + tp.partition(), o.offset());
              }
            });
  }

  /** Ends of a topic's partitions, or their beginnings with `begin`; `committed`: last stable offsets. */
  static void ends(JsonNode request, ObjectNode answer) throws Exception {
    OffsetSpec spec = request.path("begin").asBoolean() ? OffsetSpec.earliest() : OffsetSpec.latest();
    IsolationLevel level =
        request.path("committed").asBoolean()
            ? IsolationLevel.READ_COMMITTED
            : IsolationLevel.READ_UNCOMMITTED;
    Map<TopicPartition, OffsetSpec> ask = new HashMap<>();
    for (TopicPartition tp : partitions(request, request.get("topic").asText())) {
      ask.put(tp, spec);
    }
    ObjectNode offsets = answer.putObject("offsets");
    admin(request)
        .listOffsets(ask, new ListOffsetsOptions(level))
        .all()
        .get()
        .forEach((tp, o) -> offsets.put("" + tp.partition(), o.offset()));
  }

  /** A group's state and members; one that nobody has joined yet is dead. */
  static void group(JsonNode request, ObjectNode answer) throws Exception {
    String name = request.get("group").asText();
    ArrayNode members = answer.putArray("members");
    answer.put("state", "Dead");
    ConsumerGroupDescription g;
    try {
      g = admin(request).describeConsumerGroups(List.of(name)).all().get().get(name);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return;
      }
      throw e;
    }
    answer.put("state", g.groupState().toString());
    answer.put("assignor", g.partitionAssignor());
    for (MemberDescription m : g.members()) {
      ObjectNode member = members.addObject();
      member.put("id", m.consumerId()).put("client", m.clientId()).put("host", m.host());
      ArrayNode parts = member.putArray("parts");
      m.assignment().topicPartitions().stream().map(TopicPartition::toString).sorted().forEach(parts::add);
    }
  }

  static void groups(JsonNode request, ObjectNode answer) throws Exception {
    ArrayNode names = answer.putArray("groups");
    admin(request).listGroups().all().get().forEach(g -> names.add(g.groupId()));
  }

  /** The rows of kafka-consumer-groups --describe: {topic, partition, offset, end, lag}. */
  static synchronized void describe(JsonNode request, ObjectNode answer) {
    PrintStream before = System.out;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    System.setOut(new PrintStream(text, true));
    try {
      ConsumerGroupCommand.main(
          new String[] {
            "--bootstrap-server", request.get("brokers").asText(),
            "--describe", "--group", request.get("group").asText()
          });
    } finally {
      System.setOut(before);
    }
    ArrayNode rows = answer.putArray("rows");
    for (String line : text.toString().split("\n")) {
      String[] f = line.trim().split("\\s+");
      if (f.length > 5 && f[0].equals(request.get("group").asText())) {
        ObjectNode row = rows.addObject();
        row.put("topic", f[1]).put("partition", Integer.parseInt(f[2]));
        row.put("offset", f[3]).put("end", f[4]).put("lag", f[5]);
      }
    }
    answer.put("text", text.toString());
  }
}
