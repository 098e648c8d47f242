"""Requests that one person sends: each address of Deltaboard, with parameters of what they may see and may not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from urllib.parse import quote, urlencode

from tests.support.access.marked_objects import (
    ALL_KINDS,
    CLUSTER_SCOPED,
    CONFIG_MAPS,
    DEPLOYMENTS,
    EVENTS,
    MYDEMOS,
    NAMESPACES,
    NODES,
    PODS,
    REPLICA_SETS,
    MarkedObject,
    MarkedObjects,
)
from tests.support.access.random_rbac import World
from tests.support.access.visibility_oracle import Visible

ACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    PODS: ("evict",),
    DEPLOYMENTS: ("scale", "restart", "pause"),
    REPLICA_SETS: ("scale",),
    NODES: ("cordon", "drain"),
    MYDEMOS: ("field",),
})  # fmt: skip
HTML = {"Accept": "text/html"}
COMPLETED = (
    "ns=", "namespace=", "name=zq", "label:", "label:app=", "label:app=zq", "status=", "reason=", "node=", "object=",
    ".metadata.labels.app=", ".spec.nodeName=", "message=", "owner=",
)  # fmt: skip
"""Filters of which the rest is asked for."""


@dataclass(frozen=True)
class Visit:
    """A request, and texts that its answer must have."""

    address: str
    form: Mapping[str, str] | None = None
    expected: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    """Texts that it must not have."""
    total: tuple[int, int] | None = None
    """The least and the greatest number of rows that the page may say."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def sent(self) -> str:
        """All that the request has: an answer may repeat it."""
        return " ".join([self.address, *(self.form or {}).values(), *self.headers.values()])


class Tour:
    """What one person's requests are made of."""

    def __init__(self, world: World, visible: Visible, objects: MarkedObjects, random: Random) -> None:
        self.world = world
        self.visible = visible
        self.objects = objects
        self.random = random

    def seen(self, *keys: str) -> list[MarkedObject]:
        """What there is and may be seen; of all kinds without `keys`."""
        return self.visible.of(self.objects.of(*(keys or ALL_KINDS)))

    def hidden(self, *keys: str) -> list[MarkedObject]:
        return [each for each in self.objects.of(*(keys or ALL_KINDS)) if self.visible.hides(each)]

    def forbidden(self, *keys: str) -> list[MarkedObject]:
        """What is hidden, and of which no rule allows anything, whatever the verb."""
        return [each for each in self.hidden(*keys) if not self._is_allowed_anything(each)]

    def target(self, *keys: str) -> MarkedObject:
        """An object that may be seen, else one of which nothing is allowed, else one that there is not."""
        found = self.seen(*keys) or self.forbidden(*keys) or [MarkedObject(PODS, "default", "no-such-pod", "")]
        return self.random.choice(found)

    def any_kind(self) -> str:
        """A kind, most often one of which something may be seen."""
        seen = sorted({each.key for each in self.seen()})
        return self.random.choice(seen if seen and self.random.random() < 0.75 else ALL_KINDS)

    def rows(self, key: str, seen: Iterable[MarkedObject] | None = None) -> tuple[int, int]:
        """The least and the greatest number of objects of a kind that may be shown."""
        least = len(self.seen(key) if seen is None else [*seen])
        return least, least + len([each for each in self.objects.of(key) if each in self.visible.unsure])

    def _is_allowed_anything(self, each: MarkedObject) -> bool:
        place = each.name if each.key == NAMESPACES else each.namespace
        grants = [grant for grant in self.world.grants if grant.is_about(each.key, place)]
        return any(not grant.names or each.name in grant.names for grant in grants)


def _names(objects: Iterable[MarkedObject]) -> frozenset[str]:
    return frozenset(each.name for each in objects)


