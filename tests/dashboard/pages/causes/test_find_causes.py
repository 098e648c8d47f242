"""Tests of causes: what belongs together, by which rule, what is sure, and that no line is lost."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Owner, Row, Tone
from dashboard.objects.printers import columns_for
from dashboard.pages.causes.find_causes import MAX_CAUSES, MAX_LINES, Cause, Causes, find_causes
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, Feeders

FOLLOWED = ("pods", "replicasets.apps", "deployments.apps", "nodes", "events")
PULL = 'image: main: Back-off pulling image "r/web:1.5": ErrImagePull'


def row_of(key: str, name: str, *, status: str = "Running", tone: Tone = "ok", reason: str = "",
           since: float | None = None, owner: tuple[str, str] = ("", ""), namespace: str = "shop",
           **cells: Any) -> Row:  # fmt: skip
    """A row; `owner` is Kind and name of its controller, whose uid is its name."""
    values = {"namespace": namespace, "name": name, "status": status, **cells}
    return Row(
        uid=f"{name}-uid", namespace=namespace, name=name, version="1", created=1.8e9, status=status, tone=tone,
        cells=tuple(values.get(column.id) for column in columns_for(key)), labels={}, reason=reason, since=since,
        owner=(owner[0], owner[1], f"{owner[1]}-uid") if owner[0] else None,
    )  # fmt: skip


class World:
    """Rows of the followed kinds, and the causes that are found in them."""

    def __init__(self, keys: tuple[str, ...] = FOLLOWED) -> None:
        self.clock = FakeClock()
        self.feeders = {key: Feeder(key, self.clock) for key in keys}
        source = Feeders(*self.feeders.values())
        self.kinds = HubKinds(source, self.clock, lambda key, change: self.kinds.kind_summaries.apply(key, change))

    @property
    def now(self) -> float:
        return self.clock.time()

    def put(self, key: str, *rows: Row) -> None:
        self.feeders[key].put(*rows)

    def deployment(self, name: str, *, since: float | None = None, reason: str = "rollout is stuck") -> None:
        """A Deployment with its ReplicaSet; a stalled one where it says since when."""
        bad: dict[str, Any] = {"status": "Stalled", "tone": "bad", "reason": reason, "since": since}
        self.put("deployments.apps", row_of("deployments.apps", name, **(bad if since is not None else {})))
        self.put("replicasets.apps", row_of("replicasets.apps", f"{name}-rs", owner=("Deployment", name)))

    def pod(self, name: str, owner: str = "", **more: Any) -> None:
        self.put("pods", row_of("pods", name, owner=("ReplicaSet", f"{owner}-rs") if owner else ("", ""), **more))

    def warn(self, name: str, about: str, reason: str, *, kind: str = "pod", group: str = "") -> None:
        cells: dict[str, Any] = {"last-seen": self.now, "object": f"{kind}/{about}", "object-group": group or None}
        self.put(
            "events", row_of("events", name, status="Warning", tone="warn", reason=reason, since=self.now, **cells)
        )

    @property
    def causes(self) -> Causes:
        replicas = {key: feeder.replica for key, feeder in self.feeders.items()}
        return find_causes([(KINDS[key], self.kinds.summaries[key]) for key in self.feeders], replicas)

    @property
    def only(self) -> Cause:
        (cause,) = self.causes.shown
        return cause


def bad(reason: str, since: float, status: str = "ImagePullBackOff") -> dict[str, Any]:
    return {"status": status, "tone": "bad", "reason": reason, "since": since}


def test_a_stalled_rollout_its_pods_and_their_events_are_one_card() -> None:
    world = World()
    since = world.now - 600
    world.deployment("web", since=since + 5)
    for number in range(3):
        world.pod(f"web-{number}", "web", **bad(PULL, since))
        world.warn(f"event-{number}", f"web-{number}", "Failed: Error: ErrImagePull")
    cause = world.only
    assert cause.subject is not None
    assert (cause.subject.place, cause.href) == (
        ("deployments.apps", "shop", "web"),
        "/resources/deployments.apps/shop/web/",
    )
    assert cause.words == "3 pods cannot pull image r/web:1.5"
    assert (cause.count, len(cause.lines), cause.more_count) == (7, 7, 0)
    assert [line.kind.key for line in cause.lines].index("events") == 4, "Events come last"
    assert cause.since_text == "2027-01-15 07:50:00 UTC"
    assert "owner references" in cause.basis
    assert cause.lines[-1].title == "shop/web-2 (pod)"
    assert (world.causes.total, world.causes.cause_count, world.causes.groups) == (7, 1, ())


def test_what_somebody_changed_shortly_before_is_told_and_nothing_else() -> None:
    world = World()
    since = world.now - 60
    world.deployment("web", since=since)

    def changed(name: str, seconds_before: float, words: str, field: str) -> Entry:
        row = row_of("deployments.apps", name)
        entry = world.feeders["deployments.apps"].entry(row, "modified", words)
        return msgspec.structs.replace(entry, time=since - seconds_before, fields=((field, "x"),))

    entries = world.feeders["deployments.apps"].replica.entries
    entries.append(changed("web", 4_000, "images r/web:1.3 → r/web:1.4", "images"))
    assert world.only.change is None
    entries.append(changed("web", 150, "images r/web:1.4 → r/web:1.5", "images"))
    entries.append(changed("web", 100, "ready 3/3 → 2/3", "ready"))
    entries.append(changed("other", 90, "images a → b", "images"))
    entries.append(changed("web", -30, "images r/web:1.5 → r/web:1.6", "images"))
    change = world.only.change
    assert change is not None
    assert (change.before, change.words) == ("2m30s", "images r/web:1.4 → r/web:1.5")


def test_symptoms_are_counted_whatever_their_restarts() -> None:
    world = World()
    world.deployment("api")
    for number in range(3):
        reason = f"crash loop: main exited 1, restarted {number + 2} times"
        world.pod(f"api-{number}", "api", **bad(reason, world.now, "CrashLoopBackOff"))
    world.pod("api-3", "api", **bad("failed: main exited 3", world.now, "Error"))
    world.pod("api-4", "api", status="Pending", tone="warn", reason="pending: no node fits", since=world.now - 900)
    assert world.only.words == (
        "3 pods in a crash loop: main exited 1; 1 pod failed: main exited 3; 1 pod cannot be scheduled: no node fits"
    )


def test_a_node_that_is_gone_has_its_pods_but_not_those_that_failed_before() -> None:
    world = World()
    gone = world.now - 300
    world.put(
        "nodes",
        row_of("nodes", "n-1", namespace="", status="NotReady", tone="bad", reason="Kubelet stopped", since=gone),
    )
    world.deployment("web")
    for number in range(60):
        world.pod(f"web-{number}", "web", node="n-1", **bad("not ready", gone + 40, "Unknown"))
    world.pod("old", "web", node="n-1", **bad("crash loop: main", gone - 3_000, "CrashLoopBackOff"))
    world.pod("elsewhere", "web", node="n-2", **bad("crash loop: main", gone + 50, "CrashLoopBackOff"))
    world.warn("event", "n-1", "NodeNotReady: gone", kind="node")
    world.clock.skip(0)
    node, web = sorted(world.causes.shown, key=lambda cause: -cause.count)
    assert (node.key.rule, node.count, len(node.lines), node.more_count) == ("node", 62, MAX_LINES, 52)
    assert node.words == "Kubelet stopped; 60 pods of it unhealthy since"
    assert node.more_href == "/resources/pods/?q=node%3Dn-1"
    assert (web.key.place[2], web.count, web.words) == ("web", 2, "2 pods in a crash loop: main")


def test_a_namespace_that_ran_out_of_quota_is_one_card() -> None:
    world = World()
    said = 'pods "web-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4'
    world.deployment("web", since=world.now - 60, reason=said)
    world.deployment("api", since=world.now - 30, reason=said)
    world.warn("event", "web-rs", f"FailedCreate: Error creating: {said}", kind="replicaset", group="apps")
    cause = world.only
    assert (cause.key.rule, cause.key.place, cause.count) == ("quota", ("resourcequotas", "shop", "small"), 3)
    assert cause.words == "the quota would be exceeded: 2 Deployments cannot create what they want"


def test_warnings_about_what_is_well_now_or_gone_are_one_card_at_the_end() -> None:
    world = World()
    world.deployment("web")
    world.deployment("api", since=world.now - 60)
    world.pod("web-1", "web")
    world.pod("api-1", "api")
    world.warn("probe", "web-1", "Unhealthy: probe failed")
    world.warn("gone", "web-0", "BackOff: restarting")
    world.warn("strange", "thing", "Odd: odd", kind="gadget", group="example.com")
    world.warn("of-api", "api-1", "BackOff: restarting")
    api, passed = world.causes.shown
    assert (api.key.place[2], api.count) == ("api", 2)
    assert (passed.key.rule, passed.subject, passed.count, passed.href) == ("other", None, 3, "")


def test_a_warning_about_a_pod_that_is_gone_is_that_of_its_owner_as_the_feed_knows_it() -> None:
    world = World()
    world.deployment("web", since=world.now - 60)
    world.warn("event", "web-0", "BackOff: restarting")
    assert len(world.causes.shown) == 2
    pods = world.feeders["pods"]
    entry = pods.entry(row_of("pods", "web-0"), "deleted", "was Error")
    pods.replica.entries.append(msgspec.structs.replace(entry, owner="ReplicaSet/web-rs"))
    assert (world.only.key.place[2], world.only.count) == ("web", 2)


def test_owners_of_kinds_that_are_not_followed_are_known_by_name_and_those_that_are_gone_are_not() -> None:
    world = World(("pods", "events"))
    for number in range(2):
        row = row_of("pods", f"job-{number}", owner=("Job", "job"), **bad("failed: main exited 1", world.now, "Error"))
        world.put("pods", row)
    cause = world.only
    assert cause.subject is not None
    assert (cause.subject.place, cause.words) == (("jobs.batch", "shop", "job"), "2 pods failed: main exited 1")
    alone = World()
    alone.put("pods", row_of("pods", "orphan", owner=("ReplicaSet", "gone"), **bad("failed", alone.now, "Error")))
    assert alone.only.is_single
    assert alone.only.key.place == ("pods", "shop", "orphan")


def test_owners_that_own_each_other_and_owners_of_other_namespaces_end_the_search() -> None:
    world = World(("pods", "replicasets.apps"))
    for name, other in (("a", "b"), ("b", "a")):
        row = row_of("replicasets.apps", name, owner=("ReplicaSet", other), **bad("failed", world.now, "Stalled"))
        world.put("replicasets.apps", row)
    world.put("replicasets.apps", row_of("replicasets.apps", "far", namespace="other"))
    world.put("pods", row_of("pods", "p", owner=("ReplicaSet", "far"), **bad("failed", world.now, "Error")))
    assert sum(cause.count for cause in world.causes.shown) == 3
    assert ("pods", "shop", "p") in {cause.key.place for cause in world.causes.shown}


def test_every_line_is_in_a_cause_or_counted_however_many_there_are() -> None:
    world = World()
    rows = [
        row_of(
            "pods", f"p-{number}", owner=("StatefulSet", f"s-{number % 40}"), **bad("failed", 1_000.0 + number, "Error")
        )
        for number in range(1_500)
    ]
    world.put("pods", *rows)
    causes = world.causes
    assert len(causes.shown) == MAX_CAUSES
    in_cards = sum(cause.count for cause in causes.shown)
    assert causes.total == 1_500 == in_cards + sum(group.count for group in causes.groups) + causes.more_count
    assert [cause.since for cause in causes.shown] == sorted(cause.since for cause in causes.shown)


def test_an_owner_that_only_one_group_has_is_found_by_all_owners_too() -> None:
    world = World()
    world.deployment("web", since=world.now)
    pod = row_of("pods", "p", **bad("failed", world.now, "Error"))
    owners = (Owner("", "Node", "x", "x-uid"), Owner("apps", "ReplicaSet", "web-rs", "web-rs-uid", is_controller=True))
    world.put("pods", msgspec.structs.replace(pod, owners=owners))
    assert world.only.key.place == ("deployments.apps", "shop", "web")


def test_a_node_has_the_owners_and_the_warnings_of_its_pods_and_no_pod_of_unknown_age() -> None:
    world = World()
    gone = world.now - 300
    node = row_of("nodes", "n-1", namespace="", status="NotReady", tone="bad", reason="silent", since=gone)
    world.put("nodes", node)
    world.deployment("web", since=gone + 100, reason="1 of 2 pods available")
    world.deployment("api", since=gone + 100, reason="1 of 2 pods available")
    world.pod("web-1", "web", node="n-1", **bad("not ready", gone + 40, "Unknown"))
    world.pod("api-1", "api", node="n-1", **bad("not ready", gone + 40, "Unknown"))
    world.pod("api-2", "api", node="n-2", **bad("crash loop: main", gone + 50, "CrashLoopBackOff"))
    world.put("pods", row_of("pods", "ageless", node="n-1", status="Odd", tone="bad", reason="odd"))
    world.warn("event", "web-1", "NodeNotReady: gone")
    causes = {cause.key.place[2]: cause for cause in world.causes.shown}
    assert {name: cause.count for name, cause in causes.items()} == {"n-1": 5, "api": 2, "ageless": 1}
    assert {line.row.name for line in causes["n-1"].lines} == {"n-1", "web", "web-1", "api-1", "event"}


def test_of_more_than_are_examined_it_is_said_that_there_may_be_more_causes() -> None:
    world = World()
    world.deployment("web")
    rows = [row_of("pods", f"p-{number}", owner=("ReplicaSet", "web-rs"), **bad("failed", 1_000.0, "Error"))
            for number in range(1_100)]  # fmt: skip
    world.put("pods", *rows)
    assert (world.causes.is_cut, world.causes.cause_count) == (True, 1)
    assert world.only.since_text == "1970-01-01 00:16:40 UTC"
    assert not World().causes.is_cut


def test_only_wanted_causes_are_shown_however_many_others_are_worse() -> None:
    world = World()
    for number in range(MAX_CAUSES + 5):
        world.pod(f"p-{number}", **bad("failed", 1_000.0 + number, "Error"))
    replicas = {key: feeder.replica for key, feeder in world.feeders.items()}
    kinds = [(KINDS[key], world.kinds.summaries[key]) for key in world.feeders]
    last = f"p-{MAX_CAUSES + 4}"
    found = find_causes(kinds, replicas, wanted=lambda subject, _: subject is not None and subject.name == last)
    assert [cause.key.place[2] for cause in found.shown] == [last]
