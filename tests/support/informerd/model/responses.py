"""Responses of kube-apiserver: lists, events, bookmarks, and its errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from tests.support.informerd.model.etcd_history import Change, Thing

_TOO_LARGE = "Too large resource version: 9, current: 1"


def status(code: int, reason: str, message: str = "", **details: Any) -> bytes:
    """A metav1.Status."""
    return msgspec.json.encode(
        {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message or reason, "reason": reason, "details": details, "code": code,
        }
    )  # fmt: skip


REFUSALS: dict[str, tuple[int, bytes]] = {
    "429": (429, status(429, "TooManyRequests")),
    "429 in 3 s": (429, status(429, "TooManyRequests", retryAfterSeconds=3)),
    "410 Expired": (410, status(410, "Expired", "too old resource version")),
    "410 Gone": (410, status(410, "Gone")),
    "too large by cause": (504, status(504, "Timeout", causes=[{"reason": "ResourceVersionTooLarge", "message": "x"}])),
    "too large by the cause's message": (504, status(504, "Timeout", causes=[{"message": _TOO_LARGE}])),
    "too large by message": (504, status(504, "Timeout", _TOO_LARGE)),
    "400": (400, status(400, "BadRequest")),
    "403": (403, status(403, "Forbidden")),
    "422": (422, status(422, "Invalid", "sendInitialEvents is forbidden")),
    "500": (500, status(500, "InternalError", "etcdserver: no leader")),
    "503": (503, status(503, "ServiceUnavailable")),
}
"""By name, with the HTTP status. A watch may carry each of them in an ERROR event as well."""

NOT_FOUND = status(404, "NotFound", "the server could not find the requested resource")


def list_of(things: Iterable[Thing], version: int, continue_token: str, remaining: int) -> bytes:
    """A list or one page of it."""
    more = f',"continue":"{continue_token}","remainingItemCount":{remaining}' if continue_token else ""
    head = f'{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"{more}}},"items":['
    return head.encode() + b",".join(thing.item for thing in things) + b"]}\n"


def event(kind: str, obj: bytes) -> bytes:
    """A line of a watch."""
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), obj)


def change_event(change: Change) -> bytes:
    """The line that tells of a change."""
    return event(change.type, change.thing.json)


def bookmark(version: int, *, ends_initial: bool = False) -> bytes:
    """A BOOKMARK; the one that ends a streaming list has an annotation."""
    more = ',"annotations":{"k8s.io/initial-events-end":"true"}' if ends_initial else ""
    meta = f'{{"kind":"Pod","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"{more}}}}}'
    return event("BOOKMARK", meta.encode())
