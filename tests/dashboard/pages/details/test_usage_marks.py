"""Tests of the marks in usage: restarts, OOM kills and rollouts of an object and its family."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dashboard.live.rendering.time_texts import rfc3339
from dashboard.live.replication.feed_history import FeedHistory
from dashboard.live.replication.replica_change import Change
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers.change_text import change_text
from dashboard.pages.details.usage_marks import DAY, MAX_MARKS, UsageMarks
from dashboard.runtime.time_slicing import run_at_once
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod
from tests.support.objects.rows import CREATED, Json, made, row_of

DEPLOYMENTS = "deployments.apps"


def fields_of(key: str, before: Json, after: Json) -> tuple[tuple[str, str], ...]:
    """What an entry says of a change between two versions of an object."""
    return change_text(key, row_of(key, before), row_of(key, after)).fields


def pod_with(restarts: int, state: Json, *, of: str = "containerStatuses") -> Json:
    statuses = [{"name": "app", "restartCount": restarts, "state": state}]
    spec = {"nodeName": "node-1", "containers": [{"name": "app"}], "initContainers": [{"name": "app"}]}
    spec = spec if of == "initContainerStatuses" else {**spec, "initContainers": []}
    return made("Pod", "web-1-a", spec=spec, status={"phase": "Running", of: statuses})


def deployment(image: str, *, replicas: int = 3, **annotations: str) -> Json:
    template = {"metadata": {"annotations": annotations}, "spec": {"containers": [{"name": "app", "image": image}]}}
    return made("Deployment", "web", api_version="apps/v1", spec={"replicas": replicas, "template": template})


RUNS, OOM = {"running": {"startedAt": CREATED}}, {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
RESTART = fields_of("pods", pod_with(3, RUNS), pod_with(4, RUNS))
KILLED = fields_of("pods", pod_with(3, RUNS), pod_with(3, OOM))
INIT_KILLED = fields_of(
    "pods", pod_with(3, RUNS, of="initContainerStatuses"), pod_with(3, OOM, of="initContainerStatuses")
)
INITIALIZED = fields_of("pods", pod_with(3, RUNS, of="initContainerStatuses"), pod_with(0, RUNS))
ROLLOUT = fields_of(DEPLOYMENTS, deployment("app:1"), deployment("app:2"))
RESTARTED_BY_HAND = fields_of(DEPLOYMENTS, deployment("app:1"), deployment("app:1", restartedAt="now"))
SCALED = fields_of(DEPLOYMENTS, deployment("app:1"), deployment("app:1", replicas=4))
SCALED_AND_RESTARTED = fields_of(DEPLOYMENTS, deployment("app:1"), deployment("app:1", replicas=4, restartedAt="now"))


def entry(clock: FakeClock, name: str, fields: tuple[tuple[str, str], ...], **more: Any) -> Entry:
    known = {"namespace": "shop", "words": "changed", "op": "modified", **more}
    return Entry(
        1, clock.time(), known["op"], known["namespace"], name, f"uid-{name}", "2", known["words"], "ok",
        owner=known.get("owner", ""), owner_group="apps" if "owner" in known else "", fields=fields,
    )  # fmt: skip


class Marked:
    """The marks of the Deployment shop/web, whose ReplicaSet is web-1."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock)
        self.deployments = Feeder(DEPLOYMENTS, self.clock)
        self.history = FeedHistory((self.pods.replica, self.deployments.replica), self.clock)
        self.marks = UsageMarks(self.history, self.clock)
        self.marks.include((KINDS[DEPLOYMENTS], row("web")))
        self.marks.include((KINDS["replicasets.apps"], row("web-1")))

    def tell(self, key: str, *entries: Entry) -> bool:
        change = Change(entries=list(entries))
        self.history.add(key, change)
        return self.marks.apply(key, change)

    @property
    def shown(self) -> list[tuple[str, str]]:
        return [(mark.kind, mark.words) for mark in self.marks.marks()]


def row(name: str) -> Row:
    return msgspec.structs.replace(pod(name, namespace="shop"), uid=f"uid-{name}")


def test_what_happens_to_the_family_is_marked() -> None:
    marked = Marked()
    mine = {"owner": "ReplicaSet/web-1"}
    assert marked.tell("pods", entry(marked.clock, "web-1-a", RESTART, words="restarts 3 → 4", **mine))
    marked.clock.skip(60)
    assert marked.tell("pods", entry(marked.clock, "web-1-b", KILLED, **mine))
    marked.clock.skip(60)
    assert marked.tell(DEPLOYMENTS, entry(marked.clock, "web", ROLLOUT, words="image app:1 → app:2"))
    foreign = entry(marked.clock, "web-1-c", RESTART, words="restarts 3 → 4", **mine)
    assert not marked.tell("pods", msgspec.structs.replace(foreign, owner_group="example.com"))
    assert marked.shown == [
        ("restart", "web-1-a: restarts 3 → 4"),
        ("oom", "web-1-b was killed for its memory"),
        ("rollout", "web: image app:1 → app:2"),
    ]
    assert [mark.tone for mark in marked.marks.marks()] == ["warn", "bad", "busy"]
    marked.clock.skip(60)
    assert marked.tell(DEPLOYMENTS, entry(marked.clock, "web", RESTARTED_BY_HAND, words=""))
    assert marked.shown[-1] == ("rollout", "web")
    marked.clock.skip(60)
    assert marked.tell(DEPLOYMENTS, entry(marked.clock, "web", SCALED_AND_RESTARTED, words="both"))
    assert marked.shown[-1] == ("rollout", "web: both")
    marked.clock.skip(60)
    assert marked.tell("pods", entry(marked.clock, "web-1-d", INIT_KILLED, **mine))
    assert marked.shown[-1] == ("oom", "web-1-d was killed for its memory")


