"""A client of the Pet Adoption API. Copy this file; it needs Python 3.9 or later and nothing else.

A request is retried when its response was lost or took longer than `timeout`, and when the response has a
`Retry-After`: the limit is used up (429), the service cannot reach its data (503), or an earlier attempt is still
running (409). Every POST carries an `Idempotency-Key`, the same in all its attempts, so that it adds one pet.

The API key is sent only to the origin (scheme, host and port) of the base URL. A request to another origin raises a
ValueError. Redirects are not followed: one raises a PetAdoptionError.
"""

from __future__ import annotations

import io
import json
import random
import re
import string
import time
import uuid
from email.message import Message
from http.client import HTTPException, HTTPResponse, IncompleteRead
from socket import socket
from typing import Any, Callable, Iterator, Literal, Mapping, NamedTuple, Optional, TypedDict
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit
from urllib.request import HTTPErrorProcessor, HTTPHandler, HTTPSHandler, Request, build_opener

# API Gateway sends 10 MB at most. A longer body is not of the API, and is not read to its end.
_LARGEST_BODY = 10 * 2**20

PetStatus = Literal["available", "pending", "sold"]


class Pet(TypedDict):
    id: int
    name: str
    categoryId: int
    status: PetStatus


class Limits(NamedTuple):
    """What the headers say about the key's limits: of the window, minute or day, that has fewer requests remaining.

    `reset` is when the window ends, in Unix seconds.
    """

    limit: int
    remaining: int
    reset: int


class Page(NamedTuple):
    """`next_cursor` is None on the last page, `limits` when the response does not have the headers."""

    pets: list[Pet]
    next_cursor: Optional[str]
    limits: Optional[Limits]


class Wait(NamedTuple):
    """A wait between two attempts of a request: after attempt 1, 2 ... `status` is None when its response was lost."""

    seconds: float
    attempt: int
    status: Optional[int]


class PetAdoptionError(Exception):
    """A response of the API with an error, or one that is not of the API. `code` is None in the second case.

    `retry_after` has the seconds to wait before the next request. It is None when the response does not say it.
    """

    def __init__(self, status: int, text: bytes, retry_after: Optional[int] = None) -> None:
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        is_known = isinstance(body, dict) and "code" in body and isinstance(body.get("message"), str)
        known: Mapping[str, Any] = body if is_known else {}
        super().__init__(known.get("message", f"The response has the status {status} and no body of this API."))
        self.status = status
        self.code: Optional[str] = known.get("code")
        self.retry_after = retry_after


