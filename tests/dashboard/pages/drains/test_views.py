"""Tests of a drain, from its effect on each pod to its end, on the real API server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.pages.drains.runner import DrainRunner
from dashboard.pages.drains.state import HEARTBEAT_TIMEOUT
from dashboard.pages.drains.store import DrainStore
from dashboard.runtime.database_executor import Unavailable
from informerd.clock import SystemClock
from informerd.errors import Unreachable
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import Impersonation
from tests.dashboard.pages.controllers.test_manager import let
from tests.dashboard.pages.drains.conftest import Node, records
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.workloads_and_budgets import budget, hold


async def shows(browser: Browser, path: str, words: str) -> Page:
    """The page, as soon as it has these words."""
    return await reached(browser, path, lambda page: words in page.text, words)


async def reached(browser: Browser, path: str, fits: Callable[[Page], bool], what: str) -> Page:
    async with asyncio.timeout(60):
        while True:
            page = await browser.open(path)
            if fits(page):
                return page
            await asyncio.sleep(0.1)
    raise AssertionError(what)


async def test_what_happens_to_each_pod_is_said_before_and_what_is_lost_has_to_be_agreed_to(
    browser: Browser, node: Node
) -> None:
    node.run("web-1")
    node.run("log-1", kind="DaemonSet")
    node.run("alone", kind="", volumes=[{"name": "scratch", "emptyDir": {}}])
    page = await browser.open(node.page)
    assert f"{node.namespace}/web-1 is evicted; ReplicaSet web-1-owner creates another one elsewhere" in page.text
    assert f"{node.namespace}/log-1 stays: DaemonSet log-1-owner runs one on every node" in page.text
    assert "nothing recreates it; the data in its emptyDir volumes is lost" in page.text
    assert f"drain {node.name} --ignore-daemonsets --delete-emptydir-data --force" in page.text
    without = {name: value for name, value in page.form.values.items() if name not in ("emptydir", "unmanaged")}
    page = await browser.send(node.page, without)
    assert page.status == 422
    assert "confirm first that emptyDir volumes are lost" in page.text
    assert not node.cluster.get(node.api)["spec"].get("unschedulable")


async def test_a_pod_whose_daemon_set_is_no_more_goes_as_one_that_nobody_makes_again(
    browser: Browser, node: Node
) -> None:
    node.run("log-1", kind="DaemonSet")
    node.cluster.delete(f"/apis/apps/v1/namespaces/{node.namespace}/daemonsets/log-1-owner")
    page = await browser.open(node.page)
    words = "is evicted; DaemonSet log-1-owner does not exist any more, so nothing recreates it"
    assert f"{node.namespace}/log-1 {words}" in page.text
    assert f"drain {node.name} --ignore-daemonsets --force" in page.text
    without = {name: value for name, value in page.form.values.items() if name != "unmanaged"}
    page = await browser.send(node.page, without)
    assert page.status == 422
    assert "confirm first that nothing recreates some pods" in page.text


async def test_a_drain_cordons_evicts_and_waits_until_all_are_gone(browser: Browser, node: Node) -> None:
    web, log = node.run("web-1"), node.run("log-1", kind="DaemonSet")
    page = await browser.press(await browser.open(node.page), "drain")
    assert page.status == 303
    run = page.location
    assert node.cluster.get(node.api)["spec"]["unschedulable"] is True
    await shows(browser, run, "evicted, is shutting down")
    assert "deletionTimestamp" in node.cluster.get(web)["metadata"]
    node.end("web-1")
    page = await shows(browser, run, "Drained: 1 pod is gone.")
    assert "every 1500ms" not in page.body
    assert "deletionTimestamp" not in node.cluster.get(log)["metadata"]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have blocked evictions retried at once."""
    monkeypatch.setattr("dashboard.pages.evictions.evict.DEFAULT_RETRY_AFTER", 0.5)


@pytest.mark.usefixtures("soon")
async def test_a_budget_that_holds_a_pod_is_named_before_and_while_it_is_tried_again(
    browser: Browser, node: Node
) -> None:
    web = node.run("web-1")
    held = hold(node.cluster, node.namespace)
    page = await browser.open(node.page)
    assert "Held for now. The PodDisruptionBudget keep-web (at least 1 available) allows no disruption now" in page.text
    run = (await browser.press(page, "drain")).location
    page = await shows(browser, run, "1 held for now")
    assert "The PodDisruptionBudget keep-web" in page.text
    assert "again" in page.text
    assert "deletionTimestamp" not in node.cluster.get(web)["metadata"]
    node.cluster.delete(held)
    await shows(browser, run, "evicted, is shutting down")


