"""Run it: `python3 follow_new_animals.py`, with Python 3.9 or later."""

import time

from pet_adoption import PetAdoptionClient

client = PetAdoptionClient(
    base_url="http://127.0.0.1:3000/v1",
    api_key="pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv",
)

first_seen: dict[int, float] = {}  # seconds, by id
previous_poll = 0.0

while True:
    this_poll = time.monotonic()

    # 1. Read newest to oldest.
    for pet in client.pets():
        # 2. An animal not seen before is new. Remember when you first saw it.
        if pet["id"] not in first_seen:
            print("New:", pet["id"], pet["name"], flush=True)
            first_seen[pet["id"]] = time.monotonic()

        # 3. Stop at an animal first seen a minute before the previous poll.
        if first_seen[pet["id"]] < previous_poll - 60:
            break

    previous_poll = this_poll
    time.sleep(120)  # 720 polls a day: the plan Free allows 1,000 requests
