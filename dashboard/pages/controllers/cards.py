"""What templates get to see of a controller: texts, addresses and pictures, ready to print."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.controllers.history import SPAN, STEP
from dashboard.controllers.messages import History
from dashboard.controllers.registry import known_as
from dashboard.controllers.words import readable
from dashboard.live.histogram import rate_words
from dashboard.live.lines import Share, rfc3339, shares, tone_counts, utc_words
from dashboard.live.messages import Tone
from dashboard.resources.kinds import KindInfo
from dashboard.resources.words import object_href
from informerd.controller.request import Request
from informerd.controller.state import ControllerState, FailedKey, StuckKey

TONE_OF_PHASE: dict[str, Tone] = {"running": "ok", "failed": "bad", "stopped": "idle", "stopping": "idle"}
"""Every other phase is busy: something is waited for."""
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
POINTS = SPAN // STEP
"""Steps in the width of a chart."""
TOP, BOTTOM = 3.0, 60.0
"""Where a chart's highest value and its zero are, in a picture 100 wide and 60 high."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time that the browser shows as an age."""

    datetime: str
    """RFC 3339."""
    text: str
    """The same in UTC words."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The last 15 minutes as a line over an area, viewBox 0 0 100 60; without a path where all is zero."""

    line: str
    area: str
    most: str
    """The highest value, in words."""
    words: str
    """What somebody hears who does not see it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many reconciles ended so."""

    words: str
    tone: Tone
    count: int


@dataclass(frozen=True, slots=True)
class KeyLine:
    """An object that a controller has trouble with."""

    key: str
    href: str
    """Its details; empty where its kind is not watched."""
    item: str
    """What a requeue names: ``controller/key``."""
    id: str
    error: str
    failures: int
    last: Moment | None
    retry: Moment | None
    """When it is tried next; None: not before it changes."""


@dataclass(frozen=True, slots=True)
class Card:
    """A controller at a glance."""

    id: str
    title: str
    """Its name in DELTABOARD_CONTROLLERS."""
    state: ControllerState
    href: str
    """The list of the kind that it is for; empty where that is not watched."""
    tone: Tone
    rate: str
    p50: str
    p99: str
    oldest: Moment | None
    """Since when its oldest key has been waiting."""
    oldest_href: str
    last: Moment | None
    outcomes: tuple[Outcome, ...]
    spread: tuple[Share, ...]
    ended: int
    failures: int
    depth_chart: Chart
    rate_chart: Chart
    failed: tuple[KeyLine, ...]
    """By key, so that no button moves from under the pointer when one of them fails again."""
    stuck: tuple[KeyLine, ...]


def card_of(state: ControllerState, history: History, now: float, watched: Sequence[KindInfo]) -> Card:
    """The card of a controller that was so at Unix time `now`."""
    kind = next((each for each in watched if each.key == state.resource), None)
    queue = state.queue
    outcomes = outcomes_of(state.reconciles)
    return Card(
        id=slug(state.name),
        title=known_as(state.name),
        state=state,
        href=kind.path if kind is not None else "",
        tone=TONE_OF_PHASE.get(state.phase, "busy"),
        rate=rate_words(history.rate) or "0",
        p50=readable(state.p50),
        p99=readable(state.p99),
        oldest=moment(now - queue.oldest_seconds) if queue.oldest_key else None,
        oldest_href=_href(kind, queue.oldest_key),
        last=moment(state.last_at),
        outcomes=outcomes,
        spread=shares(tone_counts((outcome.tone, outcome.count) for outcome in outcomes)),
        ended=sum(outcome.count for outcome in outcomes),
        failures=sum(outcome.count for outcome in outcomes if outcome.tone in ("bad", "warn")),
        depth_chart=chart_of(history.depth, "The queue's depth", "deep at most"),
        rate_chart=chart_of([count / history.step for count in history.ended], "Reconciles a second", "at most"),
        failed=tuple(_failed(state.name, failed, kind) for failed in sorted(state.failed, key=lambda one: one.key)),
        stuck=tuple(_stuck(state.name, stuck, kind, now) for stuck in state.stuck),
    )


def outcomes_of(reconciles: dict[str, int]) -> tuple[Outcome, ...]:
    """The outcomes that there have been, those that are known first."""
    names = {name for name, _, _ in OUTCOMES}
    unknown: list[tuple[str, str, Tone]] = [(name, name, "idle") for name in reconciles if name not in names]
    return tuple(
        Outcome(words, tone, reconciles[name]) for name, words, tone in (*OUTCOMES, *unknown) if reconciles.get(name)
    )


def chart_of(values: Sequence[float], title: str, unit: str) -> Chart:
    """The picture of the values of all steps so far, the newest last and on the right."""
    most = max(values, default=0)
    words = f"{title} in the last 15 minutes: {rate_words(most)} {unit}" if most else f"{title}: 0 for 15 minutes"
    if not most:
        return Chart("", "", "0", words)
    wide, scale = 100 / (POINTS - 1), (BOTTOM - TOP) / most
    first = 100 - (len(values) - 1) * wide
    points = [(first + index * wide, BOTTOM - value * scale) for index, value in enumerate(values)]
    line = "M" + " ".join(f"{x:.1f} {y:.1f}" for index, (x, y) in enumerate(points) if _bends(points, index))
    return Chart(line, f"{line} 100 {BOTTOM:g} {first:.1f} {BOTTOM:g}Z", rate_words(most), words)


def moment(at: float | None) -> Moment | None:
    """Unix time `at`, to the second, so that a page does not change for less."""
    return Moment(rfc3339(round(at)), utc_words(round(at))) if at is not None else None


def slug(name: str) -> str:
    """A controller's or key's name as a part of an element's id."""
    return hashlib.blake2b(name.encode(), digest_size=6).hexdigest()


def _bends(points: Sequence[tuple[float, float]], index: int) -> bool:
    """Whether the line would be another one without this point: most of a quiet quarter of an hour is flat."""
    if index in (0, len(points) - 1):
        return True
    return not points[index - 1][1] == points[index][1] == points[index + 1][1]


def _failed(controller: str, failed: FailedKey, kind: KindInfo | None) -> KeyLine:
    return KeyLine(
        key=failed.key,
        href=_href(kind, failed.key),
        item=f"{controller}/{failed.key}",
        id=slug(f"{controller}/{failed.key}"),
        error=failed.error,
        failures=failed.failures,
        last=moment(failed.at),
        retry=moment(failed.retry_at),
    )


def _stuck(controller: str, stuck: StuckKey, kind: KindInfo | None, now: float) -> KeyLine:
    item = f"{controller}/{stuck.key}"
    return KeyLine(
        stuck.key, _href(kind, stuck.key), item, slug(item), "", 0, last=moment(now - stuck.seconds), retry=None
    )


def _href(kind: KindInfo | None, key: str) -> str:
    if kind is None or not key:
        return ""
    request = Request.from_key(key)
    return object_href(kind.key, request.namespace, request.name)
