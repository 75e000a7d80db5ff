"""Runs each job (see drivers.ts) that comes in a line with the Python client, and prints its report in a line."""

import json
import sys
import time
from itertools import islice

import requests
import urllib3
from pet_adoption import PetAdoptionClient, PetAdoptionError

OPTIONS = {
    "baseUrl": "base_url",
    "apiKey": "api_key",
    "attempts": "attempts",
    "longestWaitSeconds": "longest_wait",
    "timeoutSeconds": "timeout",
}


def pets_of(client, call):
    if "page" in call:
        return client.page(**call["page"]).pets
    if "pets" in call:
        return islice(client.pets(**call["pets"]), call.get("take"))
    pet = call["create"]
    return [client.create_pet(pet["name"], int(pet["categoryId"]), idempotency_key=call.get("idempotencyKey"))]


def outcome_of(client, call):
    try:
        return {"pets": [{**pet, "categoryId": str(pet["categoryId"])} for pet in pets_of(client, call)]}
    except PetAdoptionError as error:
        return {"error": {"status": error.status, "code": error.code, "retryAfter": error.retry_after}}
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError):
        return {"error": "lost"}
    except ValueError:
        return {"error": "refused"}


for line in sys.stdin:
    job, waits = json.loads(line), []
    options = {OPTIONS[name]: value for name, value in job["options"].items()}
    time.sleep = waits.append
    client = PetAdoptionClient(**options)
    outcomes = [outcome_of(client, call) for call in job["calls"]]
    print(json.dumps({"outcomes": outcomes, "waits": waits}), flush=True)
