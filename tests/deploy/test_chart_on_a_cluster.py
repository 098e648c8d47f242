"""Tests of the chart on a real API server: dry runs, admission, and the life of a release."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import NAMESPACE
from tests.support.api_client import ApiFailure
from tests.support.controlplane import ControlPlane
from tests.support.helm import VALUE_SETS, Helm, render
from tests.support.long_tests import long_but
from tools.chart_files import CHART, KUSTOMIZE, OVERLAYS, Json

pytestmark = [pytest.mark.program, pytest.mark.controlplane]

CHANGES_BY_ITSELF = {"events", "leases"}
"""Kinds of which the API server makes objects at any time."""
FILES = {
    "secret.env": "SECRET_KEY=a\nREDIS_PASSWORD=b\nPOSTGRES_PASSWORD=c\nREDIS_URL=d\nDATABASE_URL=e\n",
    "issuers.yaml": "issuers: []\n",
    "client-secret": "f",
}


def everything(server: ControlPlane) -> set[str]:
    """Address of each object of each kind, Events and Leases left out."""
    groups = [f"/apis/{each['preferredVersion']['groupVersion']}" for each in server.get("/apis")["groups"]]
    found = set()
    for root in ("/api/v1", *groups):
        for kind in server.get(root)["resources"]:
            if "list" in kind["verbs"] and kind["name"] not in CHANGES_BY_ITSELF:
                for each in server.get(f"{root}/{kind['name']}")["items"]:
                    found.add(f"{root}/{kind['name']}/{each['metadata'].get('namespace')}/{each['metadata']['name']}")
    return found


def pods(made: list[Json]) -> Iterator[tuple[str, Json]]:
    for each in made:
        if "template" in each.get("spec", {}):
            yield each["metadata"]["name"], each["spec"]["template"]


@pytest.mark.parametrize("values", long_but(VALUE_SETS, "everything"))
def test_the_api_server_takes_each_set_of_values(
    helm: Helm, apply: Callable[..., str], values: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(helm("template", "deltaboard", str(CHART), "--values", str(VALUE_SETS[values])))
    assert apply("-f", str(manifest)).count("serverside-applied (server dry run)") == len(render(values))


@pytest.mark.parametrize("values", long_but(VALUE_SETS, "trial-with-a-volume"))
def test_pods_are_admitted_where_pod_security_is_restricted(chart_controlplane: ControlPlane, values: str) -> None:
    made = [*pods(render(values))]
    assert len(made) >= 3
    for name, template in made:
        pod = {"metadata": {**template["metadata"], "name": name}, "spec": template["spec"]}
        if values == "everything":  # the API server has no such class in a test's namespace
            pod["spec"] = {key: value for key, value in pod["spec"].items() if key != "priorityClassName"}
        chart_controlplane.create(f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All&fieldValidation=Strict", pod)


def test_that_admission_refuses_a_pod_that_may_be_root(chart_controlplane: ControlPlane) -> None:
    (_, template), *_ = pods(render("trial"))
    pod = {"metadata": {"name": "a"}, "spec": {**template["spec"], "securityContext": {}}}
    with pytest.raises(ApiFailure, match=r"violates PodSecurity .*runAsNonRoot != true"):
        chart_controlplane.create(f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All", pod)


@pytest.mark.parametrize("overlay", long_but(OVERLAYS, "production"))
def test_the_api_server_takes_each_overlay(apply: Callable[..., str], overlay: str, tmp_path: Path) -> None:
    copy = tmp_path / "kustomize"
    shutil.copytree(KUSTOMIZE, copy)
    for name, content in FILES.items():
        (copy / "overlays" / overlay / name).write_text(content)
    applied = apply("-k", str(copy / "overlays" / overlay))
    assert "secret/deltaboard-" in applied  # its name has the hash of what it has
    assert "deployment.apps/deltaboard-web serverside-applied" in applied


class Release:
    """The release deltaboard, as the cluster has it."""

    def __init__(self, server: ControlPlane, helm: Helm) -> None:
        self._server = server
        self._helm = helm

    def change(self, command: str, values: str, *options: str) -> None:
        self._helm(command, "deltaboard", str(CHART), "--values", str(VALUE_SETS[values]), *options)

    @property
    def secrets(self) -> dict[str, bytes]:
        data = self._server.get(f"/api/v1/namespaces/{NAMESPACE}/secrets/deltaboard")["data"]
        return {name: base64.b64decode(value) for name, value in data.items()}

    def deployment(self, name: str) -> Json:
        return self._server.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/deltaboard-{name}")

    @property
    def jobs(self) -> set[str]:
        found: list[Any] = self._server.get(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs")["items"]
        return {each["metadata"]["name"] for each in found}


def test_a_release_is_installed_upgraded_rolled_back_and_uninstalled_without_a_trace(
    chart_controlplane: ControlPlane, helm: Helm
) -> None:
    before = everything(chart_controlplane)
    release = Release(chart_controlplane, helm)
    release.change("install", "trial")
    secrets, web, jobs = release.secrets, release.deployment("web"), release.jobs
    assert len(secrets) == 5

    release.change("upgrade", "trial")
    assert release.secrets == secrets
    assert release.jobs == jobs
    for name in ("web", "worker", "redis", "postgresql"):
        assert release.deployment(name)["metadata"]["generation"] == 1

    release.change("upgrade", "proxy", "--set", "image.tag=v2")
    assert release.secrets == secrets
    assert release.jobs.isdisjoint(jobs)
    assert release.deployment("web")["spec"]["template"] != web["spec"]["template"]
    for name in ("redis", "postgresql"):  # what the database of a trial has ends with its pod
        assert release.deployment(name)["metadata"]["generation"] == 1

    helm("rollback", "deltaboard", "1")
    assert release.secrets == secrets
    assert release.jobs == jobs
    assert release.deployment("web")["spec"]["template"] == web["spec"]["template"]

    helm("uninstall", "deltaboard")
    assert everything(chart_controlplane) == before


@pytest.mark.long
def test_a_secret_or_config_map_that_was_changed_restarts_the_processes_with_the_next_upgrade(
    chart_controlplane: ControlPlane, helm: Helm
) -> None:
    namespace = f"/api/v1/namespaces/{NAMESPACE}"
    for kind, name, data in (
        ("secrets", "deltaboard-keys", {"stringData": {"SECRET_KEY": "a"}}),
        ("secrets", "collector", {"stringData": {"headers": "a"}}),
        ("configmaps", "variables", {"data": {"A": "a"}}),
    ):
        chart_controlplane.create(f"{namespace}/{kind}", {"metadata": {"name": name}, **data})
    release = Release(chart_controlplane, helm)
    headers = {
        "name": "OTEL_EXPORTER_OTLP_HEADERS",
        "valueFrom": {"secretKeyRef": {"name": "collector", "key": "headers"}},
    }
    options = (
        f"--set-json=web.extraEnv={json.dumps([headers])}",
        "--set=extraEnvFrom[0].configMapRef.name=variables",
    )
    restarts = []
    try:
        release.change("install", "issuers-in-a-secret", *options)
        release.change("upgrade", "issuers-in-a-secret", *options)
        for changed, data in (
            ("secrets/deltaboard-keys", {"stringData": {"SECRET_KEY": "b"}}),
            ("configmaps/variables", {"data": {"A": "b"}}),
            ("secrets/collector", {"stringData": {"headers": "b"}}),
        ):
            before = [release.deployment(name)["metadata"]["generation"] for name in ("worker", "web")]
            chart_controlplane.patch(f"{namespace}/{changed}", data)
            release.change("upgrade", "issuers-in-a-secret", *options)
            after = [release.deployment(name)["metadata"]["generation"] for name in ("worker", "web")]
            restarts.append([now - was for was, now in zip(before, after, strict=True)])
    finally:
        helm("uninstall", "deltaboard")
        for path in ("secrets/deltaboard-keys", "secrets/collector", "configmaps/variables"):
            chart_controlplane.delete(f"{namespace}/{path}")
    assert before[1] == 3
    assert restarts == [[1, 1], [1, 1], [0, 1]]
