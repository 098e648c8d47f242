"""kubectl on the demo cluster, where there is a kubectl."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devcluster.api import Api
from tests.require import missing

Kubectl = Callable[..., str]

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1", ports: [{containerPort: 80}]}]}
---
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata: {name: one}
spec: {ip: 10.0.0.1, port: 80}
"""


@pytest.fixture(scope="session")
def binary() -> str:
    assets = os.environ.get("KUBEBUILDER_ASSETS", "")
    found = shutil.which("kubectl", path=os.pathsep.join(filter(None, (assets, os.environ.get("PATH", "")))))
    if found is None:
        missing("kubectl", "none on PATH or in KUBEBUILDER_ASSETS")
    return found


@pytest.fixture
def kubectl(binary: str, process: Path, api: Api, namespace: str, tmp_path: Path) -> Kubectl:
    """Runs kubectl in a namespace of the test's own; its output, errors after it. `fails`: that it exits with 1."""
    api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})

    def run(*arguments: str, text: str = "", fails: bool = False, **env: str) -> str:
        command = [binary, "--kubeconfig", str(process), "--cache-dir", str(tmp_path / "cache"), "-n", namespace]
        done = subprocess.run(
            [*command, *arguments], input=text, text=True, capture_output=True, timeout=60, env={**os.environ, **env}
        )
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def columns(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines()]


def test_api_resources_lists_every_kind(kubectl: Kubectl) -> None:
    names = {line.split()[0] for line in kubectl("api-resources", "--no-headers").splitlines()}
    assert {"pods", "nodes", "events", "deployments", "jobs", "leases", "mydemos", "customresourcedefinitions"} <= names


def test_apply_get_and_apply_again(kubectl: Kubectl) -> None:
    assert "deployment.apps/web created" in kubectl("apply", "-f", "-", text=MANIFEST)
    assert "unchanged" in kubectl("apply", "-f", "-", text=MANIFEST)
    kubectl("apply", "-f", "-", text=MANIFEST.replace("nginx:1", "nginx:2").replace("port: 80}\n", "port: 81}\n"))
    header, row = columns(kubectl("get", "deployment", "web", "-o", "wide"))
    assert header[:4] == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE"]
    assert (row[0], row[1], row[-2]) == ("web", "0/2", "nginx:2")
    assert columns(kubectl("get", "mydemos", "--no-headers"))[0][:3] == ["one", "10.0.0.1", "81"]


def test_apply_refuses_unknown_fields_and_bad_values(kubectl: Kubectl) -> None:
    unknown = kubectl("apply", "-f", "-", text=MANIFEST.replace("port: 80}\n", "port: 80, zz: 1}\n"), fails=True)
    assert 'strict decoding error: unknown field "spec.zz"' in unknown
    wrong = kubectl("apply", "-f", "-", text=MANIFEST.replace("port: 80}\n", "port: 0}\n"), fails=True)
    assert "spec.port in body should be greater than or equal to 1" in wrong


def test_edit(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=MANIFEST)
    assert "edited" in kubectl("edit", "mydemo", "one", EDITOR="sed -i s/10.0.0.1/10.0.0.9/")
    assert "edited" in kubectl("edit", "deployment", "web", EDITOR="sed -i s/nginx:1/nginx:9/")
    assert kubectl("get", "mydemo", "one", "-o", "jsonpath={.spec.ip}") == "10.0.0.9"
    image = "jsonpath={.spec.template.spec.containers[0].image}"
    assert kubectl("get", "deployment", "web", "-o", image) == "nginx:9"


def test_label_annotate_and_patch(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=MANIFEST)
    kubectl("label", "mydemo", "one", "color=red")
    kubectl("annotate", "mydemo", "one", "note=x")
    kubectl("patch", "mydemo", "one", "--type=merge", "-p", '{"spec":{"port":90}}')
    kubectl("patch", "mydemo", "one", "--type=json", "-p", '[{"op":"test","path":"/spec/port","value":90}]')
    kubectl(
        "patch", "deployment", "web", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"y"}]}}}}'
    )
    assert kubectl("get", "mydemos", "-l", "color=red", "-o", "name") == "mydemo.crddemo.k8s.io/one\n"
    assert kubectl("get", "mydemos", "-l", "color=blue", "-o", "name") == ""
    names = kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[*].name}")
    assert sorted(names.split()) == ["c", "d"]


def test_delete_waits_until_it_is_gone(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=MANIFEST)
    assert "deleted" in kubectl("delete", "mydemo", "one", "--timeout=20s")
    kubectl("run", "p", "--image=nginx", "--overrides", '{"spec":{"nodeName":"n1","terminationGracePeriodSeconds":1}}')
    assert "deleted" in kubectl("delete", "pod", "p", "--timeout=20s")
    assert 'pods "p" not found' in kubectl("get", "pod", "p", fails=True)


def test_a_namespace_is_deleted_with_all_in_it(kubectl: Kubectl, namespace: str) -> None:
    kubectl("apply", "-f", "-", text=MANIFEST)
    kubectl("delete", "namespace", namespace, "--timeout=20s")
    assert "not found" in kubectl("get", "namespace", namespace, fails=True)


def test_explain_reads_the_schema(kubectl: Kubectl) -> None:
    assert "ip\t<string> -required-" in kubectl("explain", "mydemos.spec")
    assert "containers" in kubectl("explain", "pods.spec")


def test_wait_and_describe(kubectl: Kubectl) -> None:
    kubectl("wait", "--for=condition=Established", "crd/mydemos.crddemo.k8s.io", "--timeout=20s")
    kubectl("apply", "-f", "-", text=MANIFEST)
    assert "Port:  80" in kubectl("describe", "mydemo", "one")
