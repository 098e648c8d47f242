"""The API server killed (SIGKILL) before and after it stored a change: the page finds out which, and says so."""

from __future__ import annotations

from informerd.rest.client import Client
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser, Page
from tests.edits.conftest import CRD, parts_for
from tests.edits.objects import mydemo
from tests.lossy import Lossy

KIND = "/resources/mydemos.crddemo.k8s.io"
MAYBE = "may or may not be saved"


async def reviewed(browser: Browser, namespace: str, name: str) -> Page:
    page = await browser.open(f"{KIND}/{namespace}/{name}/edit/")
    return await browser.press(page, "review", yaml=page.yaml.replace("port: 8080", "port: 9090"))


async def test_a_page_finds_out_whether_a_killed_api_server_had_stored_its_change(
    own_controlplane: ControlPlane,
) -> None:
    cluster = own_controlplane
    cluster.apply_crd(CRD)
    namespace = cluster.create_namespace("killed")
    objects = f"/apis/crddemo.k8s.io/v1/namespaces/{namespace}/mydemos"
    for name in ("after", "before"):
        cluster.create(objects, mydemo(name))
    async with Lossy(cluster).running() as lossy, Client(lossy.config) as client:
        async for parts in parts_for(cluster.kubeconfig):
            parts.client = client
            browser = Browser(parts)
            pages = {name: await reviewed(browser, namespace, name) for name in ("after", "before")}
            lossy.fault, lossy.after_write = "after", cluster.kill
            for name, page in pages.items():  # the first is stored, and the second meets a dead one
                pages[name] = await browser.press(page, "save")
                assert pages[name].status == 503
                assert (MAYBE in pages[name].text) is (name == "after"), "the second was never sent"
            assert lossy.writes == 1
            lossy.fault = ""
            cluster.start_apiserver()
            said = {}
            for name, page in pages.items():
                done = await browser.press(page, "save")
                said[name] = (await browser.open(done.location)).text
            assert "is saved: no answer came when it was sent, but it was stored" in said["after"]
            assert "is saved." in said["before"], "which was sent only now"
            assert lossy.writes == 2
    for name in ("after", "before"):
        found = cluster.get(f"{objects}/{name}")
        assert (found["spec"]["port"], found["metadata"]["generation"]) == (9090, 2), "once each"
