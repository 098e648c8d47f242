"""Tests of label selectors: apimachinery's grammar and refusals; test_selectors_live.py asks the API server."""

from __future__ import annotations

import random
from typing import Any

import pytest

from informerd.errors import MalformedSelector
from informerd.selectors.label_selector import LabelSelector
from tests.support.informerd.selector_samples import ACCEPTED, REFUSED, random_label_selector

WEB = {"app": "web", "tier": "front", "size": "10", "empty": ""}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app!=web", False),
        ("app!=api", True),
        ("none!=api", True),
        ("none=", False),
        ("empty=", True),
        ("app in (api,web)", True),
        ("app in (api)", False),
        ("empty in ()", True),
        ("app notin (api)", True),
        ("app notin (web)", False),
        ("none notin (web)", True),
        ("app", True),
        ("none", False),
        ("!app", False),
        ("!none", True),
        ("size>9", True),
        ("size>10", False),
        ("size<11", True),
        ("size<10", False),
        ("app>1", False),
        ("none<1", False),
        ("app=web,tier=front,!none", True),
        ("app=web,tier=back", False),
        (" app = web , tier in ( front , back ) ", True),
    ],
)
def test_a_selector_matches_as_apimachinery_does(selector: str, matches: bool) -> None:
    assert LabelSelector.parse(selector).matches(WEB) is matches


@pytest.mark.parametrize("selector", ACCEPTED)
def test_the_text_of_a_selector_gives_the_same_selector(selector: str) -> None:
    parsed = LabelSelector.parse(selector)
    assert LabelSelector.parse(str(parsed)) == parsed


@pytest.mark.parametrize("selector", REFUSED)
def test_what_the_api_server_refuses_is_a_malformed_selector(selector: str) -> None:
    with pytest.raises(MalformedSelector) as raised:
        LabelSelector.parse(selector)
    assert raised.value.position is not None
    assert 0 <= raised.value.position <= len(selector)


@pytest.mark.parametrize(
    ("selector", "position", "problem"),
    [
        ("a=b,", 4, "found the end, expected a label key"),
        ("a=b c=d", 4, "found 'c', expected ',' or the end"),
        ("app=web,tier in front", 16, "found 'front', expected '('"),
        ("a in (b,c", 9, "found the end, expected a label value, ',' or ')'"),
        ("a ~ b", 2, "found '~', expected one of =, ==, !=, in, notin, >, <"),
        ("a>many", 2, "Gt needs one integer of at most 64 bits"),
        ("a=b,-c=d", 4, "the label key '-c' must have a name of letters"),
        ("a=" + "x" * 64, 2, "a label value has at most 63 characters"),
        ("a in (b,+c)", 8, "the label value '+c' must be empty or consist of letters"),
        ("Example.com/a=b", 0, "the prefix of the label key 'Example.com/a' is not a DNS subdomain"),
    ],
)
def test_the_error_says_what_and_where(selector: str, position: int, problem: str) -> None:
    with pytest.raises(MalformedSelector) as raised:
        LabelSelector.parse(selector)
    error = raised.value
    assert error.problem.startswith(problem)
    assert (error.position, error.selector) == (position, selector)
    assert f"character {position + 1}: {problem}" in str(error)
    assert error.caret.splitlines() == [selector, " " * position + "^"]


def test_selectors_that_say_the_same_are_equal_and_written_alike() -> None:
    one, other = LabelSelector.parse("b,a==1,c in (y,x),a=1"), LabelSelector.parse("a in (1), c in (x,y,x), b")
    assert one == other
    assert hash(one) == hash(other)
    assert str(one) == str(other) == "a=1,b,c in (x,y)"
    assert LabelSelector.parse("a=1") != LabelSelector.parse("a!=1")


def test_a_selector_cannot_be_changed() -> None:
    selector = LabelSelector.parse("a=1")
    with pytest.raises(AttributeError):
        selector.requirements = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        selector.requirements[0].key = "b"  # type: ignore[misc]


def test_random_selectors_survive_being_written_and_match_the_same() -> None:
    chance = random.Random(4)
    for _ in range(2000):
        text = random_label_selector(chance)
        selector = LabelSelector.parse(text)
        again = LabelSelector.parse(str(selector))
        assert (again, str(again)) == (selector, str(selector))
        labels = {key: chance.choice(["", "x", "y", "5", "12"]) for key in "abc" if chance.random() < 0.7}
        assert again.matches(labels) is selector.matches(labels)


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        ({}, ""),
        ({"matchLabels": None, "matchExpressions": None}, ""),
        ({"matchLabels": {"app": "web", "a": "b"}}, "a=b,app=web"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["y", "x"]}]}, "a in (x,y)"),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}]}, "a!=x"),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, "a"),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": []}]}, "!a"),
        (
            {"matchLabels": {"c": "d"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]},
            "a,c=d",
        ),
    ],
)
def test_a_manifests_selector_is_the_same_as_its_text(manifest: dict[str, Any], text: str) -> None:
    selector = LabelSelector.from_manifest(manifest)
    assert str(selector) == text
    assert selector == LabelSelector.parse(text)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"matchLabel": {"app": "web"}}, "unknown field `matchLabel`"),
        ({"matchLabels": {"app": 1}}, "Expected `str`, got `int`"),
        ({"matchLabels": {"app": "-"}}, "matchLabels['app']: the label value '-' must"),
        ({"matchLabels": {"/app": "web"}}, "has an empty prefix"),
        ({"matchExpressions": [{"operator": "Exists"}]}, "missing required field `key`"),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": "a", "operator": "Gt", "values": ["1"]}]},
            "matchExpressions[1].operator: found 'Gt', expected one of In, NotIn, Exists, DoesNotExist",
        ),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "matchExpressions[0]: In needs at least one value"),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
            "matchExpressions[0]: Exists takes no values",
        ),
    ],
)
def test_a_manifests_malformed_selector_is_an_error_with_its_place(manifest: dict[str, Any], message: str) -> None:
    with pytest.raises(MalformedSelector) as raised:
        LabelSelector.from_manifest(manifest)
    assert message in str(raised.value)


def test_a_selector_that_is_not_there_matches_nothing() -> None:
    selector = LabelSelector.from_manifest(None)
    assert not any(selector.matches(labels) for labels in ({}, WEB, {"nothing": ""}))
    assert LabelSelector.parse(str(selector)) == selector


def test_a_plain_set_of_labels_asks_for_each_of_them() -> None:
    selector = LabelSelector.from_labels({"app": "web", "tier": "front"})
    assert selector == LabelSelector.parse("app=web,tier=front")
    with pytest.raises(MalformedSelector, match="at most 63"):
        LabelSelector.from_labels({"app": "w" * 64})


@pytest.mark.slow
def test_hostile_text_is_refused_in_no_time() -> None:
    for text in (
        "a" * 200_000,
        "(" * 200_000,
        "a.b-" * 50_000 + "/x",
        "a=" + "-" * 200_000,
        " " * 200_000 + "=",
        "!" * 9999,
    ):
        with pytest.raises(MalformedSelector):
            LabelSelector.parse(text)
