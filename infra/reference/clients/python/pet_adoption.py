"""A client of the Pet Adoption API for Python 3.9 or later. It needs no other package.

- Retries: a request is sent again if no complete response came, and after 429, 500, 502, 503 and 504. The client waits
  for the time of `Retry-After` and a random time, or else for a random time that grows with each attempt.
- Creations: all attempts of a creation carry the same `Idempotency-Key`, so that they add one pet.
- Safety: the client follows no redirect, and takes only the cursor from the link to the next page.
- Limits: each attempt has a time limit as a whole, and each response a limit of bytes.
- Proxies: those that the variables `https_proxy`, `http_proxy` and `no_proxy` name. No other setting is read.
- Connections: each request has its own, which ends with it.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import math
import random
import re
import socket
import ssl
import threading
import time
import urllib.request
import uuid
from typing import Any, Callable, Iterator, Literal, NamedTuple, TypedDict
from urllib.parse import parse_qs, urlencode, urlsplit

__version__ = "1.0.0"

PetStatus = Literal["available", "pending", "sold"]


class Pet(TypedDict):
    """A pet."""

    id: int
    name: str
    categoryId: int
    status: PetStatus


class _RequiredNewPet(TypedDict):
    name: str
    categoryId: int


class NewPet(_RequiredNewPet, total=False):
    """A pet to add. If `status` is left out, it is `available`."""

    status: PetStatus


RETRIED_STATUSES = (429, 500, 502, 503, 504)
RETRIED_CODES = ("timed_out", "connection_failed")
# A page of 100 pets with the longest names has a third of this.
MAXIMUM_RESPONSE_BYTES = 2**20
LONGEST_BACKOFF_SECONDS = 64


class Page(NamedTuple):
    pets: list[Pet]
    next_cursor: str | None  # None on the last page


class PetAdoptionError(Exception):
    """An error response, or no response. `__cause__` is the error of Python's library, if there was one.

    `code` is the error code of the API, or one of these:

    - `timed_out`: the response was not complete in time.
    - `connection_failed`: there was no connection, or it ended before the response did.
    - `certificate_refused`: the server did not prove that it is the host of `base_url`. This is not retried.
    - `unexpected_response`: the response is not one of this API, such as a redirect or a page of a proxy.

    `status` is None if no response came. `request_id` is what to name when you report a problem. `retry_after` is the
    number of seconds to wait before the next request. Both are None if the response does not say.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        # All arguments, because pickle passes them to this method.
        super().__init__(code, message, status, request_id, retry_after)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.code}: {self.message}{request}"


