"""Tests of missing permissions for many objects, shown before and after a run."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.cluster.access_reviews import ResourceAttributes
from dashboard.pages.bulk.request_context import RunRequest
from dashboard.pages.bulk.run import Item
from tests.dashboard.pages.bulk.conftest import PAGE, Demos, bulks_for
from tests.dashboard.pages.conftest import parts_for
from tests.support.edit.no_script_browser import Browser


async def test_those_that_the_person_may_not_write_are_refused_in_the_clusters_words(demos: Demos) -> None:
    demos.make("a")
    async for bobs in parts_for(demos.cluster.kubeconfig_of("bob")):
        bobs.bulk_runs = bulks_for(bobs)
        bob = Demos(demos.cluster, demos.collection, bobs, Browser(bobs))
        bobs.replicas._replicas.update(demos.parts.replicas._replicas)
        page = await bob.browser.press(await bob.browser.open(PAGE), "all")
        page = await bob.browser.open(page.location)
        assert "access rules do not let Deltaboard's account patch mydemos.crddemo.k8s.io in namespace" in page.text
        assert "access rules do not let Deltaboard's account delete mydemos.crddemo.k8s.io in namespace" in page.text
        assert page.main.count(" disabled>") == 5, "four ways and the button"
        page = await bob.review(verb="label", label_set="x=1")
        assert "1 refused" in page.text
        assert 'User "bob" cannot' in page.text
        await bobs.bulk_runs.stop()


async def test_what_may_be_done_is_asked_together_and_of_objects_that_are_read_once(
    demos: Demos, monkeypatch: pytest.MonkeyPatch
) -> None:
    demos.make("a")
    await demos.review(verb="label", label_set="x=1")
    asked, both, items = set[str](), asyncio.Event(), RunRequest.items
    reads = 0

    async def read(place: RunRequest) -> tuple[Item, ...]:
        nonlocal reads
        reads += 1
        return await items(place)

    async def denial(right: ResourceAttributes) -> str:
        asked.add(right.verb)
        if asked == {"patch", "delete"}:
            both.set()
        await both.wait()
        return ""

    monkeypatch.setattr(RunRequest, "items", read)
    monkeypatch.setattr(demos.parts.access_reviews, "denial", denial)
    async with asyncio.timeout(30):
        page = await demos.press("choose")
    assert "What is to be done" in page.text
    assert reads == 1
