"""Informers of a real API server under faults, and the check that they end equal to it."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import msgspec

from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import InformerdError
from informerd.objects import Object
from informerd.resource import PODS, Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.informerd.faults.checking_handler import Identity, LedgerHandler, identity
from tests.support.wait import eventually

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
EVENTS = Resource(version="v1", plural="events", kind="Event")
NAMESPACES = Resource(version="v1", plural="namespaces", kind="Namespace", namespaced=False)
COLOUR = "colour"
QUICK: dict[str, Any] = {"backoff": 0.1, "backoff_cap": 1.0, "watch_interval": 0.1}
"""Settings for tests whose subject is not how long informerd waits."""

Json = dict[str, Any]


def by_colour(obj: Object) -> Iterable[str]:
    """An index with no, one or several values for an object."""
    return obj.metadata.labels.get(COLOUR, "").split(".") if COLOUR in obj.metadata.labels else ()


class Followed:
    """One informer, what its handler was told, and what its health was when (monotonic seconds)."""

    def __init__(self, informer: SharedInformer[Object], namespace: str) -> None:
        self.informer = informer
        self.namespace = namespace
        self.ledger = LedgerHandler()
        self.health: list[tuple[float, Health]] = []
        self.errors: list[Exception] = []
        informer.add_index(COLOUR, by_colour)
        informer.add_handler(self.ledger)
        informer.set_watch_error_handler(self.errors.append)
        informer.on_health(lambda health: self.health.append((time.monotonic(), health)))

    @property
    def state(self) -> str:
        return self.informer.health().state

    @property
    def states(self) -> list[str]:
        """Each state it was in, repetitions left out."""
        states = [health.state for _, health in self.health]
        return [state for before, state in zip(["", *states], states, strict=False) if state != before]

    async def becomes(self, state: str, *, within: float = 30.0) -> float:
        """Wait until the informer is in that state; the monotonic time of it."""
        await eventually(lambda: self.state == state, within=within, what=f"{self.informer.resource.key} {state}")
        return next(when for when, health in reversed(self.health) if health.state == state)

    def stored(self) -> dict[str, Identity]:
        return {obj.key: identity(obj) for obj in self.informer.store}

    def check_indexes(self) -> None:
        """The indexes are what they would be if made now."""
        store = self.informer.store
        for name, function in ((COLOUR, by_colour), ("namespace", lambda obj: (obj.metadata.namespace,))):
            wanted: defaultdict[str, set[str]] = defaultdict(set)
            for obj in store:
                for value in function(obj):
                    wanted[value].add(obj.key)
            assert {value: set(store.index_keys(name, value)) for value in store.index_values(name)} == wanted


class Rig:
    """A namespace of its own, an administrator's client without any fault between, and informers."""

    def __init__(self, controlplane: ControlPlane, client: Client, namespace: str) -> None:
        self.controlplane = controlplane
        self.client = client
        self.namespace = namespace
        self._started: list[tuple[SharedInformerFactory, Client]] = []

    def factory(
        self, config: ClusterConfig | None = None, *, probe: float = 5.0, **settings: Any
    ) -> SharedInformerFactory:
        """A factory with a client of its own, which the rig ends; by default straight to the API server."""
        client = Client(config or self.client.config)
        factory = SharedInformerFactory(client, settings=ReflectorSettings(**settings), probe_interval=probe)
        self._started.append((factory, client))
        return factory

    def follow(
        self, factory: SharedInformerFactory, resource: Resource = CONFIG_MAPS, *, namespace: str | None = None
    ) -> Followed:
        """Start an informer, by default of the rig's namespace."""
        scope = self.namespace if namespace is None else namespace
        followed = Followed(factory.informer(resource, namespace=scope if resource.namespaced else ""), scope)
        factory.start()
        return followed

    def key(self, name: str) -> str:
        return f"{self.namespace}/{name}"

    async def stop(self) -> None:
        for factory, client in self._started:
            await factory.stop()
            await client.close()

    async def restart_apiserver(self) -> float:
        """Start a killed API server and wait until it is ready; the monotonic time of that."""
        self.controlplane.launch_apiserver()
        await asyncio.to_thread(self.controlplane.wait_until_ready)
        return time.monotonic()

    async def create(self, *names: str, resource: Resource = CONFIG_MAPS, at_once: int = 16) -> None:
        """Create objects, some at once."""
        gate = asyncio.Semaphore(at_once)

        async def create(name: str) -> None:
            async with gate:
                await self.client.create(resource, _made(resource, name, self.namespace), self.namespace)

        await asyncio.gather(*map(create, names))

    async def paint(self, name: str, colour: str, resource: Resource = CONFIG_MAPS) -> str:
        """Set the label that the index is about; the new resource version."""
        patch = {"metadata": {"labels": {COLOUR: colour}}}
        answer = await self.client.patch(resource, name, self.namespace, patch)
        return str(answer.json()["metadata"]["resourceVersion"])

    async def delete(self, *names: str, resource: Resource = CONFIG_MAPS) -> None:
        for name in names:
            await self.client.delete(resource, name, self.namespace, grace_period=0)

    async def change(self, *names: str, resource: Resource = CONFIG_MAPS) -> None:
        """One of each: of five objects the first is deleted, the second painted, the third made anew; two are new."""
        await self.delete(names[0], resource=resource)
        await self.paint(names[1], "red.blue", resource)
        await self.delete(names[2], resource=resource)
        await self.create(names[2], f"{names[0]}-new", resource=resource)

    async def served(self, resource: Resource, namespace: str) -> dict[str, Json]:
        """What the API server has, by key."""
        answer = (await self.client.list(resource, namespace)).json()
        head = {"kind": resource.kind, "apiVersion": resource.api_version}
        items = [head | item for item in answer["items"] or ()]
        return {msgspec.convert(item, Object).key: item for item in items}

    async def equal(self, *followed: Followed, within: float = 20.0, restored: bool = False) -> None:
        """Wait until stores and handlers have what the API server has; then everything about them must be right.

        `restored`: objects may have gone back to older versions.
        """
        for each in followed:
            await self._equal(each, within)
            assert restored or each.ledger.went_back == []

    async def _equal(self, followed: Followed, within: float) -> None:
        difference = "the API server cannot be asked"
        served: dict[str, Json] = {}

        async def same() -> bool:
            nonlocal difference, served
            try:
                served = await self.served(followed.informer.resource, followed.namespace)
            except InformerdError as error:
                difference = str(error)
                return False
            wanted = {
                key: (item["metadata"]["uid"], item["metadata"]["resourceVersion"]) for key, item in served.items()
            }
            difference = _difference("store", wanted, followed.stored())
            difference = difference or _difference("handler", wanted, followed.ledger.objects)
            return not difference

        try:
            await eventually(same, within=within)
        except AssertionError:
            health = followed.informer.health()
            raise AssertionError(f"not equal within {within:g} s: {difference}; {health}") from None
        assert followed.ledger.faults == []
        followed.check_indexes()
        for obj in followed.informer.store:
            assert obj.full() == served[obj.key]


