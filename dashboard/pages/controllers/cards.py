"""Cards of the controllers page: texts, addresses and charts for the templates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.live.rendering.charts import BarSegment, bar_segments, rate_text, tone_counts
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Tone
from dashboard.pages.controllers.builtin_controllers import setting_name
from dashboard.pages.controllers.reconcile_history import HISTORY_SECONDS, STEP_SECONDS
from dashboard.pages.controllers.worker_messages import History
from dashboard.runtime.counts_and_times import format_duration
from dashboard.runtime.text_with_links import object_href
from informerd.controller.request import Request
from informerd.controller.state import ControllerState, FailedKey, StuckKey

_UNITS = ((1e-6, 1e-3, "µs"), (1e-3, 1.0, "ms"), (1.0, 60.0, "s"))
"""Size in seconds, the seconds from which the next unit is used, name."""


def latency_text(seconds: float | None) -> str:
    """``340 µs``, ``1.4 ms``, ``12 ms``, ``3.2 s``, ``2 min 5 s``; a dash where there is none."""
    if seconds is None:
        return "–"
    for size, end, unit in _UNITS:
        number = float(f"{max(0.0, seconds) / size:.2g}") if seconds < 100 * size else round(seconds / size)
        if number * size < end:
            return f"{number:g} {unit}"
    return format_duration(seconds)


TONE_OF_PHASE: dict[str, Tone] = {"running": "ok", "failed": "bad", "stopped": "idle", "stopping": "idle"}
"""Phases in which the manager waits; every other phase is busy."""
OUTCOMES: tuple[tuple[str, str, Tone], ...] = (
    ("success", "succeeded", "ok"),
    ("requeue", "asked again", "busy"),
    ("requeue_after", "asked again later", "busy"),
    ("error", "failed", "bad"),
    ("timeout", "timed out", "bad"),
    ("panic", "raised by mistake", "bad"),
    ("terminal", "failed for good", "warn"),
)
"""Outcome, in words, tone; in the order of the bar."""
POINTS = HISTORY_SECONDS // STEP_SECONDS
"""Steps in the width of a chart."""
TOP, BOTTOM = 3.0, 60.0
"""y of a chart's highest value and of zero, in a picture 100 wide and 60 high."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A time that the browser shows as an age."""

    datetime: str
    """RFC 3339."""
    text: str
    """The same in UTC words."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The last 15 minutes as a line over an area, viewBox 0 0 100 60; without a path where all values are zero."""

    line: str
    area: str
    max_text: str
    """The highest value, in words."""
    words: str
    """Description for screen readers."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """Number of reconciles with this outcome."""

    words: str
    tone: Tone
    count: int


@dataclass(frozen=True, slots=True)
class KeyLine:
    """An object that a controller fails on."""

    key: str
    href: str
    """Its details page; empty where its kind is not watched."""
    item: str
    """Value of a requeue's `item`: ``controller/key``."""
    id: str
    error: str
    failures: int
    last: Timestamp | None
    retry: Timestamp | None
    """Time of the next try; None where the object has to change first."""


@dataclass(frozen=True, slots=True)
class Card:
    """A controller on the page."""

    id: str
    title: str
    """Its name in DELTABOARD_CONTROLLERS."""
    state: ControllerState
    href: str
    """The list of its kind; empty where that is not watched."""
    tone: Tone
    rate: str
    p50: str
    p99: str
    oldest_since: Timestamp | None
    """Time since which its oldest key has been waiting."""
    oldest_href: str
    last: Timestamp | None
    outcomes: tuple[OutcomeCount, ...]
    outcome_bar: tuple[BarSegment, ...]
    reconcile_count: int
    failures: int
    depth_chart: Chart
    rate_chart: Chart
    failed: tuple[KeyLine, ...]
    """Sorted by key, so that no button moves from under the pointer when a key fails again."""
    stuck: tuple[KeyLine, ...]


