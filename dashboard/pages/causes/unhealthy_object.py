"""One object with a problem, as a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.printers.events import row_subject
from dashboard.objects.printers.pod_health import BACK_OFF_MEMORY
from dashboard.objects.printers.pods import restarts_of_pod
from dashboard.runtime.counts_and_times import format_duration
from dashboard.runtime.text_with_links import incident_href, object_href

LONG_REASON = 160
"""Longest reason that is shown unfolded, in characters."""
PODS = "pods"
_QUOTED_OR_NUMBER = re.compile(r'"[^"]*"|\d+')
_RESTARTED = re.compile(r", restarted \d+ times$")
MAX_REASON = 1_000
"""Most characters of a reason that are shown."""


@dataclass(frozen=True, slots=True)
class FirstRestart:
    """The first restart of a crash loop."""

    at: float
    """Unix seconds."""
    count: int
    """How often the pod was restarted then."""


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
    first_restart: FirstRestart | None = None
    """Of a pod in a crash loop; None where it is not known."""
    count: int = 1
    """Number of Events for which this one stands."""

    @property
    def id(self) -> str:
        """Part of its element id."""
        return f"{self.kind.resource.plural}-{dom_id(self.row.uid)}"

    @property
    def tone(self) -> Tone:
        """Its row's; amber where that is well."""
        return shown_tone(self.row.tone)

    @property
    def place(self) -> tuple[str, str, str]:
        """Key of its kind, namespace and name."""
        return self.kind.key, self.row.namespace, self.row.name

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
        return limit_text((self.row.reason or self.row.status) + span_text([self]), MAX_REASON)

    @property
    def status(self) -> str:
        """What is wrong, in a word: never the Running of a pod that is a problem."""
        if self.kind.key != PODS or self.row.status != "Running":
            return self.row.status
        return "Restarted" if self.row.until is not None else "Not ready" if self.row.tone != "ok" else "Running"

    @property
    def logs_href(self) -> str:
        """Address of a pod's logs; empty for other kinds."""
        return f"{self.href}logs/" if self.kind.key == PODS else ""

    @property
    def incident_href(self) -> str:
        """Address of its time line; empty for an Event."""
        return incident_href(self.kind.key, self.row.namespace, self.row.name) if not self.kind.is_event_kind else ""

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
    runs = "runs" if len(pods) == 1 else "run"
    return f"restarted {times} times{span_text(pods)}, last at {utc_text(last)}, {runs} now{how}"


def restarts_again(pod: UnhealthyObject) -> bool:
    """Whether it is a pod whose containers were restarted more than once, and that is a problem because of that."""
    return pod.kind.key == PODS and (pod.row.until is not None or _RESTARTED.search(pod.row.reason) is not None)


def span_text(pods: Sequence[UnhealthyObject]) -> str:
    """In which time pods were restarted: `` in 6 min``, from the first restart where that is known, else from when the
    pod was created; empty where they were not restarted again and again.
    """
    spans = [
        last - (pod.row.created if pod.first_restart is None else pod.first_restart.at)
        for pod in pods
        if restarts_again(pod) and (last := restarts_of_pod(pod.row)[1]) is not None and pod.row.created is not None
    ]
    return f" in {format_duration(max(spans))}" if spans and max(spans) >= 1 else ""


def fold_events(lines: Sequence[UnhealthyObject]) -> list[UnhealthyObject]:
    """The lines in their order; of Events that say the same of the same object, but for names and numbers, the first is
    there, with their number and the begin of the oldest.
    """
    found: dict[object, UnhealthyObject] = {}
    for line in lines:
        said = (line.title, _QUOTED_OR_NUMBER.sub("…", line.words)) if line.kind.is_event_kind else line.row.uid
        first = found.get(said, replace(line, count=0))
        begin = min(first.since_seconds, line.since_seconds)
        found[said] = replace(first, count=first.count + line.count, since_seconds=begin)
    return list(found.values())
