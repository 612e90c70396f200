import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A request of a spec's to an HTTP server: what a user would say to a schema registry. */
final class Web {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private Web() {}

  /** `url`, `method`, `body`, `type`: the answer has `status` and `body`. */
  static void ask(JsonNode request, ObjectNode answer) throws Exception {
    HttpRequest asked =
        HttpRequest.newBuilder(URI.create(request.get("url").asText()))
            .header("Content-Type", request.path("type").asText("application/json"))
            .method(
                request.path("method").asText("GET"),
                request.has("body")
                    ? HttpRequest.BodyPublishers.ofString(request.get("body").asText())
                    : HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<String> got = CLIENT.send(asked, HttpResponse.BodyHandlers.ofString());
    answer.put("status", got.statusCode());
    answer.put("body", got.body());
  }
}
