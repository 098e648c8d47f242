"""Comparison of kubectl's output on the demo cluster with that on the real API server, where kubectl is installed."""

from __future__ import annotations

import itertools
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from devcluster.crds import read_documents
from tests.support.controlplane import ControlPlane
from tests.support.devcluster.http_client import Api
from tests.support.devcluster.parity.kubectl_cases import MANIFEST as SETUP
from tests.support.devcluster.parity.kubectl_cases import READING_CASES, WRITING_CASES, KubectlCase
from tests.support.kubectl import KubectlSide, collection_path, kubectl_binary, objects_in
from tests.support.skip_if_missing import missing
from tests.support.wait import until

pytestmark = pytest.mark.program

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
    found = kubectl_binary()
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


@pytest.mark.long
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


ON_PURPOSE: dict[str, str] = {}
"""Cases by name, and why the demo cluster prints something else."""

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MYDEMOS = "/apis/crddemo.k8s.io/v1"
Pair = tuple[KubectlSide, KubectlSide]


@pytest.fixture(scope="module")
def servers(controlplane: ControlPlane, process: Path) -> tuple[Api, Api]:
    """The real API server with the Mydemos of the demo cluster, and the demo cluster."""
    real, demo = Api.of(controlplane.kubeconfig), Api.of(process)
    for document in read_documents():
        real.post(CRDS, document)
    until(lambda: real.get(f"{MYDEMOS}/mydemos").code == 200, what="Mydemos are served")
    return real, demo


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kubectl")


@pytest.fixture(scope="module")
def make_sides(
    binary: str, servers: tuple[Api, Api], controlplane: ControlPlane, process: Path, caches: Path
) -> Iterator[Callable[[], Pair]]:
    """Makes an empty namespace of the same name on the real server and on the demo cluster.

    No Mydemo stays on the real one: the controllers of other tests would handle them all.
    """
    real, _ = servers
    made: list[str] = []

    def make() -> Pair:
        made.append(namespace := f"kubectl-{uuid4().hex[:8]}")
        for api in servers:
            assert api.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).code == 201
        side = KubectlSide(binary, controlplane.kubeconfig, caches / "real", namespace)
        return side, KubectlSide(binary, process, caches / "demo", namespace)

    yield make
    for namespace in made:
        real.delete(f"{MYDEMOS}/namespaces/{namespace}/mydemos")


@pytest.fixture
def sides(make_sides: Callable[[], Pair]) -> Pair:
    return make_sides()


def words_of(namespace: str, folder: Path) -> dict[str, str]:
    """What the braces in commands and manifests stand for."""
    return {"{ns}": namespace, "{node}": f"{namespace}-n", "{file}": str(folder / f"{namespace}.yaml")}


def filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@pytest.fixture(scope="module")
def objects(binary: str, servers: tuple[Api, Api], controlplane: ControlPlane, caches: Path) -> str:
    """What the cases find, as kubectl would create it, with its annotation, as JSON objects one after the other."""
    side = KubectlSide(binary, controlplane.kubeconfig, caches / "real", "kubectl-namespace")
    words = words_of(side.namespace, caches)
    Path(words["{file}"]).write_text(filled(SETUP, words))
    return side.run(filled("create --save-config --dry-run=client -o json -f {file}", words))


@pytest.fixture(scope="module")
def make_filled_sides(
    make_sides: Callable[[], Pair], servers: tuple[Api, Api], objects: str, caches: Path
) -> Callable[[], Pair]:
    """As `make_sides`, with what the cases find, created in kubectl's name but without it, which is slow to start."""

    def make() -> Pair:
        sides = make_sides()
        for side, api in zip(sides, servers, strict=True):
            words = words_of(side.namespace, caches)
            Path(words["{file}"]).write_text(filled(SETUP, words))
            for made in objects_in(objects.replace("kubectl-namespace", side.namespace)):
                answer = api.post(f"{collection_path(made)}?fieldManager=kubectl-create&fieldValidation=Strict", made)
                assert answer.code == 201, answer
        return sides

    return make