class PetAdoptionClient:
    """A client of the API at `base_url`, which ends in `/v1`. Several threads can use it, and forked processes.

    A request is sent at most `attempts` times. If `Retry-After` is longer than `longest_wait` seconds, the client
    raises the error at once. `timeout` is the time limit of each attempt in seconds, from the connection to the last
    byte of the response. Only the operating system limits the time in which it finds the address of the host.
    `ssl_context` says which certificates are trusted, in place of Python's default context.

    A setting that cannot work raises ValueError.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        attempts: int = 8,
        longest_wait: float = 120,
        timeout: float = 30,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        _check_base_url(base_url)
        # The proxies of the environment alone: on macOS, asking the system for its own crashes a forked process.
        proxies = urllib.request.getproxies_environment()
        _check_proxy(base_url, proxies)
        # The error of http.client would show the key.
        if not re.fullmatch("[!-~]+", api_key):
            raise ValueError("api_key is empty, or has a character that no API key has.")
        # NaN is none of these.
        if not attempts >= 1:
            raise ValueError("attempts must be 1 or more.")
        if not longest_wait >= 0:
            raise ValueError("longest_wait must be 0 or more.")
        if not 0 < timeout <= threading.TIMEOUT_MAX:
            raise ValueError("timeout must be more than 0.")

        self._pets_url = base_url.rstrip("/") + "/pets"
        self._headers = {"Authorization": f"Bearer {api_key}", "User-Agent": f"pet-adoption-python/{__version__}"}
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout
        # Without a handler of redirects and errors, a response of any status is returned as it is.
        self._opener = urllib.request.OpenerDirector()
        self._opener.add_handler(urllib.request.ProxyHandler(proxies))
        self._opener.add_handler(_HttpHandler())
        self._opener.add_handler(_HttpsHandler(context=ssl_context or ssl.create_default_context()))

    def page(self, status: PetStatus | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """Requests one page of pets, the newest first."""
        return self._page(status, limit, cursor, _Patience(self._longest_wait, time.sleep))

    def pets(self, status: PetStatus | None = None, limit: int = 100) -> Iterator[Pet]:
        """Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early.

        To follow new pets, use `follow_pets`: a new pet can appear below pets that you have already seen.
        """
        return self._all_pets(status, limit, _Patience(self._longest_wait, time.sleep))

    def follow_pets(
        self,
        after: int = 0,
        interval: float = 120,
        stop: threading.Event | None = None,
    ) -> Iterator[Pet]:
        """Yields all pets, and then new pets as they come, each once. Leave the loop to stop, or set `stop`.

        `stop` ends every wait. A request that is being sent ends first.

        The list is polled every `interval` seconds. A poll takes one request for each 100 pets that it reads. The
        first two polls read the whole list; later ones usually read one page. When the requests of your API key are
        used up for the day, the client waits for the next day, and goes on where it was.

        To go on after a restart, pass as `after` the id of a pet that you got more than `interval` and a minute before
        the end. Pets up to that id are left out, and some later ones can come again.
        """
        if not 0 <= interval <= threading.TIMEOUT_MAX:  # NaN is not
            raise ValueError("interval must be 0 or more.")

        def pause(seconds: float) -> None:
            if stop is None:
                time.sleep(seconds)
            elif stop.wait(seconds):
                raise _Stopped

        first_seen: dict[int, float] = {}  # seconds, by id
        known_id = after  # no pet up to this id is new
        previous_poll = float("-inf")
        with contextlib.suppress(_Stopped):
            while True:
                this_poll = time.monotonic()
                # Read newest to oldest.
                for pet in self._all_pets(None, 100, _Patience(float("inf"), pause)):
                    if pet["id"] <= known_id:
                        break
                    # A pet not seen before is new.
                    if pet["id"] not in first_seen:
                        first_seen[pet["id"]] = time.monotonic()
                        yield pet
                    if stop is not None and stop.is_set():
                        return
                    # Stop at a pet first seen more than a minute before the previous poll.
                    if first_seen[pet["id"]] < previous_poll - 60:
                        known_id = pet["id"]
                        break

                first_seen = {pet_id: seen for pet_id, seen in first_seen.items() if pet_id > known_id}
                previous_poll = this_poll
                pause(interval)

    def create_pet(self, pet: NewPet, idempotency_key: str | None = None) -> Pet:
        """Adds a pet. It is added once, even if the request has to be sent again.

        A call that is repeated after an error adds another pet, unless you pass an `idempotency_key` of your own, the
        same one each time: 1 to 255 characters of ASCII, without a space at either end.
        """
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not re.fullmatch("[!-~]([ -~]{0,253}[!-~])?", key):
            raise ValueError("idempotency_key must be 1 to 255 characters of ASCII, without a space at either end.")
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        body = json.dumps(pet).encode()
        patience = _Patience(self._longest_wait, time.sleep)
        response = self._send(self._pets_url, body, headers, patience)
        if not _is_pet(response.body):
            raise response.error("The response has no pet.")
        created: Pet = response.body
        return created

    def _page(self, status: PetStatus | None, limit: int, cursor: str | None, patience: _Patience) -> Page:
        query = {"limit": limit, "status": status, "cursor": cursor}
        parameters = urlencode({name: value for name, value in query.items() if value is not None})
        response = self._send(f"{self._pets_url}?{parameters}", None, {}, patience)

        pets = response.body
        if not isinstance(pets, list) or not all(map(_is_pet, pets)):
            raise response.error("The response has no list of pets.")
        return Page(pets, _read_next_cursor(response))

    def _all_pets(self, status: PetStatus | None, limit: int, patience: _Patience) -> Iterator[Pet]:
        cursor: str | None = None
        while True:
            pets, next_cursor = self._page(status, limit, cursor, patience)
            yield from pets
            if next_cursor is None:
                return
            # A cache that ignores the cursor would have the same page for ever.
            if next_cursor == cursor:
                raise PetAdoptionError("unexpected_response", "The page links itself as the next one.", 200)
            cursor = next_cursor

    def _send(self, url: str, body: bytes | None, headers: dict[str, str], patience: _Patience) -> _Response:
        """Sends a request until it succeeds, or raises the last error. A request with a body is a POST."""
        attempt = 1
        while True:
            try:
                return self._send_once(_Request(url, body, {**self._headers, **headers}))
            except PetAdoptionError as error:
                is_retryable = error.code in RETRIED_CODES or error.status in RETRIED_STATUSES
                is_soon = error.retry_after is None or error.retry_after <= patience.longest_wait
                if not is_retryable or not is_soon or attempt >= self._attempts:
                    raise
                wait = _choose_wait(attempt, error.retry_after)
            patience.pause(wait)
            attempt += 1

    def _send_once(self, request: _Request) -> _Response:
        """Sends a request and receives the whole response. Raises PetAdoptionError, also for an error response."""
        request.deadline = deadline = _Deadline(self._timeout)
        failure: Exception | None = None
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                text = response.read(MAXIMUM_RESPONSE_BYTES + 1)
                # A read with a limit does not report a body that is shorter than its Content-Length.
                if len(text) <= MAXIMUM_RESPONSE_BYTES and response.length:
                    raise http.client.IncompleteRead(b"", response.length)
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = error
        finally:
            deadline.cancel()

        # The error of urllib has the one of the connection as its reason.
        reason = getattr(failure, "reason", failure)
        if deadline.is_over() or isinstance(reason, socket.timeout):
            raise PetAdoptionError("timed_out", f"The response was not complete after {self._timeout} s.") from failure
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise PetAdoptionError("certificate_refused", str(reason)) from failure
        refusal = re.match("Tunnel connection failed: (4[0-9]{2})", str(reason))
        if refusal is not None:
            raise PetAdoptionError("unexpected_response", f"The proxy refused: {reason}", int(refusal[1])) from failure
        if failure is not None:
            raise PetAdoptionError("connection_failed", f"No complete response came: {reason!r}") from failure

        received = _Response(response.status, response.headers, text)
        if response.status >= 300:
            raise received.error(f"The response has the status {response.status} and no body of this API.")
        # Without a Content-Length, a body that was cut off is only noticed here. A page of a proxy is no JSON at all.
        is_json = response.headers.get_content_type() == "application/json"
        is_cut_off = is_json and received.body is None and len(text) <= MAXIMUM_RESPONSE_BYTES
        if request.data is not None and is_cut_off:
            raise PetAdoptionError("connection_failed", "The response has no complete JSON.", response.status)
        return received


class _Patience(NamedTuple):
    """How long a request waits for its next attempt."""

    longest_wait: float
    pause: Callable[[float], None]


class _Stopped(Exception):
    """The event that stops following was set."""


class _Deadline:
    """Ends an attempt in time. It shuts the connection down, whatever the server still sends.

    The timeout of a socket limits only each wait for bytes: a server could send one byte after the other.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._timer: threading.Timer | None = None
        self._connection: socket.socket | None = None

    def seconds_left(self) -> float:
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise socket.timeout("timed out")
        return seconds

    def is_over(self) -> bool:
        return time.monotonic() >= self._end

    def watch(self, connection: socket.socket) -> None:
        # A duplicate, because TLS takes the socket for itself.
        self._connection = connection.dup()
        self._timer = threading.Timer(self.seconds_left(), self._shut_down)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._connection is not None:
            self._connection.close()

    def _shut_down(self) -> None:
        # The attempt may have ended in the meantime.
        with contextlib.suppress(OSError):
            if self._connection is not None:
                self._connection.shutdown(socket.SHUT_RDWR)


