"""What objects used before the worker began to keep it, as Prometheus knows it, kept for a while."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from dashboard.live.usage.prometheus import MAX_PODS, Prometheus, PrometheusProblem, selector_of
from dashboard.live.usage.usage_totals import NAMESPACES, NODES, PODS, Rows, pods_of
from dashboard.objects.usage.past_usage import Sample
from informerd.clock import Clock
from informerd.lru_cache import LruCache

logger = logging.getLogger(__name__)

DAY = 24 * 3600.0
KNOWN_SECONDS = 600.0
"""Seconds after which it is asked again: the worker itself keeps what comes meanwhile."""
PROBLEM_SECONDS = 60.0
"""The same after a failure."""
MAX_OBJECTS = 500
"""Most objects whose past is kept, some kilobytes each."""


@dataclass(frozen=True, slots=True)
class _Answer:
    asked_at: float
    samples: tuple[Sample, ...] = ()
    problem: str = ""


class OlderUsage:
    """The last day of objects from `prometheus`. `rows` returns the objects that the worker follows."""

    def __init__(self, prometheus: Prometheus, clock: Clock, rows: Callable[[], Rows]) -> None:
        self._prometheus = prometheus
        self._clock = clock
        self._rows = rows
        self._answers: LruCache[tuple[str, str], _Answer] = LruCache(MAX_OBJECTS)
        self._problem = ""

    def known(self, kind: str, key: str) -> tuple[tuple[Sample, ...], str]:
        """The samples that are known, oldest first, and why others are not, as a sentence."""
        answer = self._answers.get((kind, key))
        return (answer.samples, answer.problem) if answer is not None else ((), "")

    def must_ask(self, kind: str, key: str) -> bool:
        """Whether what is known is too old, or nothing is."""
        answer = self._answers.get((kind, key))
        if answer is None:
            return True
        return self._clock.now() - answer.asked_at >= (PROBLEM_SECONDS if answer.problem else KNOWN_SECONDS)

    async def read(self, kind: str, key: str) -> None:
        """Ask Prometheus. Never raises: what fails is known as the problem."""
        before = self._answers.get((kind, key)) or _Answer(0.0)
        now, end = self._clock.now(), self._clock.time()
        self._answers.put((kind, key), _Answer(now, before.samples, before.problem))  # so nobody else asks meanwhile
        rows = self._rows()
        pods = pods_of(kind, key, rows) if kind not in (PODS, NODES, NAMESPACES) else []
        selector = selector_of(kind, key, pods)
        created = next((row.created for row in rows.get(kind, {}).values() if row.key == key), None)
        begin = max(end - DAY, created or 0.0)  # before that, it was another object of its name
        try:
            samples = tuple(await self._prometheus.samples(selector, begin, end)) if selector else ()
            problem = self._gap_of(kind, pods, is_known=bool(samples))
        except PrometheusProblem as error:
            samples, problem = before.samples, str(error)
            if problem != self._problem:
                logger.warning("usage: %s", problem)
            self._problem = problem
        self._answers.put((kind, key), _Answer(now, samples, problem))

    def _gap_of(self, kind: str, pods: list[str], *, is_known: bool) -> str:
        """Why nothing is known though nothing failed, as a sentence; empty where there may simply be nothing."""
        if kind == NODES and not is_known:
            return f'{self._prometheus.name} has no series of this node: some set-ups drop those with id="/".'
        if len(pods) > MAX_PODS:
            return f"It has more than {MAX_PODS} pods: what they used before is not summed up."
        return ""
