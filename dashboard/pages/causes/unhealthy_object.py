"""One object with a problem, as a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers.events import row_subject
from dashboard.objects.printers.pod_health import BACK_OFF_MEMORY
from dashboard.objects.printers.pods import restarts_of_pod
from dashboard.runtime.text_with_links import object_href

LONG_REASON = 160
"""Longest reason that is shown unfolded, in characters."""
MAX_REASON = 1_000
"""Most characters of a reason that are shown."""


@dataclass(frozen=True, slots=True)
class UnhealthyObject:
    """An object with a problem."""

    kind: KindInfo
    row: Row
    rank: int
    """Of its tone; 0 is the worst."""
    since_seconds: float
    """Unix seconds since when; UNKNOWN_SINCE where it is unknown."""
    is_gone: bool = False
    """Whether it is an Event about an object that does not exist any more."""

    @property
    def id(self) -> str:
        """Part of its element id."""
        return f"{self.kind.resource.plural}-{dom_id(self.row.uid)}"

    @property
    def tone(self) -> Tone:
        """Its row's; amber where that is well."""
        return shown_tone(self.row.tone)

    @property
    def href(self) -> str:
        return object_href(self.kind.key, self.row.namespace, self.row.name)

    @property
    def title(self) -> str:
        """Its namespace and name; of an Event those of the object that it is about."""
        about = row_subject(self.row) if self.kind.is_event_kind else None
        if about is None:
            return self.row.key
        kind = f"{about.kind}, gone" if self.is_gone else about.kind
        return f"{self.row.namespace}/{about.name} ({kind})" if self.row.namespace else about.name

    @property
    def words(self) -> str:
        """The reason in words; the status where there is none."""
        if self.row.until is not None:
            return restarts_text([self])
        if self.row.tone == "ok":
            return "ready when its node was last heard of"
        return limit_text(self.row.reason or self.row.status, MAX_REASON)

    @property
    def since(self) -> str:
        """RFC 3339 start of the problem; empty where it is unknown."""
        return rfc3339(self.since_seconds) if self.since_seconds != UNKNOWN_SINCE else ""

    @property
    def since_text(self) -> str:
        """The same in UTC words."""
        return utc_text(self.since_seconds) if self.since_seconds != UNKNOWN_SINCE else ""

    @property
    def is_long(self) -> bool:
        """Whether the reason is too long for one glance."""
        return len(self.words) > LONG_REASON


def shown_tone(tone: Tone) -> Tone:
    """The tone with which an object of a cause is shown: amber where it is well now."""
    return "warn" if tone == "ok" else tone


def restarts_text(pods: Sequence[UnhealthyObject]) -> str:
    """Pods that run after a crash loop, as the end of a sentence: ``restarted 5 times, last at …, runs now``."""
    counts = sorted(restarts_of_pod(pod.row)[0] for pod in pods)
    last = max(pod.row.until or 0.0 for pod in pods) - BACK_OFF_MEMORY
    times = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    unready = sum(pod.row.tone != "ok" for pod in pods)
    how = "" if not unready else ", not ready" if unready == len(pods) else f", {unready} of them not ready"
    return f"restarted {times} times, last at {utc_text(last)}, {'runs' if len(pods) == 1 else 'run'} now{how}"
