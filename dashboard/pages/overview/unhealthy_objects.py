"""Current problems of several kinds: the worst first, of these the oldest; the rest counted by kind and status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from dashboard.live.hub.kind_summaries import UNKNOWN_SINCE, KindSummary
from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.rendering.time_texts import rfc3339, utc_text
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row, Tone
from dashboard.objects.query.list_query import Query
from dashboard.runtime.text_with_links import object_href

MAX_SHOWN = 20
"""Most problems that are shown."""
MAX_GROUPS = 8
"""Most groups of further problems that are listed."""
GroupKey = tuple[str, str, Tone]
"""Kind's key, status and tone."""
LONG_REASON = 160
"""Longest reason that is shown unfolded, in characters."""
MAX_REASON = 1_000
"""Most characters of a reason that are shown."""


@dataclass(frozen=True, slots=True)
class UnhealthyObject:
    """An object with a problem."""

    id: str
    """Part of its element id."""
    kind: KindInfo
    row: Row
    href: str
    words: str
    """The reason in words; the status where there is none."""
    since: str
    """RFC 3339 start of the problem; empty where it is unknown."""
    since_text: str
    """The same in UTC words."""

    @property
    def is_long(self) -> bool:
        """Whether the reason is too long for one glance."""
        return len(self.words) > LONG_REASON


@dataclass(frozen=True, slots=True)
class UnhealthyGroup:
    """Objects of one kind and status that have a problem and are not shown."""

    kind: KindInfo
    status: str
    tone: Tone
    count: int
    href: str
    """The list of the kind's objects with that status."""


@dataclass(frozen=True, slots=True)
class UnhealthyObjects:
    """The overview's problems."""

    shown: tuple[UnhealthyObject, ...]
    """The worst problems first, of these the oldest, MAX_SHOWN at most."""
    total: int
    groups: tuple[UnhealthyGroup, ...]
    """The largest groups first."""
    more_count: int
    """Number of objects that are neither shown nor in `groups`."""


def find_unhealthy(kinds: Iterable[tuple[KindInfo, KindSummary]], namespaces: tuple[str, ...] = ()) -> UnhealthyObjects:
    """Problems of these kinds, in `namespaces` (empty: everywhere, cluster-scoped objects included).

    The cost depends on the shown objects and the number of groups, not on the number of objects.
    """
    by_key = {kind.key: (kind, summary) for kind, summary in kinds}
    worst = merge(*(_worst(key, summary, namespaces) for key, (_, summary) in by_key.items()))
    shown = [(since, key, by_key[key][1].unhealthy_rows[uid]) for _, since, uid, key in islice(worst, MAX_SHOWN)]
    left: Counter[GroupKey] = Counter()
    for key, (_, summary) in by_key.items():
        for (namespace, status, tone), count in summary.group_counts.items():
            if not namespaces or namespace in namespaces:
                left[key, status, tone] += count
    total = left.total()
    left.subtract((key, row.status, row.tone) for _, key, row in shown)
    named = [(sort, count) for sort, count in left.most_common(MAX_GROUPS) if count]
    return UnhealthyObjects(
        shown=tuple(_wrong(by_key[key][0], row, since) for since, key, row in shown),
        total=total,
        groups=tuple(_group_of(by_key[sort[0]][0], sort, count, namespaces) for sort, count in named),
        more_count=total - len(shown) - sum(count for _, count in named),
    )


def _worst(key: str, summary: KindSummary, namespaces: tuple[str, ...]) -> Iterator[tuple[int, float, str, str]]:
    for rank, since, uid in summary.worst_first:
        if not namespaces or summary.unhealthy_rows[uid].namespace in namespaces:
            yield rank, since, uid, key


def _wrong(kind: KindInfo, row: Row, since: float) -> UnhealthyObject:
    return UnhealthyObject(
        id=f"{kind.resource.plural}-{dom_id(row.uid)}",
        kind=kind,
        row=row,
        href=object_href(kind.key, row.namespace, row.name),
        words=limit_text(row.reason or row.status, MAX_REASON),
        since=rfc3339(since) if since != UNKNOWN_SINCE else "",
        since_text=utc_text(since) if since != UNKNOWN_SINCE else "",
    )


def _group_of(kind: KindInfo, sort: GroupKey, count: int, namespaces: tuple[str, ...]) -> UnhealthyGroup:
    _, status, tone = sort
    query = Query(key=kind.key).with_(namespaces=namespaces).with_status(status)
    return UnhealthyGroup(kind, status, tone, count, query.href())
