"""Pages of the past are judged by the rights of today: they show no byte of what somebody may not see now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.urls import Resolver404, resolve
from pytest_django import DjangoDbBlocker

from dashboard.access.person import Person
from dashboard.live.moments.at_parameter import PAST_PAGES, format_at
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.access.crawl import Crawl, report
from tests.support.access.marked_cluster import MarkedCluster, marked_cluster
from tests.support.access.marked_objects import ALL_KINDS, CONFIG_MAPS, PODS, MarkedObject
from tests.support.access.object_visits import HTML
from tests.support.access.random_rbac import World
from tests.support.access.rbac_objects import policy_rule
from tests.support.access.tour import Tour, Visit
from tests.support.access.unchanged_answers import difference, unchanging_health, without_times
from tests.support.access.visits import VISITS, compared_list, compared_list_file
from tests.support.access.whole_dashboard import default_database
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.wait import eventually

WORLDS = 20
VISITS_A_WORLD = 60


@pytest.fixture
async def cluster(
    controlplane: ControlPlane, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> AsyncIterator[MarkedCluster]:
    """As that of this folder, with a Deltaboard that records."""
    controlplane.apply_crd(ROOT / "deploy/crd/mydemos.yaml")
    with default_database(tmp_path, django_db_blocker):
        async with (
            Client(load_kubeconfig(controlplane.kubeconfig)) as client,
            marked_cluster(
                client,
                controlplane,
                [],
                DELTABOARD_HISTORY=True,
                VAR_DIR=tmp_path,
                DELTABOARD_HISTORY_KINDS=[*ALL_KINDS],
            ) as made,
        ):
            yield made


async def read_moment(cluster: MarkedCluster) -> float:
    """A moment of now, once it has been read; a first one may be before the recording."""
    web = cluster.dashboard.web
    past = web.past
    assert past is not None
    await eventually(lambda: past.is_readable, what="it is known which history is the cluster's")

    async def read() -> float:
        at = round(web.clock.time(), 6)
        replicas = [*past.moments.open(at).replicas]
        await eventually(lambda: all(each.was_read.is_set() for each in replicas), what="the moment is read")
        if not all(each.is_live for each in replicas):
            return 0.0
        await eventually(lambda: all(each.announced_from for each in replicas), what="its feed is read")
        return at

    return await eventually(read, what="all kinds are recorded")


def at_moment(visit: Visit, at: float) -> Visit:
    sign = "&" if "?" in visit.address else "?"
    return replace(visit, address=f"{visit.address}{sign}at={format_at(at)}")


def has_past(visit: Visit) -> bool:
    try:
        return visit.form is None and resolve(unquote(visit.address.partition("?")[0])).url_name in PAST_PAGES
    except Resolver404:
        return False


async def crawl_the_past(cluster: MarkedCluster) -> Crawl:
    crawl = Crawl(cluster.dashboard, cluster.objects)
    await cluster.objects.change_some()
    async with cluster.worlds(WORLDS) as worlds:
        at = await read_moment(cluster)
        for world in worlds:
            tour = await cluster.tour(world)
            for name in cluster.random.choices([*VISITS], k=VISITS_A_WORLD):
                if has_past(visit := VISITS[name](tour)):
                    await crawl.ask(name, tour, at_moment(visit, at))
    return crawl


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_nothing_outside_of_somebodys_rights_is_in_any_page_of_the_past_and_all_inside_is(
    cluster: MarkedCluster,
) -> None:
    crawl = await crawl_the_past(cluster)
    assert not crawl.faults, report(crawl.faults)
    assert crawl.reached.keys() >= PAST_PAGES - {"detail-by-name", "incident-by-name"}


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_nothing_outside_of_somebodys_rights_is_in_a_list_at_two_moments(cluster: MarkedCluster) -> None:
    crawl = Crawl(cluster.dashboard, cluster.objects)
    before = await read_moment(cluster)
    await cluster.objects.change_some()
    made = await cluster.objects.create(PODS, cluster.objects.namespaces[0])
    await cluster.until_shown()
    now = await read_moment(cluster)
    told = 0
    async with cluster.worlds(WORLDS) as worlds:
        for world in worlds:
            tour = await cluster.tour(world)
            span = f"from={format_at(before)}&to={format_at(now)}"
            for make in (compared_list, compared_list_file) * 3:
                address = make(tour).address.replace("from=2026-01-01T00%3A00%3A00Z", span)
                assert span in address
                await crawl.ask("a list at two moments", tour, Visit(address, headers=HTML))
            answer = await cluster.dashboard.ask(world.person, f"/resources/pods/compare.csv?{span}")
            told += made.name in answer.text
            assert (made.name in answer.text) == (made in tour.seen(PODS))
    assert told, "somebody sees what was made"
    assert not crawl.faults, report(crawl.faults)


def about(target: MarkedObject) -> list[Visit]:
    listed = f"/resources/{target.key}/"
    why = f"/why{target.address.removeprefix('/resources')}"
    return [
        Visit(target.address, headers=HTML),
        Visit(f"{target.address}yaml/"),
        Visit(why, headers=HTML),
        Visit(listed),
        Visit(f"{listed}?open={target.open_parameter}"),
        Visit(f"{listed}export.csv"),
        Visit(f"{listed}complete?q=name%3D{target.name[:7]}&caret=12"),
        Visit(f"/search/?q={target.name}"),
        Visit(f"/feed/?folds=off&q={target.name}"),
        Visit(f"/?namespace={target.namespace}"),
        Visit("/namespaces/"),
        Visit("/"),
        Visit(f"/moment/step/?from={listed}"),
        Visit(f"/moment/step/?from={target.address}"),
        Visit(f"/moment/step/?from={target.address}&to=previous"),
    ]


async def answer(cluster: MarkedCluster, person: Person, visit: Visit) -> str:
    """An answer without times, those in addresses included."""
    found = await cluster.dashboard.ask(person, visit.address, headers=visit.headers)
    named = tuple((name, unquote(unquote(value))) for name, value in found.headers)
    return without_times(replace(found, headers=named, body=unquote(unquote(found.text)).encode()))


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_who_may_not_see_an_object_gets_the_same_pages_before_it_was_there_and_while(
    cluster: MarkedCluster,
) -> None:
    person = Person("nobody-of-all")
    with unchanging_health():
        before = await read_moment(cluster)
        made = await cluster.objects.create(PODS, cluster.objects.namespaces[0])
        await cluster.until_shown()
        after = await read_moment(cluster)
        for visit in about(made):
            one, two = [await answer(cluster, person, at_moment(visit, at)) for at in (before, after)]
            assert not (found := difference(one, two)), f"{visit.address}: {found}"
            assert made.uid not in two


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_right_that_was_taken_away_hides_the_past_too(cluster: MarkedCluster) -> None:
    world = World(Person("loses-all"))
    namespace = cluster.objects.namespaces[0]
    crawl = Crawl(cluster.dashboard, cluster.objects)
    target = cluster.random.choice(cluster.objects.of(CONFIG_MAPS, namespace=namespace))
    at = await read_moment(cluster)
    pages = [at_moment(visit, at) for visit in about(target)]
    async with cluster.rbac(0) as (rbac, _):
        rule = policy_rule("get list watch", CONFIG_MAPS)
        binding = await rbac.grant(world, namespace, rule)
        await cluster.until_known(rbac)
        shown = await cluster.dashboard.ask(world.person, pages[0].address, headers=HTML)
        assert target.uid in shown.text
        await rbac.revoke(world, namespace, binding, rule)
        await cluster.until_known(rbac)
        tour: Tour = await cluster.tour(world)
        for page in pages:
            await crawl.ask("a page of the past", tour, page)
            assert target.uid not in (await cluster.dashboard.ask(world.person, page.address)).text
    assert not crawl.faults, report(crawl.faults)
