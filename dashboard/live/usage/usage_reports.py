"""Newest reports of usage in a web process: of one worker, or of several that divide the namespaces, read as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.live.usage.messages import ReportPart
from dashboard.live.usage.missing_rights import MissingRights
from dashboard.objects.usage.usage import Usage
from dashboard.runtime.shard import WHOLE, Shard
from informerd.clock import Clock

SILENCE_TIMEOUT = 150.0
"""Seconds of silence of a worker after which the reports of an older one are accepted."""


@dataclass(frozen=True, slots=True)
class UsageReport:
    """One poll of one worker, or of several. See ReportPart for the fields."""

    numbers: tuple[tuple[str, int], ...]
    """Epoch and number of each poll."""
    problem: str
    answered_at: float | None
    is_served: bool
    missing: MissingRights
    tried_at: float | None
    """Unix seconds of the end of the poll that has the problem; None where none has."""
    next_at: float | None
    """Unix seconds of the next try."""
    usages: dict[str, dict[str, Usage]]
    """By key of the kind, and key of the object."""


class UsageReports:
    """Takes in reports part by part. `newest` is what they say together; None before the first."""

    def __init__(self, clock: Clock) -> None:
        self.newest: UsageReport | None = None
        self._clock = clock
        self._by_shard: dict[Shard, _ShardReports] = {}

    @property
    def is_complete(self) -> bool:
        """Whether every shard has reported."""
        return self.newest is not None and not self.missing_shards

    @property
    def missing_shards(self) -> list[Shard]:
        """Shards that have not reported while others have."""
        division = self._division()
        count = next(iter(division)).count if division else 0
        return [shard for number in range(1, count + 1) if (shard := Shard(number, count)) not in division]

    @property
    def silent_shards(self) -> list[Shard]:
        """Shards of several that have reported, and whose next report is overdue."""
        return [shard for shard, reports in self._division().items() if shard != WHOLE and reports.is_overdue]

    def receive(self, part: ReportPart) -> bool:
        """Take in a part of a report; of two workers of a shard the younger is believed while it is heard.

        Returns whether `newest` has changed.
        """
        if not part.shard.is_valid:
            return False
        reports = self._by_shard.setdefault(part.shard, _ShardReports(self._clock))
        if not reports.receive(part):
            return False
        self.newest = self._joined()
        return True

    def _division(self) -> dict[Shard, _ShardReports]:
        """The shards that have reported of the division that is followed: of several that are whole the youngest."""
        by_count: dict[int, dict[Shard, _ShardReports]] = {}
        for shard, reports in self._by_shard.items():
            if reports.report is not None:
                by_count.setdefault(shard.count, {})[shard] = reports

        def rank(division: dict[Shard, _ShardReports]) -> tuple[bool, str]:
            is_whole = len(division) == next(iter(division)).count
            is_heard = is_whole and all(each.is_heard for each in division.values())
            return is_heard, max(each.epoch for each in division.values())

        return max(by_count.values(), key=rank, default={})

    def _joined(self) -> UsageReport:
        reports = [each.report for each in self._division().values() if each.report is not None]
        usages: dict[str, dict[str, Usage]] = {}
        for report in reports:
            for key, of_kind in report.usages.items():
                usages.setdefault(key, {}).update(of_kind)
        failed = next((report for report in reports if report.problem), None)
        return UsageReport(
            numbers=tuple(number for report in reports for number in report.numbers),
            problem=failed.problem if failed is not None else "",
            answered_at=_earliest(report.answered_at for report in reports),
            is_served=any(report.is_served for report in reports),
            missing=MissingRights(
                any(report.missing.pods for report in reports),
                any(report.missing.nodes for report in reports),
                tuple(sorted({name for report in reports for name in report.missing.namespaces})),
            ),
            tried_at=failed.tried_at if failed is not None else None,
            next_at=failed.next_at if failed is not None else None,
            usages=usages,
        )


class _ShardReports:
    """The newest report of the workers of one shard."""

    def __init__(self, clock: Clock) -> None:
        self.report: UsageReport | None = None
        self.epoch = ""
        self._clock = clock
        self._heard_at = float("-inf")
        self._pause = 0.0
        """Seconds between its newest report and the next one, as it said."""
        self._parts: dict[int, ReportPart] = {}
        self._incomplete: tuple[str, int] = ("", 0)

    @property
    def is_heard(self) -> bool:
        return self._clock.now() - self._heard_at < SILENCE_TIMEOUT

    @property
    def is_overdue(self) -> bool:
        """Whether it has been silent for so long after the time at which the next report was to come."""
        return self._clock.now() - self._heard_at >= SILENCE_TIMEOUT + self._pause

    def receive(self, part: ReportPart) -> bool:
        """Take in a part. Returns whether it completes a report."""
        if part.epoch < self.epoch and self.is_heard:
            return False
        if (part.epoch, part.number) != self._incomplete:
            self._incomplete, self._parts = (part.epoch, part.number), {}
        self._parts[part.index] = part
        if len(self._parts) < part.total:
            return False
        parts, self._parts = [self._parts[index] for index in sorted(self._parts)], {}
        self.epoch, self._heard_at = part.epoch, self._clock.now()
        self._pause = max(0.0, part.next_at - part.polled_at) if part.next_at is not None else 0.0
        usages: dict[str, dict[str, Usage]] = {}
        for each in parts:
            for key, of_kind in each.items:
                usages.setdefault(key, {}).update((usage.key, usage) for usage in of_kind)
        self.report = UsageReport(
            numbers=((part.epoch, part.number),),
            problem=part.problem,
            answered_at=part.answered_at,
            is_served=part.is_served,
            missing=parts[0].missing,
            tried_at=part.polled_at if part.problem else None,
            next_at=part.next_at,
            usages=usages,
        )
        return True


def _earliest(moments: Iterable[float | None]) -> float | None:
    return min((moment for moment in moments if moment is not None), default=None)
