"""Advice on a cache that cannot sync: logged once, and shown on /readyz while the problem lasts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from informerd.cache.health import Health, State
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

log = logging.getLogger(__name__)

_CURABLE: tuple[State, ...] = ("absent", "forbidden")
"""States that need a person's action; all others recover by themselves."""


class SyncAdvice:
    """Watches informers' health, for a program that `user` runs."""

    def __init__(self, discovery: Discovery, user: str) -> None:
        self._discovery = discovery
        self._user = user or "the account that this process uses"
        self._watched: dict[SharedInformer[Any], Callable[[], None]] = {}
        self._logged: dict[SharedInformer[Any], tuple[State, str]] = {}
        self._tasks: dict[SharedInformer[Any], asyncio.Task[None]] = {}

    def watch(self, informer: SharedInformer[Any]) -> None:
        """Watch this informer, too. A second call has no effect."""
        if informer not in self._watched:
            self._watched[informer] = informer.on_health(lambda health: self._changed(informer, health))
            self._changed(informer, informer.health())

    def advice_for(self, informer: SharedInformer[Any]) -> str:
        """Advice on its present problem; "" where nothing can be done."""
        state, text = self._logged.get(informer, ("live", ""))
        return text if informer.health().state == state else ""

    async def close(self) -> None:
        """Stop watching all informers."""
        for end in self._watched.values():
            end()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _changed(self, informer: SharedInformer[Any], health: Health) -> None:
        if health.state in _CURABLE and informer not in self._tasks and not self.advice_for(informer):
            task = asyncio.create_task(self._say(informer, health.state), name=f"advice on {informer.resource.key}")
            self._tasks[informer] = task
            task.add_done_callback(lambda _: self._tasks.pop(informer, None))

    async def _say(self, informer: SharedInformer[Any], state: State) -> None:
        resource = informer.resource
        text = self._about_rights(informer) if state == "forbidden" else await self._about(resource)
        self._logged[informer] = (state, text)
        log.warning("%s is %s: %s", resource.key, state, text, extra={"resource": resource.key, "state": state})

    def _about_rights(self, informer: SharedInformer[Any]) -> str:
        resource, where = informer.resource, informer.namespace
        role = f"a Role in the namespace {where}" if where else "a ClusterRole"
        group = f"the API group {resource.group}" if resource.group else "the core API group"
        return f"give {self._user} {role} with the verbs get, list and watch for {resource.plural} in {group}"

    async def _about(self, resource: Resource) -> str:
        try:
            served = await self._discovery.resources()
        except InformerdError:
            served = ()
        served_resource = next(
            (each for each in served if (each.group, each.plural) == (resource.group, resource.plural)), None
        )
        if served_resource is not None and served_resource.version != resource.version:
            return (
                f"the API server serves it in the version {served_resource.version}, not in {resource.version}: "
                "ask for that one, or have its definition serve both"
            )
        return (
            f"create its definition ({resource.plural}.{resource.group or 'core'}, {resource.version}); "
            "what waits for it then continues by itself"
        )
