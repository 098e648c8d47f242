"""Tests of what stands out on a time line, and of what is folded."""

from __future__ import annotations

import pytest

from dashboard.objects.fields.managed_fields import FieldManager
from dashboard.objects.kinds.feed_entry import Entry, Operation
from dashboard.objects.kinds.row import Tone
from dashboard.pages.incident.routine import (
    Fold,
    fold_repeated,
    folded,
    is_routine_change,
    is_routine_event,
    is_routine_writer,
    newest,
    without_bookkeeping,
)
from dashboard.pages.incident.timeline_entry import Source, TimelineEntry

DEPLOYMENTS, SETS = "deployments.apps", "replicasets.apps"
OF_SET = "ReplicaSet/web-1"


def line(
    *fields: str, op: Operation = "modified", tone: Tone = "ok", owner: str = "", status: str = "", words: str = "x"
) -> Entry:
    changed = tuple((name, "new") for name in fields)
    return Entry(1, 0.0, op, "shop", "web", "u", "2", words, tone, status=status, owner=owner, fields=changed)


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        pytest.param("pods", line("status", "restarts", tone="bad", owner=OF_SET), id="a crash"),
        pytest.param("pods", line("restarts", owner=OF_SET), id="a restart after which it is well"),
        pytest.param("pods", line("ready", tone="warn", owner=OF_SET), id="a pod that is not ready any more"),
        pytest.param("pods", line("status", tone="bad", owner=OF_SET), id="an image that cannot be pulled"),
        pytest.param("pods", line("status", words="deletion asked for, status", owner=OF_SET), id="a deletion"),
        pytest.param("pods", line(op="deleted", status="Error", owner=OF_SET), id="a pod that was deleted"),
        pytest.param("pods", line(op="deleted", status="Completed"), id="an object of its own that was deleted"),
        pytest.param("pods", line(op="added", tone="bad", owner=OF_SET), id="a pod that is wrong from the start"),
        pytest.param(DEPLOYMENTS, line("images"), id="a rollout"),
        pytest.param(SETS, line(op="added", owner="Deployment/web"), id="its new ReplicaSet"),
        pytest.param(DEPLOYMENTS, line("spec.replicas", "status.replicas"), id="an edit"),
        pytest.param(DEPLOYMENTS, line("metadata.labels.team"), id="a label"),
        pytest.param(DEPLOYMENTS, line("metadata.annotations.kubectl.kubernetes.io/last-applied"), id="an apply"),
        pytest.param("configmaps", line("data"), id="settings"),
        pytest.param("nodes", line("status", tone="bad"), id="a node that is lost"),
        pytest.param(DEPLOYMENTS, line("status", "ready", tone="bad"), id="a rollout that is stuck"),
        pytest.param("pods", line(words="deleted and created again"), id="what has no fields"),
    ],
)
def test_what_went_wrong_and_what_somebody_did_stands_out(key: str, entry: Entry) -> None:
    assert not is_routine_change(key, entry, is_subject=False)


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        pytest.param(DEPLOYMENTS, line("status.observedGeneration", tone="bad"), id="of something that is wrong"),
        pytest.param("leases.coordination.k8s.io", line("spec.renewTime", "spec.leaseTransitions"), id="a lease"),
        pytest.param("nodes", line("status.conditions[Ready].lastHeartbeatTime", tone="bad"), id="a heartbeat"),
        pytest.param(DEPLOYMENTS, line("metadata.annotations.deployment.kubernetes.io/revision"), id="a revision"),
        pytest.param("pods", line("status", "ready", owner=OF_SET), id="a pod that runs now"),
        pytest.param("pods", line("status", "restarts", "ready", owner=OF_SET), id="a pod that runs again"),
        pytest.param(SETS, line("status.terminatingReplicas", tone="bad"), id="pods that end"),
        pytest.param("pods", line("ip", "node", tone="busy", owner=OF_SET), id="a pod that was scheduled"),
        pytest.param("pods", line(op="added", tone="warn", owner=OF_SET), id="a pod that was created"),
        pytest.param("pods", line(op="deleted", status="Completed", owner=OF_SET), id="a pod that ended well"),
        pytest.param("pods", line("metadata.annotations.cni/ip", owner=OF_SET), id="what others note on a pod"),
        pytest.param(DEPLOYMENTS, line("ready", "available", tone="warn"), id="counts of pods"),
    ],
)
def test_what_happens_all_the_time_is_routine(key: str, entry: Entry) -> None:
    assert is_routine_change(key, entry, is_subject=False)


