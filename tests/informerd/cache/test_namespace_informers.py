"""Tests of informers of single namespaces that are read as one: their health, and on the real kube-apiserver."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health
from informerd.cache.namespace_health import WORST_FIRST, joined_health
from informerd.cache.namespace_informers import NamespaceInformers
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.wait import eventually

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)
RBAC = "/apis/rbac.authorization.k8s.io/v1"


def test_the_health_of_namespaces_is_the_worst_and_first_lists_are_sums() -> None:
    live = Health("live", 5.0, heard=9.0, last_event=7.0, relists=1, unreadable=1)
    syncing = Health("syncing", 6.0, heard=8.0, listed=100, remaining=400)
    joined = joined_health({"a": live, "b": syncing, "c": msgspec.structs.replace(syncing, remaining=50)})
    assert (joined.state, joined.since, joined.heard, joined.listed, joined.remaining) == (
        "syncing",
        6.0,
        8.0,
        200,
        450,
    )
    assert (joined.last_event, joined.relists, joined.unreadable) == (7.0, 1, 1)
    assert joined.namespaces == ("a", "b", "c")
    unknown = joined_health({"a": syncing, "b": msgspec.structs.replace(syncing, remaining=None)})
    assert unknown.remaining is None
    both = joined_health({"a": live, "b": msgspec.structs.replace(live, since=6.0)})
    assert (both.state, both.since) == ("live", 6.0)


def test_a_problem_of_some_namespaces_names_one() -> None:
    live, stale = Health("live", 1.0), Health("stale", 2.0, problem="no answer")
    assert joined_health({"a": live, "b": stale}).problem == "in namespace b: no answer"
    assert joined_health({"a": live, "b": stale, "c": stale}).problem == "in namespace b and 1 more: no answer"
    assert joined_health({"b": stale, "c": stale}).problem == "no answer"


def test_forbidden_namespaces_count_where_there_is_no_other() -> None:
    forbidden = Health("forbidden", 3.0, problem="no")
    mixed = joined_health({"a": Health("live", 1.0)}, {"b": forbidden}, ("b",))
    assert (mixed.state, mixed.problem, mixed.namespaces, mixed.forbidden_namespaces) == ("live", "", ("a",), ("b",))
    assert mixed.lost_namespaces == ("b",)
    alone = joined_health({}, {"b": forbidden})
    assert (alone.state, alone.problem, alone.is_by_namespace) == ("forbidden", "no", True)


def test_a_kind_that_one_namespace_does_not_know_any_more_is_stale_until_none_does() -> None:
    absent = Health("absent", 3.0, problem="not served")
    assert joined_health({"a": Health("live", 1.0), "b": absent}).state == "stale"
    assert joined_health({"a": absent, "b": absent}).state == "absent"


HEALTHS = st.builds(
    Health,
    state=st.sampled_from(WORST_FIRST),
    since=st.floats(0, 9),
    heard=st.none() | st.floats(0, 9),
    problem=st.sampled_from(["", "p", "q"]),
    listed=st.integers(0, 9),
    remaining=st.none() | st.integers(0, 9),
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from("abcdef"), HEALTHS, min_size=1), st.randoms())
def test_the_order_of_namespaces_does_not_matter(healths: dict[str, Health], random: Any) -> None:
    names = [*healths]
    random.shuffle(names)
    joined, other = joined_health(healths), joined_health({name: healths[name] for name in names})
    facts = [
        (each.state, each.since, each.heard, each.listed, each.remaining, each.namespaces) for each in (joined, other)
    ]
    assert facts[0] == facts[1]
    states = {health.state for health in healths.values()}
    assert (joined.state == "live") == (states == {"live"})


class Seen:
    """A handler that keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self.calls.append(("listed" if is_in_initial_list else "added", obj.key))

    def on_update(self, old: Object, new: Object) -> None:
        self.calls.append(("updated", new.key))

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        self.calls.append(("deleted", obj.key))


