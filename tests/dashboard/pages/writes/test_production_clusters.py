"""Tests of a production cluster on the real API server: what destroys needs the typed name, and nothing else does."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from dashboard.runtime.production_clusters import ProductionClusters
from tests.support.edit.no_script_browser import Page
from tests.support.pages.writing_addresses import FINALIZER, MYDEMOS, WRITES, World, prepare_all
from tests.support.wait import eventually

ASKS = "This cluster is production. To confirm, type the name of the"
DESTROYING = {
    "edit, replicas to 0",
    "delete",
    "finalizer",
    "act, scale to 0",
    "evict",
    "drain",
    "several, replicas to 0",
    "bulk-run, delete",
}


@pytest.fixture
def production(settings: Settings) -> None:
    settings.DELTABOARD_PRODUCTION = ProductionClusters(all_clusters=True)


def error_of(page: Page) -> str:
    """The announced error of the name's input."""
    return page.main.partition('<span id="typed-name-error" class="bad" role="alert">')[2].partition("</span>")[0]


async def test_nothing_that_destroys_is_written_without_the_name(world: World, production: None) -> None:
    writes = await prepare_all(world)
    assert {name for name, write in writes.items() if write.typed_name} == DESTROYING
    before = world.state()
    for name in sorted(DESTROYING):
        for typed in ({}, {"typed_name": ""}, {"typed_name": writes[name].typed_name.upper() + "x"}):
            data = {key: value for key, value in writes[name].data.items() if key != "typed_name"}
            page = await world.browser.send(writes[name].path, {**data, **typed})
            assert page.status == 422, f"{name}: {page.status} {page.text}"
            assert ASKS in page.text, name
            assert writes[name].typed_name in error_of(page), f"{name}: {page.text}"
    assert world.parts.bulk_runs._tasks == world.parts.drain_runs._tasks == {}, "nothing goes on in the background"
    assert world.state() == before


@pytest.mark.parametrize("name", sorted(DESTROYING))
async def test_with_the_name_it_is_written(world: World, production: None, name: str) -> None:
    write = await WRITES[name](world)
    before = world.state()
    await world.send(write, typed_name=f"  {write.typed_name}\t")
    assert await world.changes(before), "spaces around it do not count"


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(WRITES.keys() - DESTROYING))
async def test_what_does_not_destroy_asks_for_no_name(world: World, production: None, name: str) -> None:
    write = await WRITES[name](world)
    before = world.state()
    page = await world.send(write)
    assert ASKS not in page.text
    assert await world.changes(before)


async def test_elsewhere_no_name_is_asked_for(world: World, settings: Settings) -> None:
    settings.DELTABOARD_PRODUCTION = ProductionClusters(names=frozenset({"another"}))
    page = await world.browser.open(world.page(MYDEMOS, "one", "delete/"))
    assert ASKS not in page.text
    assert re.search(r'data-cluster="production"[^>]* hidden></span>', page.body)
    assert (await world.browser.press(page, "delete")).status == 200
    assert not world.cluster.exists(f"{world.demos}/one")


async def test_a_cluster_is_marked_by_its_name(world: World, settings: Settings) -> None:
    settings.DELTABOARD_PRODUCTION = ProductionClusters(names=frozenset({"another", world.parts.cluster.name}))
    page = await world.browser.open(f"/resources/{MYDEMOS}/")
    assert 'data-colour="red"' in page.body
    assert ">production</span>" in page.body
    settings.DELTABOARD_CLUSTER_COLOUR = "violet"
    assert 'data-colour="violet"' in (await world.browser.open(f"/resources/{MYDEMOS}/")).body


async def test_a_wrong_name_brings_the_deletion_back_as_it_was_chosen(world: World, production: None) -> None:
    path = world.page("pods", "web-2", "delete/")
    page = await world.browser.open(path)
    assert 'role="alert"' not in page.main.partition('id="typed-name-error"')[2].partition(">")[0]
    chosen: dict[str, Any] = {"propagation": "Foreground", "grace": "other", "seconds": "7", "typed_name": "Web-2"}
    page = await world.browser.press(page, "delete", **chosen)
    assert page.status == 422
    assert error_of(page) == "“Web-2” is not the name: type web-2. Nothing was sent."
    kept = page.form.values
    assert {name: kept[name] for name in chosen} == chosen
    assert 'aria-invalid="true" autofocus aria-describedby="typed-name-error"' in page.main
    await world.browser.press(page, "delete", typed_name="web-2")
    live = world.cluster.get(f"{world.pods}/web-2")["metadata"]
    assert live["deletionGracePeriodSeconds"] == 7


