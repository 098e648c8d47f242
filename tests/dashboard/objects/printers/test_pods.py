"""Tests of pods' rows: kubectl's status words, and our explanations of problems."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.objects.printers import change_text, is_unhealthy, unhealthy_span
from tests.support.objects.pod_states import LONG_AGO, STATES, PodState, pod_of
from tests.support.objects.rows import CREATED, Json, cells_of, row_of


def whole(state: PodState) -> Json:
    """The pod as the API server would have it."""
    pod = pod_of(state, "shop")
    pod["metadata"] |= {"uid": f"uid-{state.name}", "resourceVersion": "7", "creationTimestamp": CREATED}
    pod["status"] = copy.deepcopy(state.status)
    if state.deleted:
        pod["metadata"]["deletionTimestamp"] = CREATED
    return pod


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_pod_says_how_it_is_and_why(state: PodState) -> None:
    row = row_of("pods", whole(state))
    assert (row.status, row.tone, row.reason) == (state.word, state.tone, state.reason)
    assert cells_of("pods", row)["status"] == state.word
    if (state.tone in ("warn", "bad") or state.reason) and ", restarted" not in state.reason:
        assert row.since is not None


def state(name: str) -> PodState:
    return next(state for state in STATES if state.name == name)


def test_a_crash_loop_is_wrong_at_once_and_pending_after_five_minutes() -> None:
    crash, pending, fine = (row_of("pods", whole(state(name))) for name in ("crash", "unscheduled", "running"))
    assert unhealthy_span("pods", crash) == (0, float("inf"))
    assert pending.since is not None
    assert not is_unhealthy("pods", pending, pending.since + 299)
    assert is_unhealthy("pods", pending, pending.since + 300)
    assert unhealthy_span("pods", fine) is None


def test_changes_of_a_pod_are_told_in_words() -> None:
    before, after = whole(state("running")), whole(state("restarted"))
    after["metadata"]["uid"] = before["metadata"]["uid"]
    words, tone, _ = change_text("pods", row_of("pods", before), row_of("pods", after))
    assert words == "restarts 0 → 4, ip 10.4.7.21 → none"
    assert tone == "ok"
    crash = row_of("pods", whole(state("crash")))
    assert change_text("pods", None, crash)[:2] == (f"created, {crash.reason}", "bad")
    assert change_text("pods", crash, None)[:2] == ("was CrashLoopBackOff", "idle")
    assert change_text("pods", row_of("pods", before), crash)[0].startswith("deleted and created again: crash loop")


def test_a_deletion_that_was_asked_for_names_what_holds_it_up() -> None:
    before = whole(state("held"))
    del before["metadata"]["deletionTimestamp"]
    words, tone, _ = change_text("pods", row_of("pods", before), row_of("pods", whole(state("held"))))
    assert words == "deletion asked for, held by finalizers: example.org/hold, status Running → Terminating"
    assert tone == "busy"


def test_fields_without_a_column_are_named_by_their_path() -> None:
    before, after = whole(state("running")), whole(state("running"))
    after["metadata"] |= {"resourceVersion": "8", "managedFields": [{"manager": "x"}]}
    assert change_text("pods", row_of("pods", before), row_of("pods", after))[:2] == ("no visible change", "idle")
    after["metadata"]["labels"] = {"app.example/tier": "front"}
    after["spec"]["containers"][0]["image"] = "j"
    after["status"]["conditions"][1]["status"] = "True "
    after["status"]["message"] = "x " * 100
    words, *_ = change_text("pods", row_of("pods", before), row_of("pods", after))
    assert words == (
        'metadata.labels added: {"app.example/tier":"front"}, spec.containers[api].image i → j, '
        "status.conditions[Ready].status True → True, 1 more"
    )


def test_the_moment_of_the_last_restart_is_kept() -> None:
    cells = cells_of("pods", row_of("pods", whole(state("restarted"))))
    assert cells["restarts"] == 4
    assert cells["last-restart"] is not None
    assert LONG_AGO.startswith("20")


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def restarted_pod(*, restarts: int = 5, ran: float | None = 4, ready: bool = True, runs_for: float = 30) -> Json:
    """A pod whose first container was restarted, last `runs_for` seconds before NOW, after a run of `ran` seconds."""

    def at(seconds_ago: float) -> str:
        return (NOW - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")

    pod = whole(state("running"))
    ended = runs_for + 100
    began = "1970-01-01T00:00:00Z" if ran is None else at(ended + ran)
    last = {"exitCode": 1, "reason": "Error", "startedAt": began, "finishedAt": at(ended)}
    pod["status"]["containerStatuses"][0] |= {
        "restartCount": restarts, "ready": ready, "lastState": {"terminated": last},
        "state": {"running": {"startedAt": at(runs_for)}},
    }  # fmt: skip
    if not ready:
        changed = {"status": "False", "reason": "ContainersNotReady", "lastTransitionTime": at(ended)}
        next(each for each in pod["status"]["conditions"] if each["type"] == "Ready").update(changed)
    return pod


def test_a_pod_that_runs_after_a_crash_loop_is_a_problem_until_the_kubelet_forgets_its_back_off() -> None:
    row, started = row_of("pods", restarted_pod()), NOW.timestamp() - 30
    assert (row.status, row.tone, row.reason) == ("Running", "ok", ""), "it is not broken now"
    assert row.since is None, "its status does not say when it ended first"
    assert is_unhealthy("pods", row, started + 599)
    assert not is_unhealthy("pods", row, started + 600)


@pytest.mark.parametrize(
    ("facts", "is_in_loop"),
    [({"restarts": 2}, True), ({"restarts": 1}, False), ({"ran": 599}, True), ({"ran": 600}, False),
     ({"ran": None}, True)],
)  # fmt: skip
def test_only_two_ends_after_less_than_ten_minutes_are_a_crash_loop(facts: Json, is_in_loop: bool) -> None:
    row = row_of("pods", restarted_pod(**facts))
    assert is_unhealthy("pods", row, NOW.timestamp()) == is_in_loop


def test_a_pod_that_is_not_ready_after_a_crash_loop_is_a_problem_at_once_and_until_it_is_ready() -> None:
    row = row_of("pods", restarted_pod(ready=False))
    assert (row.status, row.tone) == ("Running", "warn")
    assert is_unhealthy("pods", row, NOW.timestamp())
    assert is_unhealthy("pods", row, NOW.timestamp() + 86_400)


def ended(*, restarts: int, last: float, before: float | None = None, ran: float = 5, unready: float = 0) -> float:
    """Seconds before NOW since when a pod says that it is wrong; 0 where it does not. A container ended `last` and
    `before` seconds ago after `ran` seconds, and the pod is not ready since `unready`, or since its last end.
    """

    def run(ago: float) -> Json:
        began, over = (NOW - timedelta(seconds=each) for each in (ago + ran, ago))
        return {"exitCode": 1, "reason": "Error", "startedAt": began.isoformat(), "finishedAt": over.isoformat()}

    pod = whole(state("running"))
    pod["status"]["containerStatuses"][0] |= {
        "restartCount": restarts, "ready": False, "state": {"terminated": run(last)},
        "lastState": {"terminated": run(before)} if before is not None else {},
    }  # fmt: skip
    ready = next(each for each in pod["status"]["conditions"] if each["type"] == "Ready")
    ready |= {"status": "False", "lastTransitionTime": (NOW - timedelta(seconds=unready or last)).isoformat()}
    row = row_of("pods", pod)
    assert row.reason.startswith("container ended")
    return NOW.timestamp() - row.since if row.since is not None else 0


def test_a_crash_loop_never_says_that_it_began_with_its_last_crash() -> None:
    assert ended(restarts=0, last=17) == 17
    assert ended(restarts=1, last=17, before=40) == 40
    assert ended(restarts=5, last=17, before=60) == 0, "there were four ends before these"
    assert ended(restarts=5, last=17, before=60, unready=300) == 300, "it was not ready between them"
    assert ended(restarts=5, last=17, before=700, ran=650) == 17, "it ran well before it ended"
