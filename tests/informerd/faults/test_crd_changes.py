"""Tests of a custom resource whose definition is created, gets a new version, loses the old one and is deleted."""

from __future__ import annotations

from informerd.resource import Resource
from tests.support.informerd.faults.informer_rig import QUICK, Json, Rig

GROUP = "faults.example.com"
OLD = Resource(group=GROUP, version="v1", plural="gadgets", kind="Gadget")
NEW = Resource(group=GROUP, version="v2", plural="gadgets", kind="Gadget")
DEFINITIONS = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    plural="customresourcedefinitions",
    kind="CustomResourceDefinition",
    namespaced=False,
)
NAME = f"gadgets.{GROUP}"
NAMES = [f"g{number}" for number in range(5)]


async def test_informers_of_both_versions_follow_the_definition_through_its_life(fragile: Rig) -> None:
    rig = fragile
    factory = rig.factory(absent_retry=1.0, **QUICK)
    old, new = rig.follow(factory, OLD), rig.follow(factory, NEW)
    await old.becomes("absent")
    await new.becomes("absent")
    await rig.client.create(DEFINITIONS, _definition(_version("v1", storage=True)))
    await old.becomes("live", within=30)
    await rig.create(*NAMES, resource=OLD)
    await rig.equal(old)
    assert new.state == "absent"

    await _serve(rig, _version("v1"), _version("v2", storage=True))
    await new.becomes("live", within=30)
    await rig.equal(old, new)
    await rig.change(*NAMES, resource=NEW)
    await rig.equal(old, new)
    assert old.state == "live"

    await _serve(rig, _version("v1", served=False), _version("v2", storage=True))
    await old.becomes("absent", within=30)
    assert (len(old.informer.store), old.ledger.objects, old.ledger.faults) == (0, {}, [])
    await rig.change("g3", "g4", "g1", resource=NEW)
    await rig.equal(new)
    await new.becomes("live")

    await rig.client.delete(DEFINITIONS, NAME)
    await new.becomes("absent", within=30)
    assert (len(new.informer.store), new.ledger.objects, new.ledger.faults) == (0, {}, [])
    for each in (old, new):
        each.check_indexes()


async def _serve(rig: Rig, *versions: Json) -> None:
    current = (await rig.client.get(DEFINITIONS, NAME)).json()
    current["spec"]["versions"] = [*versions]
    await rig.client.update(DEFINITIONS, current)


def _version(name: str, *, storage: bool = False, served: bool = True) -> Json:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema}}


def _definition(*versions: Json) -> Json:
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
    return {
        "apiVersion": DEFINITIONS.api_version,
        "kind": DEFINITIONS.kind,
        "metadata": {"name": NAME},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [*versions]},
    }
