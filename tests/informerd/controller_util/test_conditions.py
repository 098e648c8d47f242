"""Tests of conditions, from apimachinery's meta/conditions_test.go."""

from __future__ import annotations

from typing import Any

import pytest

from informerd.controller_util.change_object import change_object
from informerd.controller_util.conditions import condition_of, is_condition, remove_condition, set_condition
from informerd.errors import InvalidCall
from informerd.unstructured import Json
from tests.informerd.controller_util.conftest import Place
from tests.support.clock import FakeClock

THEN = "2027-01-15T08:00:00Z"
LATER = "2027-01-15T08:00:07Z"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def manifest(*conditions: Json) -> Json:
    meta: Json = {"metadata": {"name": "a", "generation": 4}}
    return meta | ({"status": {"conditions": [*conditions]}} if conditions else {})


def test_a_first_condition_says_what_when_and_of_which_generation(clock: FakeClock) -> None:
    obj = manifest()
    assert set_condition(obj, "Ready", True, "PodsReady", "all 3", clock=clock)
    assert obj["status"]["conditions"] == [
        {
            "type": "Ready", "status": "True", "reason": "PodsReady", "message": "all 3",
            "observedGeneration": 4, "lastTransitionTime": THEN,
        }
    ]  # fmt: skip


async def test_the_time_changes_with_the_status_only(clock: FakeClock) -> None:
    obj = manifest()
    set_condition(obj, "Ready", True, "PodsReady", clock=clock)
    await clock.advance(7)
    assert set_condition(obj, "Ready", True, "OtherReason", "other words", clock=clock)
    assert (condition_of(obj, "Ready") or {})["lastTransitionTime"] == THEN
    assert set_condition(obj, "Ready", False, "OtherReason", "other words", clock=clock)
    assert (condition_of(obj, "Ready") or {})["lastTransitionTime"] == LATER


async def test_what_is_said_again_changes_nothing(clock: FakeClock) -> None:
    obj = manifest()
    set_condition(obj, "Ready", True, "PodsReady", clock=clock)
    await clock.advance(7)
    assert not set_condition(obj, "Ready", "True", "PodsReady", clock=clock)


def test_of_a_new_generation_it_is_said_anew(clock: FakeClock) -> None:
    obj = manifest()
    set_condition(obj, "Ready", True, "PodsReady", clock=clock)
    obj["metadata"]["generation"] = 5
    assert set_condition(obj, "Ready", True, "PodsReady", clock=clock)
    assert (condition_of(obj, "Ready") or {})["observedGeneration"] == 5


def test_the_others_stay_where_they_are(clock: FakeClock) -> None:
    others: list[Json] = [
        {"type": "A", "status": "True"},
        {"type": "Ready", "status": "Unknown", "own": 1},
        {"type": "B"},
    ]
    obj = manifest(*others)
    set_condition(obj, "Ready", False, "Down", clock=clock)
    types = [each["type"] for each in obj["status"]["conditions"]]
    assert types == ["A", "Ready", "B"]
    assert (condition_of(obj, "Ready") or {})["own"] == 1
    assert remove_condition(obj, "Ready")
    assert [each["type"] for each in obj["status"]["conditions"]] == ["A", "B"]
    assert not remove_condition(obj, "Ready")


def test_a_condition_is_asked_for_by_type_and_status() -> None:
    obj = manifest({"type": "Ready", "status": "False"})
    assert is_condition(obj, "Ready", "False")
    assert not is_condition(obj, "Ready")
    assert not is_condition(manifest(), "Ready", "Unknown")


@pytest.mark.parametrize(
    "said",
    [
        ("", True, "Reason", ""),
        ("Not a type", True, "Reason", ""),
        ("Ready", "Maybe", "Reason", ""),
        ("Ready", True, "", ""),
        ("Ready", True, "two words", ""),
        ("Ready", True, "Reason", "x" * 32769),
    ],
)
def test_what_the_api_server_would_refuse_is_refused(said: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidCall):
        set_condition(manifest(), *said)


async def test_a_condition_that_says_nothing_new_is_not_written(place: Place, clock: FakeClock) -> None:
    def ready(obj: Json) -> None:
        set_condition(obj, "Ready", True, "Reachable", "it answers", clock=clock)
        obj["status"].setdefault("observedGeneration", 1)

    written = await change_object(place.demos, await place.demo(), ready)
    assert is_condition(written, "Ready")
    assert await change_object(place.demos, written, ready) is written