def test_the_beginning_and_the_end_of_the_pages_own_object_stand_out() -> None:
    for entry in (line(op="added", owner=OF_SET), line(op="deleted", status="Completed", owner=OF_SET)):
        assert not is_routine_change("pods", entry, is_subject=True)


@pytest.mark.parametrize(
    ("words", "tone", "is_routine"),
    [
        ("Scheduled: Successfully assigned shop/web to n-1", "idle", True),
        ("Killing: Stopping container web", "idle", True),
        ("Unhealthy: Readiness probe failed: 503", "warn", False),
        ("Killing: Container web failed liveness probe, will be restarted", "idle", False),
        ('BackOff: Back-off pulling image "web:2"', "idle", False),
        ("ScalingReplicaSet: Scaled up replica set web-2 to 1", "idle", False),
        ("FailedMount: timed out", "warn", False),
    ],
)
def test_warnings_probes_images_and_rollouts_among_events_stand_out(words: str, tone: Tone, is_routine: bool) -> None:
    assert is_routine_event(words, tone) is is_routine


def test_parts_of_kubernetes_are_routine_writers() -> None:
    routine = {
        name: is_routine_writer(FieldManager(name, False, "", "")) for name in ("kubelet", "kubectl-edit", "helm")
    }
    assert routine == {"kubelet": True, "kubectl-edit": False, "helm": False}


def test_bookkeeping_is_left_out_of_the_words_of_a_change() -> None:
    moments = "2026-11-29T05:32:09Z → 2026-11-29T10:50:20Z"
    at = f"status.conditions[Available].lastUpdateTime {moments}"
    assert without_bookkeeping(f"{at}, status.x False → True, {at}, 2 more") == "status.x False → True, 2 more"
    assert without_bookkeeping(f"status.x a, b → c, {at}") == "status.x a, b → c"
    assert without_bookkeeping("status.observedGeneration added: 2, ready 0/1 → 1/1") == "ready 0/1 → 1/1"
    assert without_bookkeeping(at) == at


PLACE = ("pods", "shop", "web")


def entry_at(at: float, words: str = "", source: Source = "change", **more: object) -> TimelineEntry:
    return TimelineEntry(at, source, words or f"at {at}", place=PLACE, **more)  # type: ignore[arg-type]


def test_of_what_is_said_again_the_newest_stands_out() -> None:
    said = fold_repeated([
        entry_at(1, "BackOff: again (×2)", "event"), entry_at(3, "BackOff: again (×30)", "event"),
        entry_at(2, "status Running → Error"), entry_at(4, "container web ended", container="web"),
        entry_at(5, "container web ended", container="web"), entry_at(6, "the same", "write"),
        entry_at(7, "the same", "write"),
    ])  # fmt: skip
    assert [each.at for each in said] == [7, 6, 5, 4, 3, 2, 1]
    assert [each.at for each in said if each.is_routine] == [1]
    cut = fold_repeated([entry_at(1, "x" * 300, "event"), entry_at(2, "x" * 199 + "…", "event")])
    assert [each.is_routine for each in cut] == [False, True]


def test_routine_entries_that_follow_one_another_are_one_fold() -> None:
    entries = [entry_at(9 - number, is_routine=number in (0, 2, 3)) for number in range(5)]
    shown = [each.words for each in folded(entries)]
    assert shown == ["1 routine change", "at 8", "2 routine changes", "at 5"]
    (_, _, before, _), (after, *_) = folded(entries), folded([entry_at(8.5, is_routine=True), *entries[2:]])
    assert isinstance(before, Fold)
    assert isinstance(after, Fold)
    assert (before.id, before.newest.at, after.newest.at) == (after.id, 7, 8.5)


def test_routine_entries_push_nothing_else_off_the_page() -> None:
    routine = [entry_at(100 + number, is_routine=True) for number in range(5)]
    shown, is_cut = newest([*routine, entry_at(1), entry_at(2)], 3)
    assert ([each.at for each in shown], is_cut) == ([104, 103, 102, 2, 1], True)
    assert newest([entry_at(1)], 1) == ([entry_at(1)], False)
