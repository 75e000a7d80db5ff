// Command caller calls the API through the client that openapi-generator writes for Go. It prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.org/shelter/pets"
)

var client *pets.APIClient

func main() {
	configuration := pets.NewConfiguration()
	configuration.Servers = pets.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client = pets.NewAPIClient(configuration)
	ctx := withKey("API_KEY")

	input := pets.NewPetInput(" Bella", 9007199254740993)
	created, _, err := client.PetsAPI.CreatePet(ctx).PetInput(*input).IdempotencyKey("go").Execute()
	check(err)
	_, replay, err := client.PetsAPI.CreatePet(ctx).PetInput(*input).IdempotencyKey("go").Execute()
	check(err)
	list, listed, err := client.PetsAPI.ListPets(ctx).Limit(2).Status(created.Status).Execute()
	check(err)
	example, _, err := client.PetsAPI.GetPet(ctx, 144701).Execute()
	check(err)

	_, refused, refusal := client.PetsAPI.ListPets(ctx).Cursor("none").Execute()
	_, unauthorized, unauthorization := client.PetsAPI.ListPets(withKey("UNKNOWN_KEY")).Execute()
	_, usedUp, exhaustion := client.PetsAPI.ListPets(withKey("USED_UP_KEY")).Execute()

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created":      map[string]any{"name": created.Name, "categoryId": fmt.Sprint(created.CategoryId), "status": created.Status},
		"replayed":     replay.Header.Get("Idempotency-Replayed"),
		"listed":       len(list),
		"limit":        listed.Header.Get("X-RateLimit-Limit"),
		"example":      example.Name,
		"refused":      describe(refused, refusal),
		"unauthorized": append(describe(unauthorized, unauthorization), unauthorized.Header.Get("WWW-Authenticate")),
		"usedUp":       append(describe(usedUp, exhaustion), usedUp.Header.Get("X-RateLimit-Remaining")),
		"retryAfter":   usedUp.Header.Get("Retry-After"),
	}))
}

func withKey(variable string) context.Context {
	return context.WithValue(context.Background(), pets.ContextAccessToken, os.Getenv(variable))
}

func describe(response *http.Response, err error) []any {
	body := err.(*pets.GenericOpenAPIError).Model().(pets.ErrorBody)
	return []any{response.StatusCode, body.Code}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
