"""A client of the Pet Adoption API for Python 3.10 or later, on the package `requests`.

- Retries: a request is sent again if no complete response came, and after 429, 500, 502, 503 and 504. The client waits
  for the time of `Retry-After` and a random time, or else for a random time that grows with each attempt. `requests`
  retries nothing: by default, the `max_retries` of its HTTPAdapter is 0 (requests, "API", `HTTPAdapter`).
- Creations: all attempts of a creation carry the same `Idempotency-Key`, so that they add one pet.
- Safety: the client follows no redirect, and takes only the cursor from the link to the next page.
- Proxies and certificates: as `requests` documents them ("Advanced Usage", "Proxies" and "SSL Cert Verification").
- Threads and processes: each attempt has a `Session` of its own, because a shared one is safe neither after a fork
  (psf/requests issue 4323) nor surely between threads (issue 2766).
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import math
import random
import re
import ssl
import threading
import time
import uuid
from typing import Any, Callable, Iterator, Literal, NamedTuple, TypedDict, TypeGuard
from urllib.parse import parse_qs, urlsplit

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

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
LONGEST_BACKOFF_SECONDS = 64


class Page(NamedTuple):
    pets: list[Pet]
    next_cursor: str | None  # None on the last page


class PetAdoptionError(Exception):
    """An error response, or no response. `__cause__` is the error of `requests`, if there was one.

    `code` is the error code of the API, or one of these:

    - `timed_out`: the response did not come in time.
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
        # Exception gets all arguments, because pickle passes those to this method.
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
    raises the error at once. `timeout` is the one of `requests`: the seconds to wait for a connection, and for each
    next byte. It is no limit of the whole response (requests, "Quickstart", "Timeouts").

    A setting that cannot work raises ValueError; one of the environment, such as a proxy, does so at the first request.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        attempts: int = 8,
        longest_wait: float = 120,
        timeout: float = 30,
    ) -> None:
        host = r"[\w-]+(\.[\w-]+)*\.?|\[[0-9a-f:.]+\]"
        if not re.fullmatch(rf'https?://({host})(:[0-9]{{1,5}})?(/[!"$->@-~]*)?', base_url, re.ASCII | re.IGNORECASE):
            raise ValueError("base_url must be a URL of ASCII characters, such as https://api.example.org/v1.")
        # requests would refuse such a key too, by an error that quotes it.
        if not re.fullmatch("[!-~]+", api_key):
            raise ValueError("api_key is empty, or has a character that no API key has.")
        # Each check is negated, or a chain, so that it refuses NaN too.
        if not attempts >= 1:
            raise ValueError("attempts must be 1 or more.")
        if not longest_wait >= 0:
            raise ValueError("longest_wait must be 0 or more.")
        if not 0 < timeout <= threading.TIMEOUT_MAX:
            raise ValueError("timeout must be more than 0.")

        self._pets_url = base_url.rstrip("/") + "/pets"
        self._api_key = api_key
        self._attempts = attempts
        self._longest_wait = longest_wait
        self._timeout = timeout

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
        first two polls read the whole list, because only the third knows pets that it first saw long enough ago; it
        and later ones usually read one page. When the requests of your API key are used up for the day, the client
        waits for the next day, and goes on where it was.

        To go on after a restart, pass as `after` the id of a pet that you got at least `interval` and a minute before
        the program ended. Pets up to that id are left out, and some later ones can come again.
        """
        if not 0 <= interval <= threading.TIMEOUT_MAX:  # refuses NaN too
            raise ValueError("interval must be 0 or more.")

        def pause(seconds: float) -> None:
            if stop is None:
                time.sleep(seconds)
            elif stop.wait(min(seconds, threading.TIMEOUT_MAX)):
                raise _Stopped

        first_seen: dict[int, float] = {}  # times by `time.monotonic`, by id
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
                    # A list can lack a pet for some seconds after its creation, and show it below others. So the pets
                    # below one that was in the list a minute before the previous poll have all been seen.
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
        patience = _Patience(self._longest_wait, time.sleep)
        response = self._send("POST", patience, json=pet, headers={"Idempotency-Key": key})
        if not _is_pet(response.body):
            raise response.error("The response has no pet.")
        return response.body

    def _page(self, status: PetStatus | None, limit: int, cursor: str | None, patience: _Patience) -> Page:
        # A parameter that is None is not sent (requests, "Quickstart", "Passing Parameters In URLs").
        response = self._send("GET", patience, params={"limit": limit, "status": status, "cursor": cursor})
        if not _is_list(response.body) or not all(map(_is_pet, response.body)):
            raise response.error("The response has no list of pets.")
        return Page(response.body, _read_next_cursor(response))

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

    def _send(self, method: str, patience: _Patience, **request: Any) -> _Response:
        """Sends a request until it succeeds, or raises the last error."""
        attempt = 1
        while True:
            try:
                return self._send_once(method, **request)
            except PetAdoptionError as error:
                is_retryable = error.code in RETRIED_CODES or error.status in RETRIED_STATUSES
                is_soon = error.retry_after is None or error.retry_after <= patience.longest_wait
                if not is_retryable or not is_soon or attempt >= self._attempts:
                    raise
                wait = _choose_wait(attempt, error.retry_after)
            patience.pause(wait)
            attempt += 1

    def _send_once(self, method: str, **request: Any) -> _Response:
        """Sends a request and receives the whole response. Raises PetAdoptionError, also for an error response."""
        try:
            with _Session() as session:
                session.headers["User-Agent"] = f"pet-adoption-python/{__version__}"
                received = session.request(
                    method,
                    self._pets_url,
                    auth=self._authorize,
                    timeout=self._timeout,
                    allow_redirects=False,
                    **request,
                )
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            # The error may have the password of a proxy before its `@`.
            reason = re.sub("[^ ]*@", "", str(error))
            raise ValueError(f"The base URL, or a proxy of the environment, cannot work: {reason}") from None
        except (requests.RequestException, HTTPError) as error:
            raise _describe_failure(error) from error
        except OSError as error:
            raise ValueError(f"A setting of the environment cannot work: {error}") from error

        response = _Response(received)
        if received.status_code >= 300:
            raise response.error(f"The response has the status {received.status_code} and no body of this API.")
        # Without a Content-Length, only this shows a body that was cut off. A page of a proxy is no JSON at all.
        if response.body is None and received.headers.get("Content-Type", "").startswith("application/json"):
            raise PetAdoptionError("connection_failed", "The response has no complete JSON.", received.status_code)
        return response

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Adds the API key, as `auth`: a password in `~/.netrc` would replace a header (requests, "Authentication")."""
        request.headers["Authorization"] = f"Bearer {self._api_key}"
        return request


