"""Tests of read-only mode on the real API server: no address writes anything, and no page offers to."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern
from pytest_django.fixtures import Settings

from dashboard.cluster.read_only_client import ReadOnlyClient
from dashboard.pages.drains.state import HEARTBEAT_TIMEOUT
from dashboard.runtime.read_only import READ_ONLY_REASON
from dashboard.urls import urlpatterns
from informerd.rest.load_config import load_kubeconfig
from tests.support.edit.no_script_browser import Page, _page
from tests.support.pages.writing_addresses import FINALIZER, MYDEMOS, WRITES, World, prepare_all
from tests.support.wait import eventually

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REASON = "This Deltaboard is read-only"
READS = frozenset({
    "history", "deleted-objects", "compare-list", "compare-list-export",
    "overview", "feed", "controllers", "check-several", "schema-of-kind", "drafts", "keep-draft", "throw-drafts",
    "draft", "throw-draft", "runs", "kinds", "all-kinds", "counts", "namespaces", "freshness", "search", "theme",
    "healthz", "readyz", "metrics", "list", "follow-always", "list-again", "export", "matching", "selected",
    "selected-export", "complete", "check-new", "schema", "bulk-results", "bulk-commands", "detail", "yaml", "check",
    "take", "check-status", "take-status", "may", "owner", "whoami", "audit", "audit-export", "sign-in", "sign-out",
    "back-channel-logout", "openid_connect_login", "openid_connect_callback", "sessions", "end-sessions", "status",
    "logs", "log-lines", "log-download", "selection-logs", "selection-log-lines", "selection-log-download", "incident",
    "terminal", "detail-by-name", "incident-by-name", "moment-step",
})  # fmt: skip
"""Addresses that never write to the cluster, by name; what they write, if anything, is in Deltaboard's database."""
STARTS_A_RUN = frozenset({"bulk"})
"""Its POST stores a run, whose own address writes."""
OFFER = re.compile(
    r"""(?:href|action|formaction|hx-post|data-path)=["'][^"']*"""
    r"""(?:/new/|/edit/|/delete/|/terminal/|/do/\w+/|/bulk/|/controllers/requeue/|^edit/|^delete/)[^"']*["']"""
)
"""An attribute that leads to an address that writes."""


def test_every_address_is_known_to_write_or_not_to() -> None:
    names = {pattern.name for pattern in urlpatterns if pattern.name is not None}
    writing = {name.partition(",")[0] for name in WRITES} | STARTS_A_RUN
    assert not writing & READS
    assert writing | READS == names, "say of a new address whether it writes, and if so how"


@pytest.mark.parametrize("name", sorted(WRITES))
async def test_each_write_writes_without_the_mode(world: World, name: str) -> None:
    write = await WRITES[name](world)
    before = world.state()
    await world.send(write)
    assert await world.changes(before)


@pytest.mark.timeout(900)  # as other visits of all addresses
async def test_no_request_to_any_address_writes_in_the_mode(world: World, settings: Settings) -> None:
    writes = await prepare_all(world)
    before = world.state()
    settings.DELTABOARD_READ_ONLY = True
    for name, write in writes.items():
        page = await world.send(write)
        assert (page.status, REASON in page.text) == (403, True), f"{name}: {page.status} {page.text}"
    everything = {key: value for write in writes.values() for key, value in write.data.items()}
    for path in addresses(world):
        for method in METHODS:
            asked = {"data": everything} if method in ("GET", "HEAD", "POST") else {}
            response = await getattr(world.browser.client, method.lower())(path, **asked)
            assert response.status_code < 500 or response.status_code == 503, f"{method} {path}"
            response.close()
    assert world.state() == before


