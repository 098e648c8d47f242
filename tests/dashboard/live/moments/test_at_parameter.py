"""Tests of the parameter at: which texts are moments, and which links of a page keep theirs."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.urls import URLPattern
from django.urls.resolvers import RegexPattern, RoutePattern

from dashboard.live.moments.at_parameter import PAST_PAGES, BadMoment, format_at, keep_moment, parse_at, read_at
from dashboard.urls import urlpatterns
from tests.support.program import ROOT

NOW = 1_800_000_000.0
AT = NOW - 60
TEXT = "2027-01-15T07:59:00Z"
HIDDEN = f'<input type="hidden" name="at" value="{TEXT}">'
FOR_SCRIPTS = {"complete", "namespaces", "freshness", "moment-step"}
"""Addresses that no page has a link to: scripts ask for them, and links to a step are made with their moment."""
BY_SHORT_ADDRESS = {"detail-by-name"}
"""Addresses that lead to another one, and that people type: no page has them."""
SAMPLES = {"resource": "pods", "namespace": "shop", "name": "web-1", "suffix": "csv", "path": "nothing/"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (TEXT, AT),
        ("2027-01-15 07:59", AT),
        ("2027-01-15T08:59:00+01:00", AT),
        ("2027-01-15T07:59:00.25Z", AT + 0.25),
        ("2027-01-15T07:59:00.1234567Z", None),
        ("yesterday", None),
        ("2027-13-45T07:59:00Z", None),
        ("2027-01-15T08:00:01Z", None),
        ("1" * 5000, None),
    ],
)
def test_a_time_of_the_past_is_a_moment(text: str, seconds: float | None) -> None:
    if seconds is not None:
        assert parse_at(text, NOW) == seconds
        return
    with pytest.raises(BadMoment) as refused:
        parse_at(text, NOW)
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 200


def test_what_addresses_have_is_read_back_exactly() -> None:
    for at in (AT, AT + 0.5, AT + 0.123456):
        assert parse_at(format_at(at), NOW) == at
    assert format_at(AT) == TEXT
    assert read_at(f"q=web&at={quote(TEXT)}") == TEXT
    assert read_at("q=at&at=") is None


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ('<a href="/">', f'<a href="/?at={TEXT}">'),
        ('<a href="/feed/?last=5m&amp;q=a#b">', f'<a href="/feed/?last=5m&amp;q=a&amp;at={TEXT}#b">'),
        ('<a href="/feed/?at=x">', '<a href="/feed/?at=x">'),
        ('<a href="/resources/pods/?format=1">', f'<a href="/resources/pods/?format=1&amp;at={TEXT}">'),
        ('<a href="/" data-now>', '<a href="/" data-now>'),
        ('<a href="/drafts/">', '<a href="/drafts/">'),
        ('<a href="https://example.com/feed/">', '<a href="https://example.com/feed/">'),
        ('<form method="get" action="/feed/">', f'<form method="get" action="/feed/">{HIDDEN}'),
        ('<form method="post" action="/feed/">', '<form method="post" action="/feed/">'),
        ('<form method="get" action="/" data-time-control>', '<form method="get" action="/" data-time-control>'),
    ],
)  # fmt: skip
def test_links_and_forms_that_lead_to_the_past_keep_the_moment(html: str, kept: str) -> None:
    assert keep_moment(html, AT) == kept


def address_of(pattern: URLPattern) -> str:
    """An address of a URL pattern."""
    if isinstance(pattern.pattern, RoutePattern):
        return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: SAMPLES.get(found[1], "some"), str(pattern.pattern))
    assert isinstance(pattern.pattern, RegexPattern)
    text = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", lambda found: SAMPLES[found[1]], str(pattern.pattern))
    return "/" + text.strip("^$").replace("\\", "")


@pytest.mark.parametrize("pattern", [each for each in urlpatterns if each.name], ids=lambda pattern: str(pattern.name))
def test_links_keep_the_moment_where_the_page_shows_the_past_and_nowhere_else(pattern: URLPattern) -> None:
    address = address_of(pattern)
    assert pattern.resolve(address[1:]) is not None, address
    keeps = "at=" in keep_moment(f'<a href="{address}">', AT)
    assert keeps == (pattern.name in PAST_PAGES - FOR_SCRIPTS - BY_SHORT_ADDRESS), address


def test_each_page_of_the_past_has_an_address() -> None:
    assert {pattern.name for pattern in urlpatterns} >= PAST_PAGES


def test_no_view_reads_another_thing_from_the_parameter() -> None:
    """It would be taken for a moment: the caret of a filter was, and the time of a line."""
    texts = {path: path.read_text() for path in (ROOT / "dashboard").rglob("*.py")}
    assert [path for path, text in texts.items() if 'GET["at"]' in text or 'GET.get("at"' in text] == []
