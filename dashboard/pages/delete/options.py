"""Delete options of the form: policy for the dependents, and grace period."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.writes.object_client import Propagation

MAX_GRACE = 30 * 24 * 3600
"""Seconds; a longer period is a typing error."""
PROPAGATIONS: tuple[Propagation, ...] = get_args(Propagation)
GRACE_MODES = ("default", "now", "other")
_SECONDS = re.compile(r"\d{1,12}")


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """`grace` in seconds; None is the object's own."""

    propagation: Propagation = "Background"
    grace: int | None = None
    grace_mode: str = "default"
    """One of GRACE_MODES, as chosen."""
    seconds_text: str = ""
    """The seconds as typed."""


def parse_delete_options(form_data: Mapping[str, str]) -> tuple[DeleteOptions, Refusal | None]:
    """The chosen options, and the refusal of invalid ones: then nothing may be sent. Typed input is included in any
    case.
    """
    mode, seconds_text = form_data.get("grace", "default"), form_data.get("seconds", "").strip()
    policy = form_data.get("propagation", PROPAGATIONS[0])
    known = next((each for each in PROPAGATIONS if each == policy), PROPAGATIONS[0])
    submitted = DeleteOptions(known, None, mode if mode in GRACE_MODES else "default", seconds_text[:40])
    if policy not in PROPAGATIONS:
        words = f"“{policy[:40]}” is not a deletion policy: choose Background, Foreground or Orphan."
        return submitted, _refused(words)
    if mode not in GRACE_MODES:
        return submitted, _refused(
            f"“{mode[:40]}” is not a grace period: choose the default, none, or a number of seconds."
        )
    if mode != "other":
        return DeleteOptions(known, 0 if mode == "now" else None, mode, seconds_text[:40]), None
    if not _SECONDS.fullmatch(seconds_text) or int(seconds_text) > MAX_GRACE:
        return submitted, _refused(
            f"“{seconds_text[:40]}” is not a grace period: enter whole seconds from 0 to {MAX_GRACE:,} (30 days)."
        )
    return DeleteOptions(known, int(seconds_text), mode, seconds_text), None


def _refused(words: str) -> Refusal:
    return Refusal((Problem(words),), 422, "This cannot be sent")
