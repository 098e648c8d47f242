"""Pages that need a role of their own: with it they show what docs/access.md says; nobody else is shown anything."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from unittest.mock import patch

import pytest

from dashboard.live.hub.hub import HUB
from dashboard.live.hub.live_view import LiveView
from dashboard.pages.controllers.live_controllers import open_controllers
from dashboard.pages.controllers.worker_client import CONTROLLERS_CLIENT
from dashboard.runtime.app_state import AppState
from dashboard.server import live_view_routing
from tests.support.access.crawl import Crawl, report
from tests.support.access.failing_controller import NAME
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.marked_objects import PODS
from tests.support.access.random_rbac import World
from tests.support.access.rbac_objects import PolicyRule, policy_rule
from tests.support.access.tour import Tour, Visit
from tests.support.access.visits import NO_METRICS, NO_ROLE, status
from tests.support.wait import eventually

PAGE, BUTTON, METRICS = "/controllers/", "/controllers/requeue/", "/metrics"
READER = policy_rule("get", "controllers", group="deltaboard")
OPERATOR = policy_rule("get update", "controllers", group="deltaboard")
SCRAPER: PolicyRule = {"nonResourceURLs": [METRICS], "verbs": ["get"]}
ROLES = (READER, OPERATOR, SCRAPER)
MESSAGES = 2
"""Messages of an open page within which its content comes."""


async def test_pages_with_a_role_show_and_do_nothing_without_it(cluster: MarkedCluster) -> None:
    """Each person asks for all pages before they have a role, and with one of the roles."""
    crawl = Crawl(cluster.dashboard, cluster.objects)
    await eventually(lambda: _reported_keys(cluster) == _keys(cluster), what="the controller has failed at each pod")
    async with cluster.rbac(len(ROLES)) as (rbac, worlds):
        await _ask_all(cluster, crawl, worlds, [None] * len(ROLES))
        for world, role in zip(worlds, ROLES, strict=True):
            await rbac.grant(world, "", role)
        await cluster.until_known(rbac)
        await _ask_all(cluster, crawl, worlds, ROLES)
    assert not crawl.faults, report(crawl.faults)


def _view_without_role(state: AppState, *_: object) -> LiveView:
    return open_controllers(state[HUB], state[CONTROLLERS_CLIENT].reports)


@pytest.mark.soak
async def test_an_open_page_that_needs_no_role_is_noticed(cluster: MarkedCluster) -> None:
    with (
        patch.object(live_view_routing, "_view_of", _view_without_role),
        pytest.raises(AssertionError, match="keys in the open page"),
    ):
        await test_pages_with_a_role_show_and_do_nothing_without_it(cluster)


async def _ask_all(
    cluster: MarkedCluster, crawl: Crawl, worlds: list[World], roles: Sequence[PolicyRule | None]
) -> None:
    """All pages by people with one role each. Only those whose role allows it have a key reconciled once more."""
    before = _added_keys(cluster)
    await asyncio.gather(*(_ask(cluster, crawl, world, role) for world, role in zip(worlds, roles, strict=True)))
    assert _added_keys(cluster) - before == roles.count(OPERATOR)


async def _ask(cluster: MarkedCluster, crawl: Crawl, world: World, role: PolicyRule | None) -> None:
    tour = await cluster.tour(world)
    await crawl.ask("controllers", tour, _page(cluster, tour, role))
    await crawl.ask("requeue", tour, _button(cluster, tour, role))
    await crawl.ask("metrics", tour, _metrics(cluster, role))
    await crawl.ask("status", tour, _status(tour, role))
    await _check_open_page(cluster, crawl, tour, role)


def _page(cluster: MarkedCluster, tour: Tour, role: PolicyRule | None) -> Visit:
    """With the role, the keys of all pods, and no other text of theirs."""
    if role in (READER, OPERATOR):
        return Visit(PAGE, expected=_keys(cluster), known=_keys(cluster))
    return Visit(PAGE, expected=frozenset() if tour.world.has_all_groups else NO_ROLE)


def _button(cluster: MarkedCluster, tour: Tour, role: PolicyRule | None) -> Visit:
    key = tour.random.choice(sorted(_keys(cluster)))
    return Visit(BUTTON, {"item": f"{NAME}/{key}"}, expected=frozenset() if role is OPERATOR else NO_ROLE)


def _metrics(cluster: MarkedCluster, role: PolicyRule | None) -> Visit:
    """With the role, numbers by kind of the whole cluster, and no name; without it no number."""
    if role is not SCRAPER:
        return Visit(METRICS, expected=NO_METRICS, absent=frozenset({"# HELP"}))
    number = len(cluster.dashboard.web.replicas.get(PODS).rows)
    numbers = {
        f'deltaboard_rows{{resource="pods"}} {number}.0',
        f'controller_failed_keys{{cluster="",controller="{NAME}"}} ',
    }
    return Visit(METRICS, expected=frozenset(numbers), absent=frozenset(cluster.objects.by_mark))


def _status(tour: Tour, role: PolicyRule | None) -> Visit:
    """With the role, the numbers of the process, and of each kind those that the person sees."""
    return Visit("/status/", expected=frozenset({"Open pages"})) if role is SCRAPER else status(tour)


async def _check_open_page(cluster: MarkedCluster, crawl: Crawl, tour: Tour, role: PolicyRule | None) -> None:
    """The websocket of the controllers page has its content with the role alone."""
    async with cluster.dashboard.open(tour.world.person, PAGE) as page:
        messages = [await page.next() for _ in range(MESSAGES)]
    may_read = role in (READER, OPERATOR)
    crawl.check_text(
        "open controllers page", tour, "\n".join(page.frames), " ".join(_keys(cluster)) if may_read else ""
    )
    has_keys = any(key in str(message.get("content", "")) for message in messages for key in _keys(cluster))
    assert has_keys == may_read or tour.world.has_all_groups, f"keys in the open page of {tour.world}: {has_keys}"


def _keys(cluster: MarkedCluster) -> frozenset[str]:
    return frozenset(f"{each.namespace}/{each.name}" for each in cluster.objects.of(PODS) if each.is_marked)


def _reported_keys(cluster: MarkedCluster) -> set[str]:
    """The keys at which the controller has failed, as the web process knows."""
    main = cluster.dashboard.web.controllers.reports.main_report
    controllers = main.report.manager.controllers if main is not None else ()
    return {failed.key for each in controllers for failed in each.failed}


def _added_keys(cluster: MarkedCluster) -> int:
    """How often a key was added to the controller's queue so far."""
    runner = cluster.dashboard.web.worker_process.controllers
    assert runner is not None
    return sum(each.queue.adds for each in runner.report().manager.controllers)
