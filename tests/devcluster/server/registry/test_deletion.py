"""Tests of deletion: finalizers, grace periods, preconditions and dry run, with a clock that the test controls."""

from __future__ import annotations

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.patch.patch_types import MERGE_PATCH
from devcluster.server.request_options import WriteOptions
from tests.devcluster.conftest import Moment
from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.registry_calls import Json, config_map, create, delete, found


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


def test_namespaces_of_the_system_stay(core: ApiServer) -> None:
    with pytest.raises(Failure) as caught:
        delete(core, "namespaces", "kube-system")
    assert caught.value.code == 403


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
