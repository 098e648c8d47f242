"""An object's view: followed through changes, deletion and creation under the same name."""

from __future__ import annotations

from typing import Any

import msgspec
import zstandard
from django.template.loader import render_to_string

from dashboard.live.change_log import CHANGES, FIELDS
from dashboard.live.detail_view import DetailView
from dashboard.live.messages import Cell, Row
from dashboard.live.renderer import Renderer
from dashboard.resources.kinds import KINDS
from dashboard.resources.rows import columns_for
from informerd.cache.health import Health
from informerd.objects import Blob
from tests.clock import FakeClock
from tests.live.feeder import Feeder, pod
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
    def __init__(self, *rows: Row, events: tuple[Row, ...] = ()) -> None:
        self.clock = FakeClock()
        self.pods = Feeder("pods", self.clock, rows)
        self.events = Feeder("events", self.clock, events)
        self.view = DetailView(
            PODS, "default", "web", self.pods.replica, self.clock, events=self.events.replica, watched=(PODS,)
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
    assert (view.edit_href, view.delete_href) == ("", "")


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


def test_events_of_others_leave_the_page_alone() -> None:
    shown = Shown(web())
    shown.events.put(event("x", {**WEB, "name": "other-web", "uid": "u"}))
    assert not shown.view.dirty


def test_a_frame_replaces_the_details_and_the_yaml_of_the_page_that_shows_only_that() -> None:
    shown = Shown(web())
    shown.pods.put(web(2, {"nodeName": "<b>"}))
    ops = ops_of(shown.view.update(shown.render))
    assert [(op.target, op.swap) for op in ops] == [
        (f"#detail-{shown.view.id}", "outerMorph"),
        (f"pre#yaml-{shown.view.id}", "innerMorph"),
    ]
    assert "<b>" not in ops[1].html
    assert f'data-seq="{shown.view.seq}"' in ops[0].html


def test_the_state_of_the_feed_alone_changes_nothing_here() -> None:
    shown = Shown(web())
    shown.pods.beat(Health(state="stale", since=shown.clock.time()))
    assert not shown.view.dirty


def test_owners_that_are_watched_are_links() -> None:
    owner = {"kind": "Pod", "apiVersion": "v1", "name": "parent", "uid": "p", "controller": True}
    foreign = {**owner, "kind": "ReplicaSet", "apiVersion": "apps/v1"}
    assert Shown(web(metadata={"ownerReferences": [owner]})).view.owner is not None
    link = Shown(web(metadata={"ownerReferences": [owner]})).view.owner
    assert link is not None
    assert link.href == "/resources/pods/default/parent/"
    other = Shown(web(metadata={"ownerReferences": [foreign]})).view.owner
    assert other is not None
    assert (other.name, other.href) == ("parent", "")
