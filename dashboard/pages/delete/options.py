"""How a person wants an object deleted: what becomes of its dependents, and how long it may take to shut down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from dashboard.edits.exchange import Propagation
from dashboard.edits.problems import Problem, Refusal

LONGEST_GRACE = 30 * 24 * 3600
"""Seconds; more is a slip of the keyboard."""
PROPAGATIONS: tuple[Propagation, ...] = get_args(Propagation)
GRACES = ("default", "now", "other")
_SECONDS = re.compile(r"\d{1,12}")


@dataclass(frozen=True, slots=True)
class Choice:
    """`grace` in seconds; None is whatever the object itself says."""

    propagation: Propagation = "Background"
    grace: int | None = None
    grace_way: str = "default"
    """One of GRACES, as it was chosen."""
    typed: str = ""
    """The seconds as they were typed."""


def choice_of(post: Mapping[str, str]) -> tuple[Choice, Refusal | None]:
    """What was chosen, and what is wrong with it: then nothing may be sent. What was typed is in it in any case."""
    way, typed = post.get("grace", "default"), post.get("seconds", "").strip()
    policy = post.get("propagation", PROPAGATIONS[0])
    known = next((each for each in PROPAGATIONS if each == policy), PROPAGATIONS[0])
    kept = Choice(known, None, way if way in GRACES else "default", typed[:40])
    if policy not in PROPAGATIONS:
        words = f"“{policy[:40]}” is no way to delete: choose Background, Foreground or Orphan."
        return kept, _refused(words)
    if way not in GRACES:
        return kept, _refused(f"“{way[:40]}” is no grace period: choose the default, none, or a number of seconds.")
    if way != "other":
        return Choice(known, 0 if way == "now" else None, way, typed[:40]), None
    if not _SECONDS.fullmatch(typed) or int(typed) > LONGEST_GRACE:
        return kept, _refused(
            f"“{typed[:40]}” is no grace period: write whole seconds from 0 to {LONGEST_GRACE:,} (30 days)."
        )
    return Choice(known, int(typed), way, typed), None


def _refused(words: str) -> Refusal:
    return Refusal((Problem(words),), 422, "This cannot be sent")
