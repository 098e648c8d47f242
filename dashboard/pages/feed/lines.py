"""Feed lines for the templates: one line for an entry, or for a burst."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from dashboard.live.rendering.time_texts import clock_text, rfc3339
from dashboard.objects.kinds.catalog import KindInfo, find_builtin_kind, find_kind, kind_title
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.objects.query.wildcard import Pattern
from dashboard.pages.feed.bursts import OPERATIONS, FeedItem
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.terms import EntryTerm, subject_text
from dashboard.pages.feed.time_range import TimeRange
from dashboard.runtime.text_with_links import object_href


@dataclass(frozen=True, slots=True)
class FeedLine:
    """A line of the feed, for `feed/_entry.html`, which sees it as ``line``.

    A Kubernetes Event is shown under its subject: `namespace`, `name`, `kind_title` and `href` are that object's.
    """

    is_gap: ClassVar[bool] = False
    resource: str
    kind_title: str
    """The Kind: ``Pod``, ``Gateway (networking.istio.io)``."""
    entry: Entry
    href: str
    time: str
    """UTC, ``14:02:34.118``, of another day ``11-27 14:02:34.118``."""
    datetime: str
    """RFC 3339."""
    namespace: str = ""
    name: str = ""
    op: str = ""
    """Operation that is shown: ``event`` for one of an Event, which says nothing of its subject's existence."""
    id: str = ""
    """Id of its element in the feed. Ids sort as lines do."""
    count: int = 1
    """Number of entries."""
    summary: str = ""
    """Of a burst: ``37 changes in 2 s``."""
    operation_counts: tuple[tuple[str, int], ...] = ()
    """Of a burst with several operations: the number of each."""
    object_count: int = 1
    burst_href: str = ""
    """Address of a feed of only the burst's entries."""
    tone: Tone = "idle"


def feed_line(kind: KindInfo, entry: Entry) -> FeedLine:
    """The line for `entry` in the feed and the overview."""
    about = entry.about
    return FeedLine(
        resource=kind.key,
        kind_title=kind_title(about.kind, about.group) if about else kind.singular,
        entry=entry,
        href=_about_href(entry) if about else object_href(kind.key, entry.namespace, entry.name),
        time=clock_text(entry.time),
        datetime=rfc3339(entry.time),
        namespace=about.namespace if about else entry.namespace,
        name=about.name if about else entry.name,
        op="event" if about else entry.op,
        tone=entry.tone,
    )


def item_line(item: FeedItem, query: FeedQuery, midnight: float = 0.0) -> FeedLine:
    """The line for an item in a feed with this query; a time before `midnight`, Unix seconds, has its day."""
    line = feed_line(item.kind, item.first)
    if item.first.time < midnight:
        line = replace(line, time=f"{rfc3339(item.first.time)[5:10]} {line.time}")
    if not item.is_burst:
        return replace(line, id=item.id)
    namespace, name, href = _subject(item, line)
    return replace(
        line,
        id=item.id,
        entry=item.worst if item.is_urgent else item.last,
        namespace=namespace,
        name=name,
        href=href,
        op=item.first.op if len(item.counts) == 1 else "several",
        count=item.size,
        summary=f"{item.size:,} changes in {_seconds(item.last.time - item.first.time)}",
        operation_counts=tuple((op, item.counts[op]) for op in OPERATIONS if op in item.counts)
        if len(item.counts) > 1
        else (),
        object_count=len(item.uids),
        burst_href=_burst_href(item, query),
        tone=item.worst.tone if item.is_urgent else item.last.tone,
    )


def _subject(item: FeedItem, line: FeedLine) -> tuple[str, str, str]:
    """Namespace, name and address of a burst's subject: its one object, or the common owner."""
    kind_name, _, owner = item.first.owner.partition("/")
    if item.first.about is not None or not owner or len(item.uids) == 1:
        return line.namespace, line.name, line.href
    kind = find_builtin_kind(kind_name, item.first.owner_group)
    return line.namespace, owner, object_href(kind.key, line.namespace, owner) if kind else ""


def _burst_href(item: FeedItem, query: FeedQuery) -> str:
    """Address of a feed of exactly the burst's entries, unfolded."""
    entry = item.first
    if entry.owner:
        term = EntryTerm("owner", (Pattern((entry.owner,)),), negative=False)
    elif entry.about is not None:
        term = EntryTerm("about", (Pattern((subject_text(entry),)),), negative=False)
    else:
        term = EntryTerm("name", (Pattern((entry.name,)),), negative=False)
    namespaces = (entry.namespace,) if entry.namespace else query.namespaces
    span = TimeRange.around(item.first.time, item.last.time)
    terms = tuple(sorted({*query.terms, term}, key=str))
    return query.with_(kinds=(item.kind.key,), namespaces=namespaces, terms=terms, span=span, folds=False).href()


def _about_href(entry: Entry) -> str:
    """Address of an Event's object; empty where its kind cannot be linked."""
    about = entry.about
    if about is None:
        return ""
    kind = find_kind(f"{about.kind}.{about.group}" if about.group else about.kind)
    return object_href(kind.key, about.namespace, about.name) if kind else ""


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 0.95 else f"{seconds:.0f} s"
