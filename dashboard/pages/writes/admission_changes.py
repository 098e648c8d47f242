"""Admission changes: fields that the API server stores differently from what was sent, in a review and in the write.

A webhook or a policy may act differently in the write than in the dry run before it, and a default may have changed
between the two: changes that the review did not show are reported after the write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.objects.fields.field_access import ABSENT, Value
from dashboard.objects.merge.diff import changes
from dashboard.pages.writes.editable_part import editable_part, fingerprint
from dashboard.pages.writes.target import Editable

MAX_NAMED = 5
"""Most fields that one sentence lists; the rest is counted."""

_NAME = "metadata.name"

AdmissionChanges = Mapping[str, str]
"""Fields that are stored differently from what was sent, with a digest of each value; empty for a removed one."""


@dataclass(frozen=True, slots=True)
class DryRunDrift:
    """Differences between the stored object and its review."""

    unreviewed_fields: tuple[str, ...] = ()
    """Fields that the API server changed and the review had not shown as changed by it."""
    revalued_fields: tuple[str, ...] = ()
    """Fields that the review showed as set by the API server, and that have another value now: a time, an id."""

    @property
    def words(self) -> str:
        """Sentences about the differences; empty where everything is as reviewed."""
        sentences = []
        if self.unreviewed_fields:
            sentences.append(
                f"The result differs from the review: the API server changed {fields_text(self.unreviewed_fields)}."
            )
        if self.revalued_fields:
            value = "another value" if len(self.revalued_fields) == 1 else "other values"
            sentences.append(
                f"The API server set {fields_text(self.revalued_fields)} to {value} than the review showed."
            )
        return " ".join(sentences)


NO_DRIFT = DryRunDrift()


def admission_changes(sent: dict[str, Value], stored: dict[str, Value], part: Editable = "spec") -> AdmissionChanges:
    """Fields of the stored object that differ from the sent one.

    A name that the API server generates is none of them: the review says so, and each answer has another.
    """
    differing = changes(editable_part(sent, part), editable_part(stored, part))
    generated = _NAME if _has_generated_name(sent) else ""
    return {
        each.field: "" if each.now is ABSENT else fingerprint(each.now)[:12]
        for each in differing
        if each.field != generated
    }


def _has_generated_name(sent: Mapping[str, Value]) -> bool:
    metadata = sent.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("generateName")) and not metadata.get("name")


def drift_from_dry_run(reviewed: AdmissionChanges | None, stored: AdmissionChanges) -> DryRunDrift:
    """Difference between the write's admission changes, `stored`, and those `reviewed`; None: the reviewed ones are
    unknown.
    """
    if reviewed is None:
        return NO_DRIFT
    differing = [name for name in {**reviewed, **stored} if reviewed.get(name) != stored.get(name)]
    anew = tuple(name for name in differing if reviewed.get(name) and stored.get(name))
    return DryRunDrift(tuple(name for name in differing if name not in anew), anew)


def fields_text(fields: Sequence[str]) -> str:
    """``spec.strategy.type and 3 more fields``."""
    first, more = ", ".join(fields[:MAX_NAMED]), len(fields) - MAX_NAMED
    return f"{first} and {more} more field{'s' if more > 1 else ''}" if more > 0 else first
