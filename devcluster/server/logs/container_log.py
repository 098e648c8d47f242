"""Logs of the demo cluster's containers, computed from a pod and the time: nothing is kept.

The same run of a container has the same lines, whenever and however often they are read. Line n is written at a moment
between n and n+1 periods after the start. As with a real kubelet, only the newest file is served: of what was rotated
away nothing is left.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from devcluster.server.logs.voices import Voice, voice_of, write_line

LINES_OF_A_FILE = 5_000
"""Lines after which a file is rotated."""
TRACE_SECONDS = 0.2
"""Seconds before its end in which a container writes why it ends."""
NANOSECONDS = 10**9


@dataclass(frozen=True)
class LogLine:
    """A line, and when it was written: nanoseconds since 1970."""

    nanoseconds: int
    text: str


class ContainerLog:
    """The log of one run of a container."""

    def __init__(self, seed: str, image: str, started: float, finished: float | None, exit_code: int) -> None:
        self.finished = finished
        self._seed = seed
        self._voice: Voice = voice_of(image)
        self._started = started
        self._exit_code = exit_code

    def is_run_of(self, other: ContainerLog) -> bool:
        """Whether both are of the same run."""
        return self._seed == other._seed

    def lines(self, begin: float, end: float) -> Iterator[LogLine]:
        """The lines from `begin` on and before `end` (Unix seconds), oldest first, of those that are in the file at
        `end`.
        """
        last = min(end, self.finished) if self.finished is not None else end
        newest = int((last - self._started) * self._voice.rate)
        first = max(0, int((begin - self._started) * self._voice.rate), newest - newest % LINES_OF_A_FILE)
        for number in range(first, newest + 1):
            rng = random.Random(f"{self._seed}/{number}")  # noqa: S311 -- nothing secret
            moment = self._started + (number + rng.random()) / self._voice.rate
            if begin <= moment < last:
                yield LogLine(int(moment * NANOSECONDS), write_line(self._voice, rng, moment))
        if self.finished is not None and self._exit_code:
            yield from self._trace(begin, end, self.finished)

    def _trace(self, begin: float, end: float, finished: float) -> Iterator[LogLine]:
        """What it wrote before it ended. What runs out of memory writes nothing more."""
        texts = self._voice.trace if self._exit_code != 137 else ()
        for number, text in enumerate(texts):
            moment = finished - TRACE_SECONDS * (1 - number / len(texts))
            if begin <= moment < end:
                yield LogLine(int(moment * NANOSECONDS), text)


class NoLog(Exception):
    """There is no log; the message is the kubelet's."""


def find_log(pod: Mapping[str, Any], container: str, *, previous: bool) -> ContainerLog:
    """The log of a container's present run, or of the one before. Raises NoLog."""
    name = pod["metadata"]["name"]
    status = _status_of(pod, container)
    state, last = status.get("state") or {}, (status.get("lastState") or {}).get("terminated")
    if previous:
        if last is None:
            raise NoLog(f'previous terminated container "{container}" in pod "{name}" not found')
        run = last
    else:
        run = state.get("running") or state.get("terminated") or last
        if run is None:
            reason = (state.get("waiting") or {}).get("reason") or "ContainerCreating"
            raise NoLog(f'container "{container}" in pod "{name}" is waiting to start: {_why(reason)}')
    finished = _unix(run["finishedAt"]) if run.get("finishedAt") else None
    seed = f"{pod['metadata'].get('uid')}/{container}/{run.get('startedAt')}"
    image = status.get("image") or next(each["image"] for each in _containers(pod) if each["name"] == container)
    return ContainerLog(seed, image, _unix(run["startedAt"]), finished, run.get("exitCode") or 0)


def is_running(pod: Mapping[str, Any], container: str) -> bool:
    """Whether the container runs now."""
    return bool((_status_of(pod, container).get("state") or {}).get("running"))


def container_names(pod: Mapping[str, Any]) -> list[str]:
    """The names of all containers, init ones first."""
    return [each["name"] for each in _containers(pod)]


def _containers(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    spec = pod.get("spec") or {}
    return [each for part in ("initContainers", "containers", "ephemeralContainers") for each in spec.get(part) or ()]


def _status_of(pod: Mapping[str, Any], container: str) -> dict[str, Any]:
    status = pod.get("status") or {}
    parts = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    found = (each for part in parts for each in status.get(part) or () if each["name"] == container)
    return next(found, {})


def _why(reason: str) -> str:
    """The kubelet's words for a reason: ``trying and failing to pull image`` for what the image is waited for."""
    return "trying and failing to pull image" if reason in ("ErrImagePull", "ImagePullBackOff") else reason


def _unix(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
