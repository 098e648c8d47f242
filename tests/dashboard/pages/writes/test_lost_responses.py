"""Tests of writes whose response is lost: the page reads the object to learn the outcome, and loses no text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.precondition_checking_client import CheckedClient
from tests.support.lost_writes_proxy import WAIT, LossyProxy

KIND = "/resources/mydemos.crddemo.k8s.io"


@pytest.fixture
async def lossy(cluster: ControlPlane, parts: SimpleNamespace) -> AsyncIterator[LossyProxy]:
    """What the dashboard speaks through."""
    async with LossyProxy(cluster).running() as lossy, CheckedClient(lossy.config) as parts.client:
        yield lossy


@dataclass(frozen=True)
class Write:
    """One of the ways to write, as far as the last button."""

    browser: Browser
    cluster: ControlPlane
    collection: str
    namespace: str

    @property
    def one(self) -> str:
        return f"{self.collection}/one"

    async def update(self) -> tuple[Page, str]:
        self.cluster.create(self.collection, mydemo("one"))
        page = await self.browser.open(f"{KIND}/{self.namespace}/one/edit/")
        page = await self.browser.press(page, "review", yaml=page.yaml.replace("port: 8080", "port: 9090"))
        return page, "save"

    async def status(self) -> tuple[Page, str]:
        made = self.cluster.create(self.collection, mydemo("one"))
        self.cluster.replace(f"{self.one}/status", {**made, "status": {"phase": "Pending"}})
        page = await self.browser.open(f"{KIND}/{self.namespace}/one/edit/status/")
        page = await self.browser.press(page, "review", yaml=page.yaml.replace("Pending", "Ready"))
        return page, "save"

    async def field(self) -> tuple[Page, str]:
        self.cluster.create(self.collection, mydemo("one"))
        page = await self.browser.open(f"{KIND}/{self.namespace}/one/do/field/?path=.spec.port&shown=8080")
        page.form.values["wanted"] = "9090"
        return page, "do"

    async def create(self) -> tuple[Page, str]:
        page = await self.browser.open(f"{KIND}/new/?namespace={self.namespace}")
        return await self.browser.press(page, "review", field__metadata__name="one", field__spec__port="9090"), "create"

    async def delete(self) -> tuple[Page, str]:
        self.cluster.create(self.collection, mydemo("one"))
        return await self.browser.open(f"{KIND}/{self.namespace}/one/delete/"), "delete"

    def is_done(self, way: str) -> bool:
        if way == "delete" or not self.cluster.exists(self.one):
            return way == "delete" and not self.cluster.exists(self.one)
        found = self.cluster.get(self.one)
        return bool(found["status"]["phase"] == "Ready" if way == "status" else found["spec"]["port"] == 9090)


@pytest.fixture
def write(browser: Browser, cluster: ControlPlane, collection: str, namespace: str) -> Write:
    return Write(browser, cluster, collection, namespace)


async def said(browser: Browser, page: Page) -> str:
    """What a person reads in the end, where the answer leads on to a page."""
    return (await browser.open(page.location)).text if page.status == 302 else page.text


BEGINNINGS: dict[str, Callable[[Write], Awaitable[tuple[Page, str]]]] = {
    "update": Write.update,
    "status": Write.status,
    "field": Write.field,
    "create": Write.create,
    "delete": Write.delete,
}
NOT_DONE = {
    "update": "It was not saved.",
    "status": "It was not saved.",
    "field": "It was not done.",
    "create": "The object was not created.",
    "delete": "It was not deleted.",
}
STORED = {
    "update": "is saved: no answer came when it was sent, but it was stored",
    "status": "is saved: no answer came when it was sent, but it was stored",
    "field": "8080 → 9090: no answer came when it was sent, but it was stored",
    "create": "is created: no answer came when it was sent, but it was stored",
    "delete": "No answer came to the deletion, but reading the object shows that it was accepted",
}
MAYBE = {
    "update": "may or may not be saved",
    "status": "may or may not be saved",
    "field": "may or may not be done",
    "create": "The object may or may not exist",
    "delete": "may or may not be deleted",
}


@pytest.mark.parametrize("way", BEGINNINGS)
async def test_what_was_cut_off_before_it_arrived_is_said_not_to_be_done_and_is_sent_again(
    browser: Browser, lossy: LossyProxy, write: Write, way: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault = "before"
    page = await browser.press(page, button)
    assert page.status == 503
    assert NOT_DONE[way] in page.text
    assert "Sending again in 5 s (try 1 of 10)" in page.text
    assert "press Try now" in page.text, "for those without scripts"
    assert not write.is_done(way)
    lossy.fault = ""
    page = await browser.press(page, button)
    assert page.status == (200 if way in ("delete", "field") else 302), page.text
    assert write.is_done(way)
    assert lossy.writes == 1


@pytest.mark.parametrize("way", BEGINNINGS)
async def test_what_was_cut_off_after_it_was_stored_is_said_to_be_stored(
    browser: Browser, lossy: LossyProxy, write: Write, way: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault = "after"
    page = await browser.press(page, button)
    assert STORED[way] in await said(browser, page)
    assert write.is_done(way)
    assert lossy.writes == 1


@pytest.mark.long
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "lost"])
@pytest.mark.parametrize("way", BEGINNINGS)
async def test_while_nothing_can_be_read_the_page_says_that_it_does_not_know_and_goes_on_asking(
    browser: Browser, lossy: LossyProxy, write: Write, way: str, stored: bool
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault, lossy.down_after = "after" if stored else "before", True
    page = await browser.press(page, button)
    assert page.status == 503
    assert MAYBE[way] in page.text
    assert "Asking again in 5 s (try 1)" in page.text
    for number in range(2, 12):
        page = await browser.press(page, button)
        assert MAYBE[way] in page.text, "however long it lasts"
        assert f"Asking again in 5 s (try {number})" in page.text
        assert "Nothing was" not in page.text
    lossy.fault, lossy.down = "", False
    page = await browser.press(page, button)
    if way == "create" and not stored:
        assert "it was not created, or it was created and deleted again" in page.text
        page = await browser.press(await browser.press(page, "review"), button)
    assert (STORED[way] in await said(browser, page)) is stored
    assert write.is_done(way)
    assert lossy.writes == 1, "nothing is done twice"


@pytest.mark.parametrize("way", BEGINNINGS)
async def test_where_the_person_may_not_read_what_became_of_it_the_page_says_so_and_asks_no_more_by_itself(
    browser: Browser, lossy: LossyProxy, write: Write, way: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault, lossy.reads_after = "after", 403
    page = await browser.press(page, button)
    page = await browser.press(page, button)
    assert page.status == 403
    assert MAYBE[way] in page.text
    assert "access rules do not let Deltaboard's account read what became of it" in page.text
    assert "failed while handling it" not in page.text
    assert "by itself" not in page.text
    assert "Nothing was" not in page.text
    assert lossy.writes == 1


@pytest.mark.parametrize("way", ["update", "create"])
async def test_what_was_stored_and_taken_back_by_somebody_is_not_written_again_unasked(
    browser: Browser, lossy: LossyProxy, write: Write, way: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault, lossy.down_after = "after", True
    page = await browser.press(page, button)
    lossy.fault, lossy.down = "", False
    if way == "update":
        write.cluster.patch(write.one, {"spec": {"port": 8080}})
    else:
        write.cluster.delete(write.one)
    page = await browser.press(page, button)
    assert MAYBE[way] in page.text
    assert "by itself" not in page.text
    assert "Nothing was" not in page.text
    assert not write.is_done(way)
    assert "9090" in page.yaml
    page = await browser.press(await browser.press(page, "review"), button)
    assert page.status == 302
    assert write.is_done(way), "once somebody has looked"


@pytest.mark.parametrize("way", ["update", "create"])
@pytest.mark.parametrize("change", ["other", "overlap", "deleted", "another"])
async def test_after_a_lost_answer_no_page_says_that_nothing_was_written(
    browser: Browser, lossy: LossyProxy, write: Write, way: str, change: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault, lossy.down_after = "after", True
    page = await browser.press(page, button)
    lossy.fault, lossy.down = "", False
    if change in ("other", "overlap"):
        spec = {"port": 8080, "ip": "10.0.0.200"} if change == "other" else {"port": 7777}
        write.cluster.patch(write.one, {"spec": spec})
    else:
        write.cluster.delete(write.one)
    if change == "another":
        write.cluster.create(write.collection, mydemo("one"))
    page = await browser.press(page, button)
    assert page.status == 409
    assert "may or may not exist" in page.text if way == "create" else "No clear answer came" in page.text
    assert "Nothing was" not in page.text
    assert "by itself" not in page.text
    assert way == "create" or change == "other" or "discard" in page.form.buttons
    assert lossy.writes == 1


async def test_nothing_is_said_to_be_open_of_a_finalizer_where_nothing_was_sent(
    browser: Browser, lossy: LossyProxy, write: Write
) -> None:
    uid = write.cluster.create(write.collection, mydemo("one", finalizers=["example.com/hold"]))["metadata"]["uid"]
    write.cluster.delete(write.one)
    where = f"{KIND}/{write.namespace}/one/delete/finalizer/?name=example.com%2Fhold"
    page = await browser.open(where)
    assert uid in page.body
    lossy.down = True
    page = await browser.press(page, "take", understood="on")
    assert "may or may not" not in page.text
    assert "Sending again" in page.text
    lossy.down, lossy.fault, lossy.down_after = False, "after", True
    page = await browser.press(page, "take")
    assert "may or may not be removed" in page.text
    page = await browser.press(page, "take")
    assert "may or may not be removed" in page.text
    lossy.down = False
    page = await browser.press(page, "take")
    assert "No answer came to the deletion, but reading the object shows that it was accepted" in page.text
    assert not write.cluster.exists(write.one)


@pytest.mark.parametrize("way", BEGINNINGS)
async def test_a_busy_api_server_is_waited_for_as_long_as_it_asks_and_in_sight(
    browser: Browser, lossy: LossyProxy, write: Write, way: str
) -> None:
    page, button = await BEGINNINGS[way](write)
    lossy.fault = "busy"
    page = await browser.press(page, button)
    assert page.status == 429
    assert f'data-repeat="{WAIT}"' in page.body
    assert f"in {WAIT} s (try 1 of 10)" in page.text
    assert "not now" in page.text
    lossy.fault = ""
    page = await browser.press(page, button)
    assert page.status == (200 if way in ("delete", "field") else 302), page.text
    assert write.is_done(way)


@pytest.mark.parametrize("fault", ["busy", "failing"])
async def test_a_review_is_tried_again_too_and_one_can_go_back_to_the_text(
    browser: Browser, lossy: LossyProxy, write: Write, fault: Any
) -> None:
    page, _ = await write.update()
    page = await browser.press(page, "edit")
    lossy.fault, lossy.dry_runs_too = fault, True
    page = await browser.press(page, "review", yaml=page.yaml.replace("9090", "9191"))
    assert page.status == (429 if fault == "busy" else 503)
    assert "it writes nothing" in page.text
    back = await browser.press(page, "edit")
    assert back.status == 200
    assert "port: 9191" in back.yaml
    lossy.fault = ""
    page = await browser.press(page, "review")
    assert page.status == 200
    assert "9191" in page.text


async def test_what_is_tried_often_enough_is_left_to_the_person(
    browser: Browser, lossy: LossyProxy, write: Write
) -> None:
    page, button = await write.update()
    lossy.fault = "busy"
    page = await browser.press(page, button, tries="9")
    assert "(try 10 of 10)" in page.text
    page = await browser.press(page, button)
    assert page.status == 429
    assert "Sending again" not in page.text
    assert "port: 9090" in page.yaml


@pytest.mark.parametrize("fault", ["busy", "after"])
async def test_an_object_whose_name_the_api_server_makes_up_is_never_made_again_unasked(
    browser: Browser, lossy: LossyProxy, write: Write, fault: Any
) -> None:
    page = await browser.open(f"{KIND}/new/?namespace={write.namespace}")
    nameless = page.yaml.replace("  name: ", "  generateName: ")
    page = await browser.send(page.form.action, {"yaml": nameless, "review": ""})
    assert "create" in page.form.buttons, page.text
    lossy.fault = fault
    page = await browser.press(page, "create")
    assert page.status == (429 if fault == "busy" else 503)
    assert "Sending again" not in page.text
    assert "generateName" in page.yaml
    assert lossy.writes == (fault == "after")