async def test_the_client_alone_lets_no_write_through(world: World, settings: Settings) -> None:
    writes = await prepare_all(world)
    before = world.state()
    assert settings.DELTABOARD_READ_ONLY is False, "no page refuses anything"
    async with ReadOnlyClient(load_kubeconfig(world.cluster.kubeconfig)) as client:
        world.parts.client = client
        for name, write in writes.items():
            if name == "requeue":  # goes to the worker, not to the API server
                continue
            page = await world.send(write)
            assert page.status in (303, 403, 409, 422), f"{name}: {page.status} {page.text}"
            if page.status == 403:
                assert REASON in page.text, f"{name}: {page.text}"
            elif page.status == 303:
                await ended(world, page.location)
    assert world.state() == before


async def ended(world: World, run: str) -> None:
    """Wait until a run has ended, with the reason at each object."""

    async def says_why() -> bool:
        page = await world.browser.open(run)
        return "It has ended, but not everything was done" in page.text and READ_ONLY_REASON in page.text

    await eventually(says_why, within=60, what="the end of the run")


async def test_each_address_that_writes_says_so_with_its_setting(world: World, settings: Settings) -> None:
    settings.DELTABOARD_READ_ONLY = True
    for path in (
        *(world.page(MYDEMOS, "one", rest) for rest in ("edit/", "edit/status/", "delete/")),
        world.page(MYDEMOS, "held", f"delete/finalizer/?name={FINALIZER}"),
        world.page("deployments.apps", "web", "do/scale/"),
        world.page("pods", "web-1", "do/evict/"),
        world.page("nodes", world.node, "do/drain/"),
        f"/resources/{MYDEMOS}/new/",
        f"/resources/{MYDEMOS}/bulk/",
        "/new/",
    ):
        page = await world.browser.open(path)
        assert page.status == 403, path
        assert f"{REASON}" in page.text
        assert "DELTABOARD_READ_ONLY" in page.text
        assert not OFFER.search(page.main.replace(f'href="{path}"', "")), f"{path}: more than the link to reload it"


async def test_no_page_offers_a_write(world: World, settings: Settings) -> None:
    await WRITES["bulk-run, delete"](world)
    pages = [
        "/",
        f"/resources/{MYDEMOS}/",
        f"/resources/{MYDEMOS}/?q=nothing",
        f"/resources/{MYDEMOS}/?open={world.namespace}/one",
        world.page(MYDEMOS, "one"),
        world.page(MYDEMOS, "one", "yaml/"),
        world.page("pods", "web-1"),
        "/controllers/",
        "/runs/",
        "/drafts/",
        "/feed/",
    ]
    browser = world.browser
    assert all([OFFER.search((await browser.open(path)).body) for path in pages[:2]]), "else nothing is looked for"
    settings.DELTABOARD_READ_ONLY = True
    for path in pages:
        page = await browser.open(path, Accept="text/html")
        assert page.status == 200, path
        found = OFFER.search(re.sub(r"/bulk/[0-9a-f]{32}/", "", page.body))  # what a run did can be looked at
        assert found is None, f"{path}: {found}"
        assert '<span class="mode" id="read-only"' in page.body
        assert "data-menu" not in page.body


async def test_a_text_that_was_typed_is_shown_and_kept_as_a_draft(world: World, settings: Settings) -> None:
    edit, new, several = [await WRITES[name](world) for name in ("edit", "new", "several")]
    settings.DELTABOARD_READ_ONLY = True
    for write in (edit, new, several):
        page = await world.send(write)
        assert page.status == 403
        assert page.yaml.strip() == write.data["yaml"].strip()
        assert "your text is kept" in page.text
    drafts = await world.browser.open("/drafts/")
    assert drafts.form.action.endswith("/throw/")
    links = re.findall(r'href="(/drafts/[^/"]+/)"', drafts.main)
    assert len(set(links)) == 3
    shown = await world.browser.open(links[0])
    assert shown.status == 200
    assert shown.form.shown, "it can be copied"
    assert "Continue" not in shown.text.replace("When you continue", "")


async def test_an_uploaded_text_is_not_lost_either(world: World, settings: Settings) -> None:
    settings.DELTABOARD_READ_ONLY = True
    uploaded = SimpleUploadedFile("one.yaml", b"apiVersion: v1\nkind: ConfigMap\n")
    page = _page(await world.browser.client.post("/new/", {"yaml": "", "file": uploaded, "review": ""}))
    assert page.status == 403
    assert "kind: ConfigMap" in page.yaml


