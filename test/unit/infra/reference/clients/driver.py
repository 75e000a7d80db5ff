"""Drives the Python client for drivers.ts.

Each line of the input is a job. The program prints its report as one line.
"""

import json
import sys
import time
from itertools import islice

import requests
import urllib3
from pet_adoption import PetAdoptionClient, PetAdoptionError

OPTION_NAMES = {
    "baseUrl": "base_url",
    "apiKey": "api_key",
    "attempts": "attempts",
    "longestWaitSeconds": "longest_wait",
    "timeoutSeconds": "timeout",
}


def make_call(client, call):
    if "page" in call:
        return client.page(**call["page"]).pets
    if "pets" in call:
        return list(islice(client.pets(**call["pets"]), call.get("stopAfter")))
    new_pet = call["create"]
    pet = client.create_pet(
        new_pet["name"],
        int(new_pet["categoryId"]),
        idempotency_key=call.get("idempotencyKey"),
    )
    return [pet]


def report_call(client, call):
    try:
        pets = make_call(client, call)
    except PetAdoptionError as error:
        return {"error": {"status": error.status, "code": error.code, "retryAfter": error.retry_after}}
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError):
        return {"error": "no response"}
    except ValueError:
        return {"error": "client error"}
    return {"pets": [{**pet, "categoryId": str(pet["categoryId"])} for pet in pets]}


for line in sys.stdin:
    job = json.loads(line)
    waits = []
    time.sleep = waits.append

    options = {OPTION_NAMES[name]: value for name, value in job["options"].items()}
    client = PetAdoptionClient(**options)
    outcomes = [report_call(client, call) for call in job["calls"]]

    print(json.dumps({"outcomes": outcomes, "waits": waits}), flush=True)
