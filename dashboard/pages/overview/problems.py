"""What is wrong now, of several kinds: the longest first, the rest counted by kind and status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from dashboard.live.lines import dom_id, rfc3339, utc_words
from dashboard.live.messages import Row, Tone
from dashboard.live.wrong_rows import Summary
from dashboard.resources.kinds import KindInfo
from dashboard.resources.query import Query
from dashboard.resources.words import object_href

WRONG = 20
"""Shown at most."""
RESTS = 8
"""Sorts of what is not shown that are named."""
Sort = tuple[str, str, Tone]
"""Kind's key, status and tone."""
LONG = 160
"""Characters of a reason above which it is folded."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is wrong now."""

    id: str
    """A part of its element's id."""
    kind: KindInfo
    row: Row
    href: str
    words: str
    """The reason in words; the status where there is none."""
    since: str
    """RFC 3339 since when; empty where unknown."""
    since_text: str
    """The same in UTC words."""

    @property
    def is_long(self) -> bool:
        """Whether the reason is too long to be read at a glance."""
        return len(self.words) > LONG


@dataclass(frozen=True, slots=True)
class Rest:
    """Things of one kind and status that are wrong and not shown."""

    kind: KindInfo
    status: str
    tone: Tone
    count: int
    href: str
    """The list of what has that status."""


@dataclass(frozen=True, slots=True)
class WrongNow:
    """What the overview says is wrong."""

    shown: tuple[Wrong, ...]
    """The longest first, WRONG at most."""
    total: int
    rests: tuple[Rest, ...]
    """The most first."""
    more: int
    """How many belong to none of `rests` and are not shown either."""


def wrong_now(kinds: Iterable[tuple[KindInfo, Summary]], namespaces: tuple[str, ...] = ()) -> WrongNow:
    """What is wrong of these kinds, in `namespaces` (empty: everywhere, and what belongs to none).

    Costs what is shown, and what sorts of wrong there are, whatever their number.
    """
    by_key = {kind.key: (kind, summary) for kind, summary in kinds}
    longest = merge(*(_longest(key, summary, namespaces) for key, (_, summary) in by_key.items()))
    shown = [(since, key, by_key[key][1].wrong[uid]) for since, uid, key in islice(longest, WRONG)]
    left: Counter[Sort] = Counter()
    for key, (_, summary) in by_key.items():
        for (namespace, status, tone), count in summary.sorts.items():
            if not namespaces or namespace in namespaces:
                left[key, status, tone] += count
    total = left.total()
    left.subtract((key, row.status, row.tone) for _, key, row in shown)
    named = [(sort, count) for sort, count in left.most_common(RESTS) if count]
    return WrongNow(
        shown=tuple(_wrong(by_key[key][0], row, since) for since, key, row in shown),
        total=total,
        rests=tuple(_rest(by_key[sort[0]][0], sort, count, namespaces) for sort, count in named),
        more=total - len(shown) - sum(count for _, count in named),
    )


def _longest(key: str, summary: Summary, namespaces: tuple[str, ...]) -> Iterator[tuple[float, str, str]]:
    for since, uid in summary.longest:
        if not namespaces or summary.wrong[uid].namespace in namespaces:
            yield since, uid, key


def _wrong(kind: KindInfo, row: Row, since: float) -> Wrong:
    return Wrong(
        id=f"{kind.resource.plural}-{dom_id(row.uid)}",
        kind=kind,
        row=row,
        href=object_href(kind.key, row.namespace, row.name),
        words=row.reason or row.status,
        since=rfc3339(since) if since else "",
        since_text=utc_words(since) if since else "",
    )


def _rest(kind: KindInfo, sort: Sort, count: int, namespaces: tuple[str, ...]) -> Rest:
    _, status, tone = sort
    query = Query(key=kind.key).with_(namespaces=namespaces).with_status(status)
    return Rest(kind, status, tone, count, query.href())
