"""Tests of garbage collection by owner, emptied namespaces and definitions, and expired Events."""

from __future__ import annotations

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.patch_types import MERGE_PATCH
from devcluster.server.registry import cleanup_controllers
from devcluster.server.request_options import WriteOptions
from devcluster.server.storage import object_codec as objects
from tests.devcluster.conftest import Moment
from tests.devcluster.server.registry.test_deletion import GADGETS, MAPS, pod
from tests.support.devcluster.gadget_crd import GADGETS as GADGETS_DEFINITION
from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.registry_calls import config_map, create, delete, found


def test_dependents_follow_their_owner(core: ApiServer) -> None:
    owner = create(core, MAPS, config_map("owner"))
    child = create(core, MAPS, config_map("child", owner))
    create(core, MAPS, config_map("grandchild", child))
    create(core, MAPS, config_map("stranger"))
    delete(core, MAPS, "owner", propagation_policy="Background")
    core.garbage_collector.collect()
    assert [record.key[1] for record in core.store.records(MAPS).values()] == ["stranger"]


def test_one_living_owner_is_enough(core: ApiServer) -> None:
    first, second = (create(core, MAPS, config_map(name)) for name in ("first", "second"))
    child = config_map("child", first)
    child["metadata"]["ownerReferences"] += config_map("x", second)["metadata"]["ownerReferences"]
    create(core, MAPS, child)
    delete(core, MAPS, "first")
    core.garbage_collector.collect()
    assert found(core, MAPS, "child") is not None
    delete(core, MAPS, "second")
    core.garbage_collector.collect()
    assert found(core, MAPS, "child") is None


def test_an_owner_that_never_was_takes_its_dependent_along(core: ApiServer) -> None:
    owner = create(core, MAPS, config_map("owner"))
    owner["metadata"]["uid"] = "never"
    create(core, MAPS, config_map("child", owner))
    core.garbage_collector.collect()
    assert found(core, MAPS, "child") is None


def test_foreground_deletion_waits_for_the_dependents(core: ApiServer) -> None:
    owner = create(core, MAPS, config_map("owner"))
    create(core, MAPS, config_map("child", owner, finalizers=["a.b/c"]))
    delete(core, MAPS, "owner", propagation_policy="Foreground")
    core.garbage_collector.collect()
    held = found(core, MAPS, "owner")
    assert held is not None
    assert held["metadata"]["finalizers"] == ["foregroundDeletion"]
    child = found(core, MAPS, "child")
    assert child is not None
    assert "deletionTimestamp" in child["metadata"]


def test_foreground_deletion_leaves_what_has_another_owner_too(core: ApiServer) -> None:
    owner, other = create(core, MAPS, config_map("owner")), create(core, MAPS, config_map("other"))
    dependent = config_map("dependent", owner)
    dependent["metadata"]["ownerReferences"] += config_map("x", other)["metadata"]["ownerReferences"]
    create(core, MAPS, dependent)
    delete(core, MAPS, "owner", propagation_policy="Foreground")
    core.garbage_collector.collect()
    assert found(core, MAPS, "owner") is None
    left = (found(core, MAPS, "dependent") or {})["metadata"]["ownerReferences"]
    assert [each["name"] for each in left] == ["other"]


def test_foreground_deletion_ends_when_the_dependents_are_gone(core: ApiServer) -> None:
    owner = create(core, MAPS, config_map("owner"))
    create(core, MAPS, config_map("child", owner))
    delete(core, MAPS, "owner", propagation_policy="Foreground")
    core.garbage_collector.collect()
    assert core.store.records(MAPS) == {}


def test_orphans_lose_the_reference(core: ApiServer) -> None:
    owner = create(core, MAPS, config_map("owner"))
    create(core, MAPS, config_map("child", owner))
    delete(core, MAPS, "owner", propagation_policy="Orphan")
    core.garbage_collector.collect()
    child = found(core, MAPS, "child")
    assert child is not None
    assert "ownerReferences" not in child["metadata"]
    assert found(core, MAPS, "owner") is None


