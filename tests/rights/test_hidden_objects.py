"""An object that somebody may not see changes no byte of any answer: it is as if there were none of its name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from unittest.mock import patch

import pytest

from dashboard.access.person import Person
from dashboard.live.replication.scoped_history import ScopedHistory
from tests.support.access.marked_cluster import MarkedCluster
from tests.support.access.marked_objects import (
    ALL_KINDS,
    EVENTS,
    NAMESPACED,
    NAMESPACES,
    VOLUMES,
    MarkedObject,
    resource_of,
)
from tests.support.access.object_visits import ACTIONS, HTML
from tests.support.access.random_rbac import World
from tests.support.access.tour import Tour, Visit
from tests.support.access.unchanged_answers import difference, unchanging_health, without_times

PEOPLE = 4
ATTEMPTS = 5
STALE = '<noscript><p class="note warn">'
"""Of a page whose rows are not current."""
KNOWN_LEAKS: Mapping[str, str] = MappingProxyType({})
"""Parts of addresses whose answers change with a hidden object, as is known: why."""


@pytest.fixture
def controllers() -> list[str]:
    """None: whoever runs some renews a lease all the time, which changes answers."""
    return []


def addresses_of(target: MarkedObject) -> list[Visit]:
    """Addresses that are about one object, at least four of them elsewhere than below its own: they read only."""
    address, listed = target.address, f"/resources/{target.key}/"
    return [
        Visit(address, headers=HTML),
        Visit(f"{address}yaml/", headers=HTML),
        Visit(f"{address}yaml/"),
        Visit(f"{address}yaml/?download"),
        Visit(f"{address}may/"),
        Visit(f"{listed}?open={target.open_parameter}"),
        Visit(f"{listed}?q={target.name}"),
        Visit(f"/search/?q={target.name}"),
        Visit(f"/feed/?folds=off&q={target.name}"),
        Visit(f"{listed}complete?q=name%3D{target.name[:7]}&caret=12"),
    ]


def writes_of(target: MarkedObject) -> list[Visit]:
    """Addresses that change an object, or ask the API server for it."""
    address = target.address
    text = f"apiVersion: v1\nmetadata:\n  name: {target.name}\n"
    form = {"yaml": text, "original": text, "base": text}
    pages = [f"{address}edit/", f"{address}edit/status/", f"{address}delete/"]
    actions = [f"{address}do/{action}/" for action in ACTIONS.get(target.key, ())]
    return [
        *(Visit(page) for page in (*pages, *actions, f"{address}edit/owner/?path=%5B%5D")),
        *(Visit(page, form) for page in pages),
        *(Visit(page, {"do": "1", "replicas": "0"}) for page in actions),
        Visit(f"{address}edit/check/", form),
        Visit(f"{address}edit/take/", form),
        Visit(f"{address}delete/finalizer/", {"finalizer": "example.com/none"}),
        Visit(f"/resources/{target.key}/new/?from={target.open_parameter}"),
    ]


def others(key: str) -> list[Visit]:
    """Addresses that are about everything."""
    return [
        *(Visit(f"/resources/{key}/{page}") for page in ("", "export.csv", "export.json", "matching/", "bulk/")),
        *(Visit(f"/resources/{key}/complete?q={text}&caret=20") for text in ("ns%3D", "label%3Aapp%3D")),
        *(Visit(page) for page in ("/", "/feed/", "/feed/?folds=off", "/freshness/", "/kinds/counts/", "/namespaces/")),
        *(Visit(page) for page in ("/search/?q=zq", "/kinds/?all")),
    ]


class Comparison:
    """Answers of some addresses to somebody, asked again and again."""

    def __init__(self, cluster: MarkedCluster, person: Person, visits: list[Visit]) -> None:
        self._cluster = cluster
        self._person = person
        self._visits = [visit for visit in visits if not any(leak in visit.address for leak in KNOWN_LEAKS)]
        self._before: list[str] = []

    async def ask(self) -> None:
        self._before = await self._answers()

    async def differences(self) -> list[str]:
        """What is not as it was when `ask` was called."""
        after = await self._answers()
        return [
            f"{self._person.name} {'POST' if visit.form is not None else 'GET'} {visit.address}: {found}"
            for visit, one, two in zip(self._visits, self._before, after, strict=True)
            if (found := difference(one, two))
        ]

    async def _answers(self) -> list[str]:
        """The answers, none of which says that it is of a moment of before: on a busy machine some do."""
        ask = self._cluster.dashboard.ask
        for _ in range(ATTEMPTS):
            await self._cluster.until_live()
            answers = [
                without_times(await ask(self._person, visit.address, visit.form, headers=visit.headers))
                for visit in self._visits
            ]
            if not any(STALE in answer for answer in answers):
                return answers
        raise AssertionError(f"pages were stale in each of {ATTEMPTS} rounds of questions")


@pytest.mark.timeout(900)  # as the other explorations of this folder
async def test_an_object_that_may_not_be_seen_changes_no_answer(cluster: MarkedCluster) -> None:
    """All addresses are asked before the object is there, while it is there, after it was changed, and deleted."""
    found: list[str] = []
    with unchanging_health():
        async with cluster.worlds(PEOPLE) as worlds:
            for key in ALL_KINDS:
                found += await _compared(cluster, key, worlds)
    assert not found, f"{len(found)} answers changed\n" + "\n".join(found[:30])


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_rates_that_count_hidden_changes_are_noticed(cluster: MarkedCluster) -> None:
    with patch.object(ScopedHistory, "replicas", lambda self, keys: self._base.replicas(keys)):  # noqa: SIM117
        with pytest.raises(AssertionError, match="answers changed"):
            await test_an_object_that_may_not_be_seen_changes_no_answer(cluster)


async def _compared(cluster: MarkedCluster, key: str, worlds: list[World]) -> list[str]:
    objects = cluster.objects
    namespace = cluster.random.choice(objects.namespaces) if key in NAMESPACED else ""
    subject = cluster.random.choice(objects.of("pods", "secrets", namespace=namespace)) if key == EVENTS else None
    name = f"{subject.name}.{objects.mark()}" if subject is not None else objects.mark()
    ghost = MarkedObject(key, namespace, name, "", subject=subject)
    objects.objects.append(ghost)  # what may be seen of it is known before it is there
    tours = [await cluster.tour(world) for world in worlds]
    objects.objects.remove(ghost)
    compared = [
        Comparison(cluster, tour.world.person, _visits(tour, ghost)) for tour in tours if tour.visible.hides(ghost)
    ]
    await asyncio.gather(*(each.ask() for each in compared))
    made = await objects.create(key, namespace, name=name, subject=subject)
    await cluster.until_shown()
    found = [text for each in compared for text in await each.differences()]
    stored = await cluster.client.get(resource_of(key), made.name, made.namespace)
    assert f'"resourceVersion":"{made.version}"' in stored.body.decode(), f"somebody has changed {made}"
    await objects.relabel(made)
    if key not in (NAMESPACES, VOLUMES):  # whose deletion needs a controller
        await objects.delete(made)
    await cluster.until_shown()
    return found + [text for each in compared for text in await each.differences()]


def _visits(tour: Tour, ghost: MarkedObject) -> list[Visit]:
    tour.objects.objects.append(ghost)
    is_forbidden = ghost in tour.forbidden(ghost.key)
    tour.objects.objects.remove(ghost)
    own = addresses_of(ghost)
    if tour.world.allows("get", ghost):  # who may get and not list it sees it there, and nowhere else (docs/access.md)
        own = [visit for visit in own if not visit.address.startswith(ghost.address)]
    chosen = tour.random.sample(writes_of(ghost), 5) if is_forbidden else []
    return [*tour.random.sample(own, 4), *chosen, *tour.random.sample(others(ghost.key), 4)]