def _list(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/", expected=_names(tour.seen(key)), total=tour.rows(key))


def _filtered_list(tour: Tour) -> Visit:
    """A filter, namespace, order, column or page that leads to what is hidden."""
    key, target = tour.any_kind(), tour.random.choice(tour.objects.of(*ALL_KINDS))
    params = tour.random.choice(
        [
            {"q": target.name[:6]},
            {"q": f"-{target.name[:6]}"},
            {"q": f"label:app={target.name[:4]}*"},
            {"q": "zz-nothing-matches"},
            {"q": f".metadata.uid={target.uid}"},
            {"q": ".metadata.annotations.note~=zq"},
            {"namespace": target.namespace or target.name},
            {"sort": "-.metadata.annotations.note", "columns": "name,.metadata.labels.app,.spec.nodeName"},
            {"page": "2"},
            {"open": target.open_parameter},
        ]
    )
    return Visit(f"/resources/{key}/?{urlencode(params)}")


def _drawer(tour: Tour) -> Visit:
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    headers = {"HX-Request": "true", "HX-Target": "drawer"}
    address = f"/resources/{target.key}/?open={quote(target.open_parameter)}"
    return Visit(address, headers=headers, expected=_about(tour, target))


def _list_again(tour: Tour) -> Visit:
    return Visit(f"/resources/{tour.any_kind()}/list-again/")


def _export(tour: Tour) -> Visit:
    key, suffix = tour.any_kind(), tour.random.choice(["csv", "json", "yaml"])
    return Visit(f"/resources/{key}/export.{suffix}", expected=_names(tour.seen(key)))


def _matching(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/matching/", expected=frozenset(each.uid for each in tour.seen(key)))


def _uids(objects: Iterable[MarkedObject]) -> dict[str, str]:
    return {"uid": ",".join(each.uid for each in objects), "words": "1"}


def _selected(tour: Tour) -> Visit:
    """A selection with hidden objects: it gets the names of the others only."""
    key = tour.any_kind()
    return Visit(f"/resources/{key}/selected/", _uids(tour.objects.of(key)), _names(tour.seen(key)))


def _selected_export(tour: Tour) -> Visit:
    key, suffix = tour.any_kind(), tour.random.choice(["csv", "json", "yaml"])
    return Visit(f"/resources/{key}/selected.{suffix}", _uids(tour.objects.of(key)), _names(tour.seen(key)))


def _completion(tour: Tour) -> Visit:
    key = tour.any_kind()
    q = tour.random.choice(COMPLETED)
    return Visit(f"/resources/{key}/complete?{urlencode({'q': q, 'at': len(q)})}")


def _completed_namespace(tour: Tour) -> Visit:
    return Visit("/resources/pods/complete?q=ns%3D&at=3", expected=_names(tour.seen(NAMESPACES)))


def _completed_path(tour: Tour) -> Visit:
    path = tour.random.choice([".", ".metadata.labels.", ".metadata.annotations.", ".data.", ".spec."])
    return Visit(f"/resources/{tour.any_kind()}/complete?{urlencode({'path': path})}")


def _search(tour: Tour) -> Visit:
    """The palette: a name that may be seen is found, all that begin alike are cut."""
    seen = [each for each in tour.seen() if each.key != EVENTS]
    if not seen or tour.random.random() < 0.4:
        return Visit(f"/search/?q={tour.random.choice(['zq', 'q', *(each.name[:5] for each in tour.objects)])}")
    target = tour.random.choice(seen)
    return Visit(f"/search/?q={target.name}", expected=frozenset([target.address]))


def _detail(tour: Tour) -> Visit:
    """An object's details: its Events, its owners and children, a node's pods."""
    target = tour.random.choice(tour.seen() or tour.objects.of(*ALL_KINDS))
    return Visit(target.address, headers=HTML, expected=_about(tour, target))


def _about(tour: Tour, target: MarkedObject) -> frozenset[str]:
    """What the details of an object must have of others."""
    if target not in tour.visible.objects:
        return frozenset()
    events = [each for each in tour.seen(EVENTS) if each.subject is target]
    return frozenset([target.uid, *(each.message for each in events)])


def _hidden_detail(tour: Tour) -> Visit:
    target = tour.random.choice(tour.hidden() or [tour.target()])
    return Visit(target.address, headers=HTML)


def _object_page(page: str, headers: Mapping[str, str] = MappingProxyType({})) -> Callable[[Tour], Visit]:
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


def _check(tour: Tour) -> Visit:
    target = tour.target()
    text = f"kind: Pod\napiVersion: v1\nmetadata:\n  name: {target.name}\n  namespace: {target.namespace}\n"
    return Visit(f"{target.address}edit/check/", {"yaml": text, "original": text})


def _take(tour: Tour) -> Visit:
    target = tour.target()
    return Visit(f"{target.address}edit/take/", {"yaml": "a: b\n", "original": "a: b\n"})


def _owner(tour: Tour) -> Visit:
    target = tour.target()
    return Visit(f"{target.address}edit/owner/?path=%5B%22metadata%22%5D")


def _new_copy(tour: Tour) -> Visit:
    """A new object as a copy of one that may be seen, or not."""
    target = tour.target(PODS, CONFIG_MAPS, MYDEMOS)
    return Visit(f"/resources/{target.key}/new/?from={quote(target.open_parameter)}")


def _check_new(tour: Tour) -> Visit:
    key = tour.random.choice([PODS, CONFIG_MAPS, MYDEMOS])
    return Visit(f"/resources/{key}/new/check/", {"yaml": "kind: Pod\nmetadata:\n  name: a\n"})


def _schema(tour: Tour) -> Visit:
    path = tour.random.choice(['["metadata","namespace"]', '["metadata","name"]', '["spec","nodeName"]', "[]"])
    return Visit(f"/resources/{tour.random.choice([PODS, CONFIG_MAPS, MYDEMOS])}/schema?{urlencode({'path': path})}")


def _schema_of_kind(tour: Tour) -> Visit:
    path = tour.random.choice(['["kind"]', '["metadata","namespace"]', '["spec","nodeName"]'])
    return Visit(f"/new/schema/?{urlencode({'path': path, 'apiVersion': 'v1', 'kind': 'Pod'})}")


def _check_several(tour: Tour) -> Visit:
    target = tour.random.choice(tour.hidden(NAMESPACES) or tour.objects.of(NAMESPACES))
    text = f"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  namespace: {target.name[:6]}\n"
    return Visit("/new/check/", {"yaml": text})


def _bulk(tour: Tour) -> Visit:
    """All matches of a list; the page says how many."""
    return Visit(f"/resources/{tour.any_kind()}/bulk/?{urlencode({'q': ''})}")


def _bulk_start(tour: Tour) -> Visit:
    key = tour.any_kind()
    return Visit(f"/resources/{key}/bulk/", _uids(tour.objects.of(key)))


def _feed(tour: Tour) -> Visit:
    """The feed with a filter: what changed and may be seen has lines."""
    target = tour.random.choice(tour.objects.objects)
    params = tour.random.choice(
        [{}, {"kind": target.key}, {"last": "15m"}, {"folds": "off"}, {"q": target.name[:5]}, {"q": "op=deleted"},
         {"namespace": target.namespace or target.name}, {"q": f"-name={target.name[:4]}*", "folds": "off"}]
    )  # fmt: skip
    return Visit(f"/feed/?{urlencode(params)}")


def _feed_of_one(tour: Tour) -> Visit:
    """The lines of one object that changed, found by its name."""
    changed = [each for each in tour.visible.of(tour.objects.changed) if not each.is_deleted]
    if not changed:
        return Visit("/feed/?folds=off")
    target = tour.random.choice(changed)
    return Visit(f"/feed/?folds=off&q={target.name}", expected=frozenset([f'data-name="{target.name}"']))


def _kinds(tour: Tour) -> Visit:
    return Visit("/kinds/?all")


def _fixed(address: str, form: Mapping[str, str] | None = None) -> Callable[[Tour], Visit]:
    return lambda _: Visit(address, form)


def _namespaces(tour: Tour) -> Visit:
    return Visit("/namespaces/", expected=_names(tour.seen(NAMESPACES)))


def _unknown_kind_page(tour: Tour) -> Visit:
    """A missing name beside hidden ones: the 404 page suggests similar names."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    return Visit(f"/resources/{target.key}/{target.namespace or '-'}/{target.name[:-1]}/", headers=HTML)


def _name_elsewhere(tour: Tour) -> Visit:
    """A name in a wrong place: the 404 page suggests where there is one."""
    target = tour.random.choice(tour.objects.of(*ALL_KINDS))
    place = target.namespace[:-1] if target.namespace else "default"
    if tour.random.random() < 0.5 and target.key not in CLUSTER_SCOPED:
        place = "-"
    return Visit(f"/resources/{target.key}/{place}/{target.name}/", headers=HTML)


def _unknown(tour: Tour) -> Visit:
    return Visit(f"/{tour.random.choice(tour.objects.objects).name[:5]}/")


def _row_menu(tour: Tour) -> Visit:
    """The menu names the present state of an object that may be seen, and of no other."""
    target = tour.random.choice(tour.hidden(DEPLOYMENTS, NODES) or [tour.target()])
    absent = {'"Pause the rollout"', '"Cordon"'} if tour.visible.hides(target) else set()
    return Visit(f"{target.address}may/", absent=frozenset(absent))


def _form_page(page: str, form: Mapping[str, str]) -> Callable[[Tour], Visit]:
    def visit(tour: Tour) -> Visit:
        target = tour.target()
        return Visit(f"{target.address}{page}", form)

    return visit


VISITS: Mapping[str, Callable[[Tour], Visit]] = MappingProxyType({
    "overview": _fixed("/"),
    "feed": _feed,
    "feed of one object": _feed_of_one,
    "controllers": _fixed("/controllers/"),
    "requeue": _fixed("/controllers/requeue/", {"controller": "crddemo", "key": "a/b"}),
    "new from YAML": _fixed("/new/"),
    "check of new YAML": _check_several,
    "schema of a kind": _schema_of_kind,
    "drafts": _fixed("/drafts/"),
    "a draft": _fixed("/drafts/none/"),
    "runs": _fixed("/runs/"),
    "kinds": _kinds,
    "all kinds": _fixed("/kinds/all/"),
    "counts": _fixed("/kinds/counts/"),
    "namespaces": _namespaces,
    "freshness": _fixed("/freshness/"),
    "palette": _search,
    "theme": _fixed("/theme/", {"theme": "dark"}),
    "liveness": _fixed("/healthz"),
    "readiness": _fixed("/readyz"),
    "metrics": _fixed("/metrics"),
    "list": _list,
    "filtered list": _filtered_list,
    "drawer": _drawer,
    "list again": _list_again,
    "export": _export,
    "matching": _matching,
    "selection": _selected,
    "export of a selection": _selected_export,
    "completion": _completion,
    "completion of a namespace": _completed_namespace,
    "completion of a path": _completed_path,
    "copy": _new_copy,
    "check of a new object": _check_new,
    "schema": _schema,
    "bulk": _bulk,
    "bulk of a selection": _bulk_start,
    "details": _detail,
    "details of a hidden object": _hidden_detail,
    "YAML page": _object_page("yaml/", HTML),
    "YAML text": _object_page("yaml/"),
    "edit": _object_page("edit/"),
    "edit status": _object_page("edit/status/"),
    "check": _check,
    "take": _take,
    "owner of a field": _owner,
    "row menu": _row_menu,
    "quick action": _object_page("do/"),
    "delete": _object_page("delete/"),
    "similar name": _unknown_kind_page,
    "name elsewhere": _name_elsewhere,
    "check of a status": _form_page("edit/status/check/", {"yaml": "a: b\n", "original": "a: b\n"}),
    "take of a status": _form_page("edit/status/take/", {"yaml": "a: b\n", "original": "a: b\n"}),
    "finalizer": _form_page("delete/finalizer/", {"finalizer": "example.com/none"}),
    "keep a draft": _fixed("/drafts/keep/", {"yaml": "a: b\n"}),
    "throw drafts": _fixed("/drafts/throw/", {}),
    "throw a draft": _fixed("/drafts/none/throw/", {}),
    "follow always": _fixed("/resources/pods/follow-always/", {"follow": "on"}),
    "a run": _fixed("/resources/pods/bulk/none/"),
    "results of a run": _fixed("/resources/pods/bulk/none/results.csv"),
    "commands of a run": _fixed("/resources/pods/bulk/none/commands.txt"),
    "no such page": _unknown,
})  # fmt: skip
"""Makers of requests, by a name of the test's own. Together they reach each URL pattern."""
