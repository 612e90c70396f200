import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

/**
 * A door before a server that has none: it lets requests through that show an Authorization header, over TLS and with
 * a client's certificate if so asked.
 *
 * <p>Door ADDRESS TARGET AUTHORIZATION [KEYS [TRUSTED]]: listens on a free loopback port, which it writes to the file
 * ADDRESS as HOST:PORT; forwards to TARGET (http://host:port). AUTHORIZATION "-": everybody may pass. KEYS and TRUSTED
 * are PKCS12 stores with the password "store-secret".
 */
public final class Door {
  private static final char[] STORE_PASSWORD = "store-secret".toCharArray();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private Door() {}

  public static void main(String[] args) throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = args.length > 3 ? secure(any, args) : HttpServer.create(any, 0);
    server.createContext("/", exchange -> pass(exchange, args[1], args[2]));
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    Path address = Path.of(args[0]);
    Path half = Path.of(args[0] + ".new");
    Files.writeString(half, "127.0.0.1:" + server.getAddress().getPort() + "\n");
    Files.move(half, address);
  }

  private static KeyStore store(String path) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = new FileInputStream(path)) {
      store.load(in, STORE_PASSWORD);
    }
    return store;
  }

  private static HttpServer secure(InetSocketAddress at, String[] args) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store(args[3]), STORE_PASSWORD);
    TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    boolean askClients = args.length > 4;
    trusted.init(store(askClients ? args[4] : args[3]));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
    HttpsServer server = HttpsServer.create(at, 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters ssl = context.getDefaultSSLParameters();
            ssl.setNeedClientAuth(askClients);
            parameters.setSSLParameters(ssl);
          }
        });
    return server;
  }

  private static void pass(HttpExchange exchange, String target, String authorization) throws IOException {
    String shown = exchange.getRequestHeaders().getFirst("Authorization");
    if (!authorization.equals("-") && !authorization.equals(shown)) {
      answer(exchange, 401, "the door stays closed".getBytes());
      return;
    }
    try {
      HttpRequest asked =
          HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
              .method(
                  exchange.getRequestMethod(),
                  HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
              .build();
      HttpResponse<byte[]> got = CLIENT.send(asked, HttpResponse.BodyHandlers.ofByteArray());
      answer(exchange, got.statusCode(), got.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
