"""The one error tree.

Raised at the client's edge only (`informerd/rest/client.py` turns answers and transport failures into these), so that
callers never see aiohttp's exceptions or bare status codes. Reasons and causes are the API server's own, see
metav1.Status in apimachinery.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_MISSING = re.compile(r"^Object missing required field `(.*?)`")


class Cause(msgspec.Struct, frozen=True):
    """One field's complaint inside a Status: what is wrong and where.

    `field` is a path such as ``spec.port``, or empty when the whole object is meant.
    """

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, rename="camel"):
    """What a Status says beside its sentence; `retry_after_seconds` is in seconds."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


class StatusMeta(msgspec.Struct, frozen=True):
    """A Status's metadata; `continue_` comes with a continue token that has expired, to go on with all the same."""

    continue_: str = msgspec.field(default="", name="continue")


class Status(msgspec.Struct, frozen=True):
    """metav1.Status: how the API server says what went wrong."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: StatusDetails = StatusDetails()
    metadata: StatusMeta = StatusMeta()


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are no JSON of the expected form: also for text that is no UTF-8, and for
documents nested so deeply that they can only be meant to harm."""


class InformerdError(Exception):
    """The root: everything this library raises on purpose is one of these."""


class ConfigError(InformerdError):
    """The cluster's configuration cannot be used; the message names the file, the place and what to do."""


class UnknownResource(InformerdError):
    """Discovery knows no such kind; `known` lists what it knows, for a helpful answer.

    `stale` lists versions of groups whose own servers could not be asked: it may be one of theirs.
    """

    def __init__(self, name: str, known: tuple[str, ...] = (), *, stale: tuple[str, ...] = ()) -> None:
        doubt = f"; {', '.join(stale)} could not be asked" if stale else ""
        super().__init__(f"the API server has no resource {name!r}{doubt}")
        self.name = name
        self.known = known
        self.stale = stale


class NotWatchable(InformerdError):
    """The API server has the resource, but it cannot be listed and watched; `verbs` are what can be done with it."""

    def __init__(self, name: str, verbs: Iterable[str]) -> None:
        self.name = name
        self.verbs = tuple(sorted(verbs))
        super().__init__(f"{name!r} cannot be followed, as it cannot be listed and watched: {', '.join(self.verbs)}")


