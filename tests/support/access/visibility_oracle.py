"""Which objects somebody may see, found by SubjectAccessReviews alone, and nothing of Deltaboard's own rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from informerd.rest.client import Client
from tests.support.access.access_reviews import AccessReviews
from tests.support.access.marked_objects import (
    ALL_KINDS,
    EVENTS,
    NAMESPACED,
    NAMESPACES,
    MarkedObject,
    MarkedObjects,
)
from tests.support.access.random_rbac import World

NO_NAME = "no-object-has-this-name"
NO_NAMESPACE = "no-such-namespace"
READ_VERBS = ("get", "list", "watch")
SAMPLE = 4
"""Questions about what no rule mentions: the answers are known, and must be no."""


@dataclass
class Visible:
    """What one person may see."""

    objects: set[MarkedObject] = field(default_factory=set)
    """Objects that must be shown."""
    unsure: set[MarkedObject] = field(default_factory=set)
    """Objects that may be shown: a rule names them, and a right to get any name includes them as well."""
    marks: set[str] = field(default_factory=set)
    """The marks that may be shown."""

    def of(self, objects: Iterable[MarkedObject]) -> list[MarkedObject]:
        return [each for each in objects if each in self.objects]

    def hides(self, each: MarkedObject) -> bool:
        return each not in self.objects and each not in self.unsure


async def find_visible(client: Client, world: World, objects: MarkedObjects, random: Random) -> Visible:
    """What the person of `world` may see of a cluster.

    The API server is asked about all that a rule mentions; of the rest about a sample.
    """
    reviews = AccessReviews(client, world.person)
    seen = await _find_kinds(reviews, world, objects.all_namespaces, random)
    named = [each for each in objects if _may_be_named(world, each)]
    single = dict(zip(named, await asyncio.gather(*(_sees_name(reviews, each) for each in named)), strict=True))
    visible = Visible()
    for each in objects:
        is_named, is_unsure = single.get(each, (False, False))
        if seen.get((each.key, "")) or seen.get((each.key, each.namespace)) or is_named:
            visible.objects.add(each)
        elif is_unsure:
            visible.unsure.add(each)
    _cut_events(visible, objects)
    for each in (*visible.objects, *visible.unsure):
        visible.marks |= each.marks
    visible.marks |= world.own_namespaces
    return visible


async def _find_kinds(
    reviews: AccessReviews, world: World, namespaces: list[str], random: Random
) -> dict[tuple[str, str], bool]:
    """Whether all objects may be seen, by kind and namespace; empty for everywhere, and for kinds that have none."""
    anywhere = [(key, "") for key in ALL_KINDS]
    seen = await _ask(reviews, [place for place in anywhere if world.mentions(*place)])
    inside = [(key, each) for key in NAMESPACED for each in namespaces if not seen.get((key, ""))]
    seen |= await _ask(reviews, [place for place in inside if world.mentions(*place)])
    silent = [place for place in (*anywhere, *inside) if not world.mentions(*place)]
    sample = await _ask(reviews, random.sample(silent, min(len(silent), SAMPLE)))
    assert not any(sample.values()), f"a right comes from nowhere: {world}"
    return seen


async def _ask(reviews: AccessReviews, places: list[tuple[str, str]]) -> dict[tuple[str, str], bool]:
    return dict(zip(places, await asyncio.gather(*(_sees_all(reviews, *place) for place in places)), strict=True))


def _may_be_named(world: World, each: MarkedObject) -> bool:
    """Whether a rule names an object, or is about its Namespace from within: a request for a Namespace is one in it
    (pkg/endpoints/request/requestinfo.go of Kubernetes' apiserver).
    """
    if each.key == NAMESPACES:
        inside = each.name in world.own_namespaces and world.mentions(NAMESPACES, each.name)
        return inside or world.names(NAMESPACES, each.name, each.name)
    return world.names(each.key, each.namespace, each.name)


def _cut_events(visible: Visible, objects: MarkedObjects) -> None:
    """An Event may be seen with the object that it is about, and not without."""
    for event in objects.of(EVENTS, deleted=True):
        if event.subject is None:  # it was there before, and is about something that is not known here
            if event in visible.objects:
                visible.objects.remove(event)
                visible.unsure.add(event)
        elif visible.hides(event.subject):
            visible.objects.discard(event)
            visible.unsure.discard(event)
        elif event.subject in visible.unsure and event in visible.objects:
            visible.objects.remove(event)
            visible.unsure.add(event)


async def _sees_all(reviews: AccessReviews, key: str, namespace: str) -> bool:
    """A watch begins with every object, so either verb tells of all."""
    return await reviews.allows("list", key, namespace) or await reviews.allows("watch", key, namespace)


async def _sees_name(reviews: AccessReviews, each: MarkedObject) -> tuple[bool, bool]:
    """Whether it may be seen by its name; and whether only a right to get any name includes it."""
    is_namespace = each.key == NAMESPACES

    async def allows(verb: str, name: str, namespace: str) -> bool:
        """All Namespaces are listed outside of any; one is got within itself."""
        return await reviews.allows(verb, each.key, "" if is_namespace and verb != "get" else namespace, name)

    by_name = await asyncio.gather(
        *(allows(verb, each.name, each.name if is_namespace else each.namespace) for verb in READ_VERBS)
    )
    by_any = await asyncio.gather(
        *(allows(verb, NO_NAME, NO_NAMESPACE if is_namespace else each.namespace) for verb in READ_VERBS)
    )
    is_named = any(mine and not every for mine, every in zip(by_name, by_any, strict=True))
    return is_named, not is_named and any(by_name)
