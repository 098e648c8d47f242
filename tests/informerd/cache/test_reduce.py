"""Tests of `reduce`: stores keep what it makes of an object, and handlers get that."""

from __future__ import annotations

import pytest

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import HandlerFunctions
from informerd.errors import InformerExists
from informerd.objects import Object
from informerd.resource import PODS
from tests.informerd.conftest import StartInformer
from tests.support.clock import FakeClock
from tests.support.informerd.listed_informer import until_version
from tests.support.scripted_api_server import ScriptedServer, pod
from tests.support.wait import eventually


class Named(Object, frozen=True):
    """A pod with its name in capitals, and nothing else."""

    capitals: str = ""


def named(obj: Object) -> Object:
    if "broken" in obj.metadata.name:
        raise ValueError("cannot be reduced")
    return Named(
        api_version=obj.api_version,
        kind=obj.kind,
        metadata=obj.metadata,
        blob=obj.blob,
        capitals=obj.metadata.name.upper(),
    )


@pytest.mark.parametrize("streaming", [True, False])
async def test_lists_and_watches_give_what_it_makes_of_objects(
    start: StartInformer, server: ScriptedServer, streaming: bool
) -> None:
    setup = await start(streaming_lists=streaming, reduce=named)
    told: list[object] = []
    setup.informer.add_handler(
        HandlerFunctions(
            on_add=lambda obj, _: told.append(obj),
            on_update=lambda old, new: told.extend((old, new)),
            on_delete=lambda obj, _: told.append(obj),
        )
    )
    if streaming:
        watch = await server.take_streaming_list()
        await watch.send_list([pod("a", "1")], "10")
    else:
        (await server.take_list()).answer_list([pod("a", "1")], "10")
        watch = await server.take_watch()
    await until_version(setup, "10")
    await watch.send("MODIFIED", pod("a", "11"))
    await watch.send("ADDED", pod("broken", "12"))
    await watch.send("DELETED", pod("a", "13"))
    await until_version(setup, "13")
    await eventually(lambda: len(told) == 4)
    assert all(isinstance(each, Named) and each.capitals == "A" for each in told)
    assert [each.full()["metadata"]["name"] for each in told if isinstance(each, Named)] == ["a"] * 4
    assert setup.keys == {}


async def test_one_informer_has_one_reduce(server: ScriptedServer, clock: FakeClock) -> None:
    async with server.client(clock) as client:
        factory = SharedInformerFactory(client, clock=clock)
        informer = factory.informer(PODS, reduce=named)
        assert factory.informer(PODS, reduce=named) is informer
        with pytest.raises(InformerExists, match="another transform or reduce"):
            factory.informer(PODS)
