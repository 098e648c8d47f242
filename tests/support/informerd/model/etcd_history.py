"""History of one kind in etcd: every version of every object, of which the older ones may be compacted."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

FIRST = 100
"""The version of an empty history."""


class Thing(NamedTuple):
    """A pod at one version."""

    key: str
    version: int
    uid: str
    namespace: str
    teams: str
    """The value of the label `teams`: names with dots between them."""
    json: bytes
    """As a watch sends it."""
    item: bytes
    """As a list does: without kind and apiVersion."""


State = dict[str, Thing]


class Change(NamedTuple):
    type: Literal["ADDED", "MODIFIED", "DELETED"]
    version: int
    thing: Thing


class History:
    """One version a write, also for writes to other kinds. `restore` begins another epoch, from an older version on."""

    def __init__(self) -> None:
        self.epochs: list[list[State]] = [[{}]]
        """For each epoch the state at each version from FIRST on."""
        self.compacted = FIRST
        """The oldest version that can still be read."""
        self.known: set[tuple[str, str, int, str]] = set()
        """Key, uid, version and teams of everything that has ever been."""
        self._changes: list[Change] = []
        self._uids = 0

    @property
    def version(self) -> int:
        """The newest version."""
        return FIRST + len(self.epochs[-1]) - 1

    @property
    def state(self) -> State:
        """The present objects by key. Do not change it."""
        return self.epochs[-1][-1]

    @property
    def epoch(self) -> int:
        """How often it has been restored."""
        return len(self.epochs) - 1

    def at(self, version: int) -> State:
        """The state at `version` of this epoch, compacted or not."""
        return self.epochs[-1][version - FIRST]

    def ever_at(self, version: int) -> list[State]:
        """The states that any epoch had at `version`."""
        return [states[version - FIRST] for states in self.epochs if FIRST <= version < FIRST + len(states)]

    def after(self, version: int, up_to: int) -> list[Change]:
        """What changed in this epoch after `version`, up to and including another version."""
        return [change for change in self._changes if version < change.version <= up_to]

    def put(self, key: str, teams: str) -> None:
        """Create or update."""
        old = self.state.get(key)
        if old is None:
            self._uids += 1
        thing = self._thing(key, old.uid if old else f"uid-{self._uids}", teams)
        self._changes.append(Change("MODIFIED" if old else "ADDED", thing.version, thing))
        self.epochs[-1].append({**self.state, key: thing})

    def delete(self, key: str) -> None:
        """Delete, where it is there. The event's object has the version of its deletion."""
        old = self.state.get(key)
        if old is not None:
            gone = self._thing(key, old.uid, old.teams)
            self._changes.append(Change("DELETED", gone.version, gone))
            self.epochs[-1].append({name: thing for name, thing in self.state.items() if name != key})

    def write_elsewhere(self) -> None:
        """A write to another kind: the version goes up, and nothing is seen of it but in bookmarks and lists."""
        self.epochs[-1].append(self.state)

    def compact(self, version: int) -> None:
        """Forget what was before `version`."""
        self.compacted = max(self.compacted, version)

    def restore(self, version: int) -> None:
        """Be again as at `version`: what came after it has never been, and its versions are given out again."""
        self.epochs.append(self.epochs[-1][: version - FIRST + 1])
        self._changes = [change for change in self._changes if change.version <= version]

    def _thing(self, key: str, uid: str, teams: str) -> Thing:
        version = self.version + 1
        self.known.add((key, uid, version, teams))
        namespace, name = key.split("/")
        metadata = {
            "name": name,
            "namespace": namespace,
            "uid": uid,
            "resourceVersion": str(version),
            "labels": {"teams": teams},
        }
        bare = msgspec.json.encode({"metadata": metadata, "spec": {"nodeName": f"n{version}"}})
        return Thing(key, version, uid, namespace, teams, b'{"kind":"Pod","apiVersion":"v1",' + bare[1:], bare)
