"""Tests of the contents of a namespace or definition, also of kinds that nobody watches."""

from __future__ import annotations

import re
from types import SimpleNamespace

from dashboard.pages.delete.progress import progress_of
from informerd.rest.discovery import Discovery
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser


async def test_a_namespace_says_what_its_controller_says(cluster: ControlPlane, namespace: str) -> None:
    live = cluster.get(f"/api/v1/namespaces/{namespace}")
    live["metadata"]["deletionTimestamp"] = "2026-11-21T10:00:00Z"
    failure = {"type": "NamespaceDeletionContentFailure", "status": "True", "message": "no rights on widgets"}
    live["status"]["conditions"] = [failure, {"type": "NamespaceContentRemaining", "status": "False"}]
    progress = progress_of(live, {}, 1_795_255_300.0)
    words = [wait.words for wait in progress.waits]
    assert words == [
        "Waiting for the finalizer kubernetes",
        f"Some of its content could not be deleted: {failure['message']}",
    ]
    assert not any(wait.is_removable for wait in progress.waits)


async def test_what_a_namespace_holds_of_kinds_that_nobody_watches_is_asked_for(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    parts.discovery = Discovery(parts.client)
    cluster.create(collection, mydemo("one"))
    for name in ("a", "b"):
        cluster.create(f"/api/v1/namespaces/{namespace}/secrets", {"metadata": {"name": name}})
    page = await browser.open(f"/resources/namespaces/-/{namespace}/delete/")
    assert "Everything in the namespace is deleted with it." in page.text
    assert "2 Secrets read just now" in page.text
    assert f'href="/resources/secrets/?namespace={namespace}"' in page.body
    assert "1 Mydemo" in page.text
    assert "storageclasses.storage.k8s.io" not in page.text
    assert "propagation" not in page.form.radios  # nothing of it can be left


async def test_how_many_objects_go_with_their_definition_is_asked_for(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str
) -> None:
    parts.discovery = Discovery(parts.client)
    cluster.create(collection, mydemo("one"))
    name = "mydemos.crddemo.k8s.io"
    page = await browser.open(f"/resources/customresourcedefinitions.apiextensions.k8s.io/-/{name}/delete/")
    assert "Every object of this kind is deleted with it, in all namespaces." in page.text
    assert "The API server deletes every object of this kind first" in page.text
    assert re.search(r"\d+ Mydemos? read just now", page.text)
