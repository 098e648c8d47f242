"""What is to be done to each of many objects: a merge patch, or a deletion."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dashboard.edits.exchange import Propagation

Verb = Literal["label", "annotate", "patch", "delete"]
WORDS: dict[Verb, str] = {"label": "Labels", "annotate": "Annotations", "patch": "Patch", "delete": "Delete"}


class Order(msgspec.Struct, frozen=True):
    """`patch` is an RFC 7386 merge patch; empty for a deletion, to which the last two belong."""

    verb: Verb
    patch: dict[str, Any] = {}
    propagation: Propagation = "Background"
    grace: int | None = None
    """Seconds; None is whatever each object itself says."""

    @property
    def deletes(self) -> bool:
        return self.verb == "delete"
