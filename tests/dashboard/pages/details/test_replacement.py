"""Tests of an object that replaces a deleted one while the page is open."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
import pytest
import zstandard

from dashboard.objects.kinds.row import Row
from dashboard.pages.details.replacement import MAX_COMPARED as MOST_ALIKE
from dashboard.runtime.time_slicing import SlicedWork
from informerd.objects import Blob
from tests.support.live.pod_detail import Shown, web, whole
from tests.support.live.replica_feeder import pod


def copied(name: str, *, spec: dict[str, Any] | None = None, created: float | None = None, **more: Any) -> Row:
    """A pod like `web()`, by another name."""
    row = pod(name, obj={**whole(spec), **more}, created=1.8e9 if created is None else created)
    return msgspec.structs.replace(row, labels={"app": "web"})


def test_an_object_that_was_copied_and_deleted_names_the_one_that_has_its_content() -> None:
    shown = Shown(web(spec={"a": 1, "nodeName": "n"}), pod("other"))
    now = shown.clock.time()
    for name, spec in (("twin", {"a": 1}), ("another", {"a": 2})):
        shown.pods.put(copied(name, spec=spec, created=now))
    assert shown.view.replacement is None
    shown.pods.drop("uid-default-web")
    html = shown.view.render_window(shown.render)
    assert 'href="/resources/pods/default/twin/">twin</a>, created' in html
    assert "has the same content: it may be the same under another name" in html
    shown.pods.put(copied("third", spec={"a": 1}, created=now))
    assert shown.view.replacement is None  # nobody can tell which of the two it is
    shown.pods.drop("uid-default-twin")
    assert "third</a>" in shown.view.update(shown.render)
    shown.pods.put(web(2, uid="again"))
    assert shown.view.replacement is None


def test_an_object_that_is_too_large_for_its_page_finds_its_twin() -> None:
    spec = {"items": list(range(20_000))}
    shown = Shown(web(spec=spec))
    for name, last in (("twin", 19_999), ("another", 0)):
        items = [*range(19_999), last]
        shown.pods.put(copied(name, spec={"items": items}, created=shown.clock.time()))
    shown.pods.drop("uid-default-web")
    assert shown.view.replacement is not None
    assert shown.view.replacement.row.name == "twin"


@pytest.mark.parametrize("levels", [600, 1500])
def test_objects_that_are_nested_too_deeply_to_compare_have_no_twin(levels: int) -> None:
    raw = b'{"spec":%b1%b}' % (b'{"a":' * levels, b"}" * levels)
    deep = Blob(zstandard.compress(raw))
    shown = Shown(msgspec.structs.replace(web(), blob=deep))
    shown.pods.put(msgspec.structs.replace(copied("twin", created=shown.clock.time()), blob=deep))
    shown.pods.drop("uid-default-web")
    assert (shown.view.replacement is not None) == (levels == 600)


def test_a_copy_that_is_changed_afterwards_or_goes_is_not_called_the_same() -> None:
    shown = Shown(web(spec={"a": 1}))
    for name in ("twin", "other"):
        shown.pods.put(copied(name, spec={"a": 2}, created=shown.clock.time()))
    shown.pods.drop("uid-default-web")
    assert shown.view.replacement is None
    twin = copied("twin", spec={"a": 1}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(twin, version="2", status="Pending"))
    assert shown.view.replacement is not None
    assert (shown.view.replacement.row.name, shown.view.replacement.row.status) == ("twin", "Pending")
    changed = copied("twin", spec={"a": 3}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(changed, version="3"))
    assert shown.view.replacement is None
    other = copied("other", spec={"a": 1}, created=shown.clock.time())
    shown.pods.put(msgspec.structs.replace(other, version="2"))
    assert shown.view.replacement.row.name == "other"
    shown.pods.put(msgspec.structs.replace(other, version="3", deleting=1.0))
    assert shown.view.replacement is None


def test_only_what_may_be_a_copy_is_read_in_full_once_and_one_at_a_time() -> None:
    works: list[SlicedWork] = []
    shown = Shown(web(spec={"a": 1}), later=works.append)
    twins = [copied(f"twin-{number}", spec={"a": number}, created=shown.clock.time()) for number in range(MOST_ALIKE)]
    shown.pods.put(*twins, pod("other"))
    shown.pods.drop("uid-default-web")

    def steps() -> int:
        return sum(1 for work in iter(lambda: works.pop(0) if works else None, None) for _ in work)

    assert steps() == MOST_ALIKE
    assert shown.view.replacement is not None
    assert shown.view.replacement.row.name == "twin-1"
    shown.pods.put(pod("other", version=2))
    assert works == []
    shown.pods.put(msgspec.structs.replace(twins[0], version="2"), msgspec.structs.replace(twins[2], version="2"))
    assert steps() == 1  # of two that are read, one after the other


def test_an_object_without_content_has_no_twin() -> None:
    shown = Shown(web())
    shown.pods.put(copied("twin", created=shown.clock.time()))
    shown.pods.drop("uid-default-web")
    assert shown.view.replacement is None


OWNED = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "uid": "uid-rs", "controller": True}]}


def test_an_object_that_its_controller_replaces_names_what_that_made() -> None:
    owner = ("ReplicaSet", "web-1", "uid-rs")
    shown = Shown(msgspec.structs.replace(web(metadata=OWNED), owner=owner))
    before, after = shown.clock.time() - 60, shown.clock.time() + 1
    shown.pods.put(*(msgspec.structs.replace(pod(name, created=at), owner=owner) for name, at in (("old", before),)))
    shown.pods.drop("uid-default-web")
    assert shown.view.replacement is None
    for name in ("web-b", "web-c"):
        shown.pods.put(msgspec.structs.replace(pod(name, created=after), owner=owner))
        after += 1
    assert 'ReplicaSet web-1 has created <a class="link mono" href="/resources/pods/default/web-b/">web-b</a>' in (
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
    assert shown.view.replacement is None
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
    assert shown.view.replacement is not None
    assert shown.view.replacement.row.name == "web-b"


def test_an_object_that_an_api_server_renames_is_followed_no_further_and_says_its_name() -> None:
    shown = Shown(web())
    shown.pods.put(msgspec.structs.replace(web(2), name="moved"))
    assert not shown.view.exists
    assert "It has another name now: " in (html := shown.view.update(shown.render))
    assert 'href="/resources/pods/default/moved/">moved</a>' in html
    assert shown.changes[0][0] == "has another name now"
