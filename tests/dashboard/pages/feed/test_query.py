"""Tests of the feed's address: its filter over entries, and its time range."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.objects.kinds.feed_entry import Entry, EventSubject
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.feed.time_range import TimeRange, iso, step_for
from tests.support.live.feed_entries import entry

WEB = entry(
    1, "web-1", op="modified", tone="bad", status="CrashLoopBackOff", reason="crash loop: exit 1",
    owner="ReplicaSet/web", labels={"app": "web", "tier": "Front"}, words="status Running → CrashLoopBackOff",
    fields=(("status", "CrashLoopBackOff"), ("spec.containers[app].image", "web:2"), ("spec.port", "9090")),
)  # fmt: skip
API = entry(2, "api-1", namespace="payments", op="added", status="Running", labels={"app": "api"}, words="created")
PULL = entry(3, "web-1.17f2", op="added", reason="BackOff", tone="warn", about=EventSubject("Pod", "", "shop", "web-1"))
NAMES = {id(WEB): "web", id(API): "api", id(PULL): "pull"}


def found(typed: str) -> list[str]:
    query = FeedQuery.parse({"q": [typed]})
    assert not query.problems, query.problems
    kinds: list[tuple[str, Entry]] = [("pods", WEB), ("pods", API), ("events", PULL)]
    assert FeedQuery.parse({"q": [query.canonical]}) == query
    return [NAMES[id(one)] for key, one in kinds if query.matches(key, one)]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("web", ["web", "pull"]),
        ("-web", ["api"]),
        ("shop/web-1", ["web", "pull"]),
        ("WEB-*", ["web", "pull"]),
        ('"a"', ["api"]),
        ("status=Running,crashloopbackoff", ["web", "api"]),
        ("-status=Running", ["web", "pull"]),
        ("reason=BackOff", ["pull"]),
        ("reason=*crash*", ["web"]),
        ("label:app=web", ["web"]),
        ("label:app", ["web", "api"]),
        ("label:tier=front", []),
        ("-label:app=web", ["api", "pull"]),
        ("owner=web", ["web"]),
        ("owner=ReplicaSet/*", ["web"]),
        ("about=pod/web-1", ["pull"]),
        ("object=web-1", ["pull"]),
        ("kind=pods op!=added", ["web"]),
        ("name=web-1", ["web", "pull"]),
        ("ns=payments", ["api"]),
        (".spec.port", ["web"]),
        ("spec.port", ["web"]),
        (".spec", ["web"]),
        (".spec.po", []),
        (".spec.port=9090", ["web"]),
        ("spec.port=80", []),
        ("-.spec.port", ["api", "pull"]),
        (".spec.containers[*].image", ["web"]),
        (".spec.containers", ["web"]),
        ("changed=status", ["web"]),
        ("health=bad,warn", ["web", "pull"]),
        ("tone=bad,warn", ["web", "pull"]),
        ("words=*→*", ["web"]),
    ],
)
def test_the_filter_finds(typed: str, names: list[str]) -> None:
    assert found(typed) == names


@pytest.mark.parametrize(
    ("typed", "message", "place"),
    [
        ("web stats=Running", "Did you mean status=?", "stats="),
        ("restarts>3", "Compare restarts with = or !=", ">"),
        ("label:=web", "Write a label's name", ""),
        (".spec..", "", None),
        (".", "Write a field's path", "."),
        (".spec.(x)", "Write a field's path", ".spec.(x)"),
        ("op=deletd", "Write added, modified or deleted after op=, not 'deletd'.", "deletd"),
        ("op=", "Write added, modified or deleted after op=.", ""),
        ('"op"=added', "without quotation marks", '"op"=added'),
        ("web " * 60, "", None),
        ("x " + " ".join(f"a{number}" for number in range(60)), "Only the first 50 parts", None),
        ("a" * 2100, "Only the first 2000 characters", None),
    ],
)
def test_a_mistake_is_named_at_its_place(typed: str, message: str, place: str | None) -> None:
    problems = FeedQuery.parse({"q": [typed]}).problems
    if not message:
        assert not problems
        return
    assert message in problems[0].message
    assert problems[0].message.endswith(".")
    if place is not None:
        assert typed[problems[0].start : problems[0].end] == place


def test_a_span_has_one_address_and_comes_back_from_it() -> None:
    query = FeedQuery.parse(parse_qs("from=2026-11-21T15:02:10.250+01:00&to=2026-11-21 14:05:00&q=web&folds=off"))
    assert query.query_string() == "q=web&from=2026-11-21T14:02:10.25Z&to=2026-11-21T14:05:00Z&folds=off"
    assert FeedQuery.parse(parse_qs(query.query_string())) == query
    assert FeedQuery.parse(parse_qs("last=900s")).query_string() == "last=15m"
    assert FeedQuery.parse(parse_qs("last=15m&page=3")).page == 1
    assert query.with_(span=TimeRange()).query_string() == "q=web&folds=off"


def test_a_name_that_no_namespace_can_have_is_told_and_left_out() -> None:
    small = "Such a name has small letters, digits and dashes, 63 characters at most."
    query = FeedQuery.parse(parse_qs("namespace=!!,shop&ns=Shop,payments"))
    assert [(problem.param, problem.message) for problem in query.problems] == [
        ("namespace", f"'!!' cannot be the name of a namespace. {small}"),
        ("namespace", f"'Shop' cannot be the name of a namespace. Did you mean shop? {small}"),
    ]
    assert query.namespaces == ("payments", "shop")
    assert query.query_string() == "namespace=payments,shop"


@pytest.mark.parametrize("moment", [1_800_000_000.0, 1_800_000_000.123456, 0.5, 1_795_248_000.1])
def test_a_moment_is_written_to_the_microsecond(moment: float) -> None:
    query = FeedQuery.parse({"from": [iso(moment)]})
    assert query.span.begin == moment


@given(begin=st.floats(1.7e9, 1.9e9), length=st.floats(0, 10))
@example(begin=1795771410.6650558, length=2.0637893)
def test_a_span_around_two_moments_has_both_once_it_is_read_from_its_address(begin: float, length: float) -> None:
    end = begin + length
    span = TimeRange.around(begin, end)
    assert FeedQuery.parse(parse_qs(FeedQuery(span=span).query_string())).span == span
    assert span.contains(begin, now=0)
    assert span.contains(end, now=0)
    assert not span.contains(begin - 2e-6, now=0)
    assert not span.contains(end + 2e-6, now=0)


@pytest.mark.parametrize(
    ("params", "message", "span"),
    [
        ({"last": ["soon"]}, "Write one from 1s to 400d", TimeRange()),
        ({"last": ["401d"]}, "Write one from 1s to 400d", TimeRange()),
        ({"from": ["yesterday"]}, "Write one such as from=2026-11-21T14:02:10Z", TimeRange()),
        ({"to": ["99999-01-01"]}, "Write one such as", TimeRange()),
        ({"from": ["1200-01-01"]}, "Write one such as", TimeRange()),
        ({"last": ["5m"], "from": ["2026-11-21"]}, "from= and to= are ignored", TimeRange(last=300.0)),
        (
            {"from": ["2026-11-22"], "to": ["2026-11-21"]},
            "is before the beginning",
            TimeRange(1_795_219_200.0, 1_795_305_600.0),
        ),
    ],
)
def test_a_span_that_makes_no_sense_is_told(params: dict[str, list[str]], message: str, span: TimeRange) -> None:
    query = FeedQuery.parse(params)
    assert message in query.problems[0].message
    assert query.span == span


def test_bars_stand_for_round_times() -> None:
    assert [step_for(seconds) for seconds in (1, 60, 300, 301, 3600, 86_400, 10 * 86_400)] == [
        1,
        1,
        5,
        10,
        60,
        1800,
        14_400,
    ]


def test_a_span_until_now_moves_and_one_that_was_chosen_does_not() -> None:
    now = 1_800_000_000.0
    assert TimeRange(last=60).contains(now - 59, now)
    assert not TimeRange(last=60).contains(now - 59, now + 2)
    assert TimeRange(now - 60, now).contains(now - 59, now + 1000)
    assert not TimeRange(now - 60, now).contains(now + 1, now + 1000)
    assert TimeRange(now - 60).contains(now + 1, now + 1000)
