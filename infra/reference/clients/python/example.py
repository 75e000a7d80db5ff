"""Run it: `python3 example.py`, with Python 3.10 or later."""

from pet_adoption import PetAdoptionClient

client = PetAdoptionClient(
    base_url="http://127.0.0.1:3000/v1",
    api_key="pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv",
)

# Send a first request.
print(client.page(limit=3))

# Go through all pets that are available, page by page.
for pet in client.pets(status="available"):
    print(pet["id"], pet["name"])

# Add a pet. It is added once, even if the request has to be sent again.
bella = client.create_pet({"name": "Bella", "categoryId": 1})
print(bella["id"], bella["name"])
