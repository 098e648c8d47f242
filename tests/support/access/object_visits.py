"""Makers of requests to the pages of one object, which somebody may see or may not see."""

from __future__ import annotations

from collections import Counter
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
    OWNERS,
    PODS,
    REPLICA_SETS,
    SECRETS,
    MarkedObject,
    resource_of,
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


def by_name(room: str) -> Callable[[Tour], Visit]:
    """An object without namespace, whose address lacks the dash."""
    return lambda tour: Visit(f"{room}/{(node := tour.target(NODES)).key}/{quote(node.name)}/", headers=HTML)


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


def incident(query: str) -> Callable[[Tour], Visit]:
    """The time line of an object and its family."""

    def visit(tour: Tour) -> Visit:
        target = tour.random.choice(tour.seen() or [tour.target()]) if tour.random.random() < 0.6 else tour.target()
        return Visit(f"/why{target.address.removeprefix('/resources')}{query}")

    return visit


def pod_page(page: str, body: Mapping[str, str] | None = None) -> Callable[[Tour], Visit]:
    """A page that pods alone have."""
    ghost = MarkedObject(PODS, "default", "no-such-object", "")

    def visit(tour: Tour) -> Visit:
        target = tour.random.choice(tour.seen(PODS) or tour.forbidden(PODS) or [ghost])
        return Visit(f"{target.address}{page}", body)

    return visit


def action_page(key: str, action: str) -> Callable[[Tour], Visit]:
    """The page of one quick action of a kind."""
    ghost = MarkedObject(key, "" if key in CLUSTER_SCOPED else "default", "no-such-object", "")

    def visit(tour: Tour) -> Visit:
        target = tour.random.choice(tour.seen(key) or tour.forbidden(key) or [ghost])
        return Visit(f"{target.address}do/{action}/")

    return visit


def secret_values(tour: Tour) -> Visit:
    """A Secret's values, which the audit log has from then on that somebody has read."""
    readable = [each for each in tour.seen(SECRETS) if tour.world.allows("get", each)]
    return Visit(f"{tour.random.choice(readable or [tour.target(SECRETS)]).address}edit/")


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


def deletion(tour: Tour) -> Visit:
    """The page before a deletion: it names and counts what goes with an object, as far as that may be seen."""
    owners = [each for each in tour.seen(DEPLOYMENTS, REPLICA_SETS) if _may_delete(tour, each)]
    if not owners:
        return Visit(f"{tour.target(DEPLOYMENTS, REPLICA_SETS).address}delete/")
    owner = tour.random.choice(owners)
    owned, unsure = _dependents(tour, owner)
    if unsure:
        return Visit(f"{owner.address}delete/")
    counts = {f"<li><span>{text}" for text in _counted(owned)} or {"Nothing among the kinds that are followed"}
    return Visit(f"{owner.address}delete/", expected=frozenset({*counts, *(each.address for each in owned)}))


def deletion_that_waits(tour: Tour) -> Visit:
    """The progress of a deletion that waits until what the object owns is orphaned: how much may be seen of that."""
    seen = [each for each in tour.seen(REPLICA_SETS) if each.is_going and tour.world.allows("get", each)]
    hidden = [each for each in tour.forbidden(REPLICA_SETS) if each.is_going]
    owner = tour.random.choice(seen or hidden or [tour.target(REPLICA_SETS)])
    page = f"{owner.address}delete/?uid={owner.uid}"
    owned, unsure = _dependents(tour, owner)
    if owner not in seen or unsure:
        return Visit(page)
    words = [f"Waiting until these no longer name it as owner: {text}<" for text in _counted(owned)]
    return Visit(page, expected=frozenset(words or ["Waiting for the finalizer orphan"]))


def _may_delete(tour: Tour, each: MarkedObject) -> bool:
    return all(tour.world.allows(verb, each) for verb in ("get", "delete"))


def _dependents(tour: Tour, owner: MarkedObject) -> tuple[list[MarkedObject], bool]:
    """What is known to belong to an object: what it owns and may be seen, what these own, and so on. And whether any of
    it is unsure.
    """
    owned = [each for each in tour.objects.of(*OWNERS) if each.owner is owner]
    found, unsure = tour.visible.of(owned), any(each in tour.visible.unsure for each in owned)
    for each in [*found]:
        further, is_unsure = _dependents(tour, each)
        found, unsure = [*found, *further], unsure or is_unsure
    return found, unsure


def _counted(objects: list[MarkedObject]) -> list[str]:
    """``1 ReplicaSet``, ``2 Pods``."""
    numbers = Counter(resource_of(each.key).kind for each in objects)
    return [f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in numbers.items()]


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
