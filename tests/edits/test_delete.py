"""Delete asks first, and deletes exactly what it showed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from dashboard.edits.deletion import NAMED
from dashboard.live.messages import Row
from informerd.errors import Forbidden, ServerError, Status, Unreachable
from informerd.rest.answer import Answer
from informerd.rest.client import Client
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser
from tests.edits.test_pages import mydemo


@pytest.fixture
def path(namespace: str) -> str:
    """Address of Mydemo ``one``."""
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"


async def test_delete_asks_and_then_goes_to_the_list(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    assert "No finalizers: it is gone at once." in page.text
    assert cluster.exists(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert (page.status, page.said) == (302, True)
    assert page.location == f"/resources/mydemos.crddemo.k8s.io/?namespace={namespace}"
    assert not cluster.exists(f"{collection}/one")


async def test_what_changed_since_it_was_shown_is_shown_first(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": ["example.com/new"]}})
    page = await browser.press(page, "delete")
    assert page.status == 409
    assert "nothing was deleted" in page.text
    assert "example.com/new" in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]


async def test_another_object_of_the_same_name_is_not_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.delete(f"{collection}/one")
    cluster.create(collection, mydemo("one"))
    page = await browser.press(page, "delete")
    assert page.status == 409
    assert cluster.exists(f"{collection}/one")


async def test_finalizers_hold_a_deletion_up_and_their_meaning_is_said(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    held = f"{collection}/one"
    cluster.create(collection, mydemo("one", finalizers=["example.com/hold", "foregroundDeletion"]))
    page = await browser.open(f"{path}delete/")
    assert "example.com/hold" in page.text
    assert "The garbage collector deletes what belongs to it first" in page.text
    page = await browser.press(page, "delete")
    assert (page.status, page.location, page.said) == (302, path, True)
    assert "deletionTimestamp" in cluster.get(held)["metadata"]
    page = await browser.open(f"{path}delete/")
    assert "being deleted already" in page.text
    cluster.patch(held, {"metadata": {"finalizers": None}})
    assert not cluster.exists(held)


async def test_the_way_that_was_chosen_is_sent(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.press(await browser.open(f"{path}delete/"), "delete", propagation="Foreground")
    assert page.location == path
    assert cluster.get(f"{collection}/one")["metadata"]["finalizers"] == ["foregroundDeletion"]
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})


async def test_an_object_that_is_gone_already_counts_as_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.delete(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert page.status == 302
    assert "/one/" not in page.location


class Lossy:
    """Stands between a client and the API server: the answer to a DELETE is lost, and then as many reads fail."""

    def __init__(self, client: Client, *, arrives: bool, deaf: int = 0) -> None:
        self._request = client.request
        self._arrives = arrives
        self._deaf = deaf

    async def request(self, method: str, path: str, **options: Any) -> Answer:
        if method == "DELETE":
            if self._arrives:
                await self._request(method, path, **options)
            raise ServerError(Status(code=500, message="etcdserver: request timed out"))
        if self._deaf and "/mydemos/" in path:
            self._deaf -= 1
            raise Unreachable("connection reset")
        return await self._request(method, path, **options)


async def test_a_deletion_whose_answer_was_lost_is_found_to_be_done(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = Lossy(parts.client, arrives=True).request
    page = await browser.press(page, "delete")
    assert (page.status, page.said) == (302, True)
    assert "/one/" not in page.location


@pytest.mark.parametrize("deaf", [0, 1], ids=["read", "deaf"])
async def test_where_a_deletion_cannot_be_found_out_the_page_claims_nothing(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str, deaf: int
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = Lossy(parts.client, arrives=False, deaf=deaf).request
    page = await browser.press(page, "delete")
    assert page.status == 503
    assert "It may or may not be deleted" in page.text
    assert "etcdserver: request timed out" in page.text
    assert "Nothing was changed" not in page.text
    assert "text is kept" not in page.text


async def test_a_refused_deletion_speaks_of_no_text(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    refused = Forbidden(Status(code=403, reason="Forbidden", message="no"))
    parts.client.delete = AsyncMock(side_effect=refused)
    page = await browser.press(page, "delete")
    assert page.status == 403
    assert "Nothing was changed in the cluster." in page.text


async def test_without_saying_which_state_nothing_is_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.send(f"{path}delete/", {"uid": "", "version": ""})
    assert page.status == 200
    assert cluster.exists(f"{collection}/one")


async def test_owner_and_dependents_are_named(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": "123", "controller": True}
    uid = cluster.create(collection, mydemo("one", ownerReferences=[owner]))["metadata"]["uid"]
    pods = parts.replicas.get("pods").rows
    for number in range(NAMED + 3):
        pods[f"uid-{number}"] = row(f"web-{number:02}", f"uid-{number}", ("Mydemo", "one", uid))
    pods["odd"] = row("-odd name?", "odd", ("Mydemo", "one", uid))
    pods["stranger"] = row("stranger", "stranger", ("Mydemo", "one", "another uid"))
    page = await browser.open(f"{path}delete/")
    assert "It belongs to ConfigMap boss" in page.text
    assert f"{NAMED + 4} Pods" in page.text
    assert "default/web-00" in page.text
    assert "and 4 more" in page.text
    assert 'href="/resources/pods/default/-odd%20name%3F/"' in page.body
    assert "stranger" not in page.text


def row(name: str, uid: str, owner: tuple[str, str, str]) -> Row:
    return Row(uid, "default", name, "1", None, "Running", "ok", (), {}, owner=owner)
