"""Tests of mass deletion: namespaces that are deleted with all their objects."""

from __future__ import annotations

import asyncio

from informerd.rest.client import Client
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, NAMESPACES, QUICK, Rig

STORM = 8
EACH = 100


async def test_namespaces_deleted_with_everything_in_them_leave_no_ghost(rig: Rig) -> None:
    """Emptied and finalized as the namespace controller does it, all at once, while others are filled."""
    everywhere = rig.factory(**QUICK)
    config_maps = rig.follow(everywhere, CONFIG_MAPS, namespace="")
    namespaces = rig.follow(everywhere, NAMESPACES)
    doomed = [f"{rig.namespace}-{number}" for number in range(STORM)]
    await asyncio.gather(*(_fill(rig.client, each) for each in doomed))
    await rig.equal(config_maps, namespaces)
    survivors = [f"{each}-survivor" for each in doomed[:2]]
    await asyncio.gather(
        *(_delete(rig.client, each) for each in doomed), *(_fill(rig.client, each) for each in survivors)
    )
    await rig.equal(config_maps, namespaces)
    assert config_maps.ledger.deletes >= STORM * EACH
    assert config_maps.ledger.unknown_deletes == []
    assert set(doomed).isdisjoint(config_maps.informer.store.index_values("namespace"))
    assert len(config_maps.informer.store.index_keys("namespace", survivors[0])) == EACH
    await asyncio.gather(*(_delete(rig.client, each) for each in survivors))


async def _fill(client: Client, namespace: str) -> None:
    await client.create(NAMESPACES, {"metadata": {"name": namespace}})
    for number in range(EACH):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{number}"}}
        await client.create(CONFIG_MAPS, body, namespace)


async def _delete(client: Client, namespace: str) -> None:
    await client.delete(NAMESPACES, namespace)
    await client.request("DELETE", CONFIG_MAPS.path(namespace))
    gone = (await client.get(NAMESPACES, namespace)).json()
    gone["spec"]["finalizers"] = []
    await client.update(NAMESPACES, gone, subresource="finalize")
