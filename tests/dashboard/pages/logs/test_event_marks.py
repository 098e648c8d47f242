"""Tests of Events as marks: what they cost, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.logs.event_marks import MAX_MARKS, EventMarks
from dashboard.pages.logs.line_buffer import LogPageMark
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder
from tests.support.objects.rows import made, row_of

POD = KINDS["pods"], row_of("pods", made("Pod", "web"))


def event(number: int, pod: str) -> Any:
    about = {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": pod, "uid": f"uid-shop-{pod}"}
    time = f"2026-11-28T07:{number // 60 % 60:02d}:{number % 60:02d}Z"
    more = {"reason": "BackOff", "message": f"number {number}", "type": "Warning", "lastTimestamp": time}
    return row_of("events", made("Event", f"{pod}.{number}", involvedObject=about, **more))


def marks_of(events: list[Any]) -> tuple[list[LogPageMark], list[str]]:
    """Marks about the pod web where the cluster has these Events, and the uids of those that were read."""
    feeder = Feeder("events", FakeClock(), events)
    read: list[str] = []
    get: Callable[[str], Any] = feeder.replica.rows.get

    def noted(uid: str) -> Any:
        read.append(uid)
        return get(uid)

    found: list[LogPageMark] = []
    replica = SimpleNamespace(by_subject=feeder.replica.by_subject, rows=SimpleNamespace(get=noted))
    EventMarks(lambda: cast("Any", replica), found.extend).include(None, [POD])
    return found, read


def test_only_events_about_the_shown_pods_are_read_however_many_the_cluster_has() -> None:
    others = [event(number, f"other-{number}") for number in range(1000)]
    marks, read = marks_of([*others, event(7, "web")])
    assert read == ["uid-shop-web.7"]
    assert [mark.words for mark in marks] == ["Pod web: BackOff: number 7"]


def test_of_very_many_events_the_newest_are_shown_and_the_page_says_so() -> None:
    marks, _ = marks_of([event(number, "web") for number in range(MAX_MARKS + 10)])
    assert len(marks) == MAX_MARKS + 1
    first = min(marks, key=lambda mark: mark.time)
    assert first.time == b"2026-11-28T07:00:10.000000000Z"
    assert marks[-1] == LogPageMark(first.time, "event", "Events before this are left out: the newest 200 are shown.")
