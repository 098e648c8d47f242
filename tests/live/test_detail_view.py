"""An object's view: followed through changes, deletion and creation under the same name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec
import pytest
import zstandard
from django.template.loader import render_to_string

from benchmarks.detail_frames import measure
from dashboard.live.change_log import CHANGES, FIELDS
from dashboard.live.detail_view import DetailView
from dashboard.live.messages import Cell, Chunk, Frame, Row
from dashboard.live.object_events import MOST
from dashboard.live.renderer import Renderer
from dashboard.live.replica import Replica
from dashboard.live.slices import Work, at_once
from dashboard.live.successor import MOST as MOST_ALIKE
from dashboard.resources.containers import LARGE
from dashboard.resources.containers import _line as told_line
from dashboard.resources.depth import DEEPEST, TOO_DEEP
from dashboard.resources.kinds import KINDS
from dashboard.resources.rows import columns_for
from dashboard.templatetags.containers import _line as drawn_line
from informerd.cache.health import Health
from informerd.objects import Blob
from tests.clock import FakeClock
from tests.live.feeder import EPOCH, Feeder, pod
from tests.live.frames import ops_of

PODS = KINDS["pods"]


def whole(spec: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "default", "uid": "uid-default-web", **more.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec or {}, **more}


def web(version: int = 1, spec: dict[str, Any] | None = None, *, uid: str = "", **more: Any) -> Row:
    return pod("web", version=version, uid=uid, obj=whole(spec, **more))


def event(
    name: str, about: dict[str, Any], *, reason: str = "BackOff", last: float = 1.8e9, kind: str = "Warning"
) -> Row:
    obj = {"kind": "Event", "involvedObject": about, "reason": reason, "message": f"{name}!", "type": kind, "count": 9}
    values: dict[str, Cell] = {
        "namespace": "default",
        "name": name,
        "last-seen": last,
        "object": f"pod/{about['name']}",
    }
    return Row(
        uid=f"uid-{name}", namespace="default", name=name, version="1", created=last, status=kind, tone="warn",
        cells=tuple(values.get(column.id) for column in columns_for("events")), labels={},
        blob=Blob(zstandard.compress(msgspec.json.encode(obj))),
    )  # fmt: skip


WEB = {"kind": "Pod", "namespace": "default", "name": "web", "uid": "uid-default-web"}


class Shown:
    def __init__(self, *rows: Row, events: tuple[Row, ...] = (), later: Callable[[Work], None] = at_once) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, rows)
        self.events = Feeder("events", self.clock, events)
        self.view = DetailView(
            PODS,
            "default",
            "web",
            self.pods.replica,
            self.clock,
            kinds=lambda: [(PODS, self.pods.replica), (KINDS["events"], self.events.replica)],
            later=later,
        )
        self.render = Renderer(render_to_string)
        for feeder in (self.pods, self.events):
            feeder.replica.on_change(lambda change, key=feeder.key: self.view.apply(key, change))  # type: ignore[misc]

    @property
    def changes(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        return [(line.words, [(one.path, one.was, one.now) for one in line.fields]) for line in self.view.changes]


def test_it_shows_the_object_as_it_is() -> None:
    view = Shown(web(spec={"nodeName": "node-3"}, metadata={"managedFields": [{"manager": "x"}]})).view
    assert view.found
    assert "nodeName: node-3" in view.yaml
    assert "managedFields" not in view.yaml
    assert {cell.column: cell.text for cell in view.cells}["status"] == "Running"
    assert (view.href, view.yaml_href) == ("/resources/pods/default/web/", "/resources/pods/default/web/yaml/")
    assert (view.edit_href, view.delete_href) == (f"{view.href}edit/", "/resources/pods/default/web/delete/")


def test_changes_are_told_field_by_field_newest_first() -> None:
    shown = Shown(web(spec={"port": 8080, "hosts": ["a"]}))
    shown.pods.put(web(2, {"port": 9090, "hosts": ["a"]}))
    shown.pods.put(web(3, {"port": 9090, "ip": "10.0.0.1"}))
    assert shown.changes[1] == ("", [("spec.port", "8080", "9090")])
    assert sorted(shown.changes[0][1]) == [("spec.hosts", '["a"]', ""), ("spec.ip", "", "10.0.0.1")]
    assert [line.version for line in shown.view.changes] == ["3", "2"]


def test_a_change_of_nothing_that_can_be_seen_says_so() -> None:
    shown = Shown(web(metadata={"resourceVersion": "1"}))
    shown.pods.put(web(2, metadata={"resourceVersion": "2"}))
    assert shown.changes == [("no visible change", [])]


def test_the_last_50_changes_are_kept_and_of_each_the_first_fields() -> None:
    shown = Shown(web())
    for version in range(2, CHANGES + 12):
        shown.pods.put(web(version, {f"field-{index}": version for index in range(FIELDS + 3)}))
    assert len(shown.view.changes) == CHANGES
    assert shown.changes[0][0] == "and 3 more fields"
    assert len(shown.changes[0][1]) == FIELDS


def test_a_deletion_that_is_asked_for_is_told_in_words() -> None:
    shown = Shown(web(metadata={"finalizers": ["a/b"]}))
    asked = {"deletionTimestamp": "2026-11-01T08:00:30Z", "deletionGracePeriodSeconds": 30}
    shown.pods.put(web(2, metadata={"finalizers": ["a/b"], "labels": {"x": "y"}, **asked}))
    words, fields = shown.changes[0]
    assert words == "deletion asked for, grace period 30 s, waits for finalizer a/b"
    assert [path for path, _, _ in fields] == ["metadata.labels"]
    assert shown.view.deleting == "2026-11-01T08:00:00Z"
    html = shown.view.render_window(shown.render)
    assert "Its deletion was asked for" in html
    shown.pods.put(web(3, metadata=asked))
    assert shown.changes[0][0] == ""


def test_other_objects_do_not_concern_it() -> None:
    shown = Shown(web())
    shown.pods.put(pod("other"), pod("web", namespace="elsewhere"))
    assert not shown.view.dirty
    assert shown.view.changes == ()


def test_deletion_is_said_with_its_time_and_the_object_stays_to_be_read() -> None:
    shown = Shown(web(spec={"nodeName": "node-3"}))
    shown.pods.drop("uid-default-web")
    assert not shown.view.found
    assert shown.view.gone.startswith("2027-01-15T08:00:00")
    assert "node-3" in shown.view.yaml
    assert shown.changes == [("deleted", [])]
    assert "was deleted" in shown.view.update(shown.render)


def test_creation_under_the_same_name_is_said_and_the_new_one_followed() -> None:
    shown = Shown(web(), events=(event("old", WEB),))
    shown.pods.drop("uid-default-web")
    shown.pods.put(web(7, {"nodeName": "node-4"}, uid="another"))
    assert (shown.view.found, shown.view.again, shown.view.gone) == (True, True, "")
    assert shown.view.row is not None
    assert shown.view.row.uid == "another"
    assert shown.changes == [("created again under the same name", []), ("deleted", [])]
    assert shown.view.events == ()
    shown.pods.put(web(8, {"nodeName": "node-5"}, uid="another"))
    assert shown.changes[0] == ("", [("spec.nodeName", "node-4", "node-5")])
    assert "was created again under the same name" in shown.view.update(shown.render)


def test_an_object_that_was_created_again_says_that_it_is_going_too() -> None:
    shown = Shown(web())
    shown.pods.drop("uid-default-web")
    shown.pods.put(web(7, uid="another"))
    shown.view.remember(shown.render)
    shown.pods.put(web(8, uid="another", metadata={"deletionTimestamp": "2026-11-01T08:00:30Z"}))
    html = shown.view.update(shown.render)
    assert "was created again under the same name" in html
    assert "Its deletion was asked for" in html
    shown.pods.drop("another")
    html = shown.view.update(shown.render)
    assert "was deleted" in html
    assert "Its deletion was asked for" not in html


def test_creation_in_the_same_frame_as_the_deletion_is_the_same() -> None:
    shown = Shown(web())
    shown.pods.put_and_drop([web(7, uid="another")], ["uid-default-web"])
    assert shown.view.again
    assert [words for words, _ in shown.changes] == ["created again under the same name", "deleted"]


def test_a_late_delete_of_the_old_one_does_not_hit_the_new_one() -> None:
    shown = Shown(web())
    shown.pods.put(web(7, uid="another"))
    shown.pods.drop("uid-default-web")
    assert shown.view.found
    assert shown.view.gone == ""


def test_an_object_that_does_not_exist_yet_appears() -> None:
    shown = Shown()
    assert not shown.view.found
    assert "There is no Pod of this name" in shown.view.render_window(shown.render)
    shown.pods.put(web(spec={"nodeName": "node-3"}))
    assert shown.view.found
    assert not shown.view.again
    assert "node-3" in shown.view.update(shown.render)


def test_an_object_that_was_there_before_its_kind_was_read_was_not_created_now() -> None:
    clock = FakeClock()
    replica, known = Replica("pods", clock), Feeder("pods", clock, [web()]).replica
    view = DetailView(PODS, "default", "web", replica, clock)
    replica.on_change(lambda change: view.apply("pods", change))
    assert view.loading
    replica.frame(Frame("pods", EPOCH, 0, clock.time(), known.health))
    replica.chunk(Chunk("pods", EPOCH, 0, "s", 0, 1, known.health, rows=tuple(known.rows.values())))
    assert view.found
    assert view.changes == ()


def copied(name: str, *, spec: dict[str, Any] | None = None, created: float | None = None, **more: Any) -> Row:
    """A pod like `web()`, by another name."""
    row = pod(name, obj={**whole(spec), **more}, created=1.8e9 if created is None else created)
    return msgspec.structs.replace(row, labels={"app": "web"})


def test_an_object_whose_kind_is_served_no_more_is_not_said_to_be_deleted() -> None:
    shown = Shown(web())
    shown.pods.beat(msgspec.structs.replace(shown.pods.health, state="absent"))
    shown.pods.drop("uid-default-web")
    assert [line.words for line in shown.view.changes] == ["no longer followed: the API server serves its kind no more"]
    html = shown.view.render_window(shown.render)
    assert "The API server serves no Pods any more, so that nobody can tell what has become of this one since" in html
    assert "was deleted" not in html


def test_an_object_that_was_copied_and_deleted_names_the_one_that_has_its_content() -> None:
    shown = Shown(web(spec={"a": 1, "nodeName": "n"}), pod("other"))
    now = shown.clock.time()
    for name, spec in (("twin", {"a": 1}), ("another", {"a": 2})):
        shown.pods.put(copied(name, spec=spec, created=now))
    assert shown.view.successor is None
    shown.pods.drop("uid-default-web")
    html = shown.view.render_window(shown.render)
    assert 'href="/resources/pods/default/twin/">twin</a>, created' in html
    assert "has the same content: it may be the same under another name" in html
    shown.pods.put(copied("third", spec={"a": 1}, created=now))
    assert shown.view.successor is None  # nobody can tell which of the two it is
    shown.pods.drop("uid-default-twin")
    assert "third</a>" in shown.view.update(shown.render)
    shown.pods.put(web(2, uid="again"))
    assert shown.view.successor is None


def test_a_copy_that_is_changed_afterwards_or_goes_is_not_called_the_same() -> None:
    shown = Shown(web(spec={"a": 1}))
    for name in ("twin", "other"):
        shown.pods.put(copied(name, spec={"a": 2}, created=shown.clock.time()))
    shown.pods.drop("uid-default-web")
    assert shown.view.successor is None
    twin = copied("twin", spec={"a": 1}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(twin, version="2", status="Pending"))
    assert shown.view.successor is not None
    assert (shown.view.successor.row.name, shown.view.successor.row.status) == ("twin", "Pending")
    changed = copied("twin", spec={"a": 3}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(changed, version="3"))
    assert shown.view.successor is None
    other = copied("other", spec={"a": 1}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(other, version="2"))
    assert shown.view.successor.row.name == "other"
    shown.pods.put(msgspec.structs.replace(other, version="3", deleting=1.0))
    assert shown.view.successor is None


def test_only_what_may_be_a_copy_is_read_in_full_once_and_one_at_a_time() -> None:
    works: list[Work] = []
    shown = Shown(web(spec={"a": 1}), later=works.append)
    twins = [copied(f"twin-{number}", spec={"a": number}, created=shown.clock.time()) for number in range(MOST_ALIKE)]
    shown.pods.put(*twins, pod("other"))
    shown.pods.drop("uid-default-web")

    def steps() -> int:
        return sum(1 for work in iter(lambda: works.pop(0) if works else None, None) for _ in work)

    assert steps() == MOST_ALIKE
    assert shown.view.successor is not None
    assert shown.view.successor.row.name == "twin-1"
    shown.pods.put(pod("other", version=2))
    assert works == []
    shown.pods.put(msgspec.structs.replace(twins[0], version="2"), msgspec.structs.replace(twins[2], version="2"))
    assert steps() == 1  # of two that are read, one after the other


def test_an_object_without_content_has_no_twin() -> None:
    shown = Shown(web())
    shown.pods.put(copied("twin", created=shown.clock.time()))
    shown.pods.drop("uid-default-web")
    assert shown.view.successor is None


OWNED = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "uid": "uid-rs", "controller": True}]}


def test_an_object_that_its_controller_replaces_names_what_that_made() -> None:
    owner = ("ReplicaSet", "web-1", "uid-rs")
    shown = Shown(msgspec.structs.replace(web(metadata=OWNED), owner=owner))
    before, after = shown.clock.time() - 60, shown.clock.time() + 1
    shown.pods.put(*(msgspec.structs.replace(pod(name, created=at), owner=owner) for name, at in (("old", before),)))
    shown.pods.drop("uid-default-web")
    assert shown.view.successor is None
    for name in ("web-b", "web-c"):
        shown.pods.put(msgspec.structs.replace(pod(name, created=after), owner=owner))
        after += 1
    assert 'ReplicaSet web-1 has made <a class="link mono" href="/resources/pods/default/web-b/">web-b</a>' in (
        shown.view.update(shown.render)
    )
    shown.pods.put(msgspec.structs.replace(pod("web-b", version=2, created=after - 2), owner=owner, deleting=1.0))
    assert "web-c</a>" in shown.view.update(shown.render)


def test_an_owner_that_is_no_controller_has_made_nothing_in_its_place() -> None:
    owner = ("Deployment", "web", "uid-d")
    reference = {"kind": "Deployment", "name": "web", "uid": "uid-d"}
    shown = Shown(msgspec.structs.replace(web(spec={"a": 1}, metadata={"ownerReferences": [reference]}), owner=owner))
    shown.pods.drop("uid-default-web")
    shown.pods.put(msgspec.structs.replace(pod("web-b", created=shown.clock.time() + 1), owner=owner))
    assert shown.view.successor is None
    shown.pods.put(msgspec.structs.replace(copied("twin", spec={"a": 1}, created=shown.clock.time()), owner=owner))
    assert "twin</a>, created" in shown.view.update(shown.render)


def test_what_its_controller_made_when_the_deletion_was_asked_for_first_counts() -> None:
    owner, deletion = ("ReplicaSet", "web-1", "uid-rs"), "2026-11-21T08:00:30Z"
    shown = Shown(msgspec.structs.replace(web(metadata=OWNED), owner=owner))
    for version, (moment, grace) in enumerate(((deletion, 30), ("2026-11-21T08:00:10Z", 0)), 2):
        metadata = {"deletionTimestamp": moment, "deletionGracePeriodSeconds": grace, **OWNED}
        row = msgspec.structs.replace(web(version, metadata=metadata), owner=owner, deleting=1.0)
        shown.pods.put(row)
    asked = datetime.fromisoformat("2026-11-21T08:00:00Z").timestamp()
    shown.pods.put(msgspec.structs.replace(pod("web-b", created=asked + 2), owner=owner))
    shown.pods.drop("uid-default-web")
    assert shown.view.successor is not None
    assert shown.view.successor.row.name == "web-b"


def test_an_object_that_an_api_server_renames_is_followed_no_further_and_says_its_name() -> None:
    shown = Shown(web())
    shown.pods.put(msgspec.structs.replace(web(2), name="moved"))
    assert not shown.view.found
    assert "It has another name now: " in (html := shown.view.update(shown.render))
    assert 'href="/resources/pods/default/moved/">moved</a>' in html
    assert shown.changes[0][0] == "has another name now"


def test_its_events_are_found_by_uid_and_followed() -> None:
    stranger = {**WEB, "uid": "somebody-else"}
    shown = Shown(web(), events=(event("first", WEB, last=1.8e9), event("stranger", stranger)))
    assert [line.message for line in shown.view.events] == ["first!"]
    shown.events.put(event("second", WEB, last=1.8e9 + 5, reason="Killing", kind="Normal"))
    assert [(line.reason, line.tone, line.count) for line in shown.view.events] == [
        ("Killing", "idle", 9),
        ("BackOff", "warn", 9),
    ]
    assert shown.view.dirty
    shown.events.drop("uid-first")
    assert [line.message for line in shown.view.events] == ["second!"]


def test_events_that_are_too_many_to_show_are_counted_and_can_be_listed() -> None:
    shown = Shown(web(), events=tuple(event(f"e{number}", WEB, last=1.8e9 + number) for number in range(MOST + 3)))
    html = shown.view.render_window(shown.render)
    assert "and 3 older." in html
    assert 'href="/resources/events/?namespace=default&amp;q=object%3Dpod%2Fweb"' in html


def test_events_of_others_leave_the_page_alone() -> None:
    shown = Shown(web())
    shown.events.put(event("x", {**WEB, "name": "other-web", "uid": "u"}))
    assert not shown.view.dirty


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
    shown.view.remember(shown.render)
    shown.pods.put(web(spec={"nodeName": "node-3"}))
    top, yaml = yaml_page(shown.view.update(shown.render))
    assert "There is no Pod" not in top
    assert f'href="{shown.view.edit_href}"' in top
    assert "node-3" in yaml


def test_the_page_of_the_yaml_alone_says_that_the_object_is_going_gone_or_another() -> None:
    shown = Shown(web(spec={"nodeName": "node-3"}))
    shown.view.remember(shown.render)
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
    shown.view.remember(shown.render)
    shown.pods.put(web(3))
    assert f"#detail-{shown.view.id}" not in {
        op.target for op in ops_of(shown.view.update(shown.render)) if op.swap != "attributes"
    }


def test_a_frame_has_only_the_parts_that_changed() -> None:
    conditions = [{"type": kind, "status": "True"} for kind in ("Initialized", "Ready", "PodScheduled")]
    spec = {"nodeName": "node-3", "containers": [{"name": "app", "image": "app:1"}]}
    shown = Shown(web(1, spec, status={"conditions": conditions}))
    shown.view.remember(shown.render)
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
        container = {"name": "c", "image": "i", "args": ["x" * LARGE]}
        status = {"name": "c", "restartCount": restarts, "ready": True}
        return web(version, {"containers": [container]}, status={"containerStatuses": [status]})

    kept = [each.cache_info().misses for each in (drawn_line, told_line)]
    shown = Shown(pod_of(1, 0))
    assert "x" * LARGE in shown.view.render_window(shown.render)
    shown.pods.put(pod_of(2, 4))
    assert "<small>restarted 4 times</small>" in shown.view.update(shown.render)
    assert [each.cache_info().misses for each in (drawn_line, told_line)] == kept


def test_changes_come_one_by_one_and_the_oldest_leave() -> None:
    shown = Shown(web())
    for version in range(2, CHANGES + 3):
        shown.pods.put(web(version, {"port": version}))
    shown.view.remember(shown.render)
    shown.pods.put(web(99, {"port": 99}))
    ops = [op for op in ops_of(shown.view.update(shown.render)) if "#change" in op.target]
    newest = shown.view.changes[0].number
    assert [(op.target, op.swap) for op in ops] == [
        (f"#change-{shown.view.id}-{newest - CHANGES}", "leave"),
        (f"#changes-{shown.view.id}", f"place before:change-{shown.view.id}-{newest - 1}"),
    ]


def test_an_object_of_a_kind_that_is_polled_says_how_often() -> None:
    shown = Shown(web())
    assert "polled" not in shown.view.render_window(shown.render)
    shown.pods.beat(Health("live", 1.0, heard=2.0, polled=30.0))
    assert "polled every 30 s" in shown.view.render_window(shown.render)


def test_the_state_of_the_feed_alone_changes_nothing_here() -> None:
    shown = Shown(web())
    shown.view.remember(shown.render)
    seq = shown.view.seq
    shown.pods.beat(Health(state="stale", since=shown.clock.time()))
    assert shown.view.update(shown.render) == ""
    assert shown.view.seq == seq


def test_a_period_of_polling_that_comes_after_the_page_is_sent() -> None:
    shown = Shown(web())
    before = shown.pods.replica.health
    shown.pods.beat(msgspec.structs.replace(before, polled=30.0))
    assert shown.view.dirty
    assert "polled every 30 s" in shown.view.update(shown.render)


def test_two_entries_of_one_manager_are_two_parts() -> None:
    def entries(first: str, second: str) -> list[dict[str, Any]]:
        one = {"manager": "kubectl", "operation": "Update"}
        return [{**one, "apiVersion": f"v{number}", "time": f"2026-11-21T08:00:0{number}Z",
                 "fieldsV1": {"f:spec": {f"f:{name}": {}}}}
                for number, name in enumerate((first, second), 1)]  # fmt: skip

    spec = {"a": 1, "b": 2, "c": 3}
    shown = Shown(web(1, spec, metadata={"managedFields": entries("a", "b")}))
    shown.view.remember(shown.render)
    shown.pods.put(web(2, spec, metadata={"managedFields": entries("a", "c")}))
    paths = [op for op in ops_of(shown.view.update(shown.render)) if op.target.endswith("-paths")]
    assert [".spec.c" in op.html for op in paths] == [True]
    html = shown.view.render_window(shown.render)
    assert html.count(f'id="{paths[0].target[1:]}"') == 2  # in the details, and in the page of the YAML alone


def test_all_owners_stand_there_and_those_that_are_watched_are_links() -> None:
    owner = {"kind": "Pod", "apiVersion": "v1", "name": "parent", "uid": "p"}
    foreign = {**owner, "kind": "ReplicaSet", "apiVersion": "apps/v1", "name": "<rs>", "controller": True}
    shown = Shown(web(metadata={"ownerReferences": [owner, foreign]}))
    assert [(link.name, link.href) for link in shown.view.owners] == [
        ("<rs>", ""), ("parent", "/resources/pods/default/parent/"),
    ]  # fmt: skip
    html = shown.view.render_window(shown.render)
    assert "<dt>Owners</dt>" in html
    assert 'ReplicaSet &lt;rs&gt;, <a class="link" href="/resources/pods/default/parent/">Pod parent</a></dd>' in html


def test_events_about_what_it_owns_are_told_with_what_they_are_about() -> None:
    clock = FakeClock()
    owner = pod("set", uid="uid-set")
    child = msgspec.structs.replace(web(), owner=("ReplicaSet", "set", "uid-set"))
    pods, events = Feeder("pods", clock, [owner, child]), Feeder("events", clock, [event("old", WEB)])
    view = DetailView(
        PODS,
        "default",
        "set",
        pods.replica,
        clock,
        kinds=lambda: [(PODS, pods.replica), (KINDS["events"], events.replica)],
    )
    events.replica.on_change(lambda change: view.apply("events", change))
    events.put(event("young", WEB, last=1.9e9))
    assert [(line.message, line.about.name, line.about.href) for line in view.events] == [
        ("young!", "web", "/resources/pods/default/web/"),
        ("old!", "web", "/resources/pods/default/web/"),
    ]
    assert [one.name for one in view.relatives] == ["set", "web"]
    assert view.dirty


def test_the_page_says_line_by_line_who_set_it_and_the_text_stays_the_yaml() -> None:
    managed = [{"manager": "kubelet", "operation": "Update", "subresource": "status",
                "fieldsV1": {"f:spec": {"f:nodeName": {}}}}]  # fmt: skip
    shown = Shown(web(spec={"nodeName": "node-3"}, metadata={"managedFields": managed}))
    html = shown.view.render_window(shown.render)
    assert 'data-by="kubelet · status"' in html
    assert shown.view.set_by is not None
    assert "".join(run.text for run in shown.view.set_by.runs) == shown.view.yaml


@pytest.mark.parametrize("levels", [198, 250, 600, 1500])
def test_an_object_nested_deeper_than_anybody_can_follow_is_shown_as_far_as_can_be(levels: int) -> None:
    nested = '{"a":' * levels + "1" + "}" * levels
    text = f'{{"kind":"Pod","metadata":{{"name":"web"}},"spec":{nested}}}'
    deep = msgspec.structs.replace(web(2), blob=Blob(zstandard.compress(text.encode())))
    shown = Shown(deep)
    assert (TOO_DEEP in shown.view.render_window(shown.render)) == (levels > DEEPEST)
    shown = Shown(web())
    shown.view.remember(shown.render)
    shown.pods.put(deep)
    assert (TOO_DEEP in shown.view.update(shown.render)) == (levels > DEEPEST)
    shown.pods.put(web(3, {"nodeName": "node-3"}))
    assert "node-3" in shown.view.update(shown.render)
