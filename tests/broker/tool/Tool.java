import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What Kafka itself says, for the specs: one JVM a test run answers requests of all spec files.
 *
 * <p>Tool BROKERS FOLDER SLOTS: slot N reads requests from FOLDER/N.in and writes answers to FOLDER/N.out (both
 * made by the caller with mkfifo), one JSON object a line each. A request names what to `do`; an answer holds
 * `error` when it went wrong. Clients of the specs come and go: an end of file only means the next one.
 */
public final class Tool {
  static final ObjectMapper JSON = new ObjectMapper();
  private static String brokers;

  private Tool() {}

  public static void main(String[] args) {
    brokers = args[0];
    for (int slot = 0; slot < Integer.parseInt(args[2]); slot++) {
      Path in = Path.of(args[1], slot + ".in");
      Path out = Path.of(args[1], slot + ".out");
      new Thread(() -> serve(in, out)).start();
    }
  }

  private static void serve(Path in, Path out) {
    while (true) {
      try (BufferedReader requests =
              new BufferedReader(
                  new InputStreamReader(new FileInputStream(in.toFile()), StandardCharsets.UTF_8));
          PrintStream answers =
              new PrintStream(new FileOutputStream(out.toFile()), true, StandardCharsets.UTF_8)) {
        for (String line; (line = requests.readLine()) != null; ) {
          answers.println(answer(line));
        }
      } catch (Exception e) {
        e.printStackTrace();
      }
    }
  }

  private static String answer(String line) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      ObjectNode request = (ObjectNode) JSON.readTree(line);
      if (!request.has("brokers")) {
        request.put("brokers", brokers);
      }
      dispatch(request, answer);
    } catch (Throwable e) {
      Throwable cause = e instanceof java.util.concurrent.ExecutionException ? e.getCause() : e;
      answer.put("error", cause.toString());
    }
    return answer.toString();
  }

  private static void dispatch(ObjectNode request, ObjectNode answer) throws Exception {
    switch (request.get("do").asText()) {
      case "create" -> Cluster.create(request);
      case "delete" -> Cluster.delete(request);
      case "delete_records" -> Cluster.deleteRecords(request);
      case "partitions" -> Cluster.addPartitions(request);
      case "acl" -> Cluster.acl(request);
      case "offsets" -> Cluster.offsets(request, answer);
      case "ends" -> Cluster.ends(request, answer);
      case "group" -> Cluster.group(request, answer);
      case "groups" -> Cluster.groups(request, answer);
      case "describe" -> Cluster.describe(request, answer);
      case "produce" -> Producing.produce(request, answer);
      case "generate" -> Producing.generate(request);
      case "end_txn" -> Producing.endTransaction(request);
      case "read" -> Reading.read(request, answer);
      case "coverage" -> Reading.coverage(request, answer);
      case "join" -> Members.join(request, answer);
      case "http" -> Web.ask(request, answer);
      case "leave" -> Members.leave(request);
      case "assigned" -> Members.assigned(request, answer);
      default -> throw new IllegalArgumentException("unknown request " + request.get("do"));
    }
  }
}