class _EveryResponse(HTTPErrorProcessor):
    """Gives errors and redirects as responses. urllib would follow a redirect with the API key."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class _Deadline(HTTPSHandler, HTTPHandler):
    """Bounds the time of an attempt. The time-out of urllib is for each read, so a slow server could go on for ever."""

    def do_open(self, http_class: Any, req: Any, **options: Any) -> Any:
        deadline = time.monotonic() + req.timeout

        def connection(*args: Any, **named: Any) -> Any:
            made = http_class(*args, **named)
            made.response_class = lambda sock, *rest, **more: HTTPResponse(_Received(sock, deadline), *rest, **more)
            return made

        return super().do_open(connection, req, **options)


class _Received(io.RawIOBase):
    """What a socket receives until a time. An HTTPResponse uses nothing else of its socket."""

    def __init__(self, sock: socket, deadline: float) -> None:
        self._socket = sock
        self._deadline = deadline
        self._stream = sock.makefile("rb", buffering=0)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(remaining)
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


class PetAdoptionClient:
    """`attempts` and `longest_wait` (seconds, between the attempts of a request in all) bound the retries.

    `timeout` (seconds) bounds each attempt, from the connection to the last byte of the response. `on_wait` is called
    before each wait; when it raises an exception, the request ends with it.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        attempts: int = 6,
        longest_wait: float = 120,
        timeout: float = 30,
        on_wait: Callable[[Wait], object] = lambda wait: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._pets_url = base_url.rstrip("/") + "/pets"
        self._api_key = api_key
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout
        self._on_wait = on_wait
        self._sleep = sleep
        self._opener = build_opener(_EveryResponse, _Deadline)
        self._origin = _origin_of(Request(base_url))

    def page(self, status: Optional[PetStatus] = None, limit: int = 20, cursor: Optional[str] = None) -> Page:
        """One page of pets, the newest first."""
        url = self._list_url(status, limit, cursor)
        pets, headers = self._send(url)
        next_page = _next_page(url, headers)
        cursors = parse_qs(urlsplit(next_page or "").query).get("cursor", [None])
        figures = [_whole_number(headers.get(f"X-RateLimit-{name}")) for name in ("Limit", "Remaining", "Reset")]
        return Page(pets, cursors[0], Limits(*figures) if None not in figures else None)

    def pets(self, status: Optional[PetStatus] = None, limit: int = 100) -> Iterator[Pet]:
        """Every pet, the newest first, page by page as they are used. To stop early, leave the loop."""
        url: Optional[str] = self._list_url(status, limit)
        visited: set[str] = set()
        while url is not None:
            if url in visited:
                raise ValueError(f"The pages do not end: {url} is the next page again.")
            visited.add(url)
            page, headers = self._send(url)
            yield from page
            url = _next_page(url, headers)

    def create_pet(
        self,
        name: str,
        category_id: int,
        status: Optional[PetStatus] = None,
        idempotency_key: Optional[str] = None,
    ) -> Pet:
        """Adds a pet. Give a key of your own when the request must be recognized after your program has restarted."""
        body = {"name": name, "categoryId": category_id, **({} if status is None else {"status": status})}
        headers = {"Content-Type": "application/json", "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._send(self._pets_url, json.dumps(body).encode(), headers)[0]

    def _list_url(self, status: Optional[PetStatus], limit: int, cursor: Optional[str] = None) -> str:
        query = {"limit": limit, "status": status, "cursor": cursor}
        return f"{self._pets_url}?{urlencode({name: value for name, value in query.items() if value is not None})}"

    def _request(self, url: str, body: Optional[bytes], headers: Mapping[str, str]) -> Request:
        sent = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json", **headers}
        request = Request(url, body, sent)
        if _origin_of(request) != self._origin:
            raise ValueError(f"The API key is for {self._origin}. It is not sent to {_origin_of(request)}.")
        return request

    def _send(self, url: str, body: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> tuple[Any, Message]:
        attempt, waited = 1, 0.0
        while True:
            # urllib changes a request that goes through a proxy: sent again, it would go without TLS.
            request = self._request(url, body, headers)
            failure: Exception
            status: Optional[int]
            retry_after: Optional[int]
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    text = _read(response)
            except (OSError, HTTPException) as lost:
                failure, status, retry_after = lost, None, 0
            else:
                status = response.status
                if status < 300:
                    return _parse(text, status), response.headers
                retry_after = _whole_number(response.headers.get("Retry-After"))
                failure = PetAdoptionError(status, text, retry_after)
            if attempt >= self._attempts or retry_after is None:
                raise failure
            wait = retry_after + 0.25 * 2**attempt * random.uniform(0.5, 1)
            if waited + wait > self._longest_wait:
                raise failure
            self._on_wait(Wait(wait, attempt, status))
            self._sleep(wait)
            attempt, waited = attempt + 1, waited + wait


def _origin_of(request: Request) -> str:
    """The scheme, host and port that urllib connects to."""
    default_port = {"http": ":80", "https": ":443"}.get(request.type, "")
    return f"{request.type}://{(request.host or '').lower().removesuffix(default_port)}"


def _read(response: HTTPResponse) -> bytes:
    text = response.read(_LARGEST_BODY)
    if response.length and len(text) < _LARGEST_BODY:
        raise IncompleteRead(text, response.length)
    return text


def _parse(text: bytes, status: int) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise PetAdoptionError(status, text) from None


def _whole_number(text: Optional[str]) -> Optional[int]:
    return int(text) if text is not None and re.fullmatch("[0-9]{1,15}", text) else None


def _next_page(url: str, headers: Message) -> Optional[str]:
    """The address of the next page in the Link headers (RFC 8288)."""
    links = ", ".join(headers.get_all("Link", []))
    for target, parameters in re.findall(r'<([^<>]*)>((?:[^<>",]|"[^"]*")*)', links):
        for name, quoted, token in re.findall(r';\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;"]+))', parameters):
            if name.lower() == "rel" and "next" in (quoted or token).lower().split():
                return quote(urljoin(url, target), safe=string.punctuation)
    return None
