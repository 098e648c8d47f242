"""Attack: texts that people or a cluster write take time that grows faster than they do, or end a page by their depth.

Regular expressions make no calls that could be counted: a text of the attack's size would take them minutes or years,
and the time-out of the test ends them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.objects.fields.list_alignment import alignment
from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.merge.diff import diff_lines
from dashboard.objects.problems.api_error_explanations import rule_of
from dashboard.objects.problems.write_refusal import refusal_of
from dashboard.objects.query.path_order import value_key
from dashboard.objects.schemas.rules_and_immutability import immutable_reason
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.bulk.item_execution import _without_object
from dashboard.pages.drafts.secret_detection import holds_secret
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.forms.controls import parse_number
from dashboard.pages.forms.input_names import decode_path, encode_path
from dashboard.runtime.bounded_diff import bounded_opcodes
from informerd.errors import Invalid
from informerd.errors.status import Status
from tests.support.call_count import calls_of

LONG = 1_000_000


def rule(text: str) -> Schema:
    return Schema({"properties": {"a": {"x-kubernetes-validations": [{"rule": text}]}},
                   "x-kubernetes-validations": [{"rule": text}]})  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "attack",
    [
        lambda: read_feed(".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$"),
        lambda: value_key(":" * LONG + "!", amounts=False),
        lambda: value_key("a:" * LONG + "!", amounts=False),
        lambda: parse_quantity("1" * LONG + "!"),
        lambda: parse_number("1" * LONG + "!"),
        lambda: immutable_reason(rule("(" * LONG), "a"),
        lambda: immutable_reason(rule("(" + " " * LONG + "x"), "a"),
        lambda: decode_path("[" * LONG),
        lambda: decode_path("a]" + "[" * LONG),
        lambda: refusal_of(invalid("json: cannot unmarshal " * (LONG // 20))),
        lambda: refusal_of(invalid("cannot unmarshal number json: cannot unmarshal x into Go value y" * (LONG // 20))),
        lambda: rule_of("error looking up service account a/b: serviceaccount " * (LONG // 60)),
        lambda: _without_object("Invalid value: {" * (LONG // 20)),
        lambda: holds_secret("kind: Secret-" + "kind: !a " * (LONG // 5)),
        lambda: holds_secret("Secret kind" + " : " * (LONG // 10) + "kind: &a &a " * (LONG // 10)),
        lambda: holds_secret("Secret\n" + " " * LONG + "x\n" + "#\n" * (LONG // 20)),
    ],
    ids=range(16),
)
def test_a_text_made_to_be_slow_is_not(attack: Callable[[], object]) -> None:
    attack()


def read_feed(text: str) -> object:
    return FeedQuery.parse({"q": [text]})


def invalid(message: str) -> Invalid:
    return Invalid(Status(message=message))


def repeated(one: str, other: str, count: int) -> list[str]:
    return [one, *["same", other] * count, one]


@pytest.mark.slow
@pytest.mark.parametrize("compare", [bounded_opcodes, alignment, lambda a, b: diff_lines("\n".join(a), "\n".join(b))])
def test_a_comparison_of_lines_that_repeat_grows_no_faster_than_the_lines(compare: Callable[..., Any]) -> None:
    works = [
        calls_of(lambda count=count: compare(repeated("x", "a", count), repeated("y", "b", count)))  # type: ignore[misc]
        for count in (90, 180)
    ]
    assert works[1] < 4 * works[0]


def test_what_was_compared_before_is_compared_still() -> None:
    before = [f"line {number}" for number in range(2000)]
    after = [f"{line} changed" if number % 100 == 0 else line for number, line in enumerate(before)]
    changed = [each for each in bounded_opcodes(before, after) if each[0] != "equal"]
    assert len(changed) == 20


@pytest.mark.parametrize(
    "path", [("a", 0, "b c"), ("labels", "app.kubernetes.io/name"), ("a]b", "[", "]"), ("x", "ü[", 3)]
)
def test_names_of_inputs_mean_the_paths_that_they_did(path: tuple[str | int, ...]) -> None:
    assert decode_path(encode_path(path)) == path