class _Request(urllib.request.Request):
    """One attempt of a request."""

    deadline: _Deadline


class _HttpConnection(http.client.HTTPConnection):
    """A connection that ends at the deadline of its attempt."""

    deadline: _Deadline

    def connect(self) -> None:
        self.sock = _connect(self.host, self.port, self.deadline)
        self.deadline.watch(self.sock)
        # The name and the method of the tunnel through a proxy have been the same in all versions of Python.
        if self._tunnel_host:  # type: ignore[attr-defined]
            self._tunnel()  # type: ignore[attr-defined]


class _HttpsConnection(http.client.HTTPSConnection, _HttpConnection):
    """Connects as the class above does, and then does the handshake of TLS."""


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request: Any) -> Any:
        return self.do_open(_with_deadline(_HttpConnection, request.deadline), request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: Any) -> Any:
        return self.do_open(_with_deadline(_HttpsConnection, request.deadline), request, context=self._context)


def _with_deadline(connection_type: Any, deadline: _Deadline) -> Any:
    def create(*arguments: Any, **settings: Any) -> _HttpConnection:
        connection: _HttpConnection = connection_type(*arguments, **settings)
        connection.deadline = deadline
        return connection

    return create


def _connect(host: str, port: int, deadline: _Deadline) -> socket.socket:
    """Connects to the first address of the host that responds. Each one gets its share of the time."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure: OSError = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        connecting = socket.socket(family, kind, protocol)
        try:
            connecting.settimeout(deadline.seconds_left() / (len(addresses) - index))
            connecting.connect(address)
            connecting.settimeout(deadline.seconds_left())
            # Otherwise the body of a request could wait until its headers are acknowledged.
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connecting
        except OSError as error:
            connecting.close()
            failure = error
    raise failure


class _Response:
    """A complete response. Its body is None if it is not JSON, or too long."""

    def __init__(self, status: int, headers: Any, text: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body: Any = None
        if len(text) <= MAXIMUM_RESPONSE_BYTES:
            with contextlib.suppress(ValueError, RecursionError):
                self.body = json.loads(text)

    def error(self, message: str) -> PetAdoptionError:
        """Returns the error in the body, or an error with the message if the body is not one of this API."""
        code = "unexpected_response"
        body = self.body
        if isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("message"), str):
            code, message = body["code"], body["message"]
        return PetAdoptionError(
            code,
            message,
            self.status,
            self.headers.get("x-amzn-RequestId"),
            _read_retry_after(self.headers.get("Retry-After", "").strip()),
        )


def _check_base_url(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        host = (url.hostname or "").encode("idna")
        is_plain = url.scheme in ("http", "https") and "@" not in url.netloc and not url.query and not url.fragment
        is_valid = is_plain and re.fullmatch(rb"[0-9A-Za-z._:-]+", host) and url.port != 0
    except ValueError:
        is_valid = False
    # White space and other characters that no request line can have.
    if not is_valid or not re.fullmatch("[!-~]+", base_url):
        raise ValueError("base_url must be a URL of ASCII characters, such as https://api.example.org/v1.")


def _check_proxy(base_url: str, proxies: dict[str, str]) -> None:
    scheme, host = urlsplit(base_url)[:2]
    proxy = proxies.get(scheme)
    if proxy is None or urllib.request.proxy_bypass(host):
        return
    url = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if url.scheme != "http" or not url.hostname:
        # The URL may have a password.
        raise ValueError(f"{scheme}_proxy must be the URL of an HTTP proxy, such as http://proxy.example.org:3128.")


def _read_retry_after(text: str) -> int | None:
    """Reads a `Retry-After` as seconds. A proxy may send a date of this century (RFC 9110) instead."""
    if re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    is_date = re.fullmatch("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT", text)
    date = email.utils.parsedate_tz(text) if is_date else None
    return None if date is None else max(0, math.ceil(email.utils.mktime_tz(date) - time.time()))


def _choose_wait(attempt: int, retry_after: int | None) -> float:
    """Chooses the seconds between an attempt and the next one. They are random, so that clients do not wake at once."""
    if retry_after is not None:
        return retry_after + random.uniform(0, max(1, retry_after / 5))
    longest = min(2 ** (attempt - 1), LONGEST_BACKOFF_SECONDS)
    return random.uniform(longest / 2, longest)


def _is_pet(value: Any) -> bool:
    # True is an int, too.
    return isinstance(value, dict) and type(value.get("id")) is int


def _read_next_cursor(response: _Response) -> str | None:
    """Reads the cursor of the next page. Nothing else of the link matters."""
    link = re.search('<([^<>]*)>; *rel="next"', ", ".join(response.headers.get_all("Link", [])))
    if link is None:
        return None
    cursors = None
    with contextlib.suppress(ValueError):
        cursors = parse_qs(urlsplit(link[1]).query).get("cursor")
    if cursors is None:
        raise response.error("The link to the next page has no cursor.")
    return cursors[0]
