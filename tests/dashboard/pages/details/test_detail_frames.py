"""Tests of the frames of a changed object's page: the changed parts only."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest

from benchmarks.detail_frames import measure
from dashboard.objects.describers.containers import LARGE_BYTES
from dashboard.objects.describers.containers import _line as told_line
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.change_log import MAX_CHANGES
from dashboard.templatetags.containers import _line as drawn_line
from tests.support.live.hx_partial_interpreter import ops_of
from tests.support.live.pod_detail import Shown, web


def test_a_window_replaces_the_details_and_the_yaml_of_the_page_that_shows_only_that() -> None:
    shown = Shown(web(spec={"nodeName": "<b>"}))
    ops = ops_of(shown.view.render_window(shown.render))
    assert [(op.target, op.swap) for op in ops] == [
        (f"#detail-{shown.view.id}", "outerMorph"),
        (f"#yaml-top-{shown.view.id}", "outerMorph"),
        (f".yaml-page>#set-by-{shown.view.id}", "outerMorph"),
    ]
    assert "<b>" not in ops[2].html
    assert f'data-seq="{shown.view.seq}"' in ops[0].html


def yaml_page(html: str) -> tuple[str, str]:
    """What a window makes of the page that shows the YAML alone: what stands over it, and the YAML."""
    top, yaml = [op.html for op in ops_of(html) if "detail" not in op.target]
    return top, yaml


def test_the_page_of_the_yaml_alone_keeps_nothing_of_an_object_that_a_new_view_never_saw() -> None:
    shown = Shown()
    top, yaml = yaml_page(shown.view.render_window(shown.render))
    assert "There is no Pod of this name" in top
    assert ("Edit" in top, "Copy" in top) == (False, False)
    assert f'id="yaml-{shown.view.id}"' in yaml
    shown.view.set_baseline(shown.render)
    shown.pods.put(web(spec={"nodeName": "node-3"}))
    top, yaml = yaml_page(shown.view.update(shown.render))
    assert "There is no Pod" not in top
    assert f'href="{shown.view.edit_href}"' in top
    assert "node-3" in yaml


def test_the_page_of_the_yaml_alone_says_that_the_object_is_going_gone_or_another() -> None:
    shown = Shown(web(spec={"nodeName": "node-3"}))
    shown.view.set_baseline(shown.render)
    shown.pods.put(web(2, metadata={"deletionTimestamp": "2026-11-01T08:00:30Z"}))
    assert "Its deletion was asked for" in yaml_page(shown.view.update(shown.render))[0]
    shown.pods.drop("uid-default-web")
    top, _ = yaml_page(shown.view.update(shown.render))
    assert "was deleted" in top
    assert "Edit" not in top
    shown.pods.put(web(7, {"nodeName": "node-4"}, uid="another"))
    top, yaml = yaml_page(shown.view.update(shown.render))
    assert "was created again under the same name" in top
    assert f'href="{shown.view.edit_href}"' in top
    assert "node-4" in yaml


def test_the_first_frame_is_whole_unless_it_is_known_what_pages_show() -> None:
    shown = Shown(web())
    shown.pods.put(web(2))
    assert ops_of(shown.view.update(shown.render))[0].swap == "outerMorph"
    shown.view.skip_update()
    shown.view.set_baseline(shown.render)
    shown.pods.put(web(3))
    assert f"#detail-{shown.view.id}" not in {
        op.target for op in ops_of(shown.view.update(shown.render)) if op.swap != "attributes"
    }


def test_a_frame_has_only_the_parts_that_changed() -> None:
    conditions = [{"type": kind, "status": "True"} for kind in ("Initialized", "Ready", "PodScheduled")]
    spec = {"nodeName": "node-3", "containers": [{"name": "app", "image": "app:1"}]}
    shown = Shown(web(1, spec, status={"conditions": conditions}))
    shown.view.set_baseline(shown.render)
    conditions[1]["status"] = "False"
    shown.pods.put(web(2, spec, status={"conditions": conditions}))
    ops = ops_of(shown.view.update(shown.render))
    view = shown.view.id
    assert {op.target for op in ops if "yaml" not in op.target} == {
        f"#detail-{view}", f"#changes-{view}", f"#condition-{view}-2",
    }  # fmt: skip
    (yaml,) = [op for op in ops if "yaml" in op.target]
    assert "type: Ready" in yaml.html
    assert "type: Initialized" not in yaml.html
    assert sum(len(op.html) for op in ops) < len(shown.view.render_window(shown.render)) / 5


@pytest.mark.slow
def test_a_status_change_of_a_pod_is_a_small_part_of_its_page() -> None:
    parts, many, page = measure(Namespace(changes=5, containers=5))
    assert many.figures["kB"] < 1.5 * parts.figures["kB"]
    assert parts.figures["kB"] < page.figures["kB"] / 5
    assert parts.figures["kB on the wire"] < page.figures["kB on the wire"]


def test_of_many_containers_only_those_that_changed_are_drawn_anew() -> None:
    def pod_of(version: int, *restarts: Any) -> Row:
        containers = [{"name": f"c{number}", "image": "<b>&"} for number in range(len(restarts))]
        statuses = [{"name": f"c{number}", "restartCount": each, "ready": []} for number, each in enumerate(restarts)]
        return web(version, {"containers": containers}, status={"containerStatuses": statuses})

    shown = Shown(pod_of(1, 0, 0, 1))
    html = shown.view.render_window(shown.render)
    assert html.count('<small class="mono">&lt;b&gt;&amp;</small>') == 3
    assert "<small>restarted 1 time</small>" in html
    kept = (drawn_line, told_line)
    made = [each.cache_info().misses for each in kept]
    shown.pods.put(pod_of(2, 0, 4, 1))
    assert "<small>restarted 4 times</small>" in shown.view.update(shown.render)
    assert [each.cache_info().misses for each in kept] == [before + 1 for before in made]


def test_nothing_is_kept_of_a_container_that_is_large() -> None:
    def pod_of(version: int, restarts: int) -> Row:
        container = {"name": "c", "image": "i", "args": ["x" * LARGE_BYTES]}
        status = {"name": "c", "restartCount": restarts, "ready": True}
        return web(version, {"containers": [container]}, status={"containerStatuses": [status]})

    kept = [each.cache_info().misses for each in (drawn_line, told_line)]
    shown = Shown(pod_of(1, 0))
    assert "x" * LARGE_BYTES in shown.view.render_window(shown.render)
    shown.pods.put(pod_of(2, 4))
    assert "<small>restarted 4 times</small>" in shown.view.update(shown.render)
    assert [each.cache_info().misses for each in (drawn_line, told_line)] == kept


def test_changes_come_one_by_one_and_the_oldest_leave() -> None:
    shown = Shown(web())
    for version in range(2, MAX_CHANGES + 3):
        shown.pods.put(web(version, {"port": version}))
    shown.view.set_baseline(shown.render)
    shown.pods.put(web(99, {"port": 99}))
    ops = [op for op in ops_of(shown.view.update(shown.render)) if "#change" in op.target]
    newest = shown.view.changes[0].number
    assert [(op.target, op.swap) for op in ops] == [
        (f"#change-{shown.view.id}-{newest - MAX_CHANGES}", "leave"),
        (f"#changes-{shown.view.id}", f"place before:change-{shown.view.id}-{newest - 1}"),
    ]


def test_two_entries_of_one_manager_are_two_parts() -> None:
    def entries(first: str, second: str) -> list[dict[str, Any]]:
        one = {"manager": "kubectl", "operation": "Update"}
        return [{**one, "apiVersion": f"v{number}", "time": f"2026-11-21T08:00:0{number}Z",
                 "fieldsV1": {"f:spec": {f"f:{name}": {}}}}
                for number, name in enumerate((first, second), 1)]  # fmt: skip

    spec = {"a": 1, "b": 2, "c": 3}
    shown = Shown(web(1, spec, metadata={"managedFields": entries("a", "b")}))
    shown.view.set_baseline(shown.render)
    shown.pods.put(web(2, spec, metadata={"managedFields": entries("a", "c")}))
    paths = [op for op in ops_of(shown.view.update(shown.render)) if op.target.endswith("-paths")]
    assert [".spec.c" in op.html for op in paths] == [True]
    html = shown.view.render_window(shown.render)
    assert html.count(f'id="{paths[0].target[1:]}"') == 2  # in the details, and in the page of the YAML alone
