"""A client of the Pet Adoption API. Copy this file; it needs Python 3.9 or later and nothing else.

A request is sent again when its answer was lost on the way, and when the answer says by `Retry-After` from when on
it is worth it: the limit is used up (429), the service cannot reach its data (503), or an earlier attempt is still
running (409). Every creation carries an `Idempotency-Key`, the same in all its attempts, so that it adds one pet.
"""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from http.client import HTTPException
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, TypedDict
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener

PetStatus = Literal["available", "pending", "sold"]


class Pet(TypedDict):
    id: int
    name: str
    categoryId: int
    status: PetStatus


class PetAdoptionError(Exception):
    """An error that the API answered. `code` is None where something between you and the API answered instead."""

    def __init__(self, status: int, text: bytes) -> None:
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        known: Mapping[str, Any] = body if isinstance(body, dict) and "code" in body else {}
        super().__init__(known.get("message", f"The answer has the status {status} and no body of this API."))
        self.status = status
        self.code: Optional[str] = known.get("code")


class _EveryAnswer(HTTPErrorProcessor):
    """Gives errors as answers. It follows no redirect: the API has none, and urllib would take the API key along."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class PetAdoptionClient:
    """`attempts` and `longest_wait` (seconds, between the attempts of a request in all) bound the retries."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        attempts: int = 6,
        longest_wait: float = 120,
        timeout: float = 30,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._pets_url = base_url.rstrip("/") + "/pets"
        self._api_key = api_key
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout
        self._sleep = sleep
        self._opener = build_opener(_EveryAnswer)

    def page(self, status: Optional[PetStatus] = None, limit: int = 20) -> list[Pet]:
        """The newest pets."""
        return self._send(self._request(self._list_url(status, limit)))[0]

    def pets(self, status: Optional[PetStatus] = None, limit: int = 100) -> Iterator[Pet]:
        """Every pet, the newest first, page by page as they are used."""
        url: Optional[str] = self._list_url(status, limit)
        while url is not None:
            page, headers = self._send(self._request(url))
            yield from page
            url = _next_page(url, headers.get("Link", ""))

    def create_pet(
        self,
        name: str,
        category_id: int,
        status: Optional[PetStatus] = None,
        idempotency_key: Optional[str] = None,
    ) -> Pet:
        """Adds a pet. Give a key of your own when the request shall be known again after a restart."""
        body = {"name": name, "categoryId": category_id, **({} if status is None else {"status": status})}
        request = self._request(self._pets_url, json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", idempotency_key or str(uuid.uuid4()))
        return self._send(request)[0]

    def _list_url(self, status: Optional[PetStatus], limit: int) -> str:
        return f"{self._pets_url}?{urlencode({'limit': limit, **({} if status is None else {'status': status})})}"

    def _request(self, url: str, body: Optional[bytes] = None) -> Request:
        return Request(url, body, {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"})

    def _send(self, request: Request) -> tuple[Any, Mapping[str, str]]:
        attempt, waited = 1, 0.0
        while True:
            failure: Exception
            try:
                with self._opener.open(request, timeout=self._timeout) as answer:
                    text = answer.read()
            except (OSError, HTTPException) as lost:
                failure, earliest = lost, "0"
            else:
                if answer.status < 300:
                    return json.loads(text), answer.headers
                failure, earliest = PetAdoptionError(answer.status, text), answer.headers.get("Retry-After", "")
            if attempt >= self._attempts or not earliest.isdecimal():
                raise failure
            wait = int(earliest) + 0.25 * 2**attempt * random.uniform(0.5, 1)
            if waited + wait > self._longest_wait:
                raise failure
            attempt, waited = attempt + 1, waited + wait
            self._sleep(wait)


def _next_page(url: str, links: str) -> Optional[str]:
    """The address in a Link header (RFC 8288). The API key goes to no other host than the one that answered."""
    for target, parameters in re.findall(r'<([^<>]*)>((?:[^<>",]|"[^"]*")*)', links):
        if re.search(r';\s*rel="?next"?\s*(?:;|$)', parameters):
            next_url = urljoin(url, target)
            if urlsplit(next_url)[:2] != urlsplit(url)[:2]:
                raise ValueError(f"The next page is at {next_url}, which is not where this one came from.")
            return next_url
    return None
