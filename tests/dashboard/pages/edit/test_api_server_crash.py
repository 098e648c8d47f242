"""Tests of an API server killed (SIGKILL) before and after it stored a change: the page finds out which."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.dashboard.pages.conftest import parts_for
from tests.e2e.conftest import CRD
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import Json, mydemo
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.precondition_checking_client import CheckedClient
from tests.support.lost_writes_proxy import LossyProxy

Begin = Callable[[Browser, str], Awaitable[Page]]
KIND = "/resources/mydemos.crddemo.k8s.io"


async def edited(browser: Browser, path: str) -> Page:
    page = await browser.open(f"{path}edit/")
    return await browser.press(page, "review", yaml=page.yaml.replace("port: 8080", "port: 9090"))


async def status(browser: Browser, path: str) -> Page:
    page = await browser.open(f"{path}edit/status/")
    return await browser.press(page, "review", yaml=page.yaml.replace("Pending", "Ready"))


async def field(browser: Browser, path: str) -> Page:
    page = await browser.open(f"{path}do/field/?path=.spec.port&shown=8080")
    page.form.values["wanted"] = "9090"
    return page


async def created(browser: Browser, path: str) -> Page:
    namespace, name = path.split("/")[3:5]
    page = await browser.open(f"{KIND}/new/?namespace={namespace}")
    return await browser.press(page, "review", field__metadata__name=f"made-{name}")


async def deleted(browser: Browser, path: str) -> Page:
    return await browser.open(f"{path}delete/")


WAYS: dict[str, tuple[Begin, str, str, str]] = {
    "edit": (edited, "save", "is saved: no answer came when it was sent, but it was stored", "is saved."),
    "status": (status, "save", "is saved: no answer came when it was sent, but it was stored", "is saved."),
    "field": (field, "do", "8080 → 9090: no answer came when it was sent, but it was stored", "8080 → 9090."),
    "create": (created, "create", "is created: no answer came when it was sent, but it was stored", "is created."),
    "delete": (
        deleted,
        "delete",
        "No answer came to the deletion, but reading the object shows that it was accepted",
        "is deleted",
    ),
}
"""How each begins, its button, and what is said of one that was stored without an answer, and of one sent only now."""


@pytest.mark.long
@pytest.mark.usefixtures("drafts")
@pytest.mark.timeout(300)
async def test_a_page_finds_out_whether_a_killed_api_server_had_stored_its_change(
    own_controlplane: ControlPlane,
) -> None:
    cluster = own_controlplane
    cluster.apply_crd(CRD)
    namespace = cluster.create_namespace("killed")
    objects = f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"
    async with LossyProxy(cluster).running() as lossy, CheckedClient(lossy.config) as client:
        async for parts in parts_for(cluster.kubeconfig):
            parts.client = client
            for way, (begin, button, stored, now) in WAYS.items():
                names = [f"{way}-after", f"{way}-before"]
                unknown = "may or may not exist" if way == "create" else "may or may not be"
                pages: dict[str, Page] = {}
                browser = Browser(parts)
                for name in names:
                    made = cluster.create(objects, mydemo(name))
                    cluster.replace(f"{objects}/{name}/status", {**made, "status": {"phase": "Pending"}})
                    pages[name] = await begin(browser, f"{KIND}/{namespace}/{name}/")
                lossy.fault, lossy.after_write, lossy.writes = "after", cluster.kill, 0
                for name in names:  # the first is stored, and the second meets a dead one
                    pages[name] = page = await browser.press(pages[name], button)
                    assert page.status == 503
                    # the second was never sent, but for a creation, which reads nothing before
                    assert (unknown in page.text) is (name == names[0] or way == "create"), name
                assert lossy.writes == 1
                lossy.fault = ""
                cluster.start_apiserver()
                for name, words in zip(names, (stored, now), strict=True):
                    page = await browser.press(pages[name], button)
                    if "it was not created, or it was created and deleted again" in page.text:
                        page = await browser.press(await browser.press(page, "review"), button)
                    said = await browser.open(page.location) if page.status == 302 else page
                    assert words in said.text, name
                    assert is_done(cluster, objects, way, name), name
                assert lossy.writes == 2, "once each"


def is_done(cluster: ControlPlane, objects: str, way: str, name: str) -> bool:
    """Whether it is done; what counts its writes was written to once."""
    if way == "create":
        return cluster.exists(f"{objects}/made-{name}")
    if way == "delete":
        return not cluster.exists(f"{objects}/{name}")
    found: Json = cluster.get(f"{objects}/{name}")
    if way == "status":
        return bool(found["status"] == {"phase": "Ready"})
    return (found["spec"]["port"], found["metadata"]["generation"]) == (9090, 2)