class UnknownIndex(InformerdError):
    """The store has no such index; `known` lists those it has."""

    def __init__(self, name: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(f"there is no index {name!r}; there are {', '.join(sorted(known))}")
        self.name = name
        self.known = known


class IndexExists(InformerdError):
    """The store has an index of that name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is an index {name!r} already")
        self.name = name


class MalformedSelector(InformerdError):
    """A label or field selector does not parse; says what is wrong and where.

    `position` counts characters from 0; it is None, and `where` says it, for a selector that is no text.
    """

    def __init__(self, selector: str, problem: str, *, position: int | None = None, where: str = "") -> None:
        place = where or (f"character {position + 1}" if position is not None else "")
        super().__init__(f"malformed selector {selector!r}{f', {place}' if place else ''}: {problem}")
        self.selector = selector
        self.problem = problem
        self.position = position
        self.where = place

    @property
    def caret(self) -> str:
        """The selector, and below it a mark where it is wrong; for a person at a terminal."""
        return self.selector if self.position is None else f"{self.selector}\n{' ' * self.position}^"


class UnknownField(InformerdError):
    """A projection has no field of that path; `known` lists the paths that lead to a value."""

    def __init__(self, path: str, projection: str, problem: str, known: tuple[str, ...] = ()) -> None:
        near = difflib.get_close_matches(path, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ";"
        fields = ", ".join(known) or "(none)"
        super().__init__(f"{projection} has no field {path!r}: {problem}{hint} its fields are {fields}")
        self.path = path
        self.projection = projection
        self.known = known


class UnusableProjection(InformerdError):
    """A projection that cannot be made of any object; names the field, where it is one's fault."""

    def __init__(self, projection: str, problem: str, field: str = "") -> None:
        super().__init__(f"{projection} is no projection: {problem}")
        self.projection = projection
        self.field = field


class MalformedResourceVersion(InformerdError, ValueError):
    """What is to be a resource version is none: a positive decimal number without leading zeros."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no resource version: expected a positive number without leading zeros")
        self.text = text


class CacheMutated(InformerdError):
    """Objects of a store were changed by somebody who reads it; `mutations` says in a sentence each which and what."""

    def __init__(self, mutations: tuple[str, ...]) -> None:
        super().__init__("\n".join(mutations))
        self.mutations = mutations


class AlreadyStarted(InformerdError):
    """Something that must be set up before an informer starts came after it."""


class InformerExists(InformerdError):
    """The factory has an informer of that resource already, with another projection or transform."""


class InformerStopped(InformerdError):
    """The informer has stopped and takes no more handlers or waits."""


class NotSynced(InformerdError):
    """A store was read that has not held a first complete list; `pending` says which ones and why not."""

    def __init__(self, pending: Mapping[str, str], sentence: str = "not synced yet: {}") -> None:
        super().__init__(sentence.format("; ".join(f"{name} is {why}" for name, why in pending.items())))
        self.pending = pending


class CacheSyncTimeout(NotSynced, TimeoutError):
    """The time for which the sync was waited for has passed."""


class NotInTime(InformerdError, TimeoutError):
    """What was waited for did not come within the time given."""


class InsideEventLoop(InformerdError):
    """The blocking informers were used where an event loop runs, which they would stop."""

    def __init__(self) -> None:
        super().__init__(
            "an event loop runs in this thread, and waiting here would stop it: use the async SharedInformerFactory, "
            "`async with Client(config) as client, SharedInformerFactory(client) as factory`"
        )


class UnexpectedObject(InformerdError):
    """The API server sent an object of another kind, or one that the projection does not fit; says which and where."""


class InvalidCall(InformerdError, ValueError):
    """A call that cannot be made as it was asked for; says why and what is missing. Nothing was sent."""


class MalformedAnswer(InformerdError):
    """A success whose body is not what an API server sends: no JSON, another form, or a proxy's page."""


class ProjectionMismatch(UnexpectedObject):
    """A projection does not fit an object: its fields have their defaults there, all but the head.

    `key` is the object's, `field` the path of what does not fit, as far as it is known.
    """

    def __init__(self, projection: str, resource: str, key: str, problem: str) -> None:
        super().__init__(f"{projection} does not fit {resource} {key}: {problem}")
        self.projection = projection
        self.resource = resource
        self.key = key
        self.problem = problem
        self.field = _field_at_fault(problem)


def _field_at_fault(problem: str) -> str:
    """The field that a sentence of msgspec's names, as in: Expected `int`, got `str` - at `$.spec.port`."""
    place = _PLACE.search(problem)
    missing = _MISSING.search(problem)
    steps = [place[1]] if place and place[1] else []
    return ".".join([*steps, missing[1]] if missing else steps)


class MalformedStream(MalformedAnswer):
    """A list or watch answer is no JSON of the expected form."""


class Unreachable(InformerdError):
    """No answer came: refused, reset, timed out, TLS or name failure. Nothing is known about what the server did."""


class NotBegun(Unreachable):
    """The connection stands, but the answer has not begun within the time it was given."""


class CredentialsError(Unreachable):
    """Credentials could not be had: an exec plugin failed or a token file is unreadable."""


class ApiError(InformerdError):
    """The API server answered with a failure; `status` is its word."""

    reasons: ClassVar[tuple[str, ...]] = ()

    def __init__(self, status: Status, *, retry_after: float | None = None, warnings: tuple[str, ...] = ()) -> None:
        super().__init__(status.message or status.reason or f"HTTP {status.code}")
        self.status = status
        self.retry_after = retry_after
        """Seconds the server asks to wait before another try, where it said so."""
        self.warnings = warnings
        """What the API server said in Warning headers beside its no."""

    @property
    def code(self) -> int:
        return self.status.code

    @property
    def causes(self) -> tuple[Cause, ...]:
        return self.status.details.causes


class BadRequest(ApiError):
    reasons = ("BadRequest",)


class Unauthorized(ApiError):
    reasons = ("Unauthorized",)


class Forbidden(ApiError):
    reasons = ("Forbidden",)


class NotFound(ApiError):
    reasons = ("NotFound",)


class Conflict(ApiError):
    """The object changed since it was read (409): read it again, never overwrite."""

    reasons = ("Conflict",)


class AlreadyExists(ApiError):
    reasons = ("AlreadyExists",)


class Invalid(ApiError):
    """The object breaks its schema or a rule (422); `causes` name the fields."""

    reasons = ("Invalid",)


class Expired(ApiError):
    """The resource version or continue token is older than the history kept (410)."""

    reasons = ("Expired", "Gone")

    @property
    def continue_token(self) -> str:
        """Where a list's page had expired: a token for the rest of the list as it is by now, if the server gave one."""
        return self.status.metadata.continue_


class TooManyRequests(ApiError):
    reasons = ("TooManyRequests",)


class ResourceVersionTooLarge(ApiError):
    """The resource version asked for has not been reached yet by the server that answered."""


class ServerTimeout(ApiError):
    reasons = ("Timeout", "ServerTimeout")


class ServerError(ApiError):
    """Any other 5xx."""

    reasons = ("InternalError", "ServiceUnavailable")


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


def error_from_status(status: Status, *, retry_after: float | None = None, warnings: tuple[str, ...] = ()) -> ApiError:
    """The typed error for a Status: by its reason, else by its code.

    `retry_after` (seconds) is the Retry-After header; the body's retryAfterSeconds serves where it is missing.
    """
    if retry_after is None and status.details.retry_after_seconds:
        retry_after = float(status.details.retry_after_seconds)
    if is_too_large(status):
        return ResourceVersionTooLarge(status, retry_after=retry_after, warnings=warnings)
    kind = _BY_REASON.get(status.reason) or _BY_CODE.get(status.code)
    if kind is None:
        kind = ServerError if status.code >= 500 else ApiError
    return kind(status, retry_after=retry_after, warnings=warnings)
