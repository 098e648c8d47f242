"""Tests of causes: what belongs together, by which rule, what is sure, and that no line is lost."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboard.live.hub.hub_kinds import HubKinds
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Owner, Row, Tone
from dashboard.objects.printers import columns_for
from dashboard.pages.causes.live_causes import LiveCauses
from dashboard.pages.causes.shown_causes import MAX_CAUSES, MAX_LINES, Cause, Causes
from dashboard.pages.causes.top_owner import TopOwners
from informerd.cache.health import Health
from informerd.resource import Resource
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

    def tell(self, key: str, *entries: Entry) -> None:
        """Have the feed of a kind these lines, too, in the order of their times."""
        kept = self.feeders[key].replica.entries
        told = sorted([*kept, *entries], key=lambda entry: entry.time)
        kept.clear()
        kept.extend(told)

    def live(self) -> LiveCauses:
        """The causes as they are now; later changes are not given to it."""
        history = FeedHistory([feeder.replica for feeder in self.feeders.values()], self.clock)
        return LiveCauses(self.kinds, history, self.clock)

    @property
    def causes(self) -> Causes:
        return self.live().found

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

    def change(name: str, seconds_before: float, words: str, field: str = "images") -> None:
        row = row_of("deployments.apps", name)
        entry = world.feeders["deployments.apps"].entry(row, "modified", words)
        world.tell(
            "deployments.apps", msgspec.structs.replace(entry, time=since - seconds_before, fields=((field, "x"),))
        )

    change("web", 4_000, "images r/web:1.3 → r/web:1.4")
    assert world.only.change is None
    change("web", 150, "images r/web:1.4 → r/web:1.5")
    change("web", 100, "ready 3/3 → 2/3", "ready")
    change("web", 90, "spec.nodeName added", "spec.nodeName")
    change("other", 90, "images a → b")
    change("web", -30, "images r/web:1.5 → r/web:1.6")
    told = world.only.change
    assert told is not None
    assert (told.when, told.words, told.is_before) == ("2m30s after", "images r/web:1.4 → r/web:1.5", True)


def test_symptoms_are_counted_whatever_their_restarts() -> None:
    world = World()
    world.deployment("api")
    for number in range(3):
        reason = f"crash loop: main exited 1, restarted {number + 2} times"
        world.pod(f"api-{number}", "api", **bad(reason, world.now, "CrashLoopBackOff"))
    world.pod("api-3", "api", **bad("failed: main exited 3", world.now, "Error"))
    world.pod("api-4", "api", status="Pending", tone="warn", reason="pending: no node fits", since=world.now - 900)
    assert world.only.words == (
        "3 pods in a crash loop: main exited 1; 1 pod failed: main exited 3; 1 pod pending: no node fits"
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
    assert world.only.words == "the quota would be exceeded: Deployment web cannot create what it wants"
    world.deployment("api", since=world.now - 30, reason=said)
    world.warn("event", "web-rs", f"FailedCreate: Error creating: {said}", kind="replicaset", group="apps")
    cause = world.only
    assert (cause.key.rule, cause.key.place, cause.count) == ("quota", ("resourcequotas", "shop", "small"), 3)
    assert cause.words == "the quota would be exceeded: Deployments web and api cannot create what they want"
    assert (cause.status, cause.incident_href) == ("Quota exceeded", "/why/deployments.apps/shop/web/")


def test_events_that_say_the_same_of_the_same_object_are_one_line_with_their_number() -> None:
    world = World()
    said = 'pods "web-x{0}" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4'
    world.deployment("web", since=world.now - 60, reason=said.format("a"))
    for number in range(8):
        reason = f"FailedCreate: Error creating: {said.format(number)} (×{number + 2})"
        world.warn(f"event-{number}", "web-rs", reason, kind="replicaset", group="apps")
    world.warn("other", "web-rs", "Odd: odd", kind="replicaset", group="apps")
    assert (world.only.count, [line.count for line in world.only.lines], world.only.more_count) == (10, [1, 8, 1], 0)


def test_a_card_is_as_old_as_the_oldest_of_what_it_is_made_of() -> None:
    world = World()
    world.warn("event", "web-rs", "FailedCreate: no", kind="replicaset", group="apps")
    world.clock.skip(71)
    world.deployment("web", since=world.now)
    assert world.only.begin == world.now - 71


def restarted(world: World, name: str, restarts: int, seconds_ago: float) -> None:
    """Have the feed say that a pod was restarted."""
    line = world.feeders["pods"].entry(row_of("pods", name), "modified", f"restarts {restarts - 1} → {restarts}")
    fields, moment = (("restarts", str(restarts)),), world.now - seconds_ago
    world.tell("pods", msgspec.structs.replace(line, time=moment, fields=fields))


def crash_loop(world: World, restarts: int, *, age: float = 360, last: float = 0) -> None:
    """A pod that has crashed `restarts` times, and whose status does not say when it did so first."""
    cells: dict[str, Any] = {"restarts": restarts, "last-restart": world.now - last}
    reason = f"crash loop: main exited 1, restarted {restarts} times"
    loops: dict[str, Any] = {"status": "CrashLoopBackOff", "tone": "bad", "reason": reason}
    row = row_of("pods", "web-0", owner=("ReplicaSet", "web-rs"), **loops, **cells)
    world.put("pods", msgspec.structs.replace(row, created=world.now - age))


def test_a_crash_loop_is_as_old_as_its_first_restart_that_the_feed_knows() -> None:
    world = World()
    world.deployment("web")
    crash_loop(world, 22, age=10_000)
    for restarts, seconds_ago in ((1, 8_000), (2, 300), (3, 200), (22, 1)):
        restarted(world, "web-0", restarts, seconds_ago)
    assert world.only.begin == world.now - 300, "it had run well after its first restart"
    assert world.only.words == "1 pod in a crash loop: main exited 1, 21 restarts in 5 min"
    world.feeders["pods"].replica.entries.clear()
    for restarts in (1, 2, 3, 22):
        restarted(world, "web-0", restarts, 320 - 10 * restarts)
    assert world.only.begin == world.now - 310
    assert world.only.words == "1 pod in a crash loop: main exited 1, 22 restarts in 5 min 10 s"
    assert world.only.lines[0].words == "crash loop: main exited 1, restarted 22 times in 5 min 10 s"


def test_of_a_crash_loop_from_before_the_feed_it_is_said_since_when_the_pod_is_there() -> None:
    world = World()
    world.deployment("web")
    crash_loop(world, 22)
    restarted(world, "web-0", 17, 60)
    assert (world.only.since, world.only.lines[0].since) == ("", "")
    assert world.only.words == "1 pod in a crash loop: main exited 1, 22 restarts in 6 min"


def test_a_pod_that_restarted_or_is_not_ready_is_not_headed_running() -> None:
    world = World()
    world.deployment("web")
    world.put("pods", runs_again("web-0", 5, 20))
    assert world.only.status == "Restarted"
    unready = World()
    unready.pod("web-0", tone="warn", reason="not ready: main", since=unready.now - 900)
    assert unready.only.status == "Not ready"
    assert (unready.only.logs_href, unready.only.lead.incident_href) == (
        "/resources/pods/shop/web-0/logs/", "/why/pods/shop/web-0/",
    )  # fmt: skip


def test_warnings_about_what_is_well_now_and_about_what_is_gone_are_a_card_each_at_the_end() -> None:
    world = World()
    world.deployment("web")
    world.deployment("api", since=world.now - 60)
    world.pod("web-1", "web")
    world.pod("api-1", "api")
    world.warn("probe", "web-1", "Unhealthy: probe failed")
    world.warn("gone", "web-0", "BackOff: restarting")
    world.warn("again", "web-0", "Failed: failed")
    world.warn("strange", "thing", "Odd: odd", kind="gadget", group="example.com")
    world.warn("of-api", "api-1", "BackOff: restarting")
    api, other, gone = world.causes.shown
    assert (api.key.place[2], api.count) == ("api", 2)
    assert (other.key.rule, other.subject, other.count, other.href) == ("other", None, 2, "")
    assert (gone.key.rule, gone.count, gone.words) == ("gone", 2, "about 1 object that no longer exists")
    assert {line.title for line in gone.lines} == {"shop/web-0 (pod, gone)"}
    assert not gone.is_single
    world.clock.skip(600)
    world.kinds.kind_summaries.pass_time(world.now)
    assert [cause.key.rule for cause in world.causes.shown] == ["owner"], "they end with their Events' age"


def test_only_what_would_be_known_if_it_were_there_is_said_to_be_gone() -> None:
    world = World()
    world.warn("event", "web-0", "BackOff: restarting")
    pods = world.feeders["pods"]

    def rule(**health: Any) -> str:
        pods.beat(Health(**{"state": "live", "since": world.now, **health}))
        return world.only.key.rule

    assert rule() == rule(namespaces=("shop",)) == "gone"
    assert rule(state="stale") == rule(namespaces=("bank",)) == rule(unreadable=1) == "other"
    pods.replica.is_hidden = True
    assert rule() == "other"


def test_a_warning_about_a_pod_that_is_gone_is_that_of_its_owner_as_the_feed_knows_it() -> None:
    world = World()
    world.deployment("web", since=world.now - 60)
    world.warn("event", "web-0", "BackOff: restarting")
    assert len(world.causes.shown) == 2
    pods = world.feeders["pods"]
    entry = pods.entry(row_of("pods", "web-0"), "deleted", "was Error")
    pods.replica.entries.append(msgspec.structs.replace(entry, owner="ReplicaSet/web-rs", owner_group="apps"))
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
    last = f"p-{MAX_CAUSES + 4}"
    found = world.live().about(lambda subject, _: subject.name == last)
    assert [cause.key.place[2] for cause in found.shown] == [last]


SERVING = KindInfo(
    "services.serving.knative.dev",
    Resource(group="serving.knative.dev", version="v1", plural="services", kind="Service"),
    "Services (serving.knative.dev)", "Custom resources", is_name_shared=True,
)  # fmt: skip


def owned_by(group: str, name: str = "web") -> Row:
    """A pod that has failed, controlled by a Service of this group."""
    owner = Owner(group, "Service", name, f"{name}-uid", is_controller=True, blocks_owner_deletion=True)
    return msgspec.structs.replace(
        row_of("pods", f"p-{group or 'core'}", **bad("failed", 1.0, "Error")), owners=(owner,)
    )


def test_an_owner_is_of_its_api_group_and_not_of_another_with_the_same_kind() -> None:
    clock = FakeClock()
    pods, core = Feeder("pods", clock), Feeder("services", clock)
    custom = Feeder(SERVING.key, clock, [row_of("services", "seen")])

    def place(group: str, name: str, *followed: tuple[KindInfo, Feeder]) -> tuple[str, str, str]:
        owners = TopOwners([(KINDS["pods"], pods.replica), *((kind, feeder.replica) for kind, feeder in followed)])
        return owners.of_row(KINDS["pods"], owned_by(group, name)).place

    assert place("", "web") == ("services", "shop", "web"), "a kind that is not followed is known by its name"
    assert place("", "web", (SERVING, custom)) == ("services", "shop", "web")
    assert place("", "web", (KINDS["services"], core)) == ("pods", "shop", "p-core"), "it is gone"
    assert place("serving.knative.dev", "web") == ("pods", "shop", "p-serving.knative.dev"), "and no Service of core"
    assert place("serving.knative.dev", "web", (KINDS["services"], core)) == ("pods", "shop", "p-serving.knative.dev")
    assert place("serving.knative.dev", "seen", (KINDS["services"], core), (SERVING, custom)) == (
        SERVING.key, "shop", "seen",
    )  # fmt: skip


def test_the_owner_of_what_is_gone_is_of_the_group_that_the_feed_names() -> None:
    clock = FakeClock()
    pods, core = Feeder("pods", clock), Feeder("services", clock, [row_of("services", "web")])
    cells: dict[str, Any] = {"last-seen": clock.time(), "object": "pod/web-0"}
    event = row_of("events", "e", status="Warning", tone="warn", **cells)
    followed = [(KINDS["pods"], pods.replica), (KINDS["services"], core.replica)]
    for group, places in (("", [("services", "shop", "web")]), ("serving.knative.dev", [])):
        line = pods.entry(row_of("pods", "web-0"), "deleted", "was Error")
        pods._send(entries=(msgspec.structs.replace(line, owner="Service/web", owner_group=group),))
        assert [*TopOwners(followed).places_of_event(event)] == [("pods", "shop", "web-0"), *places]


def test_of_several_owners_without_a_controller_none_is_the_owner() -> None:
    world = World()
    world.deployment("web")
    owners = tuple(Owner("apps", "ReplicaSet", name, f"{name}-uid") for name in ("web-rs", "other"))
    world.put("pods", msgspec.structs.replace(row_of("pods", "p", **bad("failed", 1.0, "Error")), owners=owners))
    assert world.only.key.place == ("pods", "shop", "p")


def test_an_owner_that_cannot_be_read_is_known_by_name_and_not_taken_for_gone() -> None:
    world = World(("pods", "replicasets.apps"))
    for number in range(2):
        world.pod(f"web-{number}", "web", **bad("failed", 1.0, "Error"))
    assert {cause.key.place for cause in world.causes.shown} == {("pods", "shop", "web-0"), ("pods", "shop", "web-1")}
    sets = world.feeders["replicasets.apps"]
    sets.beat(Health(state="forbidden", since=world.now, problem="may not be listed"))
    assert (world.only.key.place, world.only.count) == (("replicasets.apps", "shop", "web-rs"), 2)
    sets.replica.is_hidden = True
    sets.beat(Health(state="live", since=world.now))
    assert len(world.causes.shown) == 2, "what somebody may not see has no name here"


def test_a_lost_node_has_no_owner_whose_problem_is_older_or_of_unknown_age() -> None:
    world = World()
    gone = world.now - 300
    world.put("nodes", row_of("nodes", "n-1", namespace="", status="NotReady", tone="bad", reason="silent", since=gone))
    for name, since in (("since", gone + 5), ("before", gone - 3_600)):
        world.deployment(name, since=since)
        world.pod(f"{name}-1", name, node="n-1", **bad("not ready", gone + 40, "Unknown"))
    ageless = row_of("deployments.apps", "ageless", status="Stalled", tone="bad", reason="rollout is stuck")
    world.put("deployments.apps", ageless)
    world.put("replicasets.apps", row_of("replicasets.apps", "ageless-rs", owner=("Deployment", "ageless")))
    world.pod("ageless-1", "ageless", node="n-1", **bad("not ready", gone + 40, "Unknown"))
    causes = {cause.key.place[2]: cause for cause in world.causes.shown}
    assert {name: cause.count for name, cause in causes.items()} == {"n-1": 5, "before": 1, "ageless": 1}
    assert {line.row.name for line in causes["n-1"].lines} == {"n-1", "since", "since-1", "before-1", "ageless-1"}


def test_a_lost_node_speaks_for_itself_whatever_stands_before_it() -> None:
    world = World()
    gone = world.now - 300
    world.put("nodes", row_of("nodes", "n-1", namespace="", status="NotReady", tone="bad", reason="silent", since=gone))
    world.deployment("web", since=gone - 20, reason="1 of 2 pods available")
    world.pod("web-1", "web", node="n-1", **bad("not ready", gone - 30, "Unknown"))
    assert world.only.words == "silent; 1 pod of it unhealthy since"


def test_a_pod_that_its_node_does_not_start_is_not_said_to_be_unschedulable() -> None:
    world = World()
    waiting = "pending: waiting for n-1 to start it"
    world.pod("slow", status="Pending", tone="busy", reason=waiting, since=world.now - 900)
    world.pod("never", **bad("image: main: Container image is not present with pull policy of Never", world.now - 60,
                             "ErrImageNeverPull"))  # fmt: skip
    assert [cause.words for cause in world.causes.shown] == [
        "1 pod image: main: Container image is not present with pull policy of Never", f"1 pod {waiting}",
    ]  # fmt: skip


def test_pods_of_a_lost_node_are_its_card_from_the_first_moment() -> None:
    world = World()
    world.put("nodes", row_of("nodes", "n-1", namespace="", status="NotReady", tone="bad", reason="silent",
                              since=world.now))  # fmt: skip
    world.deployment("web")
    for number in range(2):
        world.pod(f"web-{number}", "web", node="n-1")
    world.pod("done", node="n-1", status="Completed", tone="idle")
    world.pod("before", node="n-1", status="Running", tone="warn", reason="not ready: c", since=world.now - 90)
    world.pod("elsewhere", node="n-2")
    assert (world.only.words, world.only.count) == ("silent; 2 pods on it", 3)
    assert world.only.lines[1].words == "ready when its node was last heard of"
    assert world.causes.total == 3
    unready = {"status": "Running", "tone": "warn", "reason": "not ready: c", "since": world.now}
    world.pod("web-0", "web", node="n-1", **unready)
    assert world.only.words == "silent; 2 pods on it, 1 of them unhealthy since"
    world.pod("web-1", "web", node="n-1", **unready)
    assert (world.only.words, world.only.count) == ("silent; 2 pods of it unhealthy since", 3)
    assert world.only.lead.kind.key == "nodes"


def runs_again(name: str, restarts: int, seconds: float, **more: Any) -> Row:
    """A pod that runs since so many seconds after a crash loop."""
    now = FakeClock().time()
    row = row_of("pods", name, owner=("ReplicaSet", "web-rs"), restarts=restarts, since=now - seconds - 10, **more)
    return msgspec.structs.replace(row, until=now - seconds + 600)


def test_pods_that_run_after_a_crash_loop_say_so_and_not_that_they_are_broken() -> None:
    world = World()
    world.deployment("web")
    world.put("pods", runs_again("web-0", 5, 20))
    last = "last at 2027-01-15 07:59:40 UTC"
    assert (world.only.words, world.only.lead.tone) == (f"1 pod restarted 5 times, {last}, runs now", "warn")
    assert world.only.lines[0].words == f"restarted 5 times, {last}, runs now"
    world.put("pods", runs_again("web-1", 3, 50, tone="warn", reason="not ready: main"))
    assert world.only.words == f"2 pods restarted 3 to 5 times, {last}, run now, 1 of them not ready"
    world.pod("web-2", "web", **bad("crash loop: main exited 1, restarted 4 times", world.now, "CrashLoopBackOff"))
    assert world.only.words.startswith("1 pod in a crash loop: main exited 1; 2 pods restarted 3 to 5 times")
    assert world.only.lead.row.status == "CrashLoopBackOff"


def test_the_reason_of_a_container_wins_over_that_of_the_rollout_whichever_is_older() -> None:
    for since in (100.0, 1_000.0):
        world = World()
        world.deployment("web", since=world.now - 500)
        world.pod("web-0", "web", **bad(PULL, world.now - since))
        assert (world.only.lead.row.status, world.only.words) == (
            "ImagePullBackOff", "1 pod cannot pull image r/web:1.5",
        )  # fmt: skip


def test_a_warning_about_a_container_that_is_there_wins_over_the_rollout() -> None:
    world = World()
    world.deployment("web", since=world.now - 60)
    world.pod("web-0", "web")
    back_off = "BackOff: Back-off restarting failed container main in pod web-0_shop(uid) (×4)"
    path: dict[str, Any] = {"last-seen": world.now, "object": "pod/web-0", "subobject": "spec.containers{main}"}
    world.put("events", row_of("events", "e", status="Warning", tone="warn", reason=back_off, since=world.now, **path))
    world.warn("scheduling", "web-0", "FailedScheduling: no node")
    words = "a warning says: BackOff: Back-off restarting failed container main"
    assert (world.only.lead.row.status, world.only.words) == ("Stalled", words)
    world.feeders["pods"].drop("web-0-uid")
    assert {cause.words for cause in world.causes.shown} == {"rollout is stuck", "about 1 object that no longer exists"}


def test_what_pods_do_is_said_in_a_fixed_order_whatever_most_of_them_do() -> None:
    for most in (0, 1):
        world = World()
        world.deployment("web")
        for number in range(3):
            does = bad(PULL, world.now) if number <= most else bad("failed: main exited 3", world.now, "Error")
            world.pod(f"web-{number}", "web", **does)
        assert world.only.words.index("cannot pull image") < world.only.words.index("failed: main exited 3")