@pytest.fixture(scope="module")
def sides_to_read(make_filled_sides: Callable[[], Pair]) -> Pair:
    return make_filled_sides()


@pytest.fixture
def sides_to_change(make_filled_sides: Callable[[], Pair]) -> Pair:
    return make_filled_sides()


def at_once(sides: Pair, run: Callable[[KubectlSide], str]) -> list[str]:
    """What running something on both sides gives: kubectl is slow enough for two to be worth it."""
    with ThreadPoolExecutor(len(sides)) as pool:
        return list(pool.map(run, sides))


def printed(side: KubectlSide, case: KubectlCase, folder: Path) -> str:
    """What a case's commands print, each after its own line."""
    words = words_of(side.namespace, folder)
    said = (f"$ {line}\n{side.run(filled(line, words), EDITOR=case.editor or 'false')}" for line in case.commands)
    return side.plain("".join(said))


def compare(sides: Pair, case: KubectlCase, folder: Path) -> None:
    expected, found = at_once(sides, lambda side: printed(side, case, folder))
    assert case.says in expected
    assert not (case.finds_all and "Error from server" in expected)
    if case.name in ON_PURPOSE:
        assert found != expected, f"no longer differs: {ON_PURPOSE[case.name]}"
    else:
        assert found == expected


def named(cases: Iterable[KubectlCase]) -> list[Any]:
    """Parameters, of which every third is in `make test`."""
    return [
        pytest.param(case, id=case.name[:60], marks=pytest.mark.long if number % 3 else ())
        for number, case in enumerate(cases)
    ]


def test_names_of_kubectls_cases_are_unique() -> None:
    names = [case.name for case in (*READING_CASES, *WRITING_CASES)]
    assert len(names) == len(set(names))


@pytest.mark.long
@pytest.mark.parametrize("case", named(READING_CASES))
def test_kubectl_reads_what_it_reads_on_the_real_server(sides_to_read: Pair, case: KubectlCase, caches: Path) -> None:
    compare(sides_to_read, case, caches)


@pytest.mark.long
@pytest.mark.parametrize("case", named(WRITING_CASES))
def test_kubectl_writes_what_it_writes_on_the_real_server(
    sides_to_change: Pair, case: KubectlCase, caches: Path
) -> None:
    compare(sides_to_change, case, caches)


def watched(side: KubectlSide, arguments: str) -> Iterator[str]:
    """The lines that a watch prints while a pod comes, changes and goes."""
    command = side.command(*shlex.split(arguments))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        side.run("run w1 --image=nginx --labels=a=b")
        yield from itertools.islice(watch.stdout, 1 if "--no-headers" in arguments else 2)
        side.run("label pod w1 c=d")
        yield watch.stdout.readline()
        side.run("delete pod w1")
        yield from itertools.islice(watch.stdout, 2)
        watch.terminate()


@pytest.mark.parametrize(
    "arguments", ["get pods -w --output-watch-events", "get pods -w -o name --no-headers", "get pods -w -o wide -l a=b"]
)
def test_a_watch_prints_what_it_prints_on_the_real_server(sides: Pair, arguments: str) -> None:
    expected, found = at_once(sides, lambda side: side.plain("".join(watched(side, arguments))))
    assert expected.count("w1") == 4
    assert found == expected


def test_what_the_demo_cluster_serves_is_listed_as_by_the_real_server(sides: Pair) -> None:
    """Line for line: all that is different is that the demo cluster has fewer kinds, and serves the metrics API."""
    real, ours = (side.plain(side.run("api-resources --no-headers -o wide")).splitlines() for side in sides)
    own = ("gadget", "metrics.k8s.io")
    assert [line for line in ours if not any(each in line.lower() for each in own) and line not in real] == []
    assert len(ours) >= 14
