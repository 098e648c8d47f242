"""Tests of `doctor`: what it finds out about a real control plane, databases and Redis."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from tests.dashboard.management.test_commands import unconfigured
from tests.support.controlplane import ControlPlane, free_ports
from tests.support.e2e.postgresql_database import Database
from tests.support.program import run_program
from tests.support.wait import until

pytestmark = pytest.mark.program


def examined(environ: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Verdict and sentence of each finding."""
    ended = run_program("manage.py", "doctor", "--json", env=environ)
    findings = json.loads(ended.stdout)
    found = {each["about"]: (each["verdict"], each["sentence"]) for each in findings}
    assert len(found) == len(findings)
    assert ended.returncode == any(each["verdict"] == "fails" for each in findings), ended.stderr
    return found


def test_an_administrator_without_mydemos_and_metrics(controlplane: ControlPlane, tmp_path: Path) -> None:
    found = examined({**unconfigured(tmp_path), "KUBECONFIG": str(controlplane.kubeconfig)})
    assert found["cluster"][0] == "works"
    assert "is Kubernetes v1." in found["cluster"][1]
    assert found["writes"][0] == "works"
    assert found["writes"][1].startswith("The account may edit pods, mydemos.crddemo.k8s.io, ")
    assert found["logs"] == ("works", "The account may read logs and open terminals.")
    assert found["identity"][0] == "works"
    assert found["usage"] == (
        "limited", "The cluster has no metrics API, so pages have no usage: install metrics-server.",
    )  # fmt: skip
    assert found["database"][0] == found["history"][0] == found["Redis"][0] == "works"


@pytest.fixture
def without_rights(controlplane: ControlPlane, tmp_path: Path) -> dict[str, str]:
    """The environment of an account that may nothing."""
    content = json.loads(controlplane.kubeconfig.read_text())
    content["users"][0]["user"]["as"] = "somebody whom no other test gives a role"
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(content))
    return {**unconfigured(tmp_path), "KUBECONFIG": str(kubeconfig)}


