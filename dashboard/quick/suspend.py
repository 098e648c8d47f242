"""Suspend or resume a CronJob or a Job."""

from __future__ import annotations

from typing import ClassVar

from dashboard.edits.fields import Path
from dashboard.quick.action import Fact, State
from dashboard.quick.toggle import Toggle, Way


class SuspendCronJob(Toggle):
    id: ClassVar[str] = "suspend"
    title: ClassVar[str] = "Suspend or resume"
    path: ClassVar[Path] = ("spec", "suspend")
    yes: ClassVar[Way] = Way(
        "Suspend", "It starts no more Jobs until it is resumed. Jobs that run go on.", "It is suspended"
    )
    no: ClassVar[Way] = Way(
        "Resume", "It starts Jobs on its schedule again.", "It is resumed and starts Jobs on its schedule"
    )

    def more(self, state: State) -> tuple[Fact, ...]:
        spec = state.live.get("spec") or {}
        if not state.value or spec.get("startingDeadlineSeconds") is not None:
            return ()
        return (
            Fact("It has no startingDeadlineSeconds: a run that was missed meanwhile may be started at once.", "warn"),
        )


class SuspendJob(SuspendCronJob):
    yes: ClassVar[Way] = Way(
        "Suspend",
        "Its pods that run are deleted now, and made anew when it is resumed: what they were at is lost.",
        "It is suspended: its pods are being deleted",
        tone_is_warning=True,
    )
    no: ClassVar[Way] = Way("Resume", "Its pods are made again.", "It is resumed: its pods are being made")

    def facts(self, way: Way, state: State) -> tuple[Fact, ...]:
        conditions = (state.live.get("status") or {}).get("conditions") or ()
        over = {each["type"] for each in conditions if each.get("status") == "True"} & {"Complete", "Failed"}
        if over:
            return (Fact(f"It is over already ({min(over)}): this changes nothing of its pods.", "warn"),)
        return super().facts(way, state)

    def more(self, state: State) -> tuple[Fact, ...]:  # noqa: ARG002
        return ()
