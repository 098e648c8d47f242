"""Tests of the field manager that made a version: the newest one, but for scaling and for several in one second."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dashboard.live.history.version_author import version_author
from dashboard.live.history.version_json import split_version

SECOND, NEXT_SECOND = "2026-01-02T00:00:00Z", "2026-01-02T00:00:01Z"


def author(before: bytes | None, after: bytes) -> str:
    was, managed_before = split_version(before) if before is not None else (None, b"")
    json, managed = split_version(after)
    return version_author(managed, managed_before, was, json)


def entry(manager: str, fields: object, time: str = SECOND, **more: object) -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": fields, **more}


def whole(*entries: object, **content: object) -> bytes:
    return msgspec.json.encode({"metadata": {"managedFields": entries}, **content})


ENTRIES = b"""{"metadata":{"managedFields":[
    {"manager":"a","time":"2026-01-02T00:00:00Z"},
    {"manager":"b","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:x":{}}}]}}"""


@pytest.mark.parametrize(
    ("after", "manager"),
    [
        (ENTRIES, "a"),
        (b'{"metadata":{"managedFields":[]}}', ""),
        (b'{"metadata":{"managedFields":"odd"}}', ""),
        (b'{"metadata":{"managedFields":null}}', ""),
        (b'{"metadata":{}}', ""),
        (b"{}", ""),
    ],
)
def test_the_manager_that_wrote_last_is_known(after: bytes, manager: str) -> None:
    assert author(None, after) == manager
    assert author(whole(entry("a", {})), after) == manager


def written(**owned: list[str]) -> bytes:
    """An object whose managers own these fields, all since one second."""
    return whole(*(entry(name, {f"f:{field}": {} for field in fields}) for name, fields in owned.items()))


@pytest.mark.parametrize(
    ("before", "after", "manager"),
    [
        (written(a=["x"]), written(a=["x"], b=["y"]), "b"),
        (written(a=["x"], b=["y"]), written(a=["x", "z"], b=["y"]), "a"),
        (written(a=["x", "y"], b=["z"]), written(a=["x"], b=["y", "z"]), "b"),
        (written(a=["x"], b=["y", "q"]), written(a=["x"], b=["y"]), "b"),
        (written(a=["x"], b=["y"]), written(a=["x"], b=["y"]), "a"),  # of nobody it is known
        (b'{"metadata":{"managedFields":1}}', written(a=["x"], b=["y"]), "a"),
    ],
)
def test_of_those_that_wrote_in_one_second_the_one_wrote_last_that_owns_more(
    before: bytes, after: bytes, manager: str
) -> None:
    assert author(before, after) == manager


def test_of_those_that_wrote_in_one_second_the_one_wrote_last_whose_time_is_another() -> None:
    before = whole(entry("a", {"f:x": {}}, SECOND), entry("b", {"f:y": {}}, NEXT_SECOND))
    after = whole(entry("b", {"f:y": {}}, NEXT_SECOND), entry("a", {"f:x": {}}, NEXT_SECOND))
    assert author(before, after) == "a"


OWNED: tuple[tuple[dict[str, object], object, object], ...] = (
    ({"f:x": {"f:y": {}}}, {"y": 1, "z": 1}, {"y": 2, "z": 1}),
    ({"f:x": {'k:{"type":"Ready"}': {".": {}, "f:status": {}}}},
     [{"type": "Other", "status": "1"}, {"type": "Ready", "status": "1", "at": {}}],
     [{"type": "Other", "status": "1"}, {"type": "Ready", "status": "2", "at": {}}]),
    ({"f:x": {"v:\"b\"": {}}}, ["a"], ["a", "b"]),
    ({"f:x": {}}, [1], [1, 2]),
)  # fmt: skip


@pytest.mark.parametrize(("fields", "was", "now"), OWNED)
def test_of_those_that_wrote_in_one_second_the_one_wrote_last_whose_fields_differ(
    fields: dict[str, object], was: object, now: object
) -> None:
    entries = entry("other", {"f:other": {"f:y": {}}, "f:x": {".": {}}}), entry("own", fields)
    assert author(whole(*entries, x=was, other=1), whole(*entries, x=now, other=1)) == "own"
    assert author(whole(*entries, x=was, other={"y": 1}), whole(*entries, x=was, other={"y": 2})) == "other"


def test_fields_of_an_unknown_form_leave_the_newest_manager() -> None:
    entries = entry("a", {"f:x": {"k:odd": {}}}), entry("b", 1)
    assert author(whole(*entries, x=[{}]), whole(*entries, x=[{"y": 1}])) == "a"


def scaled(replicas: int, owner: str = "f:replicas") -> bytes:
    entries = [
        {"manager": "hpa", "operation": "Update", "subresource": "scale", "fieldsV1": {"f:spec": {owner: {}}}},
        entry("apply", {"f:spec": {"f:template": {}}}),
    ]
    return whole(*entries, spec={"replicas": replicas, "template": {}})


@pytest.mark.parametrize(
    ("before", "after", "manager"),
    [
        (scaled(2), scaled(3), "hpa"),
        (scaled(3), scaled(3), "apply"),
        (scaled(2, "f:parallelism"), scaled(3, "f:parallelism"), "apply"),
        (scaled(2).replace(b'"scale"', b'"status"'), scaled(3).replace(b'"scale"', b'"status"'), "apply"),
        (scaled(2), b'{"metadata":{"managedFields":[{"manager":"a","subresource":"scale","fieldsV1":1}]}}', "a"),
    ],
)
def test_who_scaled_is_known_by_the_number_that_it_owns(before: bytes, after: bytes, manager: str) -> None:
    assert author(before, after) == manager