def test_a_namespace_takes_everything_in_it_along(core: ApiServer, moment: Moment) -> None:
    create(core, MAPS, config_map("a"))
    create(core, GADGETS, gadget())
    pod(core, grace=5)
    answer = delete(core, "namespaces", "t")
    assert answer["status"]["phase"] == "Terminating"
    core.garbage_collector.collect()
    assert (found(core, MAPS, "a"), found(core, GADGETS, "g")) == (None, None)
    assert found(core, "namespaces", "t") is not None, "the pod is still ending"
    with pytest.raises(Failure) as caught:
        create(core, MAPS, config_map("b"))
    assert (caught.value.code, caught.value.reason) == (403, "Forbidden")
    moment.seconds += 6
    core.garbage_collector.collect()
    assert found(core, "namespaces", "t") is None


def test_a_namespace_with_a_finalizer_is_emptied_and_waits(core: ApiServer) -> None:
    create(core, "namespaces", {"metadata": {"name": "t2", "finalizers": ["a.b/c"]}})
    delete(core, "namespaces", "t2")
    core.garbage_collector.collect()
    left = core.store.get("namespaces", ("", "t2"))
    assert left is not None
    assert objects.decode(left)["spec"] == {}, "there is nothing in it any more"
    kind, patch = core.kind("namespaces"), {"metadata": {"finalizers": None}}
    core.verbs.patch(kind, "", "t2", patch, MERGE_PATCH, WriteOptions())
    assert core.store.get("namespaces", ("", "t2")) is None


def test_a_definition_takes_its_objects_and_its_kind_along(core: ApiServer) -> None:
    create(core, GADGETS, gadget())
    delete(core, "customresourcedefinitions.apiextensions.k8s.io", GADGETS)
    core.garbage_collector.collect()
    assert core.served_kinds.find("devcluster.example", "v1", "gadgets") is None
    assert core.store.records(GADGETS) == {}
    assert found(core, "customresourcedefinitions.apiextensions.k8s.io", GADGETS) is None


def test_a_kind_that_was_removed_and_came_again_is_collected_as_before(core: ApiServer) -> None:
    definitions = "customresourcedefinitions.apiextensions.k8s.io"
    delete(core, definitions, GADGETS)
    core.garbage_collector.collect()
    create(core, definitions, {**GADGETS_DEFINITION, "metadata": {"name": GADGETS}})
    owner = create(core, GADGETS, gadget())
    create(core, MAPS, config_map("m", owner))
    delete(core, GADGETS, "g")
    core.garbage_collector.collect()
    assert found(core, MAPS, "m") is None


def test_a_definition_waits_for_objects_with_finalizers(core: ApiServer) -> None:
    create(core, GADGETS, {**gadget(), "metadata": {"name": "g", "finalizers": ["a.b/c"]}})
    delete(core, "customresourcedefinitions.apiextensions.k8s.io", GADGETS)
    core.garbage_collector.collect()
    assert found(core, GADGETS, "g") is not None
    assert found(core, "customresourcedefinitions.apiextensions.k8s.io", GADGETS) is not None


def test_events_are_forgotten_an_hour_after_their_last_change(core: ApiServer, moment: Moment) -> None:
    for name in ("old", "counted"):
        about = {"kind": "Pod", "name": "p", "namespace": "t"}
        create(core, "events", {"metadata": {"name": name}, "involvedObject": about, "reason": "X", "message": "m"})
    moment.seconds += 1800
    counted = found(core, "events", "counted")
    assert counted is not None
    core.put_seed_object(core.kind("events"), counted | {"count": 2})
    moment.seconds += 1801
    core.garbage_collector.collect()
    assert (found(core, "events", "old"), found(core, "events", "counted") is not None) == (None, True)


def test_of_too_many_events_the_oldest_are_forgotten(core: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup_controllers, "MAX_EVENTS", 3)
    for number in range(5):
        about = {"kind": "Pod", "name": "p", "namespace": "t"}
        create(core, "events", {"metadata": {"name": f"e{number}"}, "involvedObject": about, "message": "m"})
    core.garbage_collector.collect()
    assert [name for _, name in core.store.records("events")] == ["e2", "e3", "e4"]
