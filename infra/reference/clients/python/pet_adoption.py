"""A client of the Pet Adoption API for Python 3.9 or later. It needs no other package.

Retries: the client sends a request again if no response came, and after 429, 500, 503 and 504. It waits for the
time that `Retry-After` gives and a random time, or else for a random time that grows with each attempt.

Idempotency: a creation carries an `Idempotency-Key`, yours or a new one. All attempts carry the same key, so that they
add one pet.

Safety: requests go only to `base_url`, through no proxy. The client follows no redirects, and takes only the cursor
from the link to the next page.

Limits: each attempt has a time limit as a whole, and each response a limit of bytes.
"""

from __future__ import annotations

import http.client
import io
import json
import random
import re
import selectors
import socket
import ssl
import threading
import time
import uuid
from typing import Any, Iterator, Literal, NamedTuple, TypedDict
from urllib.parse import parse_qs, urlencode, urlsplit

__version__ = "1.0.0"

# Types of the contract: begin. `npm run generate` writes them.

PetStatus = Literal["available", "pending", "sold"]


class Pet(TypedDict):
    """An animal."""

    id: int
    name: str
    categoryId: int
    status: Literal["available", "pending", "sold"]


class _RequiredNewPet(TypedDict):
    name: str
    categoryId: int


class NewPet(_RequiredNewPet, total=False):
    """An animal to add."""

    status: Literal["available", "pending", "sold"]


# Types of the contract: end.

