"""A client of the Pet Adoption API. Copy this file and `pip install requests "urllib3>=2.2"`, with Python 3.9 or later.

It sends a request again as the guide of the API says. Every creation carries an `Idempotency-Key`, so that it adds one pet.
Requests go to `base_url` alone: redirects are not followed, and of a link only the cursor is used.
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


class Pet(TypedDict):
    id: int
    name: str
    categoryId: int
    status: PetStatus


class Page(NamedTuple):
    pets: list[Pet]
    next_cursor: str | None  # None on the last page


class PetAdoptionError(Exception):
    """An error of the API, or a response of something else: then `code` is None. `retry_after` is in seconds, if known."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        known = body if isinstance(body, dict) and "code" in body else {}
        super().__init__(known.get("message", f"The response has the status {status} and no body of this API."))
        self.status = status
        self.code: str | None = known.get("code")
        told = re.fullmatch("[0-9]{1,9}", headers.get("Retry-After", ""))
        self.retry_after = int(told[0]) if told else None


class PetAdoptionClient:
    """A request is sent at most `attempts` times, and not again after more than `longest_wait` seconds: then it raises.
    `timeout` (seconds) bounds, in each attempt, the connection, the wait for the response, and its body."""

    def __init__(self, base_url: str, api_key: str, attempts: int = 6, longest_wait: float = 120, timeout: float = 30) -> None:
        self._url = base_url.rstrip("/") + "/pets"
        self._session = requests.Session()
        # Without it requests would send what a ~/.netrc has for the host.
        self._session.auth = lambda request: request.headers.update(Authorization=f"Bearer {api_key}") or request
        self._attempts, self._longest_wait, self._timeout = attempts, longest_wait, timeout

    def page(self, status: PetStatus | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """One page of pets, the newest first."""
        pets, response = self._send("GET", params={"limit": limit, "status": status, "cursor": cursor})
        query = parse_qs(urlsplit(response.links.get("next", {}).get("url", "")).query)
        return Page(pets, query["cursor"][0] if "cursor" in query else None)

    def pets(self, status: PetStatus | None = None, limit: int = 100) -> Iterator[Pet]:
        """Every pet, the newest first, page by page as they are used. To stop early, leave the loop. A pet is in lists some
        seconds after the response that added it, and not always before older ones: to follow new pets, read each time to
        one that you knew a minute before you last read."""
        cursor: str | None = None
        visited: set[str | None] = set()
        while cursor not in visited:
            visited.add(cursor)
            page, cursor = self.page(status, limit, cursor)
            yield from page
            if cursor is None:
                return
        raise ValueError("The pages do not end: a cursor came again.")

    def create_pet(self, name: str, category_id: int, status: PetStatus | None = None, idempotency_key: str | None = None) -> Pet:
        """Adds a pet. Give a key of your own when the request must be recognized after your program has restarted."""
        body = {"name": name, "categoryId": category_id, **({"status": status} if status else {})}
        return self._send("POST", json=body, headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())})[0]

    def _send(self, method: str, attempt: int = 1, **request: Any) -> tuple[Any, requests.Response]:
        wait = random.uniform(0, 0.25 * 2**attempt)
        try:
            body, response = self._attempt(method, **request)
            if response.status_code < 300 and body is not None:
                return body, response
            failure = PetAdoptionError(response.status_code, body, response.headers)
            wait = wait if failure.retry_after is None else failure.retry_after
            if response.status_code not in (409, 429, 500, 503, 504) or attempt >= self._attempts or wait > self._longest_wait:
                raise failure
        except (requests.ConnectionError, requests.Timeout, HTTPError):
            if attempt >= self._attempts:
                raise
        time.sleep(wait)
        return self._send(method, attempt + 1, **request)

    def _attempt(self, method: str, **request: Any) -> tuple[Any, requests.Response]:
        request.update(allow_redirects=False, stream=True, timeout=self._timeout)
        deadline, text = time.monotonic() + self._timeout, b""
        with self._session.request(method, self._url, **request) as response:
            while chunk := response.raw.read1(2**16, decode_content=True):
                text += chunk
                if time.monotonic() > deadline:
                    raise requests.ReadTimeout(f"The response was not complete after {self._timeout} s.")
        try:
            return json.loads(text), response
        except ValueError:
            return None, response  # not JSON
