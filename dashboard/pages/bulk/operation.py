"""Bulk operation: a patch, or a deletion, that is applied to each of many objects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dashboard.pages.bulk.patch_merge_rules import PatchedList
from dashboard.pages.writes.object_client import Propagation

Verb = Literal["label", "annotate", "patch", "delete"]
VERB_TITLES: dict[Verb, str] = {"label": "Labels", "annotate": "Annotations", "patch": "Patch", "delete": "Delete"}


class BulkOperation(msgspec.Struct, frozen=True):
    """`patch` is a merge patch (RFC 7386), `strategic` a strategic one; or the fields of a deletion."""

    verb: Verb
    patch: dict[str, Any] | None = {}
    """None beside a strategic patch: an older web process does not know those, cannot decode this and leaves the run
    alone. Otherwise it would send the patch as a merge patch and replace lists, or send nothing, and count that as
    done.
    """
    propagation: Propagation = "Background"
    grace: int | None = None
    """Seconds; None is each object's own."""
    strategic: dict[str, Any] = {}
    lists: tuple[PatchedList, ...] = ()
    """Merge rules of the patch's lists, and of the maps that it does not merge."""

    @property
    def deletes(self) -> bool:
        return self.verb == "delete"

    @property
    def requested_patch(self) -> dict[str, Any]:
        """The patch of either type; empty for a deletion."""
        return self.strategic or self.patch or {}
