"""Tests of EventCorrelator: the cases of client-go's events_cache_test.go, and further ones."""

from __future__ import annotations

import msgspec
import pytest

from informerd.record.correlator import COMBINED_PREFIX, SPAM_BURST, Correlator
from informerd.record.event import MESSAGE_BYTES, Event, Source
from tests.support.clock import FakeClock
from tests.support.informerd.kubernetes_event_samples import POD, said


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def correlator(clock: FakeClock) -> Correlator:
    return Correlator(clock)


def tell(correlator: Correlator, *messages: str) -> list[Event]:
    """What becomes of them, one after the other; none of them may be one too many."""
    told = [correlator.correlate(said(message)) for message in messages]
    assert None not in told
    return [event for event in told if event is not None]


def test_a_single_event_is_written_as_it_is(correlator: Correlator) -> None:
    event = said()
    assert correlator.correlate(event) == event


def test_identical_events_count_up_under_the_first_ones_name_and_time(correlator: Correlator) -> None:
    first = said(at=1000.0)
    events = [correlator.correlate(each) for each in (first, said(at=1007.0), said(at=1009.0))]
    assert [(each.count, each.name, each.first, each.last) for each in events if each] == [
        (1, first.name, 1000.0, 1000.0),
        (2, first.name, 1000.0, 1007.0),
        (3, first.name, 1000.0, 1009.0),
    ]


def test_an_event_of_another_version_of_the_object_is_identical_all_the_same(correlator: Correlator) -> None:
    later = msgspec.structs.replace(POD, resource_version="8")
    events = [correlator.correlate(said()), correlator.correlate(said(about=later))]
    assert [each.count for each in events if each] == [1, 2]


@pytest.mark.parametrize(
    "other",
    [
        said("it stood up"),
        said(reason="Tripped"),
        said(type_="Warning"),
        said(source=Source("somebody else")),
        said(source=Source("tester", "node-1")),
        said(about=msgspec.structs.replace(POD, uid="u2")),
        said(about=msgspec.structs.replace(POD, field_path="spec.containers{a}")),
    ],
)
def test_an_event_that_differs_in_anything_else_is_another(correlator: Correlator, other: Event) -> None:
    tell(correlator, "it fell")
    assert correlator.correlate(other) == other


def test_the_tenth_similar_event_and_those_after_it_are_combined(correlator: Correlator) -> None:
    events = tell(correlator, *(f"it fell {number} m" for number in range(12)))
    assert [each.message for each in events[:9]] == [f"it fell {number} m" for number in range(9)]
    assert [each.message for each in events[9:]] == [f"{COMBINED_PREFIX}it fell {number} m" for number in (9, 10, 11)]
    assert [each.count for each in events] == [1] * 9 + [1, 2, 3]
    assert len({each.name for each in events[9:]}) == 1


def test_the_tenth_is_the_tenth_message_however_often_each_was_said(correlator: Correlator) -> None:
    events = tell(correlator, *["it fell"] * 15, "it rose")
    assert [each.count for each in events] == [*range(1, 16), 1]
    assert not [each for each in events if each.message.startswith(COMBINED_PREFIX)]


def test_the_nine_that_were_told_apart_go_on_counting_each_on_its_own(correlator: Correlator) -> None:
    events = tell(correlator, *(str(number) for number in range(11)), "3")
    assert (events[-1].message, events[-1].count, events[-1].name) == ("3", 2, events[3].name)


async def test_after_ten_minutes_without_a_similar_one_they_are_told_apart_again(
    correlator: Correlator, clock: FakeClock
) -> None:
    tell(correlator, *(str(number) for number in range(10)))
    await clock.advance(600)
    assert tell(correlator, "on time")[0].message == COMBINED_PREFIX + "on time"
    await clock.advance(600.5)
    assert tell(correlator, "late")[0].message == "late"


def test_a_combined_message_stays_within_what_the_api_server_takes(correlator: Correlator) -> None:
    events = tell(correlator, *(f"{number}" + "x" * MESSAGE_BYTES for number in range(10)))
    assert {len(each.message) for each in events} == {MESSAGE_BYTES}
    assert events[-1].message.endswith("...")


async def test_of_one_source_object_and_type_come_25_at_once_and_then_one_in_five_minutes(
    correlator: Correlator, clock: FakeClock
) -> None:
    assert None not in [correlator.correlate(said()) for _ in range(SPAM_BURST)]
    assert [correlator.correlate(said()) for _ in range(3)] == [None] * 3
    await clock.advance(299)
    assert correlator.correlate(said()) is None
    await clock.advance(1)
    again = correlator.correlate(said())
    assert again is not None
    assert again.count == SPAM_BURST + 5  # those that were not written are counted
    assert correlator.correlate(said()) is None


def test_who_says_too_much_of_one_type_can_still_say_the_other(correlator: Correlator) -> None:
    for _ in range(SPAM_BURST + 1):
        correlator.correlate(said())
    assert correlator.correlate(said("other words", reason="Other")) is None
    assert correlator.correlate(said(type_="Warning")) is not None
    assert correlator.correlate(said(source=Source("somebody else"))) is not None
    assert correlator.correlate(said(about=msgspec.structs.replace(POD, name="db-2"))) is not None


def test_what_nobody_said_for_4096_others_is_forgotten(correlator: Correlator) -> None:
    tell(correlator, "it fell")
    for number in range(4096):
        correlator.correlate(said(about=msgspec.structs.replace(POD, name=f"web-{number}")))
    assert tell(correlator, "it fell")[0].count == 1
    assert [len(each) for each in (correlator._written, correlator._similar, correlator._buckets)] == [4096] * 3
