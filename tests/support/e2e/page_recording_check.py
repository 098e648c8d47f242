"""Verdict on the recording of a page: whether it said live while it differed from the history of the cluster.

A live page shows, at every moment, one of the states that the API server has had, whole: the rows with their versions,
order, texts, total and facets. And that state was the newest one not longer than LATE ago.
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.support.e2e.cluster_history import History, Objects, Step
from tests.support.e2e.page_recording import Shot

LATE = 3.5
"""Seconds for which a page may say live after something has changed that it does not show. A web process that freezes
is noticed by the page after 3 s of silence, looked for twice a second; a worker that does after 2.25 s (feed.md)."""
STRUCK = 3.0
"""Seconds for which the row of a deleted object is shown struck out."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A part of a page that shows one kind."""

    name: str
    kind: str
    seen: Callable[[dict[str, Any]], Any]
    """Takes it out of what page_recorder.js has recorded."""
    of: Callable[[Objects], Any]
    """What it is when these are the objects."""

    def wrong(self, parts: dict[str, Any], objects: Objects) -> str:
        """How what was recorded differs from what it is when these are the objects; empty where it does not."""
        seen, expected = self.seen(parts), self.of(objects)
        return "" if _text(seen) == _text(expected) else f"{self.name}: {_difference(seen, expected)}"


class Recording(Protocol):
    """Recording of a page; see `page_recording`."""

    def shots(self) -> list[Shot]: ...

    def stalled(self, since: float, until: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Lie:
    """A page said live, and was wrong."""

    at: float
    sentence: str

    def __str__(self) -> str:
        return f"{self.at:.3f}: {self.sentence}"


@dataclass
class Verdict:
    """Result of judging a recording."""

    lies: list[Lie] = field(default_factory=list)
    states: int = 0
    """States shown live."""
    worst: float = 0.0
    """Seconds after which a change was missing at most, while the page said live."""
    live: float = 0.0
    """Seconds for which it said live."""

    def add(self, other: Verdict) -> None:
        """Take in what was found elsewhere."""
        self.lies += other.lies
        self.states += other.states
        self.worst = max(self.worst, other.worst)
        self.live += other.live


def judge(subject: Subject, recording: Recording, history: History, *, late: float = LATE) -> Verdict:
    """Compare what the page said of `subject` while it was live with every state that there was.

    What the browser and the programs behind the page were held up by the machine does not count.
    """
    steps = history.steps.get(subject.kind, [])
    states = history.shown(subject.kind, lambda objects: _text(subject.of(objects)))
    places: dict[str, list[int]] = {}
    for number, state in enumerate(states):
        places.setdefault(state, []).append(number)
    verdict = Verdict()
    reached = 0  # the state that the page had come to at least
    for shot in recording.shots():
        if shot.state != "live":
            continue
        seen = subject.seen(shot.parts)
        could_be = [number for number in places.get(_text(seen), ()) if _asked(steps, number) <= shot.at]
        if not could_be or could_be[-1] < reached:
            why = "it was so before" if could_be else "it was never so"
            difference = _difference(seen, json.loads(states[_begun(steps, shot.at)]))
            verdict.lies.append(Lie(shot.at, f"{subject.name}: {why}. {difference}"))
            continue
        reached = could_be[bisect.bisect_left(could_be, reached)]
        lateness = max(
            until - since - recording.stalled(since, until)
            for since, until in _outdated(shot, places[_text(seen)], could_be[-1], steps)
        )
        verdict.worst = max(verdict.worst, lateness)
        if lateness > late:
            difference = _difference(seen, json.loads(states[_begun(steps, shot.end)]))
            why = f"it has not been so for {lateness:.2f} s"
            verdict.lies.append(Lie(shot.end, f"{subject.name}: {why}. {difference}"))
        verdict.states += 1
        verdict.live += shot.end - shot.at
    return verdict


def judge_struck(recording: Recording, *, late: float = LATE) -> Verdict:
    """Whether rows of deleted objects were taken away after they had been struck out."""
    since: dict[str, float] = {}
    verdict = Verdict()
    for shot in recording.shots():
        struck = shot.parts.get("struck", [])
        since = {uid: since.get(uid, shot.at) for uid in struck}
        for uid, began in since.items():
            shown = shot.end - began - recording.stalled(began, shot.end)
            if shown > STRUCK + late:
                sentence = f"the row of {uid} has been struck out for {shown:.1f} s and is still there"
                verdict.lies.append(Lie(shot.end, sentence))
    return verdict


def _outdated(shot: Shot, places: list[int], here: int, steps: list[Step]) -> Iterator[tuple[float, float]]:
    """From when to when what was shown, which was state `here` at first, was not so."""
    for again in places[bisect.bisect_right(places, here) :]:
        if _asked(steps, again) > shot.end:
            break
        if again > here + 1:
            yield _span(steps[here].after, _asked(steps, again))
        here = again
    yield _span(steps[here].after, shot.end) if here < len(steps) else (shot.end, shot.end)


def _span(since: float, until: float) -> tuple[float, float]:
    return since, max(since, until)


def _asked(steps: list[Step], number: int) -> float:
    """When the change was asked for that led to this state."""
    return steps[number - 1].before if number else float("-inf")


def _begun(steps: list[Step], moment: float) -> int:
    """The state at that moment."""
    return bisect.bisect_right(steps, moment, key=lambda step: step.before)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _difference(seen: Any, expected: Any) -> str:
    """In words, and short."""
    if not isinstance(seen, dict) or "rows" not in seen:
        return f"It said {seen}, and it is {expected}."
    said = {row[0]: row for row in seen["rows"]}
    right = {row[0]: row for row in expected["rows"]}
    ghosts = [said[each] for each in said.keys() - right.keys()]
    missing = [right[each] for each in right.keys() - said.keys()]
    other = [[said[each], right[each]] for each in said.keys() & right.keys() if said[each] != right[each]]
    rest = {key: [seen[key], expected[key]] for key in seen if key != "rows" and seen[key] != expected[key]}
    moved = not (ghosts or missing or other) and seen["rows"] != expected["rows"]
    found = {"ghosts": ghosts, "missing": missing, "said and is": other, **rest, "in another order": moved}
    return "; ".join(f"{name}: {_short(value)}" for name, value in found.items() if value)


def _short(value: Any) -> str:
    """Of many the first ones."""
    return f"{value[:3]} and {len(value) - 3} more" if isinstance(value, list) and len(value) > 3 else str(value)
