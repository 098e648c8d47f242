"""Pause or resume a Deployment's rollout."""

from __future__ import annotations

from typing import ClassVar

from dashboard.edits.fields import Path
from dashboard.quick.toggle import Toggle, Way


class Pause(Toggle):
    id: ClassVar[str] = "pause"
    title: ClassVar[str] = "Pause or resume the rollout"
    path: ClassVar[Path] = ("spec", "paused")
    yes: ClassVar[Way] = Way(
        "Pause the rollout",
        "Changes of its pod template start no new pods until it is resumed. Pods that run go on, and scaling works.",
        "The rollout is paused",
        ("rollout", "pause"),
        slash=True,
    )
    no: ClassVar[Way] = Way(
        "Resume the rollout",
        "What was changed while it was paused is rolled out at once, all of it together.",
        "The rollout is resumed",
        ("rollout", "resume"),
        slash=True,
    )
