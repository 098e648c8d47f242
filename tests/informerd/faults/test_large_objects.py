"""Tests of objects of a megabyte, the most that etcd takes, among small ones."""

from __future__ import annotations

import asyncio
import base64
import random

import pytest

from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, QUICK, Json, Rig
from tests.support.long_tests import long_but

LARGE = 1_000_000
"""Bytes; of text that cannot be compressed to less than three quarters."""


@pytest.mark.parametrize("streaming", long_but([True, False], True), ids=["streaming list", "list"])
async def test_objects_of_a_megabyte_come_whole_in_lists_and_watches(rig: Rig, streaming: bool) -> None:
    chance = random.Random(1)
    await asyncio.gather(
        *(rig.client.create(CONFIG_MAPS, _large(f"large{n}", chance), rig.namespace) for n in range(4))
    )
    await rig.create("small")
    followed = rig.follow(rig.factory(streaming_lists=streaming, **QUICK))
    await rig.equal(followed)
    for number in range(3):
        await rig.paint("small", f"x{number}")
        await rig.client.update(CONFIG_MAPS, _large("large0", chance), rig.namespace)
        await rig.client.create(CONFIG_MAPS, _large(f"new{number}", chance), rig.namespace)
    await rig.delete("large1", "small")
    await rig.equal(followed)
    assert followed.ledger.updates == 6
    assert followed.informer.health().relists == 0


def _large(name: str, chance: random.Random) -> Json:
    text = base64.b64encode(chance.randbytes(LARGE * 3 // 4)).decode()
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": text}}
