"""Runs each job (see job.ts) that comes in a line with the Python client, and prints its report in a line."""

import json
import socket
import sys
from http.client import HTTPException
from itertools import islice

from pet_adoption import PetAdoptionClient, PetAdoptionError

OPTIONS = {
    "baseUrl": "base_url",
    "apiKey": "api_key",
    "attempts": "attempts",
    "longestWaitSeconds": "longest_wait",
    "timeoutSeconds": "timeout",
}


class Stopped(ValueError):
    pass


def as_json(pets):
    return {"pets": [{**pet, "categoryId": str(pet["categoryId"])} for pet in pets]}


def pets_of(client, call):
    if "page" in call:
        page = client.page(**call["page"])
        limits = page.limits and page.limits._asdict()
        return {**as_json(page.pets), "nextCursor": page.next_cursor, "limits": limits}
    if "pets" in call:
        return as_json(islice(client.pets(**call["pets"]), call.get("take")))
    pet = call["create"]
    return as_json([client.create_pet(pet["name"], int(pet["categoryId"]), pet.get("status"), call.get("idempotencyKey"))])


def failure_of(error):
    if isinstance(error, PetAdoptionError):
        known = {"status": error.status, "code": error.code, "retryAfter": error.retry_after}
        return {"kind": "response", **known, "message": str(error)}
    if isinstance(error, (TimeoutError, socket.timeout)):
        return {"kind": "time-out"}
    if isinstance(error, (OSError, HTTPException)):
        return {"kind": "lost"}
    return {"kind": "refused", "message": str(error)}


def outcome_of(client, call):
    try:
        return pets_of(client, call)
    except (PetAdoptionError, OSError, HTTPException, ValueError) as error:
        return {"error": failure_of(error)}


def report_of(job):
    waits = []
    options = {OPTIONS[name]: value for name, value in job["options"].items()}

    def on_wait(wait):
        if job.get("stopsAtWait"):
            raise Stopped("stopped")
        waits.append(wait._asdict())

    client = PetAdoptionClient(**options, on_wait=on_wait, sleep=lambda seconds: None)
    return {"outcomes": [outcome_of(client, call) for call in job["calls"]], "waits": waits}


for line in sys.stdin:
    print(json.dumps(report_of(json.loads(line))), flush=True)
