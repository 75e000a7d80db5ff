"""Calls the API through the client that openapi-generator writes for Python. Prints what it saw as JSON."""

import json
import os

import pets
from pets.exceptions import ApiException


def connect(variable):
    # By default urllib3 waits as long as Retry-After says: after a day that is used up until midnight.
    configuration = pets.Configuration(host=os.environ["BASE_URL"], access_token=os.environ[variable], retries=0)
    return pets.PetsApi(pets.ApiClient(configuration))


def catch_error(call):
    """Makes a call that is refused. Returns the error, and a list of its status and its code."""
    try:
        call()
    except ApiException as error:
        return error, [error.status, error.data.code]
    raise AssertionError("The request was not refused.")


api = connect("API_KEY")
pet = pets.PetInput(name=" Bella", category_id=9007199254740993)
created = api.create_pet(pet, idempotency_key="python")
replay = api.create_pet_with_http_info(pet, idempotency_key="python")
listed = api.list_pets_with_http_info(limit=2, status=created.status)
# The pet that the contract shows as an example.
example = api.get_pet(144701)

# The text is no cursor.
_, refused = catch_error(lambda: api.list_pets(cursor="none"))
unauthorized_error, unauthorized = catch_error(connect("UNKNOWN_KEY").list_pets)
used_up_error, used_up = catch_error(connect("USED_UP_KEY").list_pets)

report = {
    "created": {"name": created.name, "categoryId": str(created.category_id), "status": created.status},
    "replayed": replay.headers["Idempotency-Replayed"],
    "listed": len(listed.data),
    "limit": listed.headers["X-RateLimit-Limit"],
    "example": example.name,
    "refused": refused,
    "unauthorized": [*unauthorized, unauthorized_error.headers["WWW-Authenticate"]],
    "usedUp": [*used_up, used_up_error.headers["X-RateLimit-Remaining"]],
    "retryAfter": used_up_error.headers["Retry-After"],
}
print(json.dumps(report))