async def test_several_budgets_of_a_pod_and_those_that_cannot_be_read_are_said_before(
    browser: Browser, parts: SimpleNamespace, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.run("web-1")
    node.cluster.create(hold(node.cluster, node.namespace).rpartition("/")[0], budget("keep-too", "web", 0))
    page = await browser.open(node.page)
    assert "Several PodDisruptionBudgets select it: the API server refuses to evict such a pod" in page.text
    assert "The PodDisruptionBudget keep-too" in page.text
    listed = parts.client.list

    async def but_no_budgets(resource: Resource, *which: Any, **more: Any) -> Any:
        if resource.plural == "poddisruptionbudgets":
            raise Unreachable("connection refused")
        return await listed(resource, *which, **more)

    monkeypatch.setattr(parts.client, "list", but_no_budgets)
    page = await browser.open(node.page)
    words = f"The PodDisruptionBudgets of {node.namespace} could not be read: which pods they hold is not known."
    assert words in page.text


@pytest.mark.long
async def test_it_pauses_goes_on_and_is_cancelled(browser: Browser, node: Node) -> None:
    web = node.run("web-1")
    held = hold(node.cluster, node.namespace)
    run = (await browser.press(await browser.open(node.page), "drain")).location
    page = await shows(browser, run, "held for now")
    await browser.press(page, "pause")
    page = await shows(browser, run, "Paused: 0 of 1 pods are gone")
    node.cluster.delete(held)
    await browser.press(page, "cancel")
    page = await shows(browser, run, "Cancelled. Pods that were evicted before stay evicted")
    assert "was not evicted" in page.text
    assert "deletionTimestamp" not in node.cluster.get(web)["metadata"]
    assert node.cluster.get(node.api)["spec"]["unschedulable"] is True


async def test_another_process_shows_it_says_when_the_one_that_ran_it_ended_and_goes_on_with_it(
    browser: Browser, parts: SimpleNamespace, node: Node, database: str
) -> None:
    node.run("web-1")
    held = hold(node.cluster, node.namespace)
    run = (await browser.press(await browser.open(node.page), "drain")).location
    await shows(browser, run, "held for now")
    await parts.drain_runs.stop()
    parts.clock = Later()
    parts.drain_runs = DrainRunner(records(database), parts.clock, lambda _: parts.client)
    page = await browser.open(run)
    assert "The process that ran this drain has ended." in page.text
    node.cluster.delete(held)
    await browser.press(page, "take_over")
    page = await shows(browser, run, "evicted, is shutting down")
    assert "has ended" not in page.text
    node.end("web-1")
    await shows(browser, run, "Drained: 1 pod is gone.")


async def test_who_presses_has_to_have_the_right_to_drain_and_is_named(
    browser: Browser, parts: SimpleNamespace, node: Node
) -> None:
    node.run("web-1")
    hold(node.cluster, node.namespace)
    run = (await browser.press(await browser.open(node.page), "drain")).location
    await shows(browser, run, "held for now")
    acting = replace(
        parts.cluster, credentials=replace(parts.cluster.credentials, impersonation=Impersonation(user="cordoner"))
    )
    rule = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}
    with let(node.cluster, "cordoner", rule):
        async with Client(acting) as client:
            other = Browser(SimpleNamespace(**{**vars(parts), "client": client}))
            answer = await other.press(await other.open(run), "pause")
    assert (answer.status, "pods/eviction" in answer.text) == (403, True)
    key = parse_qs(urlsplit(run).query)["run"][0]
    drain = await parts.drain_runs.store.find(key, parts.cluster.server)
    assert drain is not None
    assert (drain.wish, drain.wished_by) == ("", "")
    await parts.drain_runs.store.set_wish(key, "pause", "ann@example.com")
    page = await shows(browser, run, "ann@example.com was the last to pause, cancel or resume it.")
    await browser.press(page, "cancel")
    page = await shows(browser, run, "Cancelled.")
    assert "ann@example.com" not in page.text


class Later(SystemClock):
    """A clock that is so far ahead that a silent process counts as ended."""

    def time(self) -> float:
        return super().time() + HEARTBEAT_TIMEOUT + 5


async def test_pods_that_came_since_are_asked_about_first(browser: Browser, node: Node) -> None:
    node.run("web-1")
    page = await browser.open(node.page)
    node.run("web-2")
    page = await browser.press(page, "drain")
    assert page.status == 409
    assert f"New pods are on the node: {node.namespace}/web-2" in page.text
    assert not node.cluster.get(node.api)["spec"].get("unschedulable")


async def test_nonsense_for_a_grace_period_is_said_and_kept(browser: Browser, node: Node) -> None:
    page = await browser.press(await browser.open(node.page), "drain", seconds="soon")
    assert page.status == 422
    assert "“soon” is not a grace period" in page.text
    assert page.form.values["seconds"] == "soon"
    assert "--grace-period" not in page.text


async def test_the_command_has_the_grace_period_and_an_address_agrees_to_nothing(browser: Browser, node: Node) -> None:
    node.run("alone", kind="")
    page = await browser.open(f"{node.page}?seconds=30&unmanaged=yes")
    assert f"drain {node.name} --ignore-daemonsets --force --grace-period=30" in page.text
    assert 'name="unmanaged" value="yes" required' in page.main


async def test_without_a_table_nothing_is_done(
    browser: Browser, parts: SimpleNamespace, node: Node, cluster: ControlPlane, empty_database: str
) -> None:
    node.run("web-1")
    page = await browser.open(node.page)
    parts.drain_runs = DrainRunner(records(empty_database), parts.clock, lambda _: parts.client)
    page = await browser.send(node.page, page.form.values)
    assert page.status == 503
    assert "The database cannot be used" in page.text
    assert not cluster.get(node.api)["spec"].get("unschedulable")


async def test_where_the_database_fails_between_it_says_that_only_the_cordon_is_done(
    browser: Browser, node: Node, cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = node.run("web-1")
    page = await browser.open(node.page)
    monkeypatch.setattr(DrainStore, "create", AsyncMock(side_effect=Unavailable("the database is away")))
    page = await browser.send(node.page, page.form.values)
    assert page.status == 503
    assert "The node is cordoned, but the drain has not started" in page.text
    assert "Nothing was done" not in page.text
    assert cluster.get(node.api)["spec"]["unschedulable"] is True
    assert "deletionTimestamp" not in cluster.get(web)["metadata"]