def _made(resource: Resource, name: str, namespace: str) -> Json:
    """A small object of that kind."""
    obj: Json = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": name}}
    if resource is PODS:
        obj["spec"] = {"containers": [{"name": "main", "image": "registry.example/main:1"}]}
    elif resource is EVENTS:
        obj["involvedObject"] = {"kind": "Pod", "namespace": namespace, "name": name}
    return obj


def _difference(who: str, wanted: dict[str, Identity], has: dict[str, Identity]) -> str:
    keys = [key for key in {**wanted, **has} if wanted.get(key) != has.get(key)]
    shown = [f"{key}: {has.get(key)} for {wanted.get(key)}" for key in sorted(keys)[:3]]
    return f"the {who} differs in {len(keys)} of {len(wanted)}: {'; '.join(shown)}" if keys else ""


@asynccontextmanager
async def rigged(controlplane: ControlPlane, user: str = "admin") -> AsyncIterator[Rig]:
    """A rig on that API server, with everything that it started ended."""
    async with Client(load_kubeconfig(controlplane.kubeconfig_of(user))) as client:
        namespace = f"faults-{uuid4().hex[:8]}"
        await client.create(NAMESPACES, {"metadata": {"name": namespace}})
        rig = Rig(controlplane, client, namespace)
        try:
            yield rig
        finally:
            await rig.stop()
