"""metav1.Status: the API server's description of a failure."""

from __future__ import annotations

import msgspec


class Cause(msgspec.Struct, frozen=True):
    """One field's complaint inside a Status: what is wrong and where.

    `field` is a path such as ``spec.port``, or empty when the whole object is meant.
    """

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, rename="camel"):
    """Details of a Status; `retry_after_seconds` is in seconds."""

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