def card_of(state: ControllerState, history: History, now: float, kinds: Sequence[KindInfo]) -> Card:
    """The card of a controller in its state at Unix time `now`."""
    kind = next((each for each in kinds if each.key == state.resource), None)
    queue = state.queue
    outcomes = outcomes_of(state.reconciles)
    return Card(
        id=element_id(state.name),
        title=setting_name(state.name),
        state=state,
        href=kind.path if kind is not None else "",
        tone=TONE_OF_PHASE.get(state.phase, "busy"),
        rate=rate_text(history.rate) or "0",
        p50=latency_text(state.p50),
        p99=latency_text(state.p99),
        oldest_since=timestamp(now - queue.oldest_seconds) if queue.oldest_key else None,
        oldest_href=_href(kind, queue.oldest_key),
        last=timestamp(state.last_at),
        outcomes=outcomes,
        outcome_bar=bar_segments(tone_counts((outcome.tone, outcome.count) for outcome in outcomes)),
        reconcile_count=sum(outcome.count for outcome in outcomes),
        failures=sum(outcome.count for outcome in outcomes if outcome.tone in ("bad", "warn")),
        depth_chart=chart_of(history.depth, "The queue's depth", "deep at most"),
        rate_chart=chart_of([count / history.step for count in history.reconciles], "Reconciles a second", "at most"),
        failed=tuple(_failed(state.name, failed, kind) for failed in sorted(state.failed, key=lambda one: one.key)),
        stuck=tuple(_stuck(state.name, stuck, kind, now) for stuck in state.stuck),
    )


def outcomes_of(reconciles: dict[str, int]) -> tuple[OutcomeCount, ...]:
    """The outcomes that have occurred, known ones first."""
    names = {name for name, _, _ in OUTCOMES}
    unknown: list[tuple[str, str, Tone]] = [(name, name, "idle") for name in reconciles if name not in names]
    return tuple(
        OutcomeCount(words, tone, reconciles[name])
        for name, words, tone in (*OUTCOMES, *unknown)
        if reconciles.get(name)
    )


def chart_of(values: Sequence[float], title: str, unit: str) -> Chart:
    """The chart of all values so far, the newest on the right."""
    most = max(values, default=0)
    words = f"{title} in the last 15 minutes: {rate_text(most)} {unit}" if most else f"{title}: 0 for 15 minutes"
    if not most:
        return Chart("", "", "0", words)
    wide, scale = 100 / (POINTS - 1), (BOTTOM - TOP) / most
    first = 100 - (len(values) - 1) * wide
    points = [(first + index * wide, BOTTOM - value * scale) for index, value in enumerate(values)]
    line = "M" + " ".join(f"{x:.1f} {y:.1f}" for index, (x, y) in enumerate(points) if _bends(points, index))
    return Chart(line, f"{line} 100 {BOTTOM:g} {first:.1f} {BOTTOM:g}Z", rate_text(most), words)


def timestamp(at: float | None) -> Timestamp | None:
    """Unix time `at` in whole seconds, so that a page does not change for less."""
    return Timestamp(rfc3339(round(at)), utc_text(round(at))) if at is not None else None


def element_id(name: str) -> str:
    """A controller's or key's name as part of an element id."""
    return hashlib.blake2b(name.encode(), digest_size=6).hexdigest()


def _bends(points: Sequence[tuple[float, float]], index: int) -> bool:
    """Whether the line needs this point: most of a quiet quarter of an hour is flat."""
    if index in (0, len(points) - 1):
        return True
    return not points[index - 1][1] == points[index][1] == points[index + 1][1]


def _failed(controller: str, failed: FailedKey, kind: KindInfo | None) -> KeyLine:
    return KeyLine(
        key=failed.key,
        href=_href(kind, failed.key),
        item=f"{controller}/{failed.key}",
        id=element_id(f"{controller}/{failed.key}"),
        error=failed.error,
        failures=failed.failures,
        last=timestamp(failed.at),
        retry=timestamp(failed.retry_at),
    )


def _stuck(controller: str, stuck: StuckKey, kind: KindInfo | None, now: float) -> KeyLine:
    item = f"{controller}/{stuck.key}"
    return KeyLine(
        stuck.key,
        _href(kind, stuck.key),
        item,
        element_id(item),
        "",
        0,
        last=timestamp(now - stuck.seconds),
        retry=None,
    )


def _href(kind: KindInfo | None, key: str) -> str:
    if kind is None or not key:
        return ""
    request = Request.from_key(key)
    return object_href(kind.key, request.namespace, request.name)
