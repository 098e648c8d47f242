"""Invariants of an informer, derived from its API server's history and checked whenever the store changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from informerd.cache.shared_informer import SharedInformer
from informerd.objects import Object
from tests.support.informerd.model.api_server import ModelServer
from tests.support.informerd.model.checking_handler import FoldingHandler, Identity, Injected, identity
from tests.support.informerd.model.etcd_history import State

BAD_TEAMS = "raises"
"""Teams of an object on which the index function raises."""


def by_team(obj: Object) -> Iterable[str]:
    """An index with several values an object."""
    return teams_of(obj.metadata.labels["teams"])


def teams_of(label: str) -> list[str]:
    """What `by_team` is to give for a label. Raises Injected for BAD_TEAMS."""
    if label == BAD_TEAMS:
        raise Injected
    return [team for team in label.split(".") if team]


def is_in(team: str, label: str) -> bool:
    """Whether a handler for `team` is to be told of objects with this label; the empty team is everybody's."""
    return not team or (label != BAD_TEAMS and team in teams_of(label))


class Oracle:
    """Knows the informer and the server, and says what is wrong between the two."""

    def __init__(self, informer: SharedInformer[Object], server: ModelServer) -> None:
        self.handlers: dict[FoldingHandler, str] = {}
        """Those that have not been removed, with the team for which each one is."""
        self.waits: list[tuple[int, int]] = []
        """Versions waited for, in which epoch, and not there yet."""
        self.undisturbed = True
        """Nothing has happened that a watch could not tell: there is no reason for a second list."""
        self.teams_indexed = False
        self._informer = informer
        self._server = server
        self._before: dict[FoldingHandler, dict[str, Identity] | None] = {}
        self._synced: set[FoldingHandler] = set()
        self._versions = {"store": "", "reflector": ""}
        self._lists = {"store": 0, "reflector": 0}

    def expect(self, handler: FoldingHandler, team: str) -> None:
        """A handler is about to be added."""
        held = {obj.key: identity(obj) for obj in self._informer.store if is_in(team, obj.metadata.labels["teams"])}
        self._before[handler] = held if self._informer.has_synced else None
        self.handlers[handler] = team

    def look(self) -> Iterator[str]:
        """What is wrong now. To be called at each turn of the loop."""
        store = self._informer.store
        if store.resource_version != self._versions["store"]:
            yield from self._version("store", store.resource_version)
            yield from self._store()
            yield from self.indexes()
        if self._informer.last_resource_version != self._versions["reflector"]:
            yield from self._version("reflector", self._informer.last_resource_version)
        for handler in self.handlers:
            if handler not in self._synced and handler.registration is not None and handler.registration.has_synced:
                self._synced.add(handler)
                yield from self._sync(handler)
        if self.undisturbed and len(self._server.listed) > 1:
            yield f"a second list without a reason: {self._server.requests}"

    def differences(self) -> Iterator[str]:
        """What is not, or not yet, as it must be when all is quiet."""
        state = self._server.history.state
        held = {obj.key: identity(obj) for obj in self._informer.store}
        if held != identities(state):
            yield f"the store has {held}, the API server {identities(state)}"
        for handler in self.handlers:
            if handler.fold != (wanted := self._wanted(handler, state)):
                yield f"{handler!r} was told {handler.fold}, the API server has {wanted}"
            if handler not in self._synced:
                yield f"{handler!r} has not synced"
            if handler.registration is not None and handler.raised != handler.registration.failures:
                yield f"{handler!r} raised {handler.raised} times, counted are {handler.registration.failures}"
        for version, epoch in self.waits:
            if version <= self._server.history.version and epoch == self._server.history.epoch:
                yield f"the wait for {version} is not over at {self._informer.store.resource_version}"

    def copies(self) -> Iterator[str]:
        """Objects whose whole copy is not what the API server sent."""
        state = self._server.history.state
        for obj in self._informer.store:
            if obj.full() != msgspec.json.decode(state[obj.key].json):
                yield f"{obj.key} is kept as {obj.full()}, not {state[obj.key].json!r}"

    def indexes(self) -> Iterator[str]:
        """Indexes that are not what computing them anew gives."""
        store = self._informer.store
        wanted: dict[str, dict[str, set[str]]] = {"namespace": {}}
        if self.teams_indexed:
            wanted["teams"] = {}
        for obj in store:
            wanted["namespace"].setdefault(obj.metadata.namespace, set()).add(obj.key)
            label = obj.metadata.labels["teams"]
            for team in teams_of(label) if self.teams_indexed and label != BAD_TEAMS else ():
                wanted["teams"].setdefault(team, set()).add(obj.key)
        for name, keys in wanted.items():
            indexed = {value: set(store.index_keys(name, value)) for value in store.index_values(name)}
            if indexed != keys:
                yield f"the index {name} has {indexed} instead of {keys}"

    def _version(self, whose: str, version: str) -> Iterator[str]:
        before, lists = self._versions[whose], self._lists[whose]
        self._versions[whose], self._lists[whose] = version, len(self._server.listed)
        if before and version and int(version) < int(before) and len(self._server.listed) == lists:
            yield f"the {whose} went from version {before} back to {version} without a list"

    def _store(self) -> Iterator[str]:
        version = self._informer.store.resource_version
        held = {obj.key: identity(obj) for obj in self._informer.store}
        states: list[State] = self._server.history.ever_at(int(version)) if version else [{}]
        if not any(held == identities(state) for state in states):
            yield f"the store at {version!r} has {held}, the API server had {[identities(state) for state in states]}"

    def _sync(self, handler: FoldingHandler) -> Iterator[str]:
        if not self._informer.has_synced:
            yield f"{handler!r} has synced before the informer"
        before = self._before[handler]
        if before is not None and handler.initial != before:
            yield f"{handler!r} has synced with {handler.initial} instead of {before}"
        lists = (self._wanted(handler, state) for _, state in self._server.listed)
        if before is None and handler.initial not in lists:
            yield f"{handler!r} has synced with {handler.initial}, which was no list"

    def _wanted(self, handler: FoldingHandler, state: State) -> dict[str, Identity]:
        team = self.handlers[handler]
        return identities({key: thing for key, thing in state.items() if is_in(team, thing.teams)})


def identities(state: State) -> dict[str, Identity]:
    """The API server's objects, to be compared with an informer's."""
    return {key: (thing.key, thing.uid, thing.version, thing.teams) for key, thing in state.items()}
