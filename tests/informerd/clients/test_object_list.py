"""Tests of lists as the dynamic and typed clients return them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from informerd.clients.codec import JsonCodec
from informerd.clients.object_list import ITEMS_PER_TURN, ObjectList, decode_list
from informerd.errors import MalformedAnswer
from informerd.resource import PODS
from informerd.rest.response import Response
from informerd.unstructured import Json


async def listed(body: Any) -> ObjectList[Json]:
    return await decode_list(Response(200, msgspec.json.encode(body)), JsonCodec(PODS))


@pytest.mark.parametrize("kind", ["Table", "Status", "Pod", ""])
async def test_what_has_no_items_and_does_not_say_that_it_is_a_list_is_refused(kind: str) -> None:
    with pytest.raises(MalformedAnswer, match=f"the answer is no list: .* its kind is {kind or 'not given'}$"):
        await listed({"apiVersion": "v1", "metadata": {"resourceVersion": "7"}} | ({"kind": kind} if kind else {}))


@pytest.mark.parametrize("body", [{"kind": "PodList"}, {"kind": "PodList", "items": None}, {"items": []}])
async def test_an_empty_list_may_leave_its_items_out(body: Json) -> None:
    found = await listed({**body, "metadata": {"resourceVersion": "7"}})
    assert ([*found], found.resource_version, found.remaining) == ([], "7", None)


async def test_other_tasks_get_their_turn_while_a_long_list_is_decoded() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    found = await listed({"kind": "PodList", "items": [{"metadata": {"name": "a"}}] * (3 * ITEMS_PER_TURN + 1)})
    counting.cancel()
    assert (len(found), turns) == (3 * ITEMS_PER_TURN + 1, 3)
