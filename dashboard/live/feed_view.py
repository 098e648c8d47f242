"""The view of the live feed: every change of every kind that its filter lets through, newest first.

Templates see it as ``view``. `live/feed.html` has ``<ol id="entries-<view.id>">`` filled with `live/_entry.html` (one
`<li>`, which sees ``line``: FeedLine) and ``<p id="rate-<view.id>">`` filled with `live/_rate.html`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram: changes within `seconds` from `start` (RFC 3339); heights of 0 to 60, stacked from below."""

    start: str
    x: str
    added: str
    modified: str
    deleted: str
    added_y: str
    modified_y: str
    deleted_y: str
    count: int


class FeedView:
    """What `view` is in live/feed.html, _entry.html and _rate.html.

    id, seq · kinds: tuple[KindInfo, ...] (all that are watched) · chosen: frozenset of keys (empty: all) ·
    query (text: str, problems) · entries: tuple[FeedLine, ...] newest first, at most 200 ·
    rate: float (changes a second over the last 10 s) · rate_text: "31 a second" · hidden: int (entries counted and not
    shown since the view began, for "1,204 more not shown") · seen: int (entries counted since) ·
    bars: tuple[Bar, ...] (histogram, viewBox 0 0 100 60; #bars-<view.id>, live/_bars.html).
    """
