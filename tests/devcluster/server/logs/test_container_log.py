"""Tests of the logs of the demo cluster's containers."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from dashboard.objects.logs.severity import ERROR, NONE, severity_of
from devcluster.server.logs.container_log import LINES_OF_A_FILE, NoLog, find_log
from devcluster.server.logs.voices import _VOICES, voice_of, write_line
from devcluster.workload.demo_inventory import APPS

START, END = "2026-11-28T07:00:00Z", "2026-11-28T07:10:00Z"
BEGIN = 1_795_849_200.0


def pod(state: dict[str, Any], last: dict[str, Any] | None = None, image: str = "r/team/cart:1.0.0") -> dict[str, Any]:
    status = {"name": "main", "image": image, "state": state, "lastState": {"terminated": last} if last else {}}
    return {
        "metadata": {"name": "cart-1", "uid": "u1"},
        "spec": {"containers": [{"name": "main", "image": image}]},
        "status": {"containerStatuses": [status]},
    }


def test_the_same_run_has_the_same_lines_however_it_is_read() -> None:
    log = find_log(pod({"running": {"startedAt": START}}), "main", previous=False)
    whole = list(log.lines(0, BEGIN + 600))
    assert len(whole) == pytest.approx(600 * voice_of("cart").rate, abs=3)
    assert whole == sorted(whole, key=lambda line: line.nanoseconds)
    halves = [*log.lines(0, BEGIN + 333.3), *log.lines(BEGIN + 333.3, BEGIN + 600)]
    assert halves == whole
    other = find_log(pod({"running": {"startedAt": END}}), "main", previous=False)
    assert not other.is_run_of(log)
    assert next(iter(other.lines(0, BEGIN + 1200))) != whole[0]


def test_of_a_long_run_the_newest_file_is_there() -> None:
    log = find_log(pod({"running": {"startedAt": "2026-09-01T00:00:00Z"}}), "main", previous=False)
    lines = list(log.lines(0, BEGIN))
    assert 0 < len(lines) <= LINES_OF_A_FILE
    assert lines[-1].nanoseconds / 1e9 > BEGIN - 10


def test_a_crash_leaves_a_trace_and_a_kill_none() -> None:
    crashed = {"startedAt": START, "finishedAt": END, "exitCode": 1}
    log = find_log(pod({"waiting": {"reason": "CrashLoopBackOff"}}, crashed), "main", previous=False)
    assert "panic: " in "".join(line.text for line in log.lines(BEGIN + 599, BEGIN + 700))
    assert list(log.lines(BEGIN + 600, BEGIN + 700)) == []
    before = find_log(pod({"running": {"startedAt": END}}, crashed), "main", previous=True)
    assert before.is_run_of(log)
    killed = find_log(pod({"terminated": {**crashed, "exitCode": 137}}), "main", previous=False)
    assert "panic: " not in "".join(line.text for line in killed.lines(0, BEGIN + 700))


@pytest.mark.parametrize(
    ("state", "previous", "words"),
    [
        ({"waiting": {"reason": "ContainerCreating"}}, False, 'container "main" in pod "cart-1" is waiting to start'),
        ({"waiting": {"reason": "ImagePullBackOff"}}, False, "trying and failing to pull image"),
        ({"running": {"startedAt": START}}, True, 'previous terminated container "main" in pod "cart-1" not found'),
    ],
)
def test_what_has_no_log_says_why_as_the_kubelet_does(state: dict[str, Any], previous: bool, words: str) -> None:
    with pytest.raises(NoLog, match=words):
        find_log(pod(state), "main", previous=previous)


@pytest.mark.slow
def test_each_program_of_the_demo_has_a_voice_whose_severity_can_be_read() -> None:
    named = {app.name for app in APPS}
    assert set(_VOICES) <= named
    rng = random.Random(1)
    for name in sorted(named):
        lines = [write_line(voice_of(f"r/team/{name}:1.0.0"), rng, BEGIN + second) for second in range(400)]
        severities = {severity_of(line.encode()) for line in lines}
        assert all("{" not in line or json.loads(line) for line in lines)
        assert severities != {NONE} or name in {"session-cache", "images", "gateway", "hello"}
    assert severity_of(b"Traceback (most recent call last):") == ERROR