@pytest.mark.parametrize(
    ("key", "name", "fields", "more"),
    [
        ("pods", "other-1-a", RESTART, {"owner": "ReplicaSet/other-1"}),
        ("pods", "web-1-a", RESTART, {"owner": "ReplicaSet/web-1", "namespace": "search"}),
        ("pods", "web-1-a", (("status.phase", "Running"),), {"owner": "ReplicaSet/web-1"}),
        ("pods", "web-1-a", INITIALIZED, {"owner": "ReplicaSet/web-1"}),
        ("pods", "web-1-a", RESTART, {"owner": "ReplicaSet/web-1", "op": "deleted"}),
        (DEPLOYMENTS, "web", ROLLOUT, {"op": "added"}),
        (DEPLOYMENTS, "web", SCALED, {}),
        (DEPLOYMENTS, "other", ROLLOUT, {}),
    ],
)
def test_nothing_else_is(key: str, name: str, fields: tuple[tuple[str, str], ...], more: dict[str, Any]) -> None:
    marked = Marked()
    assert not marked.tell(key, entry(marked.clock, name, fields, **more))
    assert marked.shown == []


def test_what_happened_before_the_page_was_opened_is_found_in_the_feed() -> None:
    marked = Marked()
    for minute in range(600):
        marked.clock.skip(60)
        fields = RESTART if minute in (17, 400) else (("status.phase", "x"),)
        marked.tell("pods", entry(marked.clock, f"pod-{minute}", fields, owner="ReplicaSet/web-1"))
    fresh, calls = UsageMarks(marked.history, marked.clock), list[str]()
    fresh.include((KINDS["replicasets.apps"], row("web-1")))
    run_at_once(fresh.search(lambda: calls.append("found")))
    assert [mark.words for mark in fresh.marks()] == ["pod-17: changed", "pod-400: changed"]
    assert calls == ["found"]


def test_a_pods_own_status_tells_what_was_before_the_feed() -> None:
    marked = Marked()
    now = marked.clock.time()
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": rfc3339(now - 60)}
    crashed = {"exitCode": 2, "reason": "Error", "finishedAt": rfc3339(now - 3_600)}
    long_ago = {"exitCode": 2, "reason": "Error", "finishedAt": rfc3339(now - DAY - 1)}
    statuses = [
        {"name": "app", "lastState": {"terminated": ended}, "state": {"running": {}}},
        {"name": "side", "lastState": {"terminated": crashed}, "state": {"terminated": {"exitCode": 0}}},
        {"name": "old", "lastState": {"terminated": long_ago}},
        {"name": "odd", "lastState": {"terminated": {"exitCode": 1, "finishedAt": "yesterday"}}},
    ]
    marks = UsageMarks(None, marked.clock)
    for _ in range(2):
        marks.note_object({"status": {"containerStatuses": statuses}}, "web")
    assert [(mark.kind, mark.words, mark.at) for mark in marks.marks()] == [
        ("restart", "side ended with exit code 2", now - 3_600),
        ("oom", "app was killed for its memory", now - 60),
    ]


def test_an_oom_kill_that_the_feed_tells_as_a_restart_is_known_from_the_pods_status() -> None:
    marked = Marked()
    ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": rfc3339(marked.clock.time() - 1)}
    marked.tell("pods", entry(marked.clock, "web-1-a", RESTART, words="restarts 3 → 4", owner="ReplicaSet/web-1"))
    status = {"containerStatuses": [{"name": "app", "lastState": {"terminated": ended}, "state": RUNS}]}
    marked.clock.skip(60)
    marked.marks.note_object({"status": status}, "web-1-a")
    assert marked.shown == [("oom", "app was killed for its memory"), ("restart", "web-1-a: restarts 3 → 4")]


def test_a_day_of_marks_is_kept_and_the_newest_are_shown() -> None:
    marked = Marked()
    for number in range(MAX_MARKS + 40):
        marked.clock.skip(1_000)
        marked.tell("pods", entry(marked.clock, f"pod-{number}", RESTART, owner="ReplicaSet/web-1"))
    shown = marked.marks.marks(created=marked.clock.time() + 1)
    assert len(shown) == MAX_MARKS
    assert (shown[-1].kind, shown[-1].words) == ("created", ""), "the kind says it all"
    marked.clock.skip(DAY + 1)
    assert marked.marks.marks(created=1.0) == ()
