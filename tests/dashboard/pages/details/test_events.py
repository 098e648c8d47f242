"""Tests of the events about an object and its dependents: found in slices, followed, bounded."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.live.rendering.hx_partials import dom_id
from dashboard.live.replication.replica import Replica
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS, kind_of_key
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.events import MAX_SUBJECTS, STEP, ObjectEvents
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from informerd.cache.health import Health
from tests.support.clock import FakeClock
from tests.support.live.pod_detail import event
from tests.support.live.replica_feeder import Feeder, pod

PODS = KINDS["pods"]


def about(row: Row) -> dict[str, Any]:
    return {"kind": "Pod", "namespace": row.namespace, "name": row.name, "uid": row.uid}


class Shown:
    def __init__(self, *events: Row) -> None:
        self.clock = FakeClock()
        self.feeder = Feeder("events", self.clock, events)
        self.source: Replica | None = self.feeder.replica
        self.waiting: list[SlicedWork] = []
        self.events = ObjectEvents(lambda: self.source, self.waiting.append)
        self.feeder.replica.on_change(self._apply)

    def _apply(self, change: Change) -> None:
        self.events.apply(change)

    def go_on(self) -> None:
        while self.waiting:
            run_at_once(self.waiting.pop(0))

    @property
    def messages(self) -> list[str]:
        return [line.message for line in self.events.lines]


def test_events_that_go_or_change_while_they_are_looked_for_leave_no_ghosts() -> None:
    web = pod("web")
    noise = [event(f"n{number}", about(pod("web", namespace="other"))) for number in range(2 * STEP)]
    shown = Shown(*noise, event("gone", about(web)), event("old", about(web)))
    shown.events.follow(PODS, web)
    next(shown.waiting[0])
    shown.feeder.drop("uid-gone")
    shown.feeder.put(msgspec.structs.replace(event("old", about(web), reason="Newer"), version="2"))
    shown.go_on()
    assert [(line.message, line.reason) for line in shown.events.lines] == [("old!", "Newer")]


def test_members_that_come_and_go_all_day_make_room_for_the_next() -> None:
    shown = Shown()
    shown.events.follow(PODS, pod("web"))
    for number in range(0, 3 * MAX_SUBJECTS, 100):
        members = [pod(f"p{each}") for each in range(number, number + 100)]
        shown.events.include_members([(PODS, row) for row in members])
    shown.go_on()
    last = pod(f"p{3 * MAX_SUBJECTS - 1}")
    shown.feeder.put(event("late", about(last)))
    assert shown.messages == ["late!"]
    assert shown.events.is_complete


def test_events_about_what_is_gone_stay_and_too_many_members_are_said() -> None:
    shown = Shown()
    web, child = pod("web"), pod("child")
    shown.events.follow(PODS, web)
    shown.events.include_members([(PODS, child)])
    shown.feeder.put(event("why", about(child)))
    shown.events.include_members([])
    shown.feeder.put(event("after", about(child), last=1.9e9))
    assert shown.messages == ["after!", "why!"]
    shown.events.include_members([(PODS, pod(f"p{number}")) for number in range(MAX_SUBJECTS + 1)])
    assert not shown.events.is_complete


def test_an_event_that_is_about_another_from_now_on_goes() -> None:
    web, child = pod("web"), pod("child")
    shown = Shown(event("a", about(web)), event("b", about(web)), event("c", about(web)))
    shown.events.follow(PODS, web)
    shown.events.include_members([(PODS, child)])
    shown.go_on()
    for name, other in (("a", pod("stranger")), ("b", pod("child", uid="another"))):
        moved = msgspec.structs.replace(event(name, about(other)), version="2")
        assert shown.events.apply(Change(rows=[(event(name, about(web)), moved)]))
        assert not shown.events.apply(Change(rows=[(moved, moved)]))
    assert shown.messages == ["c!"]


def test_it_says_whether_anybody_follows_events_and_whether_they_are_up_to_date() -> None:
    shown = Shown()
    assert (shown.events.is_watched, shown.events.is_stale) == (True, False)
    shown.feeder.beat(Health(state="stale", since=shown.clock.time()))
    assert shown.events.is_stale
    shown.source = None
    shown.events.follow(PODS, pod("web"))
    shown.go_on()
    assert (shown.events.is_watched, shown.events.is_stale, shown.messages) == (False, False, [])


def test_an_event_without_uid_is_about_the_kind_of_its_api_group() -> None:
    gateway = kind_of_key("gateways.networking.istio.io")
    assert gateway is not None
    row = pod("gw")
    subject = {"kind": "Gateway", "namespace": row.namespace, "name": row.name}
    groups = ("networking.istio.io/v1", "gateway.networking.k8s.io/v1", "v1", "")
    events = [event(f"e{number}", {**subject, "apiVersion": group}) for number, group in enumerate(groups)]
    shown = Shown(*events)
    shown.events.follow(gateway, row)
    shown.go_on()
    assert {line.id for line in shown.events.lines} == {dom_id(events[0].uid), dom_id(events[3].uid)}
