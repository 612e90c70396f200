import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/**
 * A server of one model, over the Open Inference Protocol's REST: "sum" gives to each row of `x` [-1, 1] its `score`
 * [-1, 1], twice the number. A row with a negative number is refused, with the whole call (400).
 *
 * <p>Model ADDRESS PORT TROUBLE: listens on the loopback at PORT (0: a free one), and writes HOST:PORT to the file
 * ADDRESS. While the file TROUBLE is there all calls of the model get the status that it holds: 400 is what MLServer
 * says before it has loaded the model.
 */
public final class Model {
  private static final String METADATA =
      "{\"name\":\"sum\",\"platform\":\"test\",\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[-1,1]}],"
          + "\"outputs\":[{\"name\":\"score\",\"datatype\":\"FP32\",\"shape\":[-1,1]}]}";

  private static Path trouble;

  private Model() {}

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[1]);
    trouble = Path.of(args[2]);
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/v2", Model::serve);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    Path half = Path.of(args[0] + ".new");
    Files.writeString(half, "127.0.0.1:" + server.getAddress().getPort() + "\n");
    Files.move(half, Path.of(args[0]));
  }

  private static void serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    byte[] asked = exchange.getRequestBody().readAllBytes();
    if (path.equals("/v2")) {
      answer(exchange, 200, "{\"name\":\"test\",\"version\":\"1\",\"extensions\":[]}");
    } else if (path.startsWith("/v2/models/sum/") && Files.exists(trouble)) {
      answer(exchange, Integer.parseInt(Files.readString(trouble)), "{\"error\":\"Model sum is not ready yet.\"}");
    } else if (path.endsWith("/ready")) {
      answer(exchange, 200, "");
    } else if (path.equals("/v2/models/sum")) {
      answer(exchange, 200, METADATA);
    } else if (path.equals("/v2/models/sum/infer")) {
      infer(exchange, Tool.JSON.readTree(asked));
    } else {
      answer(exchange, 404, "{\"error\":\"no such model\"}");
    }
  }

  private static void infer(HttpExchange exchange, JsonNode asked) throws IOException {
    JsonNode numbers = asked.get("inputs").get(0).get("data");
    ObjectNode answer = Tool.JSON.createObjectNode();
    ObjectNode score = answer.putArray("outputs").addObject();
    score.put("name", "score").put("datatype", "FP32").putArray("shape").add(numbers.size()).add(1);
    ArrayNode data = score.putArray("data");
    for (JsonNode number : numbers) {
      if (number.asDouble() < 0) {
        answer(exchange, 400, "{\"error\":\"a negative number\"}");
        return;
      }
      data.add(2 * number.asDouble());
    }
    answer(exchange, 200, answer.toString());
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes();
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
