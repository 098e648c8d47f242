"""Errors of the API server, one class for each reason, made from its Status."""

from __future__ import annotations

from typing import ClassVar

from informerd.errors.base import InformerdError
from informerd.errors.status import Cause, Status


class ApiError(InformerdError):
    """The API server answered with a failure; `status` is its word."""

    reasons: ClassVar[tuple[str, ...]] = ()

    def __init__(self, status: Status, *, retry_after: float | None = None, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(status.message or status.reason or f"HTTP {status.code}")
        self.status = status
        self.retry_after = retry_after
        """Seconds the server asks to wait before another try, where it said so."""
        self.warnings = warnings
        """Texts of the API server's Warning headers with the error."""

    @property
    def code(self) -> int:
        """The HTTP status."""
        return self.status.code

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Single problems, such as the fields that are wrong."""
        return self.status.details.causes


class BadRequest(ApiError):
    """The API server cannot make sense of the request (400)."""

    reasons = ("BadRequest",)


class Unauthorized(ApiError):
    """The API server does not know who asks (401)."""

    reasons = ("Unauthorized",)


class Forbidden(ApiError):
    """The account may not do this (403)."""

    reasons = ("Forbidden",)


class NotFound(ApiError):
    """There is no such object (404)."""

    reasons = ("NotFound",)


class NotServed(NotFound):
    """The API server does not have the resource, or not in the requested version; this does not concern any object.

    Distinguish it before you treat an object as deleted. It is a NotFound, as with client-go's apierrors.IsNotFound:
    lists and watches treat both as a resource that does not exist.
    """


class Conflict(ApiError):
    """The object changed since it was read (409): read it again, never overwrite."""

    reasons = ("Conflict",)


class AlreadyExists(ApiError):
    """There is an object of that name already (409)."""

    reasons = ("AlreadyExists",)


class Invalid(ApiError):
    """The object breaks its schema or a rule (422); `causes` name the fields."""

    reasons = ("Invalid",)


class Expired(ApiError):
    """The resource version or continue token is older than the available history (410)."""

    reasons = ("Expired", "Gone")

    @property
    def continue_token(self) -> str:
        """Where a list's page had expired: a token for the present rest of the list, if the server gave one."""
        return self.status.metadata.continue_


class TooManyRequests(ApiError):
    """The API server is busy (429), and did nothing; `retry_after` says when to try again."""

    reasons = ("TooManyRequests",)


class ResourceVersionTooLarge(ApiError):
    """The resource version asked for has not been reached yet by the server that answered."""


class ServerTimeout(ApiError):
    """The API server gave up waiting (504): nobody knows what was done."""

    reasons = ("Timeout", "ServerTimeout")


class ServerError(ApiError):
    """Any other 5xx."""

    reasons = ("InternalError", "ServiceUnavailable")


_NO_SUCH_RESOURCE = "the server could not find the requested resource"
"""Message of apimachinery's NewGenericServerResponse for a path, which names no object."""
_TOO_LARGE_CAUSE = "ResourceVersionTooLarge"
_TOO_LARGE_MESSAGE = "Too large resource version"
_BY_REASON: dict[str, type[ApiError]] = {
    reason: kind
    for kind in (
        BadRequest, Unauthorized, Forbidden, NotFound, Conflict, AlreadyExists, Invalid,
        Expired, TooManyRequests, ServerTimeout, ServerError,
    )
    for reason in kind.reasons
}  # fmt: skip
_BY_CODE: dict[int, type[ApiError]] = {
    400: BadRequest, 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 410: Expired,
    422: Invalid, 429: TooManyRequests, 504: ServerTimeout,
}  # fmt: skip


def is_too_large(status: Status) -> bool:
    """Whether a Status says "too large resource version", in any of its three encodings.

    Source: apimachinery's api/errors.IsTooLargeResourceVersion: a cause's type, a cause's message, or the message
    text, the latter two only with reason Timeout.
    """
    causes = status.details.causes
    if any(cause.reason == _TOO_LARGE_CAUSE for cause in causes):
        return True
    if status.reason != "Timeout":
        return False
    return _TOO_LARGE_MESSAGE in status.message or any(_TOO_LARGE_MESSAGE in cause.message for cause in causes)


def is_not_served(status: Status) -> bool:
    """Whether a Status is about a path that is not served: one without a reason, made from a plain "page not found"."""
    return status.code == 404 and (not status.reason or status.message == _NO_SUCH_RESOURCE)


def error_from_status(status: Status, *, retry_after: float | None = None, warnings: tuple[str, ...] = ()) -> ApiError:
    """The typed error for a Status: by its reason, else by its code.

    `retry_after` (seconds) is the Retry-After header; the body's retryAfterSeconds serves where it is missing.
    """
    if retry_after is None and status.details.retry_after_seconds:
        retry_after = float(status.details.retry_after_seconds)
    if is_too_large(status):
        return ResourceVersionTooLarge(status, retry_after=retry_after, warnings=warnings)
    if is_not_served(status):
        return NotServed(status, retry_after=retry_after, warnings=warnings)
    kind = _BY_REASON.get(status.reason) or _BY_CODE.get(status.code)
    if kind is None:
        kind = ServerError if status.code >= 500 else ApiError
    return kind(status, retry_after=retry_after, warnings=warnings)
