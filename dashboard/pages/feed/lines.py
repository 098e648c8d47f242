"""What templates get to see of the feed: a line for an entry, or for a burst of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from dashboard.live.feed_folds import OPERATIONS, FeedItem
from dashboard.live.feed_query import FeedQuery
from dashboard.live.feed_terms import EntryTerm, about_words
from dashboard.live.lines import clock_words, rfc3339
from dashboard.live.messages import Entry, Tone
from dashboard.live.span import Span
from dashboard.resources.kinds import KindInfo, find_kind
from dashboard.resources.pattern import Pattern
from dashboard.resources.words import object_href


@dataclass(frozen=True, slots=True)
class FeedLine:
    """An entry of the feed, for `live/_entry.html`, which sees it as ``line``.

    A Kubernetes Event is shown as what it is about: `namespace`, `name`, `kind_title` and `href` are that object's.
    """

    resource: str
    kind_title: str
    """The Kind: ``Pod``."""
    epoch: str
    entry: Entry
    href: str
    time: str
    """UTC, ``14:02:34.118``."""
    datetime: str
    """RFC 3339."""
    namespace: str = ""
    name: str = ""
    op: str = ""
    """What is shown as its operation; an Event's coming is ``event``."""
    id: str = ""
    """Of its element in the feed. Ids sort as lines do."""
    count: int = 1
    """Entries in it."""
    summary: str = ""
    """Of a burst: ``37 changes in 2 s``."""
    counts: tuple[tuple[str, int], ...] = ()
    """Of a burst of several operations: each with its number."""
    objects: int = 1
    inside: str = ""
    """Address of a feed of the burst's entries only."""
    tone: Tone = "idle"


def feed_line(kind: KindInfo, entry: Entry) -> FeedLine:
    """What the feed and the overview show of `entry`."""
    about = entry.about
    return FeedLine(
        resource=kind.key,
        kind_title=about.kind if about else kind.resource.kind,
        epoch=entry.epoch,
        entry=entry,
        href=_about_href(entry) if about else object_href(kind.key, entry.namespace, entry.name),
        time=clock_words(entry.time),
        datetime=rfc3339(entry.time),
        namespace=about.namespace if about else entry.namespace,
        name=about.name if about else entry.name,
        op="event" if about and entry.op != "deleted" else entry.op,
        tone=entry.tone,
    )


def item_line(item: FeedItem, query: FeedQuery) -> FeedLine:
    """What a feed with this query shows of one of its lines."""
    line = feed_line(item.kind, item.first)
    if not item.is_fold:
        return replace(line, id=item.id)
    namespace, name, href = _subject(item, line)
    return replace(
        line,
        id=item.id,
        entry=item.worst if item.urgent else item.last,
        namespace=namespace,
        name=name,
        href=href,
        op=item.first.op if len(item.counts) == 1 else "several",
        count=item.size,
        summary=f"{item.size:,} changes in {_seconds(item.last.time - item.first.time)}",
        counts=tuple((op, item.counts[op]) for op in OPERATIONS if op in item.counts) if len(item.counts) > 1 else (),
        objects=len(item.uids),
        inside=_inside(item, query),
        tone=item.worst.tone if item.urgent else item.last.tone,
    )


def _subject(item: FeedItem, line: FeedLine) -> tuple[str, str, str]:
    """Namespace, name and address of what a burst is about: its one object, or the owner of all of them."""
    kind_name, _, owner = item.first.owner.partition("/")
    if item.first.about is not None or not owner or len(item.uids) == 1:
        return line.namespace, line.name, line.href
    kind = find_kind(kind_name)
    return line.namespace, owner, object_href(kind.key, line.namespace, owner) if kind else ""


def _inside(item: FeedItem, query: FeedQuery) -> str:
    """Address of what is in a burst and in nothing else, unfolded."""
    entry = item.first
    if entry.owner:
        term = EntryTerm("owner", (Pattern((entry.owner,)),), negative=False)
    elif entry.about is not None:
        term = EntryTerm("about", (Pattern((about_words(entry),)),), negative=False)
    else:
        term = EntryTerm("name", (Pattern((entry.name,)),), negative=False)
    namespaces = (entry.namespace,) if entry.namespace else query.namespaces
    span = Span(math.floor(item.first.time * 1e6) / 1e6, math.ceil(item.last.time * 1e6) / 1e6)
    terms = tuple(sorted({*query.terms, term}, key=str))
    return query.with_(kinds=(item.kind.key,), namespaces=namespaces, terms=terms, span=span, folds=False).href()


def _about_href(entry: Entry) -> str:
    """Address of the object that an Event is about; empty where its kind has no name that leads anywhere."""
    about = entry.about
    if about is None:
        return ""
    kind = find_kind(f"{about.kind}.{about.group}" if about.group else about.kind)
    return object_href(kind.key, about.namespace, about.name) if kind else ""


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 0.95 else f"{seconds:.0f} s"
