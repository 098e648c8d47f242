"""What of a dry run says more than that the value is asked for."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dashboard.edits.exchange import Exchange, Stored
from dashboard.quick.action import State
from dashboard.quick.cordon import Cordon
from dashboard.quick.trial import compared, try_out
from informerd.errors import BadRequest
from informerd.errors.status import Status

PATH = ("spec", "unschedulable")


def node(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "n", "uid": "1", "resourceVersion": "7"}, "spec": spec, "status": {"phase": ""}}


def test_what_is_stored_as_it_was_asked_for_is_no_surprise() -> None:
    cordoned = compared(State(node(), PATH, unset=False), True, Stored(node(unschedulable=True), ()))
    uncordoned = compared(State(node(unschedulable=True), PATH, unset=False), False, Stored(node(), ()))
    for trial in (cordoned, uncordoned):
        assert trial.as_wanted
        assert len(trial.changes) == 1
        assert trial.surprise == ""


def test_other_fields_other_values_and_warnings_are_surprises_and_told_apart() -> None:
    state = State(node(), PATH, unset=False)
    others = (
        Stored(node(unschedulable=True, taints=[{"key": "a"}]), ()),
        Stored(node(unschedulable=True), ("old",)),
        Stored(node(), ()),
    )
    trials = [compared(state, True, each) for each in others]
    assert [trial.as_wanted for trial in trials] == [True, True, False]
    assert len({trial.surprise for trial in trials} - {""}) == 3
    assert [change.field for change in trials[0].others] == ["spec.taints"]


def test_other_values_of_the_same_fields_have_been_seen_but_another_value_of_the_own_field_has_not() -> None:
    state = State(node(), PATH, unset=False)
    stamped = [compared(state, True, Stored(node(unschedulable=True, stamp=time), ())) for time in ("10:00", "10:01")]
    assert stamped[0].surprise == stamped[1].surprise != ""
    there = State(node(stamp="9:00"), PATH, unset=False)
    taken, changed = (
        compared(there, True, Stored(node(unschedulable=True, **more), ())) for more in ({}, {"stamp": ""})
    )
    assert len({taken.surprise, changed.surprise, stamped[0].surprise}) == 3
    port = State(node(port=1), ("spec", "port"))
    ports = [compared(port, 2, Stored(node(port=stored), ())).surprise for stored in (3, 4)]
    assert ports[0] != ports[1]


class Refusing:
    def __init__(self, message: str) -> None:
        self._message = message

    async def patch(self, *_: object, **__: object) -> Stored:
        raise BadRequest(Status(code=400, message=self._message))


async def test_a_webhook_without_dry_run_is_said_and_keeps_nobody_from_the_write() -> None:
    state, said = State(node(), PATH, unset=False), 'admission webhook "a.b" does not support dry run'
    trial = await try_out(Cordon(), cast("Exchange", Refusing(said)), state, True)
    assert (trial.untried, trial.stored) == (said, True)
    assert trial.surprise
    with pytest.raises(BadRequest):
        await try_out(Cordon(), cast("Exchange", Refusing("wrong")), state, True)