RETRIED_STATUSES = (429, 500, 503, 504)
RETRIED_CODES = ("timed_out", "connection_failed")
# A page of 100 pets with the longest names has a third of this.
MAXIMUM_RESPONSE_BYTES = 2**20
CHUNK_BYTES = 2**16
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
    """A client of the API at `base_url`, which ends in `/v1`. Several threads can use it.

    A request is sent at most `attempts` times. If `Retry-After` is longer than `longest_wait` seconds, the client
    raises the error at once. `timeout` is the time limit of each attempt in seconds, from the connection to the last
    byte of the response. Only the operating system limits the time in which it finds the address of the host.

    Close the client to close its connections, or use it in a `with` statement.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        attempts: int = 8,
        longest_wait: float = 120,
        timeout: float = 30,
    ) -> None:
        url = urlsplit(base_url)
        is_plain = "@" not in url.netloc and not url.query and not url.fragment
        if url.scheme not in ("http", "https") or url.hostname is None or not is_plain:
            raise ValueError("base_url must be a URL such as https://api.example.org/v1.")
        # The error of http.client would show the key.
        if not re.fullmatch("[!-~]+", api_key):
            raise ValueError("api_key has a character that no API key has.")
        # NaN is neither.
        if not attempts >= 1:
            raise ValueError("attempts must be 1 or more.")
        if not 0 < timeout <= threading.TIMEOUT_MAX:
            raise ValueError("timeout must be more than 0.")

        self._host = url.hostname
        self._port = url.port or (443 if url.scheme == "https" else 80)
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._path = url.path.rstrip("/") + "/pets"
        self._headers = {
            "Host": url.netloc,
            "Authorization": f"Bearer {api_key}",
            "User-Agent": f"pet-adoption-python/{__version__}",
        }
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout
        self._idle_connections: list[_Connection] = []

    def __enter__(self) -> PetAdoptionClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. A later request opens a new one."""
        while self._idle_connections:
            self._idle_connections.pop().close()

    def page(self, status: PetStatus | None = None, limit: int = 20, cursor: str | None = None) -> Page:
        """Requests one page of pets, the newest first."""
        query = {"limit": limit, "status": status, "cursor": cursor}
        parameters = urlencode({name: value for name, value in query.items() if value is not None})
        response = self._send("GET", f"{self._path}?{parameters}", None, {})

        pets = response.body
        if not isinstance(pets, list) or not all(map(_is_pet, pets)):
            raise response.error("The response has no list of pets.")
        return Page(pets, _read_next_cursor(response))

    def pets(self, status: PetStatus | None = None, limit: int = 100) -> Iterator[Pet]:
        """Yields all pets, the newest first, and requests each page when it is needed. Leave the loop to stop early.

        To follow new pets, use `follow_pets`: a new pet can appear below pets that you have already seen.
        """
        cursor: str | None = None
        lowest_id: int | None = None
        while True:
            pets, cursor = self.page(status, limit, cursor)
            # Otherwise the pages might never end.
            is_older = lowest_id is None or all(pet["id"] < lowest_id for pet in pets)
            if not is_older or (cursor is not None and not pets):
                raise PetAdoptionError("unexpected_response", "The page has no older pets than the one before.", 200)

            yield from pets
            if cursor is None:
                return
            lowest_id = min(pet["id"] for pet in pets)

    def follow_pets(
        self,
        after: int = 0,
        interval: float = 120,
        stop: threading.Event | None = None,
    ) -> Iterator[Pet]:
        """Yields all pets, and then new pets as they come, each once. Leave the loop to stop, or set `stop`.

        `stop` ends the wait for the next poll. A request that is being sent or retried ends first.

        The list is polled every `interval` seconds. The first two polls read it to its end; later ones usually read
        one page.

        To go on after a restart, pass as `after` the id of a pet that you got more than `interval` and a minute before
        the end. Pets up to that id are left out, and some later ones can come again.
        """
        if not interval >= 0:  # NaN is not
            raise ValueError("interval must be 0 or more.")
        first_seen: dict[int, float] = {}  # seconds, by id
        known_id = after  # no pet up to this id is new
        previous_poll = float("-inf")
        while True:
            this_poll = time.monotonic()
            # Read newest to oldest.
            for pet in self.pets():
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
            if stop is None:
                time.sleep(interval)
            elif stop.wait(interval):
                return

    def create_pet(self, pet: NewPet, idempotency_key: str | None = None) -> Pet:
        """Adds a pet.

        Give your own `idempotency_key` if your program may send the request again after a restart.
        """
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key or str(uuid.uuid4()),
        }
        response = self._send("POST", self._path, json.dumps(pet).encode(), headers)
        if not _is_pet(response.body):
            raise response.error("The response has no pet.")
        created: Pet = response.body
        return created

    def _send(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> _Response:
        """Sends a request until it succeeds, or raises the last error."""
        attempt = 1
        while True:
            try:
                return self._send_once(method, target, body, headers)
            except PetAdoptionError as error:
                is_retryable = error.code in RETRIED_CODES or error.status in RETRIED_STATUSES
                is_soon = error.retry_after is None or error.retry_after <= self._longest_wait
                if not is_retryable or not is_soon or attempt >= self._attempts:
                    raise
                wait = _choose_wait(attempt, error.retry_after)
            time.sleep(wait)
            attempt += 1

    def _send_once(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> _Response:
        """Sends a request and receives the whole response. Raises PetAdoptionError, also for an error response."""
        request = http.client.HTTPConnection(self._host, self._port)
        deadline = time.monotonic() + self._timeout
        connection = None
        try:
            connection = self._take_connection(deadline)
            # The request only writes to the connection: it would close a connection before the response was read.
            request.sock = connection
            request.request(method, target, body, {**self._headers, **headers})
            response, text = _receive(connection, method)
        except socket.timeout as error:
            raise PetAdoptionError("timed_out", f"The response was not complete after {self._timeout} s.") from error
        except ssl.SSLCertVerificationError as error:
            raise PetAdoptionError("certificate_refused", str(error)) from error
        except _TooLargeError as error:
            raise PetAdoptionError("unexpected_response", str(error)) from error
        except (OSError, http.client.HTTPException, _MalformedError) as error:
            raise PetAdoptionError("connection_failed", f"No complete response came: {error!r}") from error
        else:
            if not response.will_close:
                self._idle_connections.append(connection)
                connection = None
        finally:
            if connection is not None:
                connection.close()

        received = _Response(response, text)
        if response.status >= 300:
            raise received.error(f"The response has the status {response.status} and no body of this API.")
        return received

    def _take_connection(self, deadline: float) -> _Connection:
        """Takes a connection that is idle, or opens one. Its use must end at the deadline."""
        while self._idle_connections:
            try:
                connection = self._idle_connections.pop()
            except IndexError:  # another thread has taken the last one
                break
            if connection.is_quiet():
                connection.limit(deadline)
                return connection
            connection.close()

        connected = _connect(self._host, self._port, deadline)
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                connected.settimeout(_seconds_until(deadline))
                connected = self._tls.wrap_socket(connected, server_hostname=self._host)
        except BaseException:
            connected.close()
            raise
        connection = _Connection(connected)
        connection.limit(deadline)
        return connection


class _TooLargeError(Exception):
    """The response has more bytes than the limit."""


class _MalformedError(Exception):
    """The response is not HTTP, in a way that http.client reports as a ValueError."""


class _Connection(io.RawIOBase):
    """A socket as http.client uses it, with two limits for each attempt: a deadline and a number of bytes.

    The timeout of a socket limits only the wait for the next bytes. A server could send one byte after the other.
    """

    def __init__(self, connected: socket.socket) -> None:
        super().__init__()
        self._socket = connected
        self._deadline = 0.0
        self._bytes_left = 0

    def limit(self, deadline: float) -> None:
        """Begins an attempt."""
        self._deadline = deadline
        self._bytes_left = MAXIMUM_RESPONSE_BYTES

    def is_quiet(self) -> bool:
        """Tells whether the server has neither closed the connection nor sent anything after its last response."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return not selector.select(0)

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(_seconds_until(self._deadline))
        self._socket.sendall(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(_seconds_until(self._deadline))
        count = self._socket.recv_into(buffer)
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise _TooLargeError(f"The response has more than {MAXIMUM_RESPONSE_BYTES} bytes.")
        return count

    def close(self) -> None:
        super().close()
        self._socket.close()


class _ResponseReader(io.BufferedReader):
    """Buffers the bytes of one response. Its end does not close the connection, which may be closed before."""

    def makefile(self, _mode: str) -> _ResponseReader:
        return self

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Response:
    """A response with its body, which is None if it is not JSON."""

    def __init__(self, response: http.client.HTTPResponse, text: bytes) -> None:
        self.headers = response.headers
        self.status = response.status
        try:
            self.body: Any = json.loads(text)
        except (ValueError, RecursionError):
            self.body = None

    def error(self, message: str) -> PetAdoptionError:
        """Returns the error in the body, or an error with the message if the body is not one of this API."""
        code = "unexpected_response"
        body = self.body
        if isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("message"), str):
            code, message = body["code"], body["message"]
        retry_after = self.headers.get("Retry-After", "").strip()
        return PetAdoptionError(
            code,
            message,
            self.status,
            self.headers.get("x-amzn-RequestId"),
            int(retry_after) if re.fullmatch("[0-9]{1,9}", retry_after) else None,
        )


def _seconds_until(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise socket.timeout("timed out")
    return seconds


def _connect(host: str, port: int, deadline: float) -> socket.socket:
    """Connects to the first address of the host that responds. Each one gets its share of the time."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure: OSError = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        connecting = socket.socket(family, kind, protocol)
        try:
            connecting.settimeout(_seconds_until(deadline) / (len(addresses) - index))
            connecting.connect(address)
            return connecting
        except OSError as error:
            connecting.close()
            failure = error
    raise failure


def _receive(connection: _Connection, method: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Receives a response with its whole body."""
    reader = _ResponseReader(connection)
    try:
        while True:
            # http.client reads from what `makefile` returns.
            response = http.client.HTTPResponse(reader, method=method)  # type: ignore[arg-type]
            response.begin()
            # A status below 200 announces the response, such as 103 Early Hints.
            if response.status >= 200:
                break

        chunks = []
        # In pieces, because http.client reserves memory for what it is asked for.
        while chunk := response.read(CHUNK_BYTES):
            chunks.append(chunk)
        # http.client does not report the end of a connection in the middle of such a body.
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return response, b"".join(chunks)
    except ValueError as error:
        raise _MalformedError(str(error)) from error


def _choose_wait(attempt: int, retry_after: int | None) -> float:
    """Chooses the seconds between an attempt and the next one. They are random, so that clients do not wake at once."""
    if retry_after is not None:
        return retry_after + random.uniform(0, max(1, retry_after / 5))
    longest = min(2 ** (attempt - 1), LONGEST_BACKOFF_SECONDS)
    return random.uniform(longest / 2, longest)


def _is_pet(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    pet_id, name, status = value.get("id"), value.get("name"), value.get("status")
    # A bool is an int too.
    has_integers = type(pet_id) is int and 1 <= pet_id < 2**53 and type(value.get("categoryId")) is int
    return has_integers and isinstance(name, str) and isinstance(status, str)


def _read_next_cursor(response: _Response) -> str | None:
    """Reads the cursor of the next page. Nothing else of the link matters."""
    link = re.search('<([^<>]*)>; *rel="next"', response.headers.get("Link", ""))
    if link is None:
        return None
    try:
        cursors = parse_qs(urlsplit(link[1]).query).get("cursor")
    except ValueError:
        cursors = None
    if cursors is None:
        raise response.error("The link to the next page has no cursor.")
    return cursors[0]
