"""Tests of a node's details: its pods and their resource requests."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from django.template.loader import render_to_string

from dashboard.live.rendering.renderer import Renderer
from dashboard.objects.describers.pod_resources import format_amount, pod_resources, unlimited_resources
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.live_detail import LiveDetail
from dashboard.pages.details.node_pods import MAX_SHOWN, STEP
from dashboard.runtime.time_slicing import SlicedWork
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod
from tests.support.objects.rows import made, row_of


def resources(*, limit: str | None = "2Gi", **amounts: str) -> dict[str, Any]:
    return {"resources": {"requests": amounts, "limits": {"memory": limit} if limit else {}}}


def on(node: str, name: str, *, version: int = 1, phase: str = "Running", cpu: str = "500m", tone: Any = "ok",
       memory: str | None = "2Gi") -> Row:  # fmt: skip
    """`memory` is its limit."""
    spec = {"nodeName": node, "containers": [{"name": "a", **resources(cpu=cpu, memory="1Gi", limit=memory)}]}
    whole = {"kind": "Pod", "metadata": {"name": name}, "spec": spec, "status": {"phase": phase}}
    return pod(name, version=version, node=node, obj=whole, tone=tone)


class Shown:
    def __init__(self, *pods: Row, later: Any = None) -> None:
        clock = FakeClock()
        room = {"cpu": "2", "memory": "8Gi", "pods": "110"}
        node = made("Node", "n1", namespace="", status={"allocatable": room})
        self.node = row_of("nodes", node)
        self.nodes, self.pods = Feeder("nodes", clock, [self.node]), Feeder("pods", clock, pods)
        self.kinds = [(KINDS["nodes"], self.nodes.replica), (KINDS["pods"], self.pods.replica)]
        more = {"schedule": later} if later else {}
        self.view = LiveDetail(KINDS["nodes"], "", "n1", self.nodes.replica, clock, kinds=lambda: self.kinds, **more)
        self.nodes.replica.on_change(lambda change: self.view.apply("nodes", change))
        self.pods.replica.on_change(lambda change: self.view.apply("pods", change))
        self.render = Renderer(render_to_string)

    @property
    def asked(self) -> list[str]:
        return [f"{one.resource}: {one.words}" for one in self.view.pod_requests]


def test_a_node_says_which_pods_are_on_it_and_what_they_ask_for_together() -> None:
    shown = Shown(on("n1", "a"), on("n2", "b"), on("n1", "c", tone="bad"), on("n1", "done", phase="Succeeded"))
    html = shown.view.render_window(shown.render)
    assert "3 pods on it" in html
    assert shown.view.pods is not None
    assert [line.name for line in shown.view.pods.lines] == ["c", "a", "done"]
    assert shown.asked == ["cpu: 1 requested, 50% of 2", "memory: 2Gi requested, 25% of 8Gi; limits 4Gi, 50%"]


def test_a_pod_that_runs_and_is_not_ready_says_why() -> None:
    shown = Shown(msgspec.structs.replace(on("n1", "a", tone="warn"), reason="not ready: app is not ready"))
    assert "Running, not ready: app is not ready" in shown.view.render_window(shown.render)


def test_pods_that_have_no_limit_are_named_beside_the_limits_of_the_others() -> None:
    shown = Shown(on("n1", "a"), *(on("n1", name, memory=None) for name in "bc"), on("n2", "d", memory=None))
    assert shown.asked[1] == "memory: 3Gi requested, 38% of 8Gi; limits 2Gi, 25%, 2 pods may take more"
    shown.pods.put(on("n1", "b", version=2), on("n1", "c", version=2, memory=None, phase="Failed"))
    assert shown.asked[1] == "memory: 2Gi requested, 25% of 8Gi; limits 4Gi, 50%"


def test_a_node_that_is_made_again_has_its_pods() -> None:
    shown = Shown(on("n1", "a"))
    shown.nodes.drop(shown.node.uid)
    shown.pods.drop("uid-default-a")
    shown.pods.put(on("n1", "b"))
    shown.nodes.put(msgspec.structs.replace(shown.node, uid="again"))
    assert shown.view.is_recreated
    assert shown.view.pods is not None
    assert [line.name for line in shown.view.pods.lines] == ["b"]


def test_pods_that_nobody_follows_any_more_are_not_shown_and_found_again_when_somebody_does() -> None:
    shown = Shown(on("n1", "a"), on("n1", "b"))
    followed, shown.kinds[:] = list(shown.kinds), shown.kinds[:1]
    html = shown.view.render_window(shown.render)
    assert "Pods are not followed here." in html
    assert (shown.view.pod_requests, "2 pods on it" in html, ">a</a>" in html) == ((), False, False)
    again = Feeder("pods", FakeClock(), [on("n1", "b")])
    again.replica.on_change(lambda change: shown.view.apply("pods", change))
    shown.kinds[:] = [followed[0], (KINDS["pods"], again.replica)]
    again.put(on("n1", "c"))
    assert shown.view.pods is not None
    assert [line.name for line in shown.view.pods.lines] == ["b", "c"]


def test_pods_that_come_change_and_go_are_followed() -> None:
    shown = Shown(on("n1", "a"))
    shown.view.render_window(shown.render)
    shown.pods.put(on("n1", "late", cpu="1500m"))
    assert "2 pods on it" in (html := shown.view.update(shown.render))
    assert "2 requested, 100% of 2" in html
    shown.pods.put(on("n1", "a", version=2, phase="Failed"))
    assert shown.asked[0] == "cpu: 1.5 requested, 75% of 2"
    shown.pods.drop("uid-default-late")
    assert "1 pod on it" in shown.view.update(shown.render)
    shown.pods.put(on("n2", "elsewhere"))
    assert not shown.view.dirty


def test_of_many_pods_the_first_are_named_and_a_search_that_takes_its_time_is_gone_on_with() -> None:
    works: list[SlicedWork] = []
    shown = Shown(*(on("n1", f"p{number:04}") for number in range(STEP + 3)), later=works.append)
    assert shown.view.pods is not None
    assert "looking" in shown.view.render_window(shown.render)
    for work in works:
        for _ in work:
            pass
    html = shown.view.update(shown.render)
    assert f"{STEP + 3} pods on it" in html
    assert f"and {STEP + 3 - MAX_SHOWN} more" in shown.view.render_window(shown.render)


def test_a_node_whose_pods_nobody_follows_says_so() -> None:
    clock = FakeClock()
    nodes = Feeder("nodes", clock, [row_of("nodes", made("Node", "n1", namespace=""))])
    view = LiveDetail(KINDS["nodes"], "", "n1", nodes.replica, clock, kinds=lambda: [(KINDS["nodes"], nodes.replica)])
    assert "Pods are not followed here." in view.render_window(Renderer(render_to_string))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {}),
        ({"containers": [resources(cpu="1"), resources(cpu="500m")]}, {"cpu": 1.5}),
        ({"containers": [resources(cpu="1")], "initContainers": [resources(cpu="3")]}, {"cpu": 3.0}),
        (
            {
                "containers": [resources(cpu="1")],
                "initContainers": [{"restartPolicy": "Always", **resources(cpu="2")}, resources(cpu="2500m")],
            },
            {"cpu": 4.5},
        ),
        ({"containers": [resources(cpu="1")], "overhead": {"cpu": "250m"}}, {"cpu": 1.25}),
        ({"containers": [resources(cpu="1")], **resources(cpu="5")}, {"cpu": 5.0}),
        ({"containers": [{"resources": {"requests": {"cpu": {}}}}, 3], "initContainers": "x"}, {}),
    ],
)
def test_a_pod_asks_for_what_the_scheduler_counts(spec: dict[str, Any], expected: dict[str, float]) -> None:
    assert pod_resources(spec, "requests") == expected


def test_overhead_is_part_of_a_limit_and_makes_none() -> None:
    spec = {"containers": [resources(cpu="1")], "overhead": {"cpu": "250m", "memory": "1Gi"}}
    assert pod_resources(spec, "limits") == {"memory": 3.0 * 2**30}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"containers": [resources(), resources()]}, False),
        ({"containers": [resources(), resources(limit=None)]}, True),
        ({"containers": [resources()], "initContainers": [resources(limit=None)]}, False),
        ({"containers": [resources()], "initContainers": [{"restartPolicy": "Always"}]}, True),
        ({"containers": [{}], **resources()}, False),
    ],
)
def test_a_pod_has_no_limit_where_one_of_its_containers_has_none(spec: dict[str, Any], expected: bool) -> None:
    assert ("memory" in unlimited_resources(spec)) is expected


def test_amounts_are_written_in_their_unit() -> None:
    said = [
        format_amount(*each) for each in (("cpu", 5.25), ("memory", 12.5 * 2**30), ("memory", 0.0), ("a.b/gpu", 2.0))
    ]
    assert said == ["5.25", "12.5Gi", "0", "2"]
