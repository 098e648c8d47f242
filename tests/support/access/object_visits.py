"""Makers of requests to the pages of one object, which somebody may see or may not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import quote

from tests.support.access.marked_objects import (
    ALL_KINDS,
    CLUSTER_SCOPED,
    CONFIG_MAPS,
    DEPLOYMENTS,
    EVENTS,
    MYDEMOS,
    NODES,
    PODS,
    REPLICA_SETS,
    MarkedObject,
)
from tests.support.access.tour import Tour, Visit

ACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    PODS: ("evict",),
    DEPLOYMENTS: ("scale", "restart", "pause"),
    REPLICA_SETS: ("scale",),
    NODES: ("cordon", "drain"),
    MYDEMOS: ("field",),
})  # fmt: skip
HTML = {"Accept": "text/html"}


def detail(tour: Tour) -> Visit:
    """An object's details: its Events, its owners and children, a node's pods."""
    target = tour.random.choice(tour.seen() or [tour.target()])
    return Visit(target.address, headers=HTML, expected=about(tour, target))


def about(tour: Tour, target: MarkedObject) -> frozenset[str]:
    """What the details of an object must have of others."""
    if target not in tour.visible.objects:
        return frozenset()
    events = [each for each in tour.seen(EVENTS) if each.subject is target]
    return frozenset([target.uid, *(each.message for each in events)])


def hidden_detail(tour: Tour) -> Visit:
    """Not of one that may be read by its name: that has a page, though it is in no list."""
    target = tour.random.choice(tour.forbidden() or [tour.target()])
    return Visit(target.address, headers=HTML)


def object_page(page: str, headers: Mapping[str, str] = MappingProxyType({})) -> Callable[[Tour], Visit]:
    def visit(tour: Tour) -> Visit:
        targets = tour.seen() if tour.random.random() < 0.7 else tour.forbidden()
        if page == "do/":
            targets = (
                [each for each in targets if each.key in ACTIONS] or tour.seen(*ACTIONS) or tour.forbidden(*ACTIONS)
            )
        target = tour.random.choice(targets or [tour.target()])
        rest = f"do/{tour.random.choice(ACTIONS.get(target.key, ('scale',)))}/" if page == "do/" else page
        return Visit(f"{target.address}{rest}", headers=headers)

    return visit


def action_page(key: str, action: str) -> Callable[[Tour], Visit]:
    """The page of one quick action of a kind."""
    ghost = MarkedObject(key, "" if key in CLUSTER_SCOPED else "default", "no-such-object", "")

    def visit(tour: Tour) -> Visit:
        target = tour.random.choice(tour.seen(key) or tour.forbidden(key) or [ghost])
        return Visit(f"{target.address}do/{action}/")

    return visit


def check(tour: Tour) -> Visit:
    target = tour.target()
    text = f"kind: Pod\napiVersion: v1\nmetadata:\n  name: {target.name}\n  namespace: {target.namespace}\n"
    return Visit(f"{target.address}edit/check/", {"yaml": text, "original": text})


def take(tour: Tour) -> Visit:
    target = tour.target()
    return Visit(f"{target.address}edit/take/", {"yaml": "a: b\n", "original": "a: b\n"})


def owner(tour: Tour) -> Visit:
    target = tour.target()
    return Visit(f"{target.address}edit/owner/?path=%5B%22metadata%22%5D")


def new_copy(tour: Tour) -> Visit:
    """A new object as a copy of one that may be seen, or not."""
    target = tour.target(PODS, CONFIG_MAPS, MYDEMOS)
    return Visit(f"/resources/{target.key}/new/?from={quote(target.open_parameter)}")


def unknown_kind_page(tour: Tour) -> Visit:
    """A missing name beside hidden ones: the 404 page suggests similar names."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    return Visit(f"/resources/{target.key}/{target.namespace or '-'}/{target.name[:-1]}/", headers=HTML)


def name_elsewhere(tour: Tour) -> Visit:
    """A name in a wrong place: the 404 page suggests where there is one."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    place = target.namespace[:-1] if target.namespace else "default"
    if tour.random.random() < 0.5 and target.key not in CLUSTER_SCOPED:
        place = "-"
    return Visit(f"/resources/{target.key}/{place}/{target.name}/", headers=HTML)


def row_menu(tour: Tour) -> Visit:
    """The menu names the present state of an object that may be seen, and of no other."""
    target = tour.random.choice(tour.forbidden(DEPLOYMENTS, NODES) or [tour.target()])
    absent = {'"Pause the rollout"', '"Cordon"'} if tour.visible.hides(target) else set()
    return Visit(f"{target.address}may/", absent=frozenset(absent))


def form_page(page: str, form: Mapping[str, str]) -> Callable[[Tour], Visit]:
    def visit(tour: Tour) -> Visit:
        target = tour.target()
        return Visit(f"{target.address}{page}", form)

    return visit
