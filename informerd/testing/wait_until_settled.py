"""Wait until caches and controllers have nothing left to do, in place of a fixed delay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from informerd.cache.health import not_synced_reason
from informerd.cache.list_watch import ListWatch
from informerd.cache.shared_informer import SharedInformer
from informerd.controller.controller import Controller
from informerd.controller.sources import KindSource
from informerd.errors import NotFound, NotInTime
from informerd.objects import Object
from informerd.rest.client import Client

_INTERVAL = 0.01


async def wait_until_settled(
    client: Client,
    controllers: Iterable[Controller],
    informers: Iterable[SharedInformer[Any]] = (),
    *,
    within: float = 30.0,
) -> None:
    """Wait until nothing is left to be done for what the API server holds.

    That is when the store of each informer, those of the controllers' sources included, holds what the API server
    lists, at the same versions; its handlers have been told; and no controller has a request that waits or is being
    reconciled. What is put off (`requeue_after`, the next try after an error) does not count: turn the clock for that.
    Raises NotInTime after `within` seconds of real time, which says what was still going on.
    """
    chosen = [*controllers]
    by_id: dict[int, SharedInformer[Any]] = {id(each): each for each in informers}
    for controller in chosen:
        by_id |= {id(each.informer): each.informer for each in controller.sources if isinstance(each, KindSource)}
    why = ""
    try:
        async with asyncio.timeout(within):
            while why := await _unsettled(client, chosen, [*by_id.values()]):  # noqa: ASYNC110 - there is no sign
                await asyncio.sleep(_INTERVAL)
    except TimeoutError:
        raise NotInTime(f"not settled within {within:g} s: {why or 'the API server does not answer'}") from None


async def _unsettled(client: Client, controllers: list[Controller], informers: list[SharedInformer[Any]]) -> str:
    """Description of the unfinished work; "" where there was none during the whole check."""
    before = _done(controllers)
    for informer in informers:
        if why := await _behind(client, informer):
            return why
    busy = next((why for each in controllers if (why := _busy(each))), "")
    return busy or ("" if _done(controllers) == before else "requests are being reconciled")


def _done(controllers: list[Controller]) -> list[tuple[int, int]]:
    return [(each.queue.counters.adds, each.counters.outcomes.total()) for each in controllers]


def _busy(controller: Controller) -> str:
    if controller.phase != "running":
        return f"the controller {controller.name} is {controller.phase}"
    queue = controller.queue.state()
    if queue.processing:
        return f"the controller {controller.name} has been at {queue.longest_key} for {queue.longest_seconds:.1f} s"
    return f"{queue.oldest_key} waits for the controller {controller.name}" if queue.depth else ""


async def _behind(client: Client, informer: SharedInformer[Any]) -> str:
    key = informer.resource.key
    if not informer.has_synced:
        return f"the cache of {key} has not synced, it is {not_synced_reason(informer.health())}"
    listed = await _listed(client, informer)
    stored = {obj.key: obj.metadata.resource_version for obj in informer.store}
    if listed != stored:
        changed = sorted({name for name, _ in listed.items() ^ stored.items()})
        return f"the cache of {key} is behind on {', '.join(changed[:3])}"
    waiting = next((each for each in informer.registrations if each.depth), None)
    return f"the handler {waiting.name} of {key} has {waiting.depth} notifications left" if waiting else ""


async def _listed(client: Client, informer: SharedInformer[Any]) -> dict[str, str]:
    """Names and versions of the objects in the API server; none where it does not serve the kind."""
    narrowed = informer.list_watch
    list_watch = ListWatch(
        client,
        narrowed.resource,
        projection=Object,
        namespace=narrowed.namespace,
        label_selector=narrowed.label_selector,
        field_selector=narrowed.field_selector,
        shard_selector=narrowed.shard_selector,
        metadata_only=True,
    )
    try:
        page = await list_watch.page("")
    except NotFound:
        return {}
    return {obj.key: obj.metadata.resource_version for obj in page.objects}
