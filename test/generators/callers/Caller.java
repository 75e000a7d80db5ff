import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
import org.example.ApiClient;
import org.example.ApiException;
import org.example.JSON;
import org.example.api.PetsApi;
import org.example.model.ErrorBody;
import org.example.model.PetInput;

/** Calls the API through the client that openapi-generator writes for Java. Prints what it saw as JSON. */
class Caller {
  private interface Call {
    Object send() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    var api = connect("API_KEY");
    var input = new PetInput().name(" Bella").categoryId(9007199254740993L);
    var created = api.createPet(input, "java");
    var replay = api.createPetWithHttpInfo(input, "java");
    // The status in a response has the same type as that in a request.
    var listed = api.listPetsWithHttpInfo(2, input.status(created.getStatus()).getStatus(), null);
    // The pet that the contract shows as an example.
    var example = api.getPet(144701L);

    // The text is no cursor.
    var refused = catchError(() -> api.listPets(null, null, "none"));
    var unauthorized = catchError(() -> connect("UNKNOWN_KEY").listPets(null, null, null));
    var usedUp = catchError(() -> connect("USED_UP_KEY").listPets(null, null, null));

    var createdPet = Map.of(
        "name", created.getName(),
        "categoryId", created.getCategoryId().toString(),
        "status", created.getStatus());
    var report = Map.of(
        "created", createdPet,
        "replayed", replay.getHeaders().get("idempotency-replayed").get(0),
        "listed", listed.getData().size(),
        "limit", listed.getHeaders().get("x-ratelimit-limit").get(0),
        "example", example.getName(),
        "refused", List.of(refused.getCode(), readCode(refused)),
        "unauthorized", List.of(unauthorized.getCode(), readCode(unauthorized), readHeader(unauthorized, "WWW-Authenticate")),
        "usedUp", List.of(usedUp.getCode(), readCode(usedUp), readHeader(usedUp, "X-RateLimit-Remaining")),
        "retryAfter", readHeader(usedUp, "Retry-After"));
    System.out.println(JSON.getDefault().getMapper().writeValueAsString(report));
  }

  private static PetsApi connect(String variable) {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    var authorization = "Bearer " + System.getenv(variable);
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    return new PetsApi(client);
  }

  private static ApiException catchError(Call call) {
    try {
      call.send();
    } catch (ApiException error) {
      return error;
    }
    throw new AssertionError("The request was not refused.");
  }

  private static String readCode(ApiException error) throws JsonProcessingException {
    return JSON.getDefault().getMapper().readValue(error.getResponseBody(), ErrorBody.class).getCode();
  }

  private static String readHeader(ApiException error, String name) {
    return error.getResponseHeaders().firstValue(name).orElseThrow();
  }
}
