"""Drives the Python client for drivers.ts.

Each line of the input is a job. The program prints its report as one line.
"""

import functools
import json
import pickle
import ssl
import sys
import threading
import time
from itertools import islice

from pet_adoption import PetAdoptionClient, PetAdoptionError

# All clients share a context, which takes longer to load than most jobs.
ssl.create_default_context = functools.cache(ssl.create_default_context)
monotonic = time.monotonic

OPTION_NAMES = {
    "baseUrl": "base_url",
    "apiKey": "api_key",
    "attempts": "attempts",
    "longestWaitSeconds": "longest_wait",
    "timeoutSeconds": "timeout",
}


def make_call(client, call, waits):
    if "page" in call:
        return client.page(**call["page"]).pets
    if "pets" in call:
        return list(islice(client.pets(**call["pets"]), call.get("stopAfter")))
    if "follow" in call:
        return follow_pets(client, call, waits)
    new_pet = {**call["create"], "categoryId": int(call["create"]["categoryId"])}
    return [client.create_pet(new_pet, idempotency_key=call.get("idempotencyKey"))]


def follow_pets(client, call, waits):
    options = {"interval" if name == "intervalSeconds" else name: value for name, value in call["follow"].items()}
    stop = threading.Event()

    def wait(seconds):
        waits.append(seconds)
        if len(waits) == call.get("stopInWait"):
            stop.set()
        return stop.is_set()

    stop.wait = wait
    time.monotonic = lambda: sum(waits)
    pets = []
    for pet in client.follow_pets(**options, stop=stop):
        pets.append(pet)
        if len(pets) == call.get("stopAfter"):
            stop.set()
    return pets


def report_call(options, call, waits):
    try:
        pets = make_call(PetAdoptionClient(**options), call, waits)
    except ValueError as error:
        return {"refused": str(error)}
    except PetAdoptionError as error:
        assert pickle.loads(pickle.dumps(error)).args == error.args
        return {
            "error": {
                "code": error.code,
                "status": error.status,
                "requestId": error.request_id,
                "retryAfter": error.retry_after,
            }
        }
    finally:
        time.monotonic = monotonic
    return {"pets": [{**pet, "categoryId": str(pet["categoryId"])} for pet in pets]}


def read_number(value):
    return float("nan") if value == "NaN" else value


for line in sys.stdin:
    job = json.loads(line)
    waits = []
    time.sleep = waits.append

    options = {OPTION_NAMES[name]: read_number(value) for name, value in job["options"].items()}
    outcomes = [report_call(options, call, waits) for call in job["calls"]]

    print(json.dumps({"outcomes": outcomes, "waits": waits}), flush=True)
