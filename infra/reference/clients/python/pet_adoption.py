"""A client of the Pet Adoption API for Python 3.9 or later.

To use it, copy this file into your project, and run `pip install "requests>=2.31" "urllib3>=2.2"`.

Retries: the client sends a request again if no response came, and after 429, 500, 503 and 504. It waits for the
time that `Retry-After` gives, or else for a random time that grows with each attempt.

Idempotency: a creation carries an `Idempotency-Key`, yours or a new one. All attempts carry the same key, so that they
add one pet.

Safety: requests go only to `base_url`. The client follows no redirects, and takes only the cursor from the link to the
next page.
"""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from typing import Any, Iterator, Literal, Mapping, NamedTuple, TypedDict
from urllib.parse import parse_qs, urlsplit

import requests
from urllib3.exceptions import HTTPError

PetStatus = Literal["available", "pending", "sold"]

RETRIED_STATUSES = (429, 500, 503, 504)
CHUNK_BYTES = 2**16


class Pet(TypedDict):
    id: int
    name: str
    categoryId: int
    status: PetStatus


class Page(NamedTuple):
    pets: list[Pet]
    next_cursor: str | None  # None on the last page


class PetAdoptionError(Exception):
    """An error response.

    `code` is None if something other than the API sent the response. `retry_after` is the number of seconds to wait
    before the next request, or None if the response does not say.
    """

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        error = body if isinstance(body, dict) and "code" in body else {}
        super().__init__(error.get("message", f"The response has the status {status} and no body of this API."))
        self.status = status
        self.code: str | None = error.get("code")
        self.retry_after: int | None = None
        if re.fullmatch("[0-9]{1,9}", headers.get("Retry-After", "")):
            self.retry_after = int(headers["Retry-After"])


class PetAdoptionClient:
    """A client of the API at `base_url`, which ends in `/v1`.

    A request is sent at most `attempts` times. If the wait before an attempt would be longer than `longest_wait`
    seconds, the client raises the error at once. `timeout` is the time limit in seconds of three steps of each attempt:
    the connection, the wait for the response, and its body.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        attempts: int = 6,
        longest_wait: float = 120,
        timeout: float = 30,
    ) -> None:
        def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
            request.headers["Authorization"] = f"Bearer {api_key}"
            return request

        self._url = base_url.rstrip("/") + "/pets"
        self._session = requests.Session()
        # A header of the session is not enough: requests replaces it by the credentials that ~/.netrc has for the host.
        self._session.auth = authorize
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout

    def page(self, status: PetStatus | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """Requests one page of pets, the newest first."""
        pets, response = self._send("GET", params={"limit": limit, "status": status, "cursor": cursor})
        next_url = response.links.get("next", {}).get("url", "")
        cursors = parse_qs(urlsplit(next_url).query).get("cursor")
        return Page(pets, cursors[0] if cursors else None)

    def pets(self, status: PetStatus | None = None, limit: int = 100) -> Iterator[Pet]:
        """Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early.

        To follow new pets, see `follow_new_animals.py`: a new pet can appear below pets that you have already seen.
        """
        visited_cursors: set[str] = set()
        cursor: str | None = None
        while True:
            pets, cursor = self.page(status, limit, cursor)
            yield from pets

            if cursor is None:
                return
            if cursor in visited_cursors:
                raise ValueError("The pages do not end: a cursor came again.")
            visited_cursors.add(cursor)

    def create_pet(
        self,
        name: str,
        category_id: int,
        status: PetStatus | None = None,
        idempotency_key: str | None = None,
    ) -> Pet:
        """Adds a pet.

        Give your own `idempotency_key` if your program may send the request again after a restart.
        """
        body: dict[str, Any] = {"name": name, "categoryId": category_id}
        if status:
            body["status"] = status
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        pet, _ = self._send("POST", json=body, headers=headers)
        return pet

    def _send(self, method: str, **request: Any) -> tuple[Any, requests.Response]:
        """Sends a request until it succeeds. Returns the body and the response, or raises the last error."""
        attempt = 1
        while True:
            wait = random.uniform(0, 0.25 * 2**attempt)
            try:
                body, response = self._send_once(method, **request)
            except (requests.ConnectionError, requests.Timeout, HTTPError):
                if attempt >= self._attempts:
                    raise
            else:
                if response.status_code < 300 and body is not None:
                    return body, response
                error = PetAdoptionError(response.status_code, body, response.headers)
                if error.retry_after is not None:
                    wait = error.retry_after
                can_retry = attempt < self._attempts and wait <= self._longest_wait
                if error.status not in RETRIED_STATUSES or not can_retry:
                    raise error
            time.sleep(wait)
            attempt += 1

    def _send_once(self, method: str, **request: Any) -> tuple[Any, requests.Response]:
        """Sends a request and receives the whole response. The body is None if it is not JSON."""
        request.update(allow_redirects=False, stream=True, timeout=self._timeout)
        deadline = time.monotonic() + self._timeout
        text = b""
        with self._session.request(method, self._url, **request) as response:
            # The timeout of requests limits only the wait for the next bytes.
            while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
                text += chunk
                if time.monotonic() > deadline:
                    raise requests.ReadTimeout(f"The response was not complete after {self._timeout} s.")
        try:
            return json.loads(text), response
        except ValueError:
            return None, response
