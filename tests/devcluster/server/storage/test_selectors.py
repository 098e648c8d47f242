"""Tests of label and field selectors."""

from __future__ import annotations

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.storage.selectors import Selection, parse_fields, parse_labels
from devcluster.server.storage.store import Record


def record(**labels: str) -> Record:
    return Record(("shop", "web"), "u", 1, b"", labels, {"status.phase": "Running"})


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {}, True),
        ("app", {"app": "x"}, True),
        ("!app", {"app": "x"}, False),
        ("app=x", {"app": "x"}, True),
        ("app==x", {"app": "y"}, False),
        ("app!=x", {}, True),
        ("app!=x", {"app": "x"}, False),
        ("app in (x, y)", {"app": "y"}, True),
        ("app notin (x,y)", {"app": "y"}, False),
        ("app notin (x,y)", {}, True),
        ("level>3", {"level": "4"}, True),
        ("level<3", {"level": "4"}, False),
        ("level<3", {"level": "four"}, False),
        ("app=,tier", {"app": "", "tier": "a"}, True),
        ("app=x,tier=db", {"app": "x", "tier": "web"}, False),
        ("example.com/app=x", {"example.com/app": "x"}, True),
    ],
)
def test_labels(text: str, labels: dict[str, str], matches: bool) -> None:
    assert Selection(labels=parse_labels(text)).matches(record(**labels)) is matches


@pytest.mark.parametrize(
    "text", ["a===b", "a b", "a in (b", "a in b", "a,", ",a", "-a=1", "a=-1", "a>x", "(", "a=(", "!"]
)
def test_labels_that_do_not_parse_are_a_bad_request(text: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_labels(text)
    assert caught.value.code == 400


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("metadata.name=web", True),
        ("metadata.name!=web", False),
        ("metadata.namespace==shop,status.phase=Running", True),
        ("status.phase=Pending", False),
        ("spec.nodeName=", True),
        ("", True),
    ],
)
def test_fields(text: str, matches: bool) -> None:
    known = ("metadata.name", "metadata.namespace", "status.phase", "spec.nodeName")
    assert Selection(fields=parse_fields(text, known)).matches(record()) is matches


def test_escaped_commas_belong_to_the_value() -> None:
    assert parse_fields(r"a=x\,y", ("a",)) == (("a", True, "x,y"),)


@pytest.mark.parametrize("text", ["spec.ip=1", "name", "=x"])
def test_fields_that_are_unknown_or_do_not_parse_are_a_bad_request(text: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_fields(text, ("metadata.name",))
    assert caught.value.code == 400


def test_a_selection_of_everything_needs_no_predicate() -> None:
    assert Selection().predicate() is None
    assert Selection("shop").predicate() is not None
