"""Tests of the delete page, which asks first and deletes exactly what it showed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from informerd.clock import SystemClock
from informerd.errors import Forbidden, ServerError, Status, Unreachable
from informerd.rest.client import Client
from informerd.rest.response import Response
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser


async def test_delete_asks_and_then_says_that_it_is_gone(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    assert "No finalizers: it is gone at once." in page.text
    assert "A dry run of this was just accepted" in page.text
    assert f"delete mydemos.crddemo.k8s.io one -n {namespace}" in page.text
    assert cluster.exists(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server no longer has it" in page.text
    assert f'href="/resources/mydemos.crddemo.k8s.io/?namespace={namespace}"' in page.body
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


async def test_finalizers_hold_a_deletion_up_and_the_page_follows_until_it_is_gone(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    held = f"{collection}/one"
    cluster.create(collection, mydemo("one", finalizers=["example.com/hold", "foregroundDeletion"]))
    page = await browser.open(f"{path}delete/")
    assert "example.com/hold" in page.text
    assert "The garbage collector deletes what belongs to it first" in page.text
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "Waiting for the finalizer example.com/hold" in page.text
    assert "every 1500ms" in page.body
    metadata = cluster.get(held)["metadata"]
    assert "deletionTimestamp" in metadata
    page = await browser.open(f"{path}delete/")
    assert "already being deleted" in page.text
    cluster.patch(held, {"metadata": {"finalizers": None}})
    assert not cluster.exists(held)
    page = await browser.open(f"{path}delete/?uid={metadata['uid']}")
    assert "The API server no longer has it" in page.text
    assert "every 1500ms" not in page.body


async def test_the_way_that_was_chosen_is_sent(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.press(await browser.open(f"{path}delete/"), "check", propagation="Foreground")
    assert "--cascade=foreground" in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]
    sent = {**page.form.values, "propagation": "Orphan", "check": ""}
    plan = await browser.send(page.form.action, sent, **{"HX-Request": "true"})
    assert "--cascade=orphan" in plan.body
    assert "A dry run of this was just accepted" in plan.body
    assert "What is deleted with it" not in plan.body
    plan = await browser.send(page.form.action, {**sent, "propagation": "Sideways"}, **{"HX-Request": "true"})
    assert (plan.status, "“Sideways” is not a deletion policy" in plan.body) == (422, True)
    await browser.press(page, "delete", propagation="Foreground")
    assert cluster.get(f"{collection}/one")["metadata"]["finalizers"] == ["foregroundDeletion"]
    cluster.patch(f"{collection}/one", {"metadata": {"finalizers": None}})


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"propagation": "Sideways"}, "“Sideways” is not a deletion policy"),
        ({"grace": "other", "seconds": "-1"}, "“-1” is not a grace period"),
        ({"grace": "other", "seconds": "ten"}, "“ten” is not a grace period"),
        ({"grace": "other", "seconds": "1000000000000"}, "is not a grace period"),
        ({"grace": "soon"}, "“soon” is not a grace period"),
    ],
)
async def test_nonsense_is_said_and_nothing_is_sent(
    browser: Browser, cluster: ControlPlane, collection: str, path: str, typed: dict[str, str], said: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.press(await browser.open(f"{path}delete/"), "delete", **typed)
    assert page.status == 422
    assert said in page.text
    assert "deletionTimestamp" not in cluster.get(f"{collection}/one")["metadata"]


async def test_an_object_that_is_gone_already_counts_as_deleted(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    cluster.delete(f"{collection}/one")
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server no longer has it" in page.text


class LossyClient:
    """Stands between a client and the API server: the answer to a DELETE is lost, and then as many reads fail."""

    def __init__(self, client: Client, *, arrives: bool, deaf: int = 0) -> None:
        self._request = client.request
        self._arrives = arrives
        self._deaf = deaf
        self._lost = False

    async def request(self, method: str, path: str, **options: Any) -> Response:
        if method == "DELETE" and not (options.get("body") or {}).get("dryRun"):
            if self._arrives:
                await self._request(method, path, **options)
            self._lost = True
            raise ServerError(Status(code=500, message="etcdserver: request timed out"))
        if self._lost and self._deaf and "/mydemos/" in path:
            self._deaf -= 1
            raise Unreachable("connection reset")
        return await self._request(method, path, **options)


async def test_a_deletion_whose_answer_was_lost_is_found_to_be_done(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = LossyClient(parts.client, arrives=True).request
    page = await browser.press(page, "delete")
    assert page.status == 200
    assert "The API server no longer has it" in page.text


@pytest.mark.parametrize("deaf", [0, 2], ids=["read", "deaf"])
async def test_where_a_deletion_cannot_be_found_out_the_page_claims_nothing(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str, deaf: int
) -> None:
    cluster.create(collection, mydemo("one"))
    page = await browser.open(f"{path}delete/")
    parts.client.request = LossyClient(parts.client, arrives=False, deaf=deaf).request
    page = await browser.press(page, "delete")
    assert page.status == 503
    assert ("It may or may not be deleted" if deaf else "It was not deleted") in page.text
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


async def test_a_stuck_deletion_is_explained_and_its_finalizer_taken_away_apart(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, path: str
) -> None:
    held = f"{collection}/one"
    uid = cluster.create(collection, mydemo("one", finalizers=["example.com/hold"]))["metadata"]["uid"]
    cluster.delete(held)
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "Its deletion was asked for" in page.text
    assert "by hand" not in page.text
    parts.clock = Later()
    page = await browser.open(f"{path}delete/?uid={uid}")
    assert "The deletion is stuck." in page.text
    assert "Remove example.com/hold by hand" in page.text
    page = await browser.open(f"{path}delete/finalizer/?name=example.com/hold")
    assert "This skips a clean-up that somebody asked for." in page.text
    cluster.patch(held, {"metadata": {"labels": {"racing": "writer"}}})
    page = await browser.press(page, "take", understood="yes")
    assert page.status == 409
    assert "The object changed while you were looking" in page.text
    assert cluster.get(held)["metadata"]["finalizers"] == ["example.com/hold"]
    without = dict(page.form.values)
    without.pop("understood")
    page = await browser.send(page.form.action, without)
    assert cluster.get(held)["metadata"]["finalizers"] == ["example.com/hold"]
    page = await browser.press(page, "take", understood="yes")
    assert "The API server no longer has it" in page.text
    assert not cluster.exists(held)


class Later(SystemClock):
    """Two minutes ahead."""

    def time(self) -> float:
        return super().time() + 120


@pytest.mark.parametrize(("namespace_typed", "name_typed"), [("default", "%2E%2E"), ("default", "%2E"), ("..", "one")])
@pytest.mark.parametrize("action", ["delete", "edit"])
async def test_dots_are_no_name_and_that_is_said(
    browser: Browser, namespace_typed: str, name_typed: str, action: str
) -> None:
    page = await browser.open(f"/resources/mydemos.crddemo.k8s.io/{namespace_typed}/{name_typed}/{action}/")
    assert page.status == 404
    assert "is not a valid name of an object or a namespace" in page.text
