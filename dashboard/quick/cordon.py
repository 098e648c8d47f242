"""Cordon or uncordon a node."""

from __future__ import annotations

from typing import ClassVar

from dashboard.edits.fields import Path
from dashboard.quick.toggle import Toggle, Way


class Cordon(Toggle):
    id: ClassVar[str] = "cordon"
    title: ClassVar[str] = "Cordon or uncordon"
    path: ClassVar[Path] = ("spec", "unschedulable")
    yes: ClassVar[Way] = Way(
        "Cordon",
        "No new pods are put on this node, but those of DaemonSets. The pods that run here stay.",
        "The node is cordoned: no new pods are put on it",
        ("cordon",),
    )
    no: ClassVar[Way] = Way(
        "Uncordon",
        "New pods may be put on this node again. Those that went elsewhere do not come back by themselves.",
        "The node takes new pods again",
        ("uncordon",),
    )
