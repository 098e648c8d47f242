"""HTTP client of one provider: its configuration and its keys, cached, with limits of time and size.

It blocks, so it is used in threads only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

import requests
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from dashboard.access.oidc.tokens import MAX_TOKEN_BYTES
from dashboard.runtime.oidc_issuers import Issuer, is_secure_url
from informerd.clock import Clock

TIMEOUT = 5.0
"""Seconds for a connection, and for each piece of a response."""
TIME_LIMIT = 10.0
"""Seconds for a whole response."""
MAX_BYTES = 2 * MAX_TOKEN_BYTES
"""Maximum bytes of a response."""
CONFIGURATION_SECONDS = 600.0
"""Seconds for which configuration and keys are used before they are read again."""
KEYS_PAUSE = 10.0
"""Seconds between two requests for keys because a token has an unknown one: anybody can send such a token."""
FAILURE_PAUSE = 3.0
"""Seconds after a failure in which a provider counts as down: else each person who waits would wait anew."""
WELL_KNOWN = "/.well-known/openid-configuration"
T = TypeVar("T")
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderUnusable(Exception):
    """The provider does not answer, or answers what cannot be used. The message is for the operator."""


class ProviderMisconfigured(ProviderUnusable):
    """The address in DELTABOARD_OIDC is not that of the provider."""


class ResponseTooLarge(requests.RequestException):
    """A response has more than MAX_BYTES."""


class LimitedSession(requests.Session):
    """Requests that follow no redirect, and give up a response that is too long or too slow (RequestException)."""

    def __init__(self, ca_file: str = "") -> None:
        super().__init__()
        self.max_redirects = 0
        self._ca_file = ca_file

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        options.update(stream=True, timeout=TIMEOUT)
        if self._ca_file:  # set on the session it would give way to REQUESTS_CA_BUNDLE
            options["verify"] = self._ca_file
        began = time.monotonic()
        response = super().send(request, **options)
        parts: list[bytes] = []
        size = 0
        with response:
            for part in response.iter_content(64 * 1024):
                size += len(part)
                if size > MAX_BYTES:
                    raise ResponseTooLarge(f"the response has more than {MAX_BYTES} bytes")
                if time.monotonic() - began > TIME_LIMIT:
                    raise requests.exceptions.ReadTimeout(f"the response took more than {TIME_LIMIT:g} s")
                parts.append(part)
        response._content = b"".join(parts)  # noqa: SLF001 -- where requests keeps what it has read
        return response


class ProviderClient:
    """Configuration and keys of one provider. Threads may share it."""

    def __init__(self, issuer: Issuer, clock: Clock) -> None:
        self.issuer = issuer
        self._clock = clock
        self._lock = threading.Lock()
        self._configuration: Mapping[str, Any] | None = None
        self._keys: KeySet | None = None
        self._configured_at = self._keys_at = 0.0
        self._problem: tuple[type[ProviderUnusable], str] | None = None
        self._problem_until = 0.0

    def session(self) -> requests.Session:
        """A session of HTTP requests to this provider."""
        return LimitedSession(self.issuer.ca_file)

    def configuration(self) -> Mapping[str, Any]:
        """The provider's metadata (OpenID Connect Discovery 1.0). Raises ProviderUnusable."""
        with self._lock:
            if self._configuration is None or self._is_old(self._configured_at):
                self._configuration = self._noted(self._read_configuration)
                self._configured_at = self._clock.now()
            return self._configuration

    def keys(self, is_new_one_needed: bool = False) -> KeySet:
        """The keys of its signatures. Raises ProviderUnusable."""
        address = self.configuration()["jwks_uri"]
        with self._lock:
            pause_is_over = self._clock.now() - self._keys_at >= KEYS_PAUSE
            if self._keys is None or self._is_old(self._keys_at) or (is_new_one_needed and pause_is_over):
                self._keys_at = self._clock.now()
                self._keys = self._noted(lambda: self._read_keys(address))
            return self._keys

    def _noted(self, read: Callable[[], T]) -> T:
        """What `read` returns; a failure holds for FAILURE_PAUSE."""
        if self._problem is not None and self._clock.now() < self._problem_until:
            kind, words = self._problem
            raise kind(words)
        try:
            found = read()
        except ProviderUnusable as error:
            self._problem, self._problem_until = (type(error), str(error)), self._clock.now() + FAILURE_PAUSE
            raise
        self._problem = None
        return found

    def _is_old(self, since: float) -> bool:
        return self._clock.now() - since > CONFIGURATION_SECONDS

    def _read_configuration(self) -> Mapping[str, Any]:
        address = self.issuer.url.rstrip("/") + WELL_KNOWN
        found = self._read(address)
        if found.get("issuer") != self.issuer.url:
            raise ProviderMisconfigured(
                f"it calls itself {str(found.get('issuer'))[:200]!r}, but DELTABOARD_OIDC has {self.issuer.url!r}"
            )
        for name in _ENDPOINTS:
            if not isinstance(found.get(name), str) or not is_secure_url(found[name]):
                raise ProviderUnusable(f"its {name} is no https address")
        return found

    def _read_keys(self, address: str) -> KeySet:
        try:
            return KeySet.import_key_set(self._read(address))  # type: ignore[arg-type] # its shape is checked there
        except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ProviderUnusable(f"its keys at {address} cannot be read: {error}") from None

    def _read(self, address: str) -> dict[str, Any]:
        try:
            with self.session() as session:
                response = session.get(address)
                if response.status_code == HTTPStatus.NOT_FOUND and address.endswith(WELL_KNOWN):
                    raise ProviderMisconfigured(f"there is nothing at {address}")
                response.raise_for_status()
                found = response.json()
        except (OSError, ValueError, RecursionError) as error:  # requests' own errors are OSErrors
            raise ProviderUnusable(f"{address}: {error}") from None
        if not isinstance(found, dict):
            raise ProviderUnusable(f"{address} has no JSON object")
        return found
