"""Tests of predicates and the events that they pass."""

from __future__ import annotations

from typing import Any

import pytest

from informerd.controller.events import Created, Deleted, ObjectEvent, Updated
from informerd.controller.predicates import (
    AnnotationChanged,
    GenerationChanged,
    LabelChanged,
    Predicate,
    ResourceVersionChanged,
    object_predicate,
    predicate,
)
from informerd.errors import InvalidCall
from informerd.objects import Object
from tests.support.informerd.create_update_delete_events import NO_UPDATES, obj, updated

CHANGES: list[tuple[Predicate[Object], dict[str, Any], dict[str, Any]]] = [
    (GenerationChanged(), {"generation": 1}, {"generation": 2}),
    (LabelChanged(), {"labels": {"a": "b"}}, {"labels": {"a": "c"}}),
    (LabelChanged(), {}, {"labels": {"a": "c"}}),
    (AnnotationChanged(), {"annotations": {"a": "b"}}, {"annotations": {}}),
    (ResourceVersionChanged(), {"version": "1"}, {"version": "2"}),
]


@pytest.mark.parametrize(("changed", "before", "after"), CHANGES)
def test_an_update_passes_where_that_has_changed_and_whatever_is_no_update_passes(
    changed: Predicate[Object], before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert changed(updated(before, after))
    assert not changed(Updated(obj(**before), obj(**before)))
    assert all(changed(event) for event in NO_UPDATES)


@pytest.mark.parametrize("changed", [GenerationChanged(), LabelChanged(), AnnotationChanged()])
def test_what_changed_otherwise_does_not_pass(changed: Predicate[Object]) -> None:
    assert not changed(updated({}, {"finalizers": ("a",)}))


@pytest.mark.parametrize("changed", [GenerationChanged(), LabelChanged(), AnnotationChanged()])
def test_another_object_under_the_same_name_passes_though_all_else_is_the_same(changed: Predicate[Object]) -> None:
    """A delete and a re-create that were missed come as one update."""
    assert changed(updated({"uid": "u1"}, {"uid": "u2"}))


def is_created(event: ObjectEvent[Object]) -> bool:
    return isinstance(event, Created)


@predicate
def is_a(event: ObjectEvent[Object]) -> bool:
    return event.objects[-1].metadata.name == "a"


def test_predicates_are_combined_with_and_or_and_not() -> None:
    created = predicate(is_created)
    a, b = Created(obj("a")), Created(obj("b"))
    gone = Deleted(obj("a"))
    both, either, neither = created & is_a, created | is_a, ~(created | is_a)
    assert [both(event) for event in (a, b, gone)] == [True, False, False]
    assert [either(event) for event in (a, b, gone)] == [True, True, True]
    assert [neither(event) for event in (a, b, Deleted(obj("b")))] == [False, False, True]
    assert both.name == "(is_created & is_a)"
    assert neither.name == "~(is_created | is_a)"
    assert (GenerationChanged() | ~LabelChanged()).name == "(GenerationChanged | ~LabelChanged)"


async def asynchronous(event: ObjectEvent[Object]) -> bool:
    return True


@pytest.mark.parametrize(
    "combined",
    [~predicate(asynchronous), predicate(asynchronous) & is_a, predicate(asynchronous) | is_a],  # type: ignore[arg-type]
)
def test_an_async_one_is_an_error_inside_a_combination_too(combined: Predicate[Object]) -> None:
    with pytest.raises(InvalidCall, match="plain function that returns True or False"):
        combined(Created(obj("a")))


def test_the_second_is_not_asked_where_the_first_has_decided() -> None:
    @predicate
    def never(event: ObjectEvent[Object]) -> bool:
        raise AssertionError

    assert not (~is_a & never)(Created(obj("a")))
    assert (is_a | never)(Created(obj("a")))


def test_a_predicate_of_the_object_looks_at_the_new_state() -> None:
    big: Predicate[Object] = object_predicate(lambda each: each.metadata.generation > 5)
    assert big(updated({"generation": 1}, {"generation": 9}))
    assert not big(updated({"generation": 9}, {"generation": 1}))
    assert not big(Created(obj()))


@pytest.mark.parametrize("wrong", [None, True, "name"])
def test_what_is_no_function_makes_no_predicate(wrong: Any) -> None:
    for make in (predicate, object_predicate):
        with pytest.raises(InvalidCall, match="a predicate is a function of an"):
            make(wrong)


def test_what_is_no_predicate_is_combined_with_none() -> None:
    with pytest.raises(InvalidCall, match=r"is_created is not a predicate: predicate\(function\) makes one"):
        _ = is_a & is_created  # type: ignore[operator]
    with pytest.raises(InvalidCall, match=r"write GenerationChanged\(\)"):
        _ = is_a | GenerationChanged