def test_a_metrics_api_whose_server_is_down_is_no_failure(
    controlplane: ControlPlane, without_rights: dict[str, str]
) -> None:
    spec = {"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100}
    spec |= {"service": {"namespace": "kube-system", "name": "nobody"}, "insecureSkipTLSVerify": True}
    collection, name = "/apis/apiregistration.k8s.io/v1/apiservices", "v1beta1.metrics.k8s.io"
    controlplane.create(collection, {"metadata": {"name": name}, "spec": spec})
    try:
        until(lambda: "conditions" in controlplane.get(f"{collection}/{name}").get("status", {}), what="it is judged")
        verdict, sentence = examined(without_rights)["usage"]
    finally:
        controlplane.delete(f"{collection}/{name}")
    assert verdict == "limited"
    assert sentence.startswith("The metrics API cannot be used: ")


def test_an_account_without_rights(without_rights: dict[str, str]) -> None:
    found = examined(without_rights)
    assert found["cluster"][0] == "works"
    verdict, sentence = found["rights"]
    assert verdict == "limited"
    assert "The account may not list and watch pods, " in sentence
    assert "replicasets.apps in all namespaces" in sentence
    assert found["writes"][0] == "limited"
    assert found["writes"][1].startswith("The account may not edit pods, mydemos.crddemo.k8s.io, ")
    assert found["usage"][1] == "The cluster has no metrics API, so pages have no usage: install metrics-server."
    assert "read logs (get pods/log) or open terminals (create pods/exec)" in found["logs"][1]
    assert found["identity"][0] == "limited"


def test_credentials_that_are_not_accepted_are_said_to_be_that(controlplane: ControlPlane, tmp_path: Path) -> None:
    content = json.loads(controlplane.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": "expired"}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(content))
    verdict, sentence = examined({**unconfigured(tmp_path), "KUBECONFIG": str(kubeconfig)})["cluster"]
    assert verdict == "fails"
    assert "cannot be used: The credentials are not accepted. They may have expired: sign in again" in sentence


def test_where_people_have_their_own_rights_those_of_the_account_are_not_judged(
    controlplane: ControlPlane, tmp_path: Path
) -> None:
    environ = {**unconfigured(tmp_path), "KUBECONFIG": str(controlplane.kubeconfig)}
    found = examined({**environ, "DELTABOARD_TRUST_PROXY_USER": "X-User"})
    assert found.keys() & {"writes", "logs", "people"} == {"people"}


def test_the_chosen_namespaces_are_those_that_are_asked_about(controlplane: ControlPlane, tmp_path: Path) -> None:
    environ = {**unconfigured(tmp_path), "KUBECONFIG": str(controlplane.kubeconfig)}
    environ |= {"DELTABOARD_NAMESPACES": "default", "DELTABOARD_KINDS": "pods,nodes", "DELTABOARD_READ_ONLY": "on"}
    found = examined(environ)
    assert found["rights"] == ("works", "Lists and watches pods and nodes.")
    assert found["writes"] == ("works", "Nothing is written to the cluster (DELTABOARD_READ_ONLY).")


def test_what_does_not_answer_is_a_sentence(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    environ = unconfigured(tmp_path) | {
        "KUBECONFIG": str(tmp_path / "none"),
        "REDIS_URL": f"redis://127.0.0.1:{port}",
        "DATABASE_URL": f"postgres://nobody@127.0.0.1:{port}/none",
        "SECRET_KEY": "s" * 50,
        "DELTABOARD_HISTORY": "on",
    }
    found = examined(environ)
    assert {about: verdict for about, (verdict, _) in found.items()} == dict.fromkeys(
        ("cluster", "database", "history", "Redis"), "fails"
    )
    assert found["database"][1].startswith("PostgreSQL (DATABASE_URL) cannot be used: ")
    assert "?" not in found["database"][1] + found["history"][1]
    assert found["Redis"][1].startswith("Redis (REDIS_URL) does not answer: ")


def test_migrations_that_are_missing_are_counted(tmp_path: Path) -> None:
    environ = unconfigured(tmp_path) | {"KUBECONFIG": str(tmp_path / "none"), "DELTABOARD_VAR": str(tmp_path / "new")}
    verdict, sentence = examined(environ)["database"]
    assert verdict == "limited"
    assert sentence.endswith("migrations are not applied yet. `deltaboard` and `make run` apply them when they start.")


@pytest.mark.postgresql
def test_migrations_of_postgresql_are_not_applied_by_looking(tmp_path: Path) -> None:
    database = Database()
    database.create()
    environ = unconfigured(tmp_path) | {"KUBECONFIG": str(tmp_path / "none"), "DATABASE_URL": database.url}
    try:
        for _ in range(2):
            verdict, sentence = examined(environ)["database"]
            assert verdict == "fails"
            assert sentence.endswith("migrations are not applied. Run manage.py migrate.")
    finally:
        database.drop()


@pytest.mark.postgresql
def test_an_account_of_postgresql_that_may_not_create_tables_is_told(tmp_path: Path) -> None:
    database, role = Database(), f"role_{uuid4().hex[:12]}"
    database.create()
    environ = unconfigured(tmp_path) | {"KUBECONFIG": str(tmp_path / "none")}
    try:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {role} LOGIN".encode())
            try:
                address = urlsplit(database.url)
                others = address._replace(netloc=f"{role}@{address.netloc.rpartition('@')[2]}").geturl()
                verdict, sentence = examined({**environ, "DATABASE_URL": others})["database"]
            finally:
                connection.execute(f"DROP ROLE {role}".encode())
    finally:
        database.drop()
    assert verdict == "fails"
    assert "its account may not create tables. Make it the owner: ALTER DATABASE deltaboard_" in sentence
    assert sentence.endswith(f" OWNER TO {role}.")


def test_a_kind_that_is_none_and_a_cluster_that_is_silent_are_sentences(
    controlplane: ControlPlane, tmp_path: Path
) -> None:
    environ = {**unconfigured(tmp_path), "KUBECONFIG": str(controlplane.kubeconfig), "DELTABOARD_KINDS": "pods,po ds"}
    verdict, sentence = examined(environ)["rights"]
    assert verdict == "fails"
    assert sentence.startswith("DELTABOARD_KINDS: 'po ds' is no kind")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        content = json.loads(controlplane.kubeconfig.read_text())
        content["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{silent.getsockname()[1]}"
        (tmp_path / "silent").write_text(json.dumps(content))
        verdict, sentence = examined({**environ, "KUBECONFIG": str(tmp_path / "silent")})["cluster"]
    assert verdict == "fails"
    assert "There was no answer within 10 s." in sentence
