"""Tests of causes on a real control plane: a quota that is used up, in the API server's own words, and a lost node."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dashboard.pages.causes.shown_causes import Cause
from informerd.clock import SystemClock
from tests.support.causes_of_objects import causes_of
from tests.support.controller_manager_and_kwok import controller_manager
from tests.support.controlplane import ControlPlane
from tests.support.skip_if_missing import controlplane_binaries
from tests.support.wait import until

pytestmark = [pytest.mark.controlplane, pytest.mark.long]

numbers = itertools.count()
APPS = "/apis/apps/v1/namespaces"
PATHS = {"nodes": "/api/v1/nodes", "pods": "/api/v1/pods", "events": "/api/v1/events"}
IMPATIENT = ("--node-monitor-grace-period=5s", "--node-monitor-period=1s", "--node-startup-grace-period=5s")
CONTROLLERS = ("deployment-controller", "replicaset-controller", "resourcequota-controller")


class LaterClock(SystemClock):
    """Ten minutes ahead: pods that are not ready have a problem after five."""

    def time(self) -> float:
        return super().time() + 600


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[ControlPlane]:
    """An API server of one test's own, whose nodes a controller may take for lost."""
    cluster = ControlPlane(tmp_path / "cluster", controlplane_binaries())
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def test_a_node_that_is_gone_and_its_pods_are_one_card(own_cluster: ControlPlane, tmp_path: Path) -> None:
    own_cluster.create_namespace("shop")
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for node in ("gone", "other"):
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": now}
        own_cluster.create("/api/v1/nodes", {"metadata": {"name": node}})
        status = {"conditions": [{**ready, "lastTransitionTime": now}], "capacity": {"cpu": "1"}}
        own_cluster.patch(f"/api/v1/nodes/{node}/status", {"status": status})
    for number in range(6):
        spec = {"nodeName": "gone" if number else "other", "containers": [{"name": "c", "image": "i:1"}]}
        own_cluster.create("/api/v1/namespaces/shop/pods", {"metadata": {"name": f"p-{number}"}, "spec": spec})
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": now}
        running = {"name": "c", "image": "i:1", "imageID": "", "ready": True, "restartCount": 0}
        own_cluster.patch(f"/api/v1/namespaces/shop/pods/p-{number}/status", {"status": {
            "phase": "Running", "conditions": [condition],
            "containerStatuses": [{**running, "state": {"running": {"startedAt": now}}}],
        }})  # fmt: skip
    heartbeat = threading.Event()

    def beat() -> None:
        """Renew the lease of the node that is well."""
        path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
        lease = {"metadata": {"name": "other"}, "spec": {"holderIdentity": "other", "leaseDurationSeconds": 40}}
        own_cluster.create(path, lease)
        while not heartbeat.wait(0.5):
            moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            own_cluster.patch(f"{path}/other", {"spec": {"renewTime": moment}})

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        with controller_manager(own_cluster, tmp_path / "manager", "node-lifecycle-controller", flags=IMPATIENT):

            def cards() -> list[Cause]:
                objects = {key: own_cluster.get(path)["items"] for key, path in PATHS.items()}
                return [*causes_of(objects, LaterClock()).shown]

            until(lambda: any(card.count >= 6 for card in cards()), within=60, what="the node's pods are its card")
            (card,) = (each for each in cards() if each.key.rule == "node")
    finally:
        heartbeat.set()
        beating.join()
    assert card.key.place == ("nodes", "", "gone")
    assert card.words == "not ready: Kubelet stopped posting node status; 5 pods of it unhealthy since"
    assert {line.row.name for line in card.lines if line.kind.key == "pods"} == {
        f"p-{number}" for number in range(1, 6)
    }
    assert card.lines[0].kind.key == "nodes"


def kinds_of(card: Cause) -> set[str]:
    return {line.kind.key for line in card.lines}


def test_a_namespace_that_ran_out_of_quota_is_one_card(controlplane: ControlPlane, tmp_path: Path) -> None:
    namespace = controlplane.create_namespace(f"small-quota-{next(numbers)}")
    core = f"/api/v1/namespaces/{namespace}"
    controlplane.create(f"{core}/resourcequotas", {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "2"}}})
    with controller_manager(controlplane, tmp_path, *CONTROLLERS):
        until(lambda: controlplane.get(f"{core}/resourcequotas/small").get("status", {}).get("used"), within=60)
        for name in ("web", "api"):
            container = {"name": "c", "image": "i:1"}
            template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
            spec = {"replicas": 3, "selector": {"matchLabels": {"app": name}}, "template": template}
            controlplane.create(
                f"{APPS}/{namespace}/deployments",
                {"metadata": {"name": name}, "spec": {**spec, "progressDeadlineSeconds": 5}},
            )

        def objects() -> dict[str, list[dict[str, Any]]]:
            return {
                "deployments.apps": controlplane.get(f"{APPS}/{namespace}/deployments")["items"],
                "replicasets.apps": controlplane.get(f"{APPS}/{namespace}/replicasets")["items"],
                "events": controlplane.get(f"{core}/events")["items"],
            }

        def quota_cards() -> list[Any]:
            return [each for each in causes_of(objects(), SystemClock()).shown if each.key.rule == "quota"]

        names = ("web and api", "api and web")
        words = {f"the quota would be exceeded: Deployments {each} cannot create what they want" for each in names}
        told = {"deployments.apps", "events"}  # an Event may come later than what it is about
        until(lambda: any(card.words in words and kinds_of(card) >= told for card in quota_cards()), within=60)
        causes = causes_of(objects(), SystemClock())
    (card,) = (each for each in causes.shown if each.key.rule == "quota")
    assert card.key.place == ("resourcequotas", namespace, "small")
    assert all("exceeded quota: small" in line.words for line in card.lines)
