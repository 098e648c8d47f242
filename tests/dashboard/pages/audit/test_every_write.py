"""Tests that each way to write leaves exactly one completed record, and a dry run none, on the real API server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.audit.observer import recorded_client
from dashboard.pages.audit.recorder import AuditRecorder
from dashboard.pages.bulk.executor_factory import item_executor_factory
from dashboard.pages.bulk.runner import BulkRunner
from dashboard.pages.bulk.store import RunStore
from dashboard.pages.drains.runner import DrainRunner
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.errors import Conflict, Forbidden
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import Impersonation
from informerd.rest.discovery import Discovery
from tests.dashboard.pages.audit.conftest import ANNA, entries, in_thread
from tests.dashboard.pages.bulk.conftest import Demos
from tests.dashboard.pages.bulk.conftest import database as bulk_database
from tests.dashboard.pages.create.many.test_views import applied
from tests.dashboard.pages.create.many.test_views import mydemo as document
from tests.dashboard.pages.drains.conftest import Node
from tests.dashboard.pages.drains.conftest import node as node
from tests.dashboard.pages.drains.conftest import records as drain_records
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, reviewed
from tests.support.edit.workloads_and_budgets import pod, workload
from tests.support.wait import eventually

__all__ = ["bulk_database", "node"]

KIND = "mydemos.crddemo.k8s.io"
RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{RBAC_GROUP}/v1"


class Log:
    """The audit log, as tests read it."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self._seen = 0

    async def new(self) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Intent and outcome of each request since this was asked last."""
        contents = [json.loads(each.content) for each in await in_thread(entries, self.alias)]
        fresh, self._seen = contents[self._seen :], len(contents)
        outcomes = {each["record"]: each for each in fresh if each["type"] == "outcome"}
        assert len(outcomes) * 2 == len(fresh), "each request has an intent and an outcome"
        return [(each, outcomes[each["record"]]) for each in fresh if each["type"] == "intent"]

    async def one(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The only request since then."""
        found = await self.new()
        assert len(found) == 1, [(each["verb"], each["name"]) for each, _ in found]
        intent, outcome = found[0]
        assert outcome is not None
        return intent, outcome


@pytest.fixture
def log(record: str) -> Log:
    return Log(record)


@pytest.fixture
async def parts(parts: SimpleNamespace, recorder: AuditRecorder, bulk_database: str) -> AsyncIterator[SimpleNamespace]:
    """With runs and drains, which have clients of their own."""
    client = partial(getattr, parts, "plain_client")
    runs = RunStore(DatabaseExecutor(parts.clock, alias=bulk_database, time_limit=60))
    executors = item_executor_factory(parts.schemas, parts.authors, parts.clock)
    parts.bulk_runs = BulkRunner(runs, parts.clock, client, executors, audit=recorder)
    parts.drain_runs = DrainRunner(drain_records(bulk_database), parts.clock, client, audit=recorder)
    parts.discovery = Discovery(parts.plain_client)
    yield parts
    await parts.bulk_runs.stop()
    await parts.drain_runs.stop()


def summary(intent: dict[str, Any]) -> tuple[str, ...]:
    """Verb, kind, name and, where it is not the object itself, the subresource."""
    return (intent["verb"], intent["resource"], intent["name"], intent["subresource"])