class _Patience(NamedTuple):
    """How long a request waits for its next attempt."""

    longest_wait: float
    pause: Callable[[float], None]


class _Stopped(Exception):
    """The event that stops following was set."""


class _Session(requests.Session):
    """A session that finds no redirect. Even one that is not followed is prepared, and fails if its URL is broken."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


class _Response:
    """A complete response. Its body is None if it is not JSON."""

    def __init__(self, received: requests.Response) -> None:
        self.status = received.status_code
        self.headers = received.headers
        self.body: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            self.body = json.loads(received.content)

    def error(self, message: str) -> PetAdoptionError:
        """Returns the error in the body, or an error with the message if the body is not one of this API."""
        code = "unexpected_response"
        body = self.body
        if _is_object(body) and isinstance(body.get("code"), str) and isinstance(body.get("message"), str):
            code, message = body["code"], body["message"]
        retry_after = _read_retry_after(self.headers.get("Retry-After", "").strip())
        return PetAdoptionError(code, message, self.status, self.headers.get("x-amzn-RequestId"), retry_after)


def _describe_failure(error: Exception) -> PetAdoptionError:
    """Describes the error of an attempt that got no complete response. The innermost error says most."""
    reason: object = error
    inner: object = error
    while isinstance(inner, Exception):
        reason = inner
        # The errors of urllib3 have a `reason`; those of requests have the error of urllib3 as their argument.
        inner = getattr(inner, "reason", None) or next(iter(inner.args), None)
    # A time-out in the middle of a body is not a `requests.Timeout`, so its reason is looked at too.
    if isinstance(error, requests.Timeout) or isinstance(reason, (ReadTimeoutError, TimeoutError)):
        return PetAdoptionError("timed_out", f"No response came in time: {reason}")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return PetAdoptionError("certificate_refused", str(reason))
    return PetAdoptionError("connection_failed", f"No complete response came: {reason}")


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


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_pet(value: Any) -> TypeGuard[Pet]:
    # True is an int, too.
    return _is_object(value) and type(value.get("id")) is int


def _read_next_cursor(response: _Response) -> str | None:
    """Reads the cursor of the next page. Nothing else of the link matters."""
    link = re.search('<([^<>]*)>; *rel="next"', response.headers.get("Link", ""))
    if link is None:
        return None
    cursors = None
    with contextlib.suppress(ValueError):
        cursors = parse_qs(urlsplit(link[1]).query).get("cursor")
    if cursors is None:
        raise response.error("The link to the next page has no cursor.")
    return cursors[0]
