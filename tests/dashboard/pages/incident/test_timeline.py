"""Tests of the time line: whose entries are on it, where nothing is known, and what is written from the object."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.access.identity import Identity
from dashboard.live.hub.hub import Hub
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import EventSubject
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.usage import Usage
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.authors.store import AuthorStore, Write
from dashboard.pages.incident.family import Family, find_family
from dashboard.pages.incident.people import WritesOfPeople
from dashboard.pages.incident.timeline import (
    Timeline,
    ends_of_containers,
    timeline,
    usage_words,
    with_subjects,
    writes,
    written_members,
)
from dashboard.pages.incident.timeline_entry import TimelineEntry
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.objects.rows import made, row_of

DEPLOYMENT = made("Deployment", "web", api_version="apps/v1", spec={"replicas": 1})
OWNED = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "uid-shop-web", "controller": True}]
SET = made("ReplicaSet", "web-rs", api_version="apps/v1", metadata={"ownerReferences": OWNED})
BY_SET = [{**OWNED[0], "kind": "ReplicaSet", "name": "web-rs", "uid": "uid-shop-web-rs"}]


def pod_of(name: str, **more: Any) -> Row:
    metadata = {"ownerReferences": BY_SET}
    return row_of("pods", made("Pod", name, metadata=metadata, spec={"nodeName": "n-1", "containers": []}, **more))


class Authors(AuthorStore):
    """Knows one write, of the Deployment."""

    def __init__(self) -> None:
        super().__init__(FakeClock())

    async def writes_of(self, uid: str) -> tuple[Write, ...]:
        anna = Write(uid, "7", "2027-01-15T07:30:00Z", Identity("anna", ""))
        nobody = Write(uid, "6", "2027-01-15T07:20:00Z", Identity("", "browser"))
        return (anna, nobody) if uid == "uid-shop-web" else ()


class World:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.feeders = {
            key: Feeder(key, self.clock) for key in ("pods", "replicasets.apps", "deployments.apps", "nodes", "events")
        }
        self.people = WritesOfPeople(AuditRecorder(self.clock), Authors(), "", lambda *_: True)
        self.hub = Hub(Feeders(*self.feeders.values()), self.clock)
        self.feeders["deployments.apps"].put(row_of("deployments.apps", DEPLOYMENT), op="added", words="created")
        self.feeders["replicasets.apps"].put(row_of("replicasets.apps", SET), op="added", words="created")
        self.feeders["nodes"].put(
            row_of("nodes", made("Node", "n-1", namespace="")), op="modified", words="ready True → False"
        )
        for name in ("web-rs-1", "web-rs-2"):
            self.feeders["pods"].put(pod_of(name), op="added", words="created, Pending")

    async def family(self, key: str, name: str) -> Family:
        return await find_family(self.hub, KINDS[key], "shop", name)

    async def timeline(self, key: str = "deployments.apps", name: str = "web") -> Timeline:
        return await timeline(self.hub, await self.family(key, name), self.people)

    async def lines(self, key: str = "deployments.apps", name: str = "web") -> list[TimelineEntry]:
        return (await self.timeline(key, name)).entries


def said(entries: list[TimelineEntry], source: str) -> set[tuple[str, str]]:
    return {(entry.place[2] if entry.place else "", entry.words) for entry in entries if entry.source == source}


async def test_changes_of_what_it_owns_of_its_nodes_and_of_pods_that_are_gone_are_on_it() -> None:
    world = World()
    pods = world.feeders["pods"]
    gone = pods.entry(pod_of("web-rs-0"), "deleted", "was Error")
    pods._send(entries=(msgspec.structs.replace(gone, owner="ReplicaSet/web-rs", owner_group="apps"),))
    pods._send(entries=(pods.entry(pod_of("web-rs-1"), "deleted", "deleted"),))
    foreign = pods.entry(pod_of("foreign"), "deleted", "was Error")
    pods._send(entries=(msgspec.structs.replace(foreign, owner="ReplicaSet/web-rs", owner_group="example.com"),))
    pods.put(row_of("pods", made("Pod", "other")), words="phase Pending → Running")
    entries = await world.lines()
    changes = said(entries, "change")
    assert changes >= {
        ("web", "created"), ("web-rs", "created"), ("n-1", "ready True → False"), ("web-rs-1", "created, Pending"),
        ("web-rs-0", "deleted, was Error"), ("web-rs-1", "deleted"),
    }  # fmt: skip
    assert not {name for name, _ in changes} & {"other", "foreign"}
    assert [entry.at for entry in entries] == sorted((entry.at for entry in entries), reverse=True)


async def test_who_wrote_through_deltaboard_is_named() -> None:
    assert said(await World().lines(), "write") >= {("web", "anna wrote it through Deltaboard")}


async def test_events_about_its_family_are_on_it_once_from_the_feed_or_from_the_cluster() -> None:
    world = World()
    event: dict[str, Any] = {
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-rs-1"},
        "type": "Warning",
        "reason": "BackOff",
        "message": "again",
        "count": 3,
        "lastTimestamp": "2027-01-15T07:59:00Z",
    }
    about = EventSubject("Pod", "", "shop", "web-rs-1")
    told = row_of("events", made("Event", "told", **event))
    world.feeders["events"].put(told, words="BackOff: again", about=about)
    kept = {**event, "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-rs-2"}}
    hidden = row_of("events", made("Event", "kept", **kept))
    world.feeders["events"].put_and_drop([hidden], [])
    foreign = {**event, "involvedObject": {"kind": "Pod", "namespace": "other", "name": "web-rs-1"}}
    world.feeders["events"].put_and_drop([row_of("events", made("Event", "foreign", namespace="other", **foreign))], [])
    assert said(await world.lines(), "event") == {("web-rs-1", "BackOff: again"), ("web-rs-2", "BackOff: again (×3)")}


async def test_of_an_event_that_is_counted_again_the_newest_stands_out() -> None:
    world = World()
    about = EventSubject("Pod", "", "shop", "web-rs-1")
    row = row_of("events", made("Event", "told", type="Warning", reason="BackOff", message="again"))
    for count in range(2, 5):
        world.feeders["events"].put(row, words=f"BackOff: again (×{count})", about=about)
        world.clock.skip(1)
    told = [entry for entry in await world.lines() if entry.source == "event"]
    assert [entry.words for entry in told if not entry.is_routine] == ["BackOff: again (×4)"]
    assert len(told) == 3


async def test_what_it_owned_and_that_is_gone_is_on_the_page_of_what_is_gone() -> None:
    world = World()
    gone = world.feeders["replicasets.apps"].entry(row_of("replicasets.apps", SET), "deleted", "was Ready")
    world.feeders["replicasets.apps"]._send(
        entries=(msgspec.structs.replace(gone, owner="Deployment/web", owner_group="apps"),)
    )
    world.feeders["replicasets.apps"].put_and_drop([], ["uid-shop-web-rs"])
    world.feeders["deployments.apps"].drop("uid-shop-web")
    assert ("web-rs", "deleted, was Ready") in said(await world.lines(), "change")


async def test_what_is_gone_has_what_the_feed_knows_and_where_that_begins_is_a_gap() -> None:
    world = World()
    world.feeders["pods"].drop("uid-shop-web-rs-1")
    world.clock.skip(60)
    family = await world.family("pods", "web-rs-1")
    assert (family.row, family.members) == (None, [])
    entries = await world.lines("pods", "web-rs-1")
    assert ("web-rs-1", "deleted, was there") in said(entries, "change")
    assert any("before this is known here" in entry.words for entry in entries if entry.source == "gap")


async def test_ends_of_containers_and_writes_are_read_from_the_objects() -> None:
    over = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2027-01-15T07:58:00Z"}
    status = {"name": "main", "restartCount": 4, "lastState": {"terminated": over}, "state": {"running": {}}}
    fields: dict[str, Any] = {"f:spec": {"f:nodeName": {}}}
    written = {"manager": "kubectl-edit", "operation": "Update", "time": "2027-01-15T07:57:00Z", "fieldsV1": fields}
    told = {**written, "manager": "kubelet", "subresource": "status"}
    obj = made(
        "Pod",
        "web",
        metadata={"managedFields": [written, told]},
        spec={"nodeName": "n-1", "containers": [{"name": "main"}]},
        status={"containerStatuses": [status]},
    )
    clock = FakeClock()
    feeder = Feeder("pods", clock, [row_of("pods", obj)])
    family = await find_family(Hub(Feeders(feeder), clock), KINDS["pods"], "shop", "web")
    (end,) = await ends_of_containers(family.pods)
    assert (end.words, end.tone) == ("container main killed for its memory, restarted 4 times", "bad")
    assert end.time == "2027-01-15T07:58:00Z"
    (write,) = [entry async for entry in writes(written_members(family))]
    assert (write.words, write.time) == ("kubectl-edit wrote last; it owns 1 field", "2027-01-15T07:57:00Z")


async def test_entries_name_the_kind_of_their_object_as_other_pages_do() -> None:
    world = World()
    world.clock.skip(60)
    family = await world.family("deployments.apps", "web")
    entries = with_subjects(await world.lines(), family)
    assert {entry.subject for entry in entries} == {
        "Deployment shop/web", "ReplicaSet shop/web-rs", "Pod shop/web-rs-1", "Pod shop/web-rs-2", "Node n-1", "",
    }  # fmt: skip
    assert {entry.href for entry in entries if entry.subject == "Node n-1"} == {"/resources/nodes/-/n-1/"}
    world.feeders["pods"].drop("uid-shop-web-rs-1")
    family = await world.family("deployments.apps", "web")
    hrefs = {
        entry.subject: entry.href
        for entry in with_subjects([TimelineEntry(1.0, "change", "x", place=("pods", "shop", "web-rs-1"))], family)
    }
    assert hrefs == {"Pod shop/web-rs-1": "/why/pods/shop/web-rs-1/"}
    (gap,) = [entry.words for entry in entries if entry.source == "gap"]
    assert gap == "Not every change of Deployments, Events, Nodes, Pods, ReplicaSets before this is known here."


def test_usage_is_told_with_the_limit_where_there_is_one() -> None:
    used = Usage("shop/web", 1.8e9, 15.0, 0.25, 190 * 2**20, 0.5, 200 * 2**20, "limit", "limit")
    assert usage_words(used) == "uses 250m of CPU (50% of its limit), 190Mi of memory (95% of its limit)"
    free = Usage("shop/web", 1.8e9, 15.0, 0.25, 190 * 2**20, 4.0, 2**40, "allocatable", "allocatable")
    assert usage_words(free) == "uses 250m of CPU, 190Mi of memory"
