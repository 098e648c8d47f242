"""Tests of deletion, finalizers, grace periods and garbage collection, with a clock that the test controls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.patch_types import MERGE_PATCH
from devcluster.server.registry import cleanup_controllers
from devcluster.server.request_options import DeleteOptions, WriteOptions
from devcluster.server.storage import object_codec as objects
from tests.devcluster.conftest import Moment
from tests.support.devcluster.gadget_crd import GADGETS as GADGETS_DEFINITION
from tests.support.devcluster.gadget_crd import gadget

Json = dict[str, Any]


def create(core: ApiServer, key: str, obj: Json) -> Json:
    """Create in namespace t (where the kind has any); the stored object."""
    kind = core.kind(key)
    core.create(kind, "t", obj)
    return found(core, key, obj["metadata"]["name"]) or {}


def found(core: ApiServer, key: str, name: str) -> Json | None:
    kind = core.kind(key)
    record = core.store.get(key, ("t" if kind.namespaced else "", name))
    return objects.decode(record) if record else None


def delete(core: ApiServer, key: str, name: str, **options: Any) -> Json:
    kind = core.kind(key)
    answer: Json = json.loads(core.deletion.delete(kind, "t", name, DeleteOptions(**options)).raw)
    return answer


def config_map(name: str, owner: Json | None = None, **meta: Any) -> Json:
    if owner is not None:
        about = owner["metadata"]
        reference = {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": about["name"],
            "uid": about["uid"],
        }
        meta["ownerReferences"] = [reference]
    return {"metadata": {"name": name, **meta}}


def pod(core: ApiServer, *, node: str = "n1", grace: int = 30) -> Json:
    spec = {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": grace}
    return create(core, "pods", {"metadata": {"name": "p"}, "spec": spec | ({"nodeName": node} if node else {})})


MAPS, PODS, GADGETS = "configmaps", "pods", "gadgets.devcluster.example"


def test_an_object_without_ties_is_gone_at_once(core: ApiServer) -> None:
    create(core, MAPS, config_map("a"))
    answer = delete(core, MAPS, "a")
    assert (answer["kind"], answer["status"], answer["details"]["kind"]) == ("Status", "Success", "configmaps")
    assert found(core, MAPS, "a") is None


def test_finalizers_hold_an_object_until_the_last_is_gone(core: ApiServer) -> None:
    create(core, GADGETS, {**gadget(), "metadata": {"name": "g", "finalizers": ["a.b/c"]}})
    held = delete(core, GADGETS, "g")
    assert held["metadata"]["deletionTimestamp"] == "2027-01-15T08:00:00Z"
    assert (held["metadata"]["generation"], held["metadata"]["deletionGracePeriodSeconds"]) == (2, 0)
    version = core.store.revision
    delete(core, GADGETS, "g")
    assert core.store.revision == version, "deleting it again changes nothing"
    patch = {"metadata": {"finalizers": None}}
    core.verbs.patch(core.kind(GADGETS), "t", "g", patch, MERGE_PATCH, WriteOptions())
    assert found(core, GADGETS, "g") is None


def test_a_pod_terminates_for_its_grace_period(core: ApiServer, moment: Moment) -> None:
    pod(core)
    answer = delete(core, PODS, "p")
    assert answer["metadata"]["deletionTimestamp"] == "2027-01-15T08:00:30Z"
    assert answer["metadata"]["deletionGracePeriodSeconds"] == 30
    core.garbage_collector.collect()
    moment.seconds += 29
    core.garbage_collector.collect()
    assert found(core, PODS, "p") is not None
    moment.seconds += 1
    core.garbage_collector.collect()
    assert found(core, PODS, "p") is None


def test_a_kubelet_ends_a_pod_with_no_grace(core: ApiServer) -> None:
    pod(core)
    delete(core, PODS, "p")
    delete(core, PODS, "p", grace_seconds=0)
    assert found(core, PODS, "p") is None


def test_grace_can_be_shortened_but_not_prolonged(core: ApiServer) -> None:
    pod(core)
    delete(core, PODS, "p", grace_seconds=10)
    assert delete(core, PODS, "p", grace_seconds=60)["metadata"]["deletionGracePeriodSeconds"] == 10
    assert delete(core, PODS, "p", grace_seconds=5)["metadata"]["deletionTimestamp"] == "2027-01-15T08:00:05Z"


def test_a_pod_without_a_node_goes_at_once(core: ApiServer) -> None:
    pod(core, node="")
    assert delete(core, PODS, "p")["kind"] == "Pod"
    assert found(core, PODS, "p") is None


@pytest.mark.parametrize("options", [{"uid": "other"}, {"version": "1"}])
def test_preconditions_are_kept(core: ApiServer, options: dict[str, str]) -> None:
    create(core, MAPS, config_map("a"))
    with pytest.raises(Failure) as caught:
        delete(core, MAPS, "a", **options)
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    assert found(core, MAPS, "a") is not None


def test_a_dry_run_deletes_nothing(core: ApiServer) -> None:
    create(core, MAPS, config_map("a"))
    version = core.store.revision
    assert delete(core, MAPS, "a", dry_run=True)["status"] == "Success"
    assert (core.store.revision, found(core, MAPS, "a") is not None) == (version, True)


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


def test_namespaces_of_the_system_stay(core: ApiServer) -> None:
    with pytest.raises(Failure) as caught:
        delete(core, "namespaces", "kube-system")
    assert caught.value.code == 403


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


def test_updates_keep_what_belongs_to_the_server(core: ApiServer) -> None:
    before = create(core, GADGETS, gadget())
    changed = {
        **before,
        "metadata": {**before["metadata"], "generation": 99, "creationTimestamp": "2000-01-01T00:00:00Z"},
    }
    changed["spec"] = {**before["spec"], "port": 81}
    core.verbs.update(core.kind(GADGETS), "t", "g", changed, WriteOptions())
    after = found(core, GADGETS, "g")
    assert after is not None
    assert after["metadata"]["generation"] == 2
    assert after["metadata"]["creationTimestamp"] == before["metadata"]["creationTimestamp"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


def test_one_that_is_being_deleted_keeps_its_name_and_says_so(core: ApiServer) -> None:
    create(core, MAPS, config_map("c", finalizers=["a.b/c"]))
    delete(core, MAPS, "c")
    with pytest.raises(Failure, match='object is being deleted: configmaps "c" already exists') as caught:
        create(core, MAPS, config_map("c"))
    assert caught.value.reason == "AlreadyExists"
