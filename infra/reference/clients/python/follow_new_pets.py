"""Run it: `python3 follow_new_pets.py`, with Python 3.10 or later."""

from pet_adoption import PetAdoptionClient

client = PetAdoptionClient(
    base_url="http://127.0.0.1:3000/v1",
    api_key="pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv",
)

for pet in client.follow_pets(interval=120):
    print("New:", pet["id"], pet["name"], flush=True)
