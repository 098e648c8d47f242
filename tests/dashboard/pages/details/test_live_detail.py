"""Tests of an object's live view through changes, deletion and creation under the same name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.live.replication.messages import Frame, SnapshotChunk
from dashboard.live.replication.replica import MAX_AT_ONCE, Replica
from dashboard.objects.fields.object_display_limit import MAX_DEPTH, TOO_DEEP_TEXT
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Row
from dashboard.pages.details.change_log import MAX_CHANGES, MAX_FIELDS
from dashboard.pages.details.events import MAX_EVENTS, MAX_SUBJECTS
from dashboard.pages.details.live_detail import LiveDetail
from dashboard.pages.details.object_presenter import object_as_yaml
from dashboard.pages.details.owner_tree import MAX_SHOWN
from informerd.cache.health import Health
from informerd.objects import Blob
from tests.support.call_count import calls_of
from tests.support.clock import FakeClock
from tests.support.live.pod_detail import PODS, WEB, Shown, event, web
from tests.support.live.replica_feeder import EPOCH, Feeder, pod
from tests.support.objects.rows import made, row_of


def test_it_shows_the_object_as_it_is() -> None:
    view = Shown(web(spec={"nodeName": "node-3"}, metadata={"managedFields": [{"manager": "x"}]})).view
    assert view.exists
    assert view.row is not None
    assert "nodeName: node-3" in object_as_yaml(view.row)
    assert "managedFields" not in object_as_yaml(view.row)
    assert not view.is_cut
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
    for version in range(2, MAX_CHANGES + 12):
        shown.pods.put(web(version, {f"field-{index}": version for index in range(MAX_FIELDS + 3)}))
    assert len(shown.view.changes) == MAX_CHANGES
    assert shown.changes[0][0] == "and 3 more fields"
    assert len(shown.changes[0][1]) == MAX_FIELDS


def test_a_deletion_that_is_asked_for_is_told_in_words() -> None:
    shown = Shown(web(metadata={"finalizers": ["a/b"]}))
    asked = {"deletionTimestamp": "2026-11-01T08:00:30Z", "deletionGracePeriodSeconds": 30}
    shown.pods.put(web(2, metadata={"finalizers": ["a/b"], "labels": {"x": "y"}, **asked}))
    words, fields = shown.changes[0]
    assert words == "deletion asked for, grace period 30 s, waits for finalizer a/b"
    assert [path for path, _, _ in fields] == ["metadata.labels"]
    assert shown.view.deletion_requested_at == "2026-11-01T08:00:00Z"
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
    assert not shown.view.exists
    assert shown.view.gone_since.startswith("2027-01-15T08:00:00")
    assert "node-3" in shown.view.yaml_html
    assert shown.changes == [("deleted", [])]
    assert "was deleted" in shown.view.update(shown.render)


def test_an_object_that_can_no_longer_be_read_is_not_said_to_be_deleted() -> None:
    shown = Shown(web(spec={"nodeName": "node-3"}))
    shown.pods.drop("uid-default-web")
    named = (("default/web", "it is nested too deeply"),)
    shown.pods.beat(Health("live", 0.0, unreadable=1, unreadable_objects=named))
    html = shown.view.update(shown.render)
    assert "This Pod exists, but it cannot be read: it is nested too deeply. What you see is its last known" in html
    assert "was deleted" not in html
    shown.pods.put(web(2))
    shown.pods.beat(Health("live", 0.0))
    assert "cannot be read" not in shown.view.update(shown.render)


def test_creation_under_the_same_name_is_said_and_the_new_one_followed() -> None:
    shown = Shown(web(), events=(event("old", WEB),))
    shown.pods.drop("uid-default-web")
    shown.pods.put(web(7, {"nodeName": "node-4"}, uid="another"))
    assert (shown.view.exists, shown.view.is_recreated, shown.view.gone_since) == (True, True, "")
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
    shown.view.set_baseline(shown.render)
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
    assert shown.view.is_recreated
    assert [words for words, _ in shown.changes] == ["created again under the same name", "deleted"]


def test_a_late_delete_of_the_old_one_does_not_hit_the_new_one() -> None:
    shown = Shown(web())
    shown.pods.put(web(7, uid="another"))
    assert list(shown.pods.replica.rows) == ["another"]
    shown.pods.put_and_drop((), ["uid-default-web"])
    assert shown.view.exists
    assert shown.view.gone_since == ""


def test_an_object_that_does_not_exist_yet_appears() -> None:
    shown = Shown()
    assert not shown.view.exists
    assert "There is no Pod of this name" in shown.view.render_window(shown.render)
    shown.pods.put(web(spec={"nodeName": "node-3"}))
    assert shown.view.exists
    assert not shown.view.is_recreated
    assert "node-3" in shown.view.update(shown.render)


def test_an_object_that_was_there_before_its_kind_was_read_was_not_created_now() -> None:
    clock = FakeClock()
    replica, known = Replica("pods", clock), Feeder("pods", clock, [web()]).replica
    view = LiveDetail(PODS, "default", "web", replica, clock)
    replica.on_change(lambda change: view.apply("pods", change))
    assert view.loading
    replica.receive_frame(Frame("pods", EPOCH, 0, clock.time(), known.health))
    replica.receive_chunk(SnapshotChunk("pods", EPOCH, 0, "s", 0, 1, known.health, rows=tuple(known.rows.values())))
    assert view.exists
    assert view.changes == ()


@pytest.mark.parametrize("others", [2, MAX_AT_ONCE + 100])
def test_an_object_whose_kind_is_served_no_more_is_not_said_to_be_deleted(others: int) -> None:
    shown = Shown(web(), *(pod(f"other-{number}") for number in range(others)))
    shown.pods.beat(msgspec.structs.replace(shown.pods.health, state="stale"))
    absent = msgspec.structs.replace(shown.pods.health, state="absent")
    younger = "1800000060000-abc"
    shown.pods.replica.receive_frame(Frame("pods", younger, 0, shown.clock.time(), absent))
    shown.pods.replica.receive_chunk(SnapshotChunk("pods", younger, 0, "t", 0, 1, absent))
    assert not shown.pods.replica.rows
    assert [line.words for line in shown.view.changes] == [
        "no longer followed: the API server no longer serves its kind"
    ]
    html = shown.view.render_window(shown.render)
    assert "The API server no longer serves Pods: the state of this one is not known since" in html
    assert "was deleted" not in html


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
    shown = Shown(
        web(), events=tuple(event(f"e{number}", WEB, last=1.8e9 + number) for number in range(MAX_EVENTS + 3))
    )
    html = shown.view.render_window(shown.render)
    assert "and 3 older." in html
    assert 'href="/resources/events/?namespace=default&amp;q=object%3Dpod%2Fweb+object-group%3D"' in html


def test_events_of_others_leave_the_page_alone() -> None:
    shown = Shown(web())
    shown.events.put(event("x", {**WEB, "name": "other-web", "uid": "u"}))
    assert not shown.view.dirty


def test_an_object_of_a_kind_that_is_polled_says_how_often() -> None:
    shown = Shown(web())
    assert "polled" not in shown.view.render_window(shown.render)
    shown.pods.beat(Health("live", 1.0, heard=2.0, polled=30.0))
    assert "polled every 30 s" in shown.view.render_window(shown.render)


def test_the_state_of_the_feed_alone_changes_nothing_here() -> None:
    shown = Shown(web())
    shown.view.set_baseline(shown.render)
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
    view = LiveDetail(
        PODS,
        "default",
        "set",
        pods.replica,
        clock,
        kinds=lambda: [(PODS, pods.replica), (KINDS["events"], events.replica)],
    )
    events.replica.on_change(lambda change: view.apply("events", change))
    events.put(event("young", WEB, last=1.9e9))
    assert [(line.message, line.subject.name, line.subject.href) for line in view.events] == [
        ("young!", "web", "/resources/pods/default/web/"),
        ("old!", "web", "/resources/pods/default/web/"),
    ]
    assert [one.name for one in view.owner_tree] == ["set", "web"]
    assert view.dirty


def test_a_change_among_very_many_owned_objects_costs_no_more_than_among_many() -> None:
    def calls(count: int) -> int:
        clock = FakeClock()
        child = msgspec.structs.replace(pod("pod"), owner=("ReplicaSet", "set", "uid-set"))
        children = [msgspec.structs.replace(child, name=f"pod-{n}", uid=f"uid-{n}") for n in range(count)]
        pods = Feeder("pods", clock, [pod("set", uid="uid-set"), *children])
        view = LiveDetail(PODS, "default", "set", pods.replica, clock, kinds=lambda: [(PODS, pods.replica)])
        pods.replica.on_change(lambda change: view.apply("pods", change))

        def change() -> None:
            pods.put(msgspec.structs.replace(children[0], tone="bad", version="2"))
            assert view.owner_tree[1].name == "pod-0"
            assert view.owner_tree[-1].more_count == count - MAX_SHOWN

        return calls_of(change)

    assert calls(8 * MAX_SUBJECTS) < 1.1 * calls(2 * MAX_SUBJECTS)


def test_the_page_says_line_by_line_who_set_it_and_the_text_stays_the_yaml() -> None:
    managed = [{"manager": "kubelet", "operation": "Update", "subresource": "status",
                "fieldsV1": {"f:spec": {"f:nodeName": {}}}}]  # fmt: skip
    shown = Shown(web(spec={"nodeName": "node-3"}, metadata={"managedFields": managed}))
    html = shown.view.render_window(shown.render)
    assert 'data-by="kubelet · status"' in html
    assert shown.view.yaml_by_manager is not None
    assert shown.view.row is not None
    assert "".join(run.text for run in shown.view.yaml_by_manager.runs) == object_as_yaml(shown.view.row)


@pytest.mark.parametrize("levels", [198, 250, 600, 1500])
def test_an_object_nested_deeper_than_anybody_can_follow_is_shown_as_far_as_can_be(levels: int) -> None:
    nested = '{"a":' * levels + "1" + "}" * levels
    text = f'{{"kind":"Pod","metadata":{{"name":"web"}},"spec":{nested}}}'
    deep = msgspec.structs.replace(web(2), blob=Blob(zstandard.compress(text.encode())))
    shown = Shown(deep)
    assert (TOO_DEEP_TEXT in shown.view.render_window(shown.render)) == (levels > MAX_DEPTH)
    shown = Shown(web())
    shown.view.set_baseline(shown.render)
    shown.pods.put(deep)
    assert (TOO_DEEP_TEXT in shown.view.update(shown.render)) == (levels > MAX_DEPTH)
    assert object_as_yaml(deep).count(" a:" if levels < MAX_DEPTH else '"a":') == levels
    shown.pods.put(web(3, {"nodeName": "node-3"}))
    assert "node-3" in shown.view.update(shown.render)


@pytest.mark.slow
def test_of_an_object_that_is_too_large_the_beginning_is_shown_and_the_file_is_offered() -> None:
    shown = Shown(web(spec={"nodeName": "node-3", "items": list(range(20_000))}))
    assert shown.view.is_cut
    html = shown.view.render_window(shown.render)
    assert len(html) < 1_000_000
    assert "node-3" in html
    assert f'href="{shown.view.yaml_href}?download"' in html
    assert shown.view.row is not None
    assert "- 19999\n" in object_as_yaml(shown.view.row)
    shown.pods.put(web(2, {"nodeName": "node-3", "items": [*range(19_999), 0]}))
    assert shown.changes[0] == ("", [("spec.items[19999]", "19999", "0")])
    shown.pods.put(web(3, {"nodeName": "node-3"}))
    assert "too large" not in shown.view.update(shown.render)
    assert not shown.view.is_cut


@pytest.mark.slow
def test_of_an_object_that_is_too_large_no_facts_are_told_and_the_page_says_so() -> None:
    containers = [{"name": f"main-{number}", "image": "nginx"} for number in range(3_000)]
    shown = Shown(web(spec={"nodeName": "node-3", "containers": containers}))
    html = shown.view.render_window(shown.render)
    assert "Facts about all of it, such as its rules or containers, are not shown." in html
    assert "<h2>Containers</h2>" not in html
    shown.pods.put(web(2, spec={"nodeName": "node-3", "containers": containers[:100]}))
    html = shown.view.update(shown.render)
    assert "Facts about all of it" not in html
    assert '<span class="mono name">main-99</span>' in html


def test_without_managed_fields_that_are_too_long_all_of_the_object_is_there() -> None:
    managed = [{"manager": "kubelet", "fieldsV1": {str(number): {} for number in range(3_000)}}]
    shown = Shown(web(spec={"ports": list(range(1_900))}, metadata={"managedFields": managed}))
    html = shown.view.render_window(shown.render)
    assert "Its managedFields are" not in html
    shown.pods.put(web(2, {"ports": list(range(1_900))}, metadata={"managedFields": managed * 2}))
    html = shown.view.render_window(shown.render)
    assert "Its managedFields are too long to show line by line who set it" in html
    assert "- 1899\n" in html
    assert 'data-copy-from="#yaml' in html
    assert "?download" not in html


def test_of_very_many_finalizers_the_page_names_the_first() -> None:
    names = tuple(f"example.com/{number}" for number in range(40_000))
    metadata = {"finalizers": list(names), "deletionTimestamp": "2027-01-15T08:00:00Z"}
    row = msgspec.structs.replace(web(2, metadata=metadata), finalizers=names, deleting=1.8e9)
    shown = Shown(web())
    shown.pods.put(row)
    html = shown.view.render_window(shown.render)
    assert "</span> and 39,900 more</dd>" in html
    assert "example.com/99 and 39,900 more" in html
    assert len(html) < 300_000
    assert len(shown.changes[0][0]) < 3_000


def test_a_deletion_is_told_whatever_stands_before_it() -> None:
    fields = {f"a{number:05}": number for number in range(9_000)}

    def before(row: Row) -> Row:
        return msgspec.structs.replace(
            row, blob=Blob(zstandard.compress(msgspec.json.encode({**fields, **row.decode_object()})))
        )

    owners = [{"kind": "ReplicaSet", "name": "set", "uid": "1", "controller": True}]
    shown = Shown(before(web(metadata={"ownerReferences": owners})))
    assert [owner.name for owner in shown.view.owners] == ["set"]
    shown.pods.put(before(web(2, metadata={"deletionTimestamp": "2027-01-15T08:00:00Z", "finalizers": ["a/b"]})))
    assert shown.changes[0][0] == "deletion asked for, waits for finalizer a/b"
    assert shown.view.deletion_requested_at == "2027-01-15T08:00:00Z"


@pytest.mark.slow
def test_of_objects_that_are_too_large_to_compare_the_log_says_so_alone() -> None:
    def nested(value: int) -> dict[str, Any]:
        inner: Any = [*range(200_000), value]
        for _ in range(400):
            inner = {"a": inner}
        return {"d": inner}

    shown = Shown(web(spec=nested(1)))
    shown.pods.put(web(2, spec=nested(2)))
    assert shown.changes[0] == ("too large to compare", [])


@pytest.mark.parametrize(("suspend", "title"), [(True, "Resume"), (False, "Suspend")])
def test_actions_of_an_object_that_is_too_large_have_the_names_of_its_state(suspend: bool, title: str) -> None:
    key = "cronjobs.batch"
    spec = {**{f"a{number:05}": number for number in range(9_000)}, "suspend": suspend}
    replica = Feeder(key, FakeClock(), (row_of(key, made("CronJob", "c", spec=spec)),)).replica
    view = LiveDetail(KINDS[key], "shop", "c", replica, FakeClock())
    assert view.is_cut
    assert [action.title for action in view.denials.actions] == [title]
