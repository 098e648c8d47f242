"""What is to be done to each of many objects: a patch, or a deletion."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dashboard.bulk.lists import PatchedList
from dashboard.edits.exchange import Propagation

Verb = Literal["label", "annotate", "patch", "delete"]
WORDS: dict[Verb, str] = {"label": "Labels", "annotate": "Annotations", "patch": "Patch", "delete": "Delete"}


class Order(msgspec.Struct, frozen=True):
    """`patch` is a merge patch (RFC 7386), `strategic` a strategic one: one of both, or what belongs to a deletion."""

    verb: Verb
    patch: dict[str, Any] | None = {}
    """None beside a strategic one: a web process of before knows none of those, cannot read this and leaves the run
    alone. It would send the patch as a merge patch and replace lists, or nothing, and call that done."""
    propagation: Propagation = "Background"
    grace: int | None = None
    """Seconds; None is whatever each object itself says."""
    strategic: dict[str, Any] = {}
    lists: tuple[PatchedList, ...] = ()
    """What becomes of the lists that the patch has, and of the maps that it does not merge."""

    @property
    def deletes(self) -> bool:
        return self.verb == "delete"

    @property
    def asked(self) -> dict[str, Any]:
        """The patch, whichever it is; empty for a deletion."""
        return self.strategic or self.patch or {}
