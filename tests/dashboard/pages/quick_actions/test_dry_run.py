"""Tests of the part of a dry run that says more than the requested value."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dashboard.pages.quick_actions.action import FieldState
from dashboard.pages.quick_actions.dry_run import dry_run_patch, patch_result
from dashboard.pages.quick_actions.toggles import Cordon
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from informerd.errors import BadRequest
from informerd.errors.status import Status

PATH = ("spec", "unschedulable")


def node(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "n", "uid": "1", "resourceVersion": "7"}, "spec": spec, "status": {"phase": ""}}


def test_what_is_stored_as_it_was_asked_for_is_no_surprise() -> None:
    cordoned = patch_result(
        FieldState(node(), PATH, unset_value=False), True, WriteResult(node(unschedulable=True), ())
    )
    uncordoned = patch_result(
        FieldState(node(unschedulable=True), PATH, unset_value=False), False, WriteResult(node(), ())
    )
    for trial in (cordoned, uncordoned):
        assert trial.is_as_requested
        assert len(trial.changes) == 1
        assert trial.unrequested_fingerprint == ""


def test_other_fields_other_values_and_warnings_are_surprises_and_told_apart() -> None:
    state = FieldState(node(), PATH, unset_value=False)
    others = (
        WriteResult(node(unschedulable=True, taints=[{"key": "a"}]), ()),
        WriteResult(node(unschedulable=True), ("old",)),
        WriteResult(node(), ()),
    )
    trials = [patch_result(state, True, each) for each in others]
    assert [trial.is_as_requested for trial in trials] == [True, True, False]
    assert len({trial.unrequested_fingerprint for trial in trials} - {""}) == 3
    assert [change.field for change in trials[0].other_changes] == ["spec.taints"]


def test_other_values_of_the_same_fields_have_been_seen_but_another_value_of_the_own_field_has_not() -> None:
    state = FieldState(node(), PATH, unset_value=False)
    stamped = [
        patch_result(state, True, WriteResult(node(unschedulable=True, stamp=time), ())) for time in ("10:00", "10:01")
    ]
    assert stamped[0].unrequested_fingerprint == stamped[1].unrequested_fingerprint != ""
    there = FieldState(node(stamp="9:00"), PATH, unset_value=False)
    taken, changed = (
        patch_result(there, True, WriteResult(node(unschedulable=True, **more), ())) for more in ({}, {"stamp": ""})
    )
    assert len({each.unrequested_fingerprint for each in (taken, changed, stamped[0])}) == 3
    port = FieldState(node(port=1), ("spec", "port"))
    ports = [patch_result(port, 2, WriteResult(node(port=stored), ())).unrequested_fingerprint for stored in (3, 4)]
    assert ports[0] != ports[1]


class Refusing:
    def __init__(self, message: str) -> None:
        self._message = message

    async def patch(self, *_: object, **__: object) -> WriteResult:
        raise BadRequest(Status(code=400, message=self._message))


async def test_a_webhook_without_dry_run_is_said_and_keeps_nobody_from_the_write() -> None:
    state, said = FieldState(node(), PATH, unset_value=False), 'admission webhook "a.b" does not support dry run'
    trial = await dry_run_patch(Cordon(), cast("ObjectClient", Refusing(said)), state, True)
    assert (trial.dry_run_error, trial.stored_value) == (said, True)
    assert trial.unrequested_fingerprint
    with pytest.raises(BadRequest):
        await dry_run_patch(Cordon(), cast("ObjectClient", Refusing("wrong")), state, True)