async def test_markup_in_a_wrong_name_is_a_text(world: World, production: None) -> None:
    page = await world.browser.open(world.page(MYDEMOS, "one", "delete/"))
    page = await world.browser.press(page, "delete", typed_name="<b>" + "x" * 500)
    assert "<b>xxx" not in page.body
    assert error_of(page).startswith("“&lt;b&gt;xxx")
    assert "x" * 100 not in error_of(page)


async def test_what_was_confirmed_before_stays_confirmed(world: World, production: None) -> None:
    page = await world.browser.open(world.page("deployments.apps", "web", "do/scale/"))
    first = await world.browser.press(page, "do", wanted="0")
    assert first.status == 200, "it is asked for the first time"
    assert ASKS in first.text
    assert "It stops all 2 replicas." in first.text
    assert error_of(first) == ""
    wrong = await world.browser.press(first, "do", sure="yes", typed_name="wbe")
    assert wrong.status == 422
    assert 'name="sure" value="yes" checked' in wrong.main
    assert wrong.form.values["wanted"] == "0"
    done = await world.browser.press(wrong, "do", sure="yes", typed_name="web")
    assert "Scaled 2 → 0" in done.text
    assert world.cluster.get(f"{world.deployments}/web")["spec"]["replicas"] == 0


async def test_an_edit_that_removes_a_finalizer_asks_and_keeps_the_text(world: World, production: None) -> None:
    page = await world.browser.open(world.page(MYDEMOS, "held", "edit/"))
    text, number = re.subn(rf"\n *finalizers:\n *- {FINALIZER}", "", page.yaml)
    assert number == 1, page.yaml
    review = await world.browser.press(page, "review", yaml=text)
    assert "It removes example.com/hold" in review.text
    refused = await world.browser.press(review, "save")
    assert refused.status == 422
    assert refused.form.values["yaml"] == review.form.values["yaml"]
    assert world.cluster.get(f"{world.demos}/held")["metadata"]["finalizers"] == [FINALIZER]
    saved = await world.browser.press(refused, "save", typed_name="held")
    assert saved.status in (303, 302)
    assert not world.cluster.exists(f"{world.demos}/held")


async def test_several_objects_ask_for_the_clusters_name_and_keep_what_was_ticked(
    world: World, production: None
) -> None:
    demo = "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {name: made}\nspec: {ip: 10.0.0.1, port: 1}\n"
    scale = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 0}\n"
    page = await world.browser.open(f"/new/?namespace={world.namespace}")
    review = await world.browser.press(page, "review", yaml=f"{demo}---\n{scale}")
    assert f"type the name of the cluster: {world.parts.cluster.name}" in review.text
    only_demo = {**review.form.values, "apply": "", "do": "1", "after": "go"}
    assert "1 created" in (await world.browser.send(review.form.action, only_demo)).text, "it destroys nothing"
    refused = await world.browser.send(review.form.action, {**only_demo, "do": "2"})
    assert refused.status == 422
    boxes = [part.partition(">")[0] for part in refused.main.split('name="do" value=')[1:]]
    assert [" checked" in box for box in boxes] == ([True] if len(boxes) == 1 else [False, True])
    assert refused.form.values["after"] == "go"


async def test_runs_that_only_label_ask_for_nothing_and_those_that_stop_pods_ask(
    world: World, production: None
) -> None:
    page = await world.browser.press(
        await world.browser.open(f"/resources/{MYDEMOS}/bulk/?namespace={world.namespace}"), "all"
    )
    run = page.location
    await world.browser.send(run, {"verb": "patch", "patch": "metadata: {finalizers: [example.com/x]}", "try": ""})

    async def tried() -> Page | None:
        page = await world.browser.open(run)
        return page if "Review: " in page.text else None

    shown = await eventually(tried, within=60, what="the dry runs")
    assert shown is not None
    assert "2 Mydemos are changed, which stops pods or skips a clean-up." in shown.text
    refused = await world.browser.press(shown, "start")
    assert refused.status == 422
    assert "The name is missing" in error_of(refused)
    assert "Review: " in refused.text
