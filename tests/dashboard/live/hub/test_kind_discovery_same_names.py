"""Tests of followed kinds whose name other kinds of the cluster have, too: their names then say the API group."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from dashboard.live.hub.kind_discovery import KindDiscovery
from dashboard.objects.kinds.catalog import KINDS, KindInfo, kind_of
from informerd.resource import Resource
from tests.support.clock import FakeClock

GATEWAYS = kind_of(Resource(group="networking.istio.io", version="v1", plural="gateways", kind="Gateway"))


def test_a_followed_kind_is_told_apart_as_soon_as_another_has_its_name_and_no_longer_than_that() -> None:
    replicas = SimpleNamespace(kinds=(KINDS["pods"], GATEWAYS))
    updates: list[tuple[KindInfo, ...]] = []
    hub = SimpleNamespace(update_kinds=updates.append)
    shared: set[str] = set()
    discovery = KindDiscovery(
        cast("Any", replicas), cast("Any", hub), lambda: None, FakeClock(), shared_names=lambda: frozenset(shared)
    )
    discovery.tell_apart()
    assert updates == []
    shared.add(GATEWAYS.key)
    for _ in range(2):
        discovery.tell_apart()
    assert [kind.title for kind in replicas.kinds] == ["Pods", "Gateways (networking.istio.io)"]
    assert len(updates) == 1, "open views are drawn again once"
    shared.clear()
    discovery.tell_apart()
    assert replicas.kinds == (KINDS["pods"], GATEWAYS)
