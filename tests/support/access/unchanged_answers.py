"""Comparison of answers of one and the same address, without what differs with each request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from dashboard.objects.printers import unhealthy
from tests.support.access.whole_dashboard import Answer

_NEW_EACH_TIME: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*'), r"\1TOKEN"),
    (re.compile(r'("X-CSRFToken": ?")[^"]*|(data-csrf=")[^"]*'), r"\1\2TOKEN"),
    (re.compile(r'(data-seq="|seq=|beside=|"seq": ?")[0-9a-f]+-\d+'), r"\1SEQ"),
    (re.compile(r"<rect [^>]*>|(<polyline|<path) [^>]*>"), "SHAPE"),
    (re.compile(r'<td>(none yet|<time [^>]*>[^<]*</time>)</td>(?=<td class="n">)'), "BOOKMARK"),
    (re.compile(r"expires=[^;]*"), "EXPIRES"),
    (re.compile(r"set-cookie: deltaboard_drafts=[^\n]*\n?"), ""),  # only where the number has changed
    (re.compile(r"content-length: \d+"), "NUMBER"),
    (re.compile(r"x-request-id: [0-9a-f]+"), "REQUEST"),
    (re.compile(r'"start": \d+'), "START"),
    (re.compile(r'"gaps": \[(\[[\d., ]+\][, ]*)*\]'), "GAPS"),
    (re.compile(r">(quiet|[\d.]+ a second|[\d.]+ changes/s)<"), "RATE"),
    (re.compile(r" · [\d.]+/s(?=<)"), ""),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d\d:\d\d(:\d\d(\.\d+)?)?\b"), "CLOCK"),
    (re.compile(r"\b\d+(\.\d+)?(ms|s|m|h)\b|\b\d+ (s|min|seconds?|minutes?)\b"), "AGE"),
)
"""CSRF tokens, ids of requests, states of views, one's own drafts, and times, which charts draw, too."""
_NUMBERS = re.compile(r"\[[\d, .]+\]")
"""Numbers of a chart, whose places move with the time."""


@contextmanager
def unchanging_health() -> Iterator[None]:
    """Meanwhile no object becomes unhealthy, or well, because it grows older."""
    with patch.multiple(unhealthy, UNHEALTHY_AFTER=1e9, WARNING_LIFETIME=1e9):
        yield


def without_times(answer: Answer) -> str:
    """Status, headers and body without tokens and times."""
    text = f"{answer.status}\n{answer.everything}"
    for pattern, instead in _NEW_EACH_TIME:
        text = pattern.sub(instead, text)
    return _NUMBERS.sub(lambda found: str(sum(map(float, re.findall(r"[\d.]+", found[0])))), text)


def difference(one: str, two: str) -> str:
    """The first place where two texts differ; empty where they are equal."""
    if one == two:
        return ""
    at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"…{one[max(0, at - 100) : at + 80]!r}\n   now …{two[max(0, at - 100) : at + 80]!r}"
