"""Tests of permissions that are revoked under a running watch, and granted again."""

from __future__ import annotations

from informerd.rest.load_config import load_kubeconfig
from tests.support.informerd.faults.informer_rig import QUICK, Rig
from tests.support.informerd.faults.rbac import allow, forbid

NAMES = [f"c{number}" for number in range(5)]


async def test_rights_taken_away_make_it_stale_and_given_back_heal_it(rig: Rig) -> None:
    await rig.create(*NAMES)
    await allow(rig, "alice")
    alice = load_kubeconfig(rig.controlplane.kubeconfig_of("alice"))
    followed = rig.follow(rig.factory(alice, watch_timeout=1.0, **QUICK))
    await rig.equal(followed)
    await forbid(rig, "alice")
    await followed.becomes("stale")
    health = followed.informer.health()
    assert health.has_answer
    assert "forbidden" in health.problem
    assert len(followed.informer.store) == len(NAMES)
    await rig.change(*NAMES)
    await allow(rig, "alice")
    await followed.becomes("live")
    await rig.equal(followed)
    assert followed.states == ["syncing", "live", "stale", "live"]


async def test_who_never_had_rights_is_told_so_and_listed_for_once_they_come(rig: Rig) -> None:
    await rig.create(*NAMES)
    bob = load_kubeconfig(rig.controlplane.kubeconfig_of("bob"))
    followed = rig.follow(rig.factory(bob, **QUICK))
    await followed.becomes("forbidden")
    assert not followed.informer.has_synced
    await allow(rig, "bob")
    await followed.becomes("live")
    await rig.equal(followed)