class Shop:
    """Three namespaces with a ConfigMap in each, and informers of an account."""

    def __init__(self, api: ControlPlane, factory: SharedInformerFactory) -> None:
        self.api = api
        self.factory = factory
        self.refused: list[str] = []
        self.informers = NamespaceInformers(
            factory, CONFIG_MAPS, Object, on_forbidden=lambda namespace, _: self.refused.append(namespace)
        )
        prefix = f"joined-{uuid4().hex[:8]}"
        self.names = tuple(api.create_namespace(f"{prefix}-{letter}") for letter in "abc")
        for name in self.names:
            self.put(name, "one")

    def put(self, namespace: str, name: str) -> None:
        self.api.create(CONFIG_MAPS.path(namespace), {"metadata": {"name": name}})

    def follow(self, *names: str) -> None:
        for name in names:
            self.informers.add(name)
        self.factory.start()


@pytest.fixture
async def shop(request: pytest.FixtureRequest, controlplane: ControlPlane) -> AsyncIterator[Shop]:
    user = getattr(request, "param", "admin")
    async with (
        Client(load_kubeconfig(controlplane.kubeconfig_of(user))) as client,
        SharedInformerFactory(client) as factory,
    ):
        yield await asyncio.to_thread(Shop, controlplane, factory)


async def test_handlers_get_the_objects_of_all_namespaces_and_of_those_that_come_later(shop: Shop) -> None:
    a, b, c = shop.names
    seen = Seen()
    registration = shop.informers.add_handler(seen)
    shop.follow(a, b)
    await eventually(lambda: registration.has_synced)
    assert sorted(seen.calls) == [("listed", f"{name}/one") for name in (a, b)]
    assert shop.informers.health().state == "live"
    shop.follow(c)
    assert shop.informers.health().namespaces == (a, b)
    assert shop.informers.health().state == "live"
    await eventually(lambda: shop.informers.health().namespaces == (a, b, c))
    assert ("listed", f"{c}/one") in seen.calls
    await asyncio.to_thread(shop.put, c, "two")
    await eventually(lambda: ("added", f"{c}/two") in seen.calls)
    registration.remove()
    await asyncio.to_thread(shop.put, a, "three")
    await eventually(lambda: any(each.store.get(f"{a}/three") for each in shop.informers.informers))
    assert ("added", f"{a}/three") not in seen.calls


async def test_a_namespace_that_is_denied_says_so_and_the_others_go_on(shop: Shop) -> None:
    a, b, _ = shop.names
    seen = Seen()
    shop.informers.add_handler(seen)
    shop.follow(a, b)
    await eventually(lambda: shop.informers.health().state == "live")
    await shop.informers.deny(b, "no longer", 7.0)
    health = shop.informers.health()
    assert (health.state, health.namespaces, health.lost_namespaces) == ("live", (a,), (b,))
    assert not [call for call in seen.calls if call[0] == "deleted"]
    shop.follow(b)
    await eventually(lambda: shop.informers.health().namespaces == (a, b))
    assert shop.informers.health().lost_namespaces == ()
    await shop.informers.remove(b)
    health = shop.informers.health()
    assert (health.namespaces, health.forbidden_namespaces) == ((a,), ())
    await shop.informers.close()
    assert shop.factory.informers == []


@pytest.mark.parametrize("shop", ["bob"], indirect=True)
async def test_a_forbidden_namespace_holds_up_no_other(shop: Shop) -> None:
    a, b, _ = shop.names
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "bob"}
    subject = {"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}
    path = f"{RBAC}/namespaces/{a}"
    shop.api.create(f"{path}/roles", {"metadata": {"name": "bob"}, "rules": [rule]})
    shop.api.create(f"{path}/rolebindings", {"metadata": {"name": "bob"}, "roleRef": reference, "subjects": [subject]})
    shop.follow(a, b)
    await eventually(lambda: shop.informers.has_settled)
    await eventually(lambda: shop.informers.health().state == "live")
    health = shop.informers.health()
    assert (health.namespaces, health.forbidden_namespaces, health.lost_namespaces) == ((a,), (b,), ())
    assert b in shop.refused
