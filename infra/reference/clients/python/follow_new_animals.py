"""Run it: `python3 follow_new_animals.py`, with Python 3.9 or later."""

from pet_adoption import PetAdoptionClient

client = PetAdoptionClient(
    base_url="http://127.0.0.1:3000/v1",
    api_key="pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv",
)

# A poll every 120 seconds is 720 requests a day. The first two polls read the whole list, 100 animals a
# request: from 14,000 animals on, the 1,000 requests a day of the plan Free are used up, and following
# goes on the next day.
for pet in client.follow_pets(interval=120):
    print("New:", pet["id"], pet["name"], flush=True)
