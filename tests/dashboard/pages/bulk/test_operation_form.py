"""Tests of the bulk form, read without a server."""

from __future__ import annotations

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.operation_form import parse_operation

KIND = KINDS["pods"]


@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_line_break_ends_an_annotation(inside: str) -> None:
    typed = f"note=one{inside}key=two\r\nother=3"
    order = parse_operation({"verb": "annotate", "annotate_set": typed}, KIND)
    assert isinstance(order, BulkOperation)
    assert order.patch == {"metadata": {"annotations": {"note": f"one{inside}key=two", "other": "3"}}}


@pytest.mark.parametrize("typed", ["a/b/c=1", "<b>=1", "a=b c", "..=1", "=1", "words", "a=\x00", "x" * 300 + "=1"])
def test_a_label_that_cannot_be_is_refused_with_its_line(typed: str) -> None:
    refusal = parse_operation({"verb": "label", "label_set": f"\n{typed}"}, KIND)
    assert isinstance(refusal, Refusal)
    assert refusal.problems[0].words.startswith("Set, line 2: ")


@pytest.mark.parametrize("post", [{}, {"verb": ""}, {"verb": "label"}, {"verb": "delete", "grace": "x"}])
def test_what_is_not_said_is_asked_for(post: dict[str, str]) -> None:
    assert isinstance(parse_operation(post, KIND), Refusal)
