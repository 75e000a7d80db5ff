"""Runs each job (see job.ts) that comes in a line with the Python client, and prints its report in a line."""

import json
import socket
import sys
from http.client import HTTPException

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
        return client.page(**call["page"])
    if "pets" in call:
        return list(client.pets(**call["pets"]))
    pet = call["create"]
    return [client.create_pet(pet["name"], int(pet["categoryId"]), pet.get("status"), call.get("idempotencyKey"))]


def failure_of(error):
    if isinstance(error, PetAdoptionError):
        return {"kind": "response", "status": error.status, "code": error.code, "message": str(error)}
    if isinstance(error, (TimeoutError, socket.timeout)):
        return {"kind": "time-out"}
    if isinstance(error, (OSError, HTTPException)):
        return {"kind": "lost"}
    return {"kind": "refused", "message": str(error)}


def outcome_of(client, call):
    try:
        return {"pets": [{**pet, "categoryId": str(pet["categoryId"])} for pet in pets_of(client, call)]}
    except (PetAdoptionError, OSError, HTTPException, ValueError) as error:
        return {"error": failure_of(error)}


def report_of(job):
    waits = []
    options = {OPTIONS[name]: value for name, value in job["options"].items()}
    client = PetAdoptionClient(**options, sleep=waits.append)
    return {"outcomes": [outcome_of(client, call) for call in job["calls"]], "waits": waits}


for line in sys.stdin:
    print(json.dumps(report_of(json.loads(line))), flush=True)
