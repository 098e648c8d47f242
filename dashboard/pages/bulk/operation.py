"""Bulk operation: a patch, a deletion, or the reverse of what another run did, applied to each of many objects."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from dashboard.pages.bulk.patch_merge_rules import PatchedList
from dashboard.pages.writes.object_client import Propagation

Verb = Literal["label", "annotate", "patch", "delete", "undo"]
VERB_TITLES: dict[Verb, str] = {
    "label": "Labels", "annotate": "Annotations", "patch": "Patch", "delete": "Delete", "undo": "Undo",
}  # fmt: skip


class UndoneRun(msgspec.Struct, frozen=True):
    """The run that an undo reverses."""

    key: str
    did: Literal["change", "deletion", "creation"]
    """What it did to its objects. Only an undo creates some."""
    begun_at: float
    """Unix seconds before all its writes."""
    ended_at: float
    """Unix seconds after all of them."""
    may_destroy: bool = False
    """Whether its reverse may stop pods or skip a clean-up."""


class BulkOperation(msgspec.Struct, frozen=True):
    """A new sort of operation gets a new verb: a process that does not know it leaves the run alone (NewerVersion).

    `patch` is a merge patch (RFC 7386), `strategic` a strategic one; or the fields of a deletion."""

    verb: Verb
    patch: dict[str, Any] | None = {}
    """None beside a strategic patch and an undo: an older web process does not know those, cannot decode this and
    leaves the run alone. Otherwise it would send the patch as a merge patch and replace lists, or send nothing, and
    count that as done.
    """
    propagation: Propagation = "Background"
    grace: int | None = None
    """Seconds; None is each object's own."""
    strategic: dict[str, Any] = {}
    lists: tuple[PatchedList, ...] = ()
    """Merge rules of the patch's lists, and of the maps that it does not merge."""

    undo: UndoneRun | None = None

    @property
    def deletes(self) -> bool:
        return self.verb == "delete" or (self.undo is not None and self.undo.did == "creation")

    @property
    def creates(self) -> bool:
        return self.undo is not None and self.undo.did == "deletion"

    @property
    def imperative(self) -> str:
        return "Delete" if self.deletes else "Create" if self.creates else "Change"

    @property
    def participle(self) -> str:
        return "deleted" if self.deletes else "created" if self.creates else "changed"

    @property
    def gerund(self) -> str:
        return "Deleting" if self.deletes else "Creating" if self.creates else "Changing"

    @property
    def requested_patch(self) -> dict[str, Any]:
        """The patch of either type; empty for a deletion."""
        return self.strategic or self.patch or {}