async def test_a_run_that_was_begun_says_why_it_does_not_continue(world: World, settings: Settings) -> None:
    run = (await WRITES["bulk-run, delete"](world)).path
    settings.DELTABOARD_READ_ONLY = True
    page = await world.browser.open(run)
    assert page.status == 200
    assert f"This Deltaboard does not continue the run. {REASON}" in page.text
    assert page.form.buttons == []


async def test_a_drain_that_was_begun_says_why_it_does_not_continue(world: World, settings: Settings) -> None:
    drains, state = world.parts.drain_runs, world.state()
    await drains.stop()
    page = await world.send(await WRITES["drain"](world))
    await drains.stop()  # its process ends
    drain = await drains.store.find(page.location.partition("run=")[2], world.parts.cluster.server)
    assert drain is not None
    assert drain.lost(world.parts.clock.time() + HEARTBEAT_TIMEOUT + 1)
    before = world.state()
    assert before != state, "the node is cordoned"
    settings.DELTABOARD_READ_ONLY = True
    shown = await world.browser.open(page.location)
    assert shown.status == 200
    assert f"This Deltaboard does not continue the drain. {REASON}" in shown.text
    assert shown.form.buttons == []
    refused = await world.browser.send(page.location, {"take_over": ""})
    assert refused.status == 403
    assert world.state() == before


async def test_what_reads_remains(world: World, settings: Settings) -> None:
    settings.DELTABOARD_READ_ONLY = True
    page: Page = await world.browser.open(f"/resources/{MYDEMOS}/")
    assert "export.yaml" in page.body
    assert 'data-selected-copy="command"' in page.body
    exported = await world.browser.client.get(f"/resources/{MYDEMOS}/export.csv")
    assert exported.status_code == 200
    details = await world.browser.open(world.page(MYDEMOS, "one"))
    assert "data-copy-kubectl" in details.body


async def test_a_scripts_request_gets_the_sentence_too(world: World, settings: Settings) -> None:
    settings.DELTABOARD_READ_ONLY = True
    answer = await world.browser.send("/controllers/requeue/", {"item": "crddemo/default/poison"}, HX_Request="true")
    assert answer.status == 403
    assert REASON in answer.body
    check = await world.browser.send(world.page(MYDEMOS, "one", "edit/check/"), {"yaml": "a: b"})
    assert (check.status, check.body) == (403, "{}")


def addresses(world: World) -> Iterator[str]:
    """An address of each pattern, or several where objects of several kinds have it."""
    objects = [
        (MYDEMOS, world.namespace, "one"),
        (MYDEMOS, world.namespace, "held"),
        ("pods", world.namespace, "web-1"),
        ("deployments.apps", world.namespace, "web"),
        ("nodes", "-", world.node),
    ]
    for pattern in urlpatterns:
        for resource, namespace, name in objects if has(pattern, "namespace") else objects[:1]:
            for action in ("scale", "restart", "cordon", "field") if has(pattern, "action") else ("",):
                values = {
                    "resource": resource,
                    "namespace": namespace,
                    "name": name,
                    "action": action,
                    "provider_id": "x",
                }
                yield address_of(pattern, {**values, "key": "0" * 32, "suffix": "csv", "path": "nowhere/"})


def has(pattern: URLPattern, parameter: str) -> bool:
    return re.search(rf"[:<]{parameter}>", str(pattern.pattern)) is not None


def address_of(pattern: URLPattern, values: dict[str, str]) -> str:
    """An address that the pattern matches."""
    text = str(pattern.pattern)
    if text.startswith("^"):
        text = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*(?:\(\?[^()]*\)[^()]*)*\)", r"<\1>", text).strip("^$")
        text = text.replace("\\", "")
    path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: values[found[1]], text)
    assert pattern.resolve(path) is not None, f"{path} is no address of {pattern.pattern}"
    return f"/{path}"
