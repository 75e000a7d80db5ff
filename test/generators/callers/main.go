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
	// The pet that the contract shows as an example.
	example, _, err := client.PetsAPI.GetPet(ctx, 144701).Execute()
	check(err)

	// The text is no cursor.
	_, refused, refusedError := client.PetsAPI.ListPets(ctx).Cursor("none").Execute()
	_, unauthorized, unauthorizedError := client.PetsAPI.ListPets(withKey("UNKNOWN_KEY")).Execute()
	_, usedUp, usedUpError := client.PetsAPI.ListPets(withKey("USED_UP_KEY")).Execute()

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created":      map[string]any{"name": created.Name, "categoryId": fmt.Sprint(created.CategoryId), "status": created.Status},
		"replayed":     replay.Header.Get("Idempotency-Replayed"),
		"listed":       len(list),
		"limit":        listed.Header.Get("X-RateLimit-Limit"),
		"example":      example.Name,
		"refused":      describe(refused, refusedError),
		"unauthorized": append(describe(unauthorized, unauthorizedError), unauthorized.Header.Get("WWW-Authenticate")),
		"usedUp":       append(describe(usedUp, usedUpError), usedUp.Header.Get("X-RateLimit-Remaining")),
		"retryAfter":   usedUp.Header.Get("Retry-After"),
	}))
}

func withKey(variable string) context.Context {
	return context.WithValue(context.Background(), pets.ContextAccessToken, os.Getenv(variable))
}

// describe lists the status of a response and the code of its error.
func describe(response *http.Response, err error) []any {
	body := err.(*pets.GenericOpenAPIError).Model().(pets.ErrorBody)
	return []any{response.StatusCode, body.Code}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
