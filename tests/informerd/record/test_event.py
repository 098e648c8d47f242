"""Tests of events, which fit the API server's limits with any text."""

from __future__ import annotations

import re

import pytest

from informerd.clock import rfc3339
from informerd.errors import InvalidCall
from informerd.objects import Object, ObjectMeta
from informerd.record.event import event_name, make_event
from informerd.record.reference import ObjectReference
from tests.support.informerd.kubernetes_event_samples import POD, START, said

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def test_an_event_has_the_fields_that_client_go_writes() -> None:
    assert said().body() == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"db-1.{round(START * 1e9):x}", "namespace": "default"},
        "involvedObject": {
            "kind": "Pod", "namespace": "default", "name": "db-1", "uid": "u1", "apiVersion": "v1",
            "resourceVersion": "7",
        },
        "reason": "Fell", "message": "it fell", "type": "Normal", "count": 1,
        "source": {"component": "tester"},
        "firstTimestamp": "2027-01-15T08:00:00Z", "lastTimestamp": "2027-01-15T08:00:00Z", "eventTime": None,
        "reportingComponent": "tester", "reportingInstance": "",
    }  # fmt: skip


def test_an_object_and_its_manifest_are_referred_to_alike() -> None:
    meta = ObjectMeta(name="db-1", namespace="default", uid="u1", resource_version="7")
    manifest = {
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": "db-1", "namespace": "default", "uid": "u1", "resourceVersion": "7"},
    }  # fmt: skip
    assert ObjectReference.to(Object(kind="Pod", api_version="v1", metadata=meta)) == POD
    assert ObjectReference.to(manifest) == ObjectReference.to(POD) == POD


def test_a_part_of_an_object_is_meant_by_its_path() -> None:
    assert ObjectReference.to(POD, field_path="spec.containers{a}").field_path == "spec.containers{a}"


@pytest.mark.parametrize(
    "about", [{}, {"kind": "Pod"}, {"metadata": {"name": "a"}}, "db-1", None, Object(), {"kind": "Pod", "metadata": 3}]
)
def test_what_has_no_kind_or_name_cannot_be_referred_to(about: object) -> None:
    with pytest.raises(InvalidCall):
        ObjectReference.to(about)  # type: ignore[arg-type]


def test_a_long_message_is_cut_at_1024_bytes_between_two_characters_and_says_so() -> None:
    message = said("ü" * 600).message
    assert message == "ü" * 510 + "..."
    assert said("x" * 1024).message == "x" * 1024


def test_a_long_reason_is_cut() -> None:
    assert said(reason="R" * 200).reason == "R" * 128


def test_a_name_that_would_be_too_long_keeps_its_beginning_and_its_number() -> None:
    name = event_name("a" * 253, 255)
    assert name == "a" * 250 + ".ff"


@pytest.mark.parametrize("about", ["system:node", "Upper", ""])
def test_an_object_whose_name_no_event_can_bear_gives_a_random_one(about: str) -> None:
    assert UUID.fullmatch(event_name(about, 255))


def test_the_cut_off_name_does_not_end_in_a_dot() -> None:
    assert event_name("a" * 249 + ".b", 255) == "a" * 249 + ".ff"


def test_what_is_cluster_scoped_has_its_events_in_default() -> None:
    node = ObjectReference(kind="Node", name="node-1", uid="node-1", api_version="v1")
    assert said(about=node).namespace == "default"


@pytest.mark.parametrize(
    "arguments", [("Bad", "Reason", "m"), ("Normal", "", "m"), ("Normal", 3, "m"), (None, "R", "m")]
)
def test_no_event_is_made_of_what_is_none(arguments: tuple[object, ...]) -> None:
    with pytest.raises(InvalidCall):
        make_event(POD, said().source, *arguments, at=0.0)  # type: ignore[arg-type]


def test_times_are_utc_to_the_second() -> None:
    assert rfc3339(START + 0.9) == "2027-01-15T08:00:00Z"