def fields(entry: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {each["path"]: (each.get("was"), each.get("now")) for each in entry["changes"]["fields"]}


async def test_an_edit_leaves_a_record_with_the_values_before_and_after(
    browser: Browser, cluster: ControlPlane, one: str, path: str, log: Log, namespace: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    assert await log.new() == []
    assert (await browser.press(page, "save")).status == 302
    intent, outcome = await log.one()
    stored = cluster.get(one)["metadata"]
    assert summary(intent) == ("update", KIND, "one", "")
    assert (intent["namespace"], intent["uid"]) == (namespace, stored["uid"])
    assert intent["person"] == {"name": "anna", "groups": ["ops"], "uid": "7"}
    assert intent["request"] == "request-1"
    assert fields(intent) == {"spec.port": (8080, 9090)}
    assert (outcome["outcome"], outcome["code"], outcome["resourceVersion"]) == ("done", 200, stored["resourceVersion"])
    assert outcome["resourceVersion"] != intent["resourceVersion"]


async def test_an_edit_of_the_status(browser: Browser, cluster: ControlPlane, one: str, path: str, log: Log) -> None:
    cluster.replace(f"{one}/status", {**cluster.get(one), "status": {"phase": "Pending"}})
    page = await browser.open(f"{path}edit/status/")
    page = await browser.press(page, "review", yaml=page.yaml.replace("Pending", "Ready"))
    assert await log.new() == []
    await browser.press(page, "save")
    intent, outcome = await log.one()
    assert summary(intent) == ("update", KIND, "one", "status")
    assert fields(intent) == {"status.phase": ("Pending", "Ready")}
    assert outcome["outcome"] == "done"


async def test_a_creation_has_its_fields_and_then_its_uid(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str, log: Log
) -> None:
    page = await browser.open(f"/resources/{KIND}/new/?namespace={namespace}")
    page = await browser.press(page, "review", yaml=document("made", namespace))
    assert await log.new() == []
    assert (await browser.press(page, "create")).status == 302
    intent, outcome = await log.one()
    assert summary(intent) == ("create", KIND, "made", "")
    assert fields(intent)["spec.port"] == (None, 8080)
    assert intent["uid"] == ""
    assert outcome["uid"] == cluster.get(f"{collection}/made")["metadata"]["uid"]


async def test_a_creation_of_several_has_one_for_each(browser: Browser, namespace: str, log: Log) -> None:
    page = await browser.open(f"/new/?namespace={namespace}")
    text = "---\n".join(document(name, namespace) for name in ("a", "b"))
    page = await browser.press(page, "review", yaml=text)
    assert await log.new() == []
    await applied(browser, page, 1, 2)
    assert [(summary(intent), (outcome or {})["outcome"]) for intent, outcome in await log.new()] == [
        (("create", KIND, "a", ""), "done"),
        (("create", KIND, "b", ""), "done"),
    ]


async def test_a_quick_action_of_a_subresource_and_one_of_the_object(
    browser: Browser, cluster: ControlPlane, namespace: str, log: Log
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("web", replicas=3))
    address = f"/resources/deployments.apps/{namespace}/web/do"
    page = await browser.open(f"{address}/scale/")
    assert await log.new() == []
    await browser.press(page, "do", wanted="5")
    intent, outcome = await log.one()
    assert summary(intent) == ("patch", "deployments.apps", "web", "scale")
    assert fields(intent) == {"spec.replicas": (3, 5)}
    assert outcome["outcome"] == "done"
    await browser.press(await browser.open(f"{address}/pause/"), "do")
    intent, _ = await log.one()
    assert summary(intent) == ("patch", "deployments.apps", "web", "")
    assert fields(intent) == {"spec.paused": (None, True)}


async def test_an_eviction(browser: Browser, cluster: ControlPlane, namespace: str, log: Log) -> None:
    uid = cluster.create(f"/api/v1/namespaces/{namespace}/pods", pod("web-1"))["metadata"]["uid"]
    page = await browser.open(f"/resources/pods/{namespace}/web-1/do/evict/")
    assert await log.new() == []
    assert (await browser.press(page, "evict")).status == 303
    intent, outcome = await log.one()
    assert summary(intent) == ("create", "pods", "web-1", "eviction")
    assert (intent["uid"], outcome["outcome"]) == (uid, "done")


async def test_a_deletion_has_the_uid_and_the_version(
    browser: Browser, cluster: ControlPlane, one: str, path: str, log: Log
) -> None:
    metadata = cluster.get(one)["metadata"]
    page = await browser.open(f"{path}delete/")
    assert await log.new() == []
    await browser.press(page, "delete")
    intent, outcome = await log.one()
    assert summary(intent) == ("delete", KIND, "one", "")
    assert (intent["uid"], intent["resourceVersion"]) == (metadata["uid"], metadata["resourceVersion"])
    assert intent["options"] == {"propagationPolicy": "Background"}
    assert outcome["outcome"] == "done"


async def test_the_removal_of_a_finalizer(
    browser: Browser, cluster: ControlPlane, collection: str, path: str, log: Log
) -> None:
    cluster.create(collection, mydemo("one", finalizers=["example.com/hold"]))
    cluster.request("DELETE", f"{collection}/one")
    page = await browser.open(f"{path}delete/finalizer/?name=example.com/hold")
    await browser.press(page, "take", understood="")
    intent, outcome = await log.one()
    assert summary(intent) == ("patch", KIND, "one", "")
    assert fields(intent) == {"metadata.finalizers[0]": ("example.com/hold", None)}
    assert outcome["outcome"] == "done"


@pytest.mark.parametrize(
    ("typed", "verb", "changed"),
    [
        ({"verb": "label", "label_set": "team=new"}, "patch", {"metadata.labels": (None, {"team": "new"})}),
        ({"verb": "patch", "patch": '{"spec":{"port":9090}}'}, "patch", {"spec.port": (8080, 9090)}),
        ({"verb": "delete"}, "delete", {}),
    ],
)
async def test_a_run_over_many_objects_has_one_for_each_and_names_the_run(
    cluster: ControlPlane,
    collection: str,
    parts: SimpleNamespace,
    browser: Browser,
    log: Log,
    typed: dict[str, str],
    verb: str,
    changed: dict[str, Any],
) -> None:
    demos = Demos(cluster, collection, parts, browser)
    demos.make("a", "b")
    await demos.review(**typed)
    assert await log.new() == []
    await demos.press("start")
    await demos.shows("2 changed." if verb == "patch" else "2 deleted.")
    found = await log.new()
    run = demos.run.strip("/").rpartition("/")[2]
    assert sorted(summary(intent) for intent, _ in found) == [(verb, KIND, name, "") for name in ("a", "b")]
    assert {(intent["run"], (outcome or {})["outcome"]) for intent, outcome in found} == {(run, "done")}
    assert fields(found[0][0]) == changed


@pytest.mark.parametrize(("verbs", "was"), [(["patch"], None), (["get", "patch"], 8080)])
async def test_a_write_of_what_was_not_read_has_the_values_before_where_they_can_be_read(
    parts: SimpleNamespace, cluster: ControlPlane, log: Log, one: str, verbs: list[str], was: int | None
) -> None:
    person = f"writer-{len(verbs)}"
    metadata, rbac = cluster.get(one)["metadata"], f"{RBAC}/namespaces/{one.split('/')[5]}"
    rule = {"apiGroups": ["crddemo.k8s.io"], "resources": ["mydemos"], "verbs": verbs}
    cluster.create(f"{rbac}/roles", {"metadata": {"name": person}, "rules": [rule]})
    subject = {"apiGroup": RBAC_GROUP, "kind": "User", "name": person}
    role = {"apiGroup": RBAC_GROUP, "kind": "Role", "name": person}
    cluster.create(f"{rbac}/rolebindings", {"metadata": {"name": person}, "roleRef": role, "subjects": [subject]})
    client = recorded_client(parts.audit, parts.plain_client.impersonate(Impersonation(user=person)), ANNA)
    conditions = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    patch = {"metadata": conditions, "spec": {"port": 9090}}
    resource, where = KINDS[KIND].resource, metadata["namespace"]
    plain = parts.plain_client.impersonate(Impersonation(user=person))

    async def is_known() -> bool:
        """Whether the API server's authorizer knows the role."""
        with suppress(Forbidden):
            await plain.patch(resource, "one", where, patch, dry_run=True)
            return True
        return False

    await eventually(is_known, within=10, what="the right to patch")
    await client.patch(resource, "one", where, patch)
    assert fields((await log.new())[-1][0]) == {"spec.port": (was, 9090)}


async def test_a_drain_has_its_cordon_and_each_eviction(browser: Browser, node: Node, log: Log) -> None:
    node.run("web-1")
    node.run("web-2")
    page = await browser.open(node.page)
    assert await log.new() == []
    page = await browser.press(page, "drain")
    assert page.status in (302, 303), page.text

    async def is_recorded() -> bool:
        return len(await in_thread(entries, log.alias)) == 6

    await eventually(is_recorded, within=60, what="the cordon and two evictions")
    found = await log.new()
    assert sorted(summary(intent) for intent, _ in found) == [
        ("create", "pods", "web-1", "eviction"),
        ("create", "pods", "web-2", "eviction"),
        ("patch", "nodes", node.name, ""),
    ]
    key = page.location.rpartition("=")[2]
    assert {intent["run"] for intent, _ in found} == {"", key}


async def test_what_the_api_server_refuses_is_recorded_as_refused(parts: SimpleNamespace, log: Log, one: str) -> None:
    with pytest.raises(Conflict):
        await parts.client.delete(KINDS[KIND].resource, "one", one.split("/")[5], uid="another", resource_version="1")
    _, outcome = await log.one()
    assert (outcome["outcome"], outcome["code"], outcome["reason"]) == ("refused", 409, "Conflict")


async def test_reads_and_questions_about_rights_are_no_records(parts: SimpleNamespace, log: Log, one: str) -> None:
    client: Client = parts.client
    await client.list(PODS)
    await client.get(KINDS[KIND].resource, "one", one.split("/")[5])
    review = Resource(
        group="authorization.k8s.io", version="v1", plural="selfsubjectaccessreviews", kind="SelfSubjectAccessReview"
    )
    body = {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
    }  # fmt: skip
    await client.create(review, body)
    assert await log.new() == []
