"""Open pages of people with random rights: frames, a right that is taken away, a right that is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, ExitStack
from unittest.mock import patch

import pytest

from dashboard.cluster.rbac_watch import RbacChange
from dashboard.live.replication.scoped_replicas import VisibleKind
from dashboard.server.person_states import PersonState
from tests.support.access.access_reviews import AccessReviews
from tests.support.access.crawl import Crawl, report
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.marked_objects import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    EVENTS,
    MYDEMOS,
    NODES,
    PODS,
    SECRETS,
    MarkedObject,
    marks_in,
)
from tests.support.access.random_rbac import RandomRbac, World
from tests.support.access.rbac_objects import policy_rule
from tests.support.access.tour import Tour
from tests.support.access.whole_dashboard import OpenPage

WORLDS = 12
YOUNGEST_FIRST = "?sort=age"
"""What is made is on the first page, however many there are."""
CHANGED = (PODS, CONFIG_MAPS, SECRETS, DEPLOYMENTS, MYDEMOS, NODES, EVENTS)


async def test_frames_have_what_may_be_seen_and_follow_rights_that_are_taken_and_given(cluster: MarkedCluster) -> None:
    crawl = Crawl(cluster.dashboard, cluster.objects)
    taken = 0
    async with cluster.rbac(WORLDS) as (rbac, worlds):
        for world in worlds:
            taken += await _follow(cluster, rbac, world, crawl)
            assert not crawl.faults, report(crawl.faults)
    assert taken >= WORLDS // 3, "hardly anybody has lost anything"


def _deaf_page(stack: ExitStack) -> None:
    """A page that does not hear of changed rights."""
    stack.enter_context(patch.object(PersonState, "notify", lambda _: None))


def _deaf_rights(stack: ExitStack) -> None:
    """Rights that are not asked for again when roles or bindings change."""
    stack.enter_context(patch.object(RbacChange, "is_about", lambda *_: False))


def _all_rows(stack: ExitStack) -> None:
    """A replica that passes on each change."""
    stack.enter_context(patch.object(VisibleKind, "sees_row", lambda *_: True))


def _all_lines(stack: ExitStack) -> None:
    stack.enter_context(patch.object(VisibleKind, "sees_entry", lambda *_: True))


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("remove", [_deaf_page, _deaf_rights, _all_rows, _all_lines])
async def test_each_filter_of_open_pages_that_is_removed_is_noticed(
    cluster: MarkedCluster, remove: Callable[[ExitStack], None]
) -> None:
    with ExitStack() as stack:
        remove(stack)
        with pytest.raises(AssertionError):
            await test_frames_have_what_may_be_seen_and_follow_rights_that_are_taken_and_given(cluster)


async def _follow(cluster: MarkedCluster, rbac: RandomRbac, world: World, crawl: Crawl) -> int:
    """The pages of one person, from their opening to the last change of rights. Returns how many of them have lost
    something.
    """
    objects, namespace = cluster.objects, cluster.random.choice(cluster.objects.namespaces)
    rule = policy_rule("list watch", "pods configmaps events")
    binding = await rbac.grant(world, namespace, rule)
    await rbac.until_known(cluster.dashboard.web.people_rights.rbac)
    tour = await cluster.tour(world)
    pod = cluster.random.choice(objects.of(PODS, namespace=namespace))
    paths = (
        f"/resources/{PODS}/{YOUNGEST_FIRST}",
        f"/resources/{CONFIG_MAPS}/{YOUNGEST_FIRST}",
        "/feed/?folds=off",
        "/",
        pod.address,
    )
    async with AsyncExitStack() as stack:
        pages = [await stack.enter_async_context(cluster.dashboard.open(world.person, path)) for path in paths]
        for page in pages:
            await page.window()
        pods, config_maps, feed, *_ = pages
        made = await _change(cluster, tour, namespace)
        await pods.until(made[0].name)
        await config_maps.until(made[1].name)
        await feed.until(made[1].name)
        known = await _known_texts(cluster, world, pod, paths)
        _judge(await cluster.tour(world), pages, crawl, "frames", known)
        await rbac.revoke(world, namespace, binding, rule)
        await rbac.until_known(cluster.dashboard.web.people_rights.rbac)
        lost = await _check_taken(await cluster.tour(world), pages, crawl, made, known)
        await rbac.grant(world, namespace, rule)
        await pods.until(made[0].name)
        await config_maps.until(made[1].name)
        await feed.until(made[1].name)
        _judge(await cluster.tour(world), pages, crawl, "frames after a right was given", known)
        return lost


async def _known_texts(cluster: MarkedCluster, world: World, pod: MarkedObject, paths: Iterable[str]) -> dict[str, str]:
    """What whoever has a page may know, by its path: the path, and of an object that they may get all that is in it."""
    may_get = await AccessReviews(cluster.client, world.person).allows("get", PODS, pod.namespace, pod.name)
    content = " ".join(pod.marks) if may_get else ""
    return {path: f"{path} {content}" if path == pod.address else path for path in paths}


async def _change(cluster: MarkedCluster, tour: Tour, namespace: str) -> list[MarkedObject]:
    """Change what is hidden; then make a pod and a ConfigMap that may be seen."""
    objects = cluster.objects
    for key in CHANGED:
        hidden = [each for each in tour.hidden(key) if each.is_marked]
        for each in cluster.random.sample(hidden, min(len(hidden), 2)):
            await objects.relabel(each)
    hidden_namespaces = sorted({each.namespace for each in tour.hidden(SECRETS) if each.is_marked})
    for place in hidden_namespaces[:2]:
        secret = await objects.create(SECRETS, place)
        await objects.create(EVENTS, place, subject=secret)
    return [await objects.create(PODS, namespace), await objects.create(CONFIG_MAPS, namespace)]


async def _check_taken(
    tour: Tour, pages: list[OpenPage], crawl: Crawl, made: list[MarkedObject], known: Mapping[str, str]
) -> int:
    """Each page begins anew, and has nothing of what was taken away. Returns 0 where nothing was."""
    taken = [each for each in made if tour.visible.hides(each)]
    if not taken:  # other rights include it as well
        return 0
    for page in pages:
        window = await page.until_new_window()
        crawl.check_text(f"{page.path} after a right was taken", tour, window, known[page.path])
        assert not {each.name for each in taken} & marks_in(window)
        page.frames.clear()
    return 1


def _judge(tour: Tour, pages: list[OpenPage], crawl: Crawl, name: str, known: Mapping[str, str]) -> None:
    for page in pages:
        crawl.check_text(f"{name} of {page.path}", tour, "\n".join(page.frames), known[page.path])
        page.frames.clear()
