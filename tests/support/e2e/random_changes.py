"""Writer of random changes to the cluster, single or at a rate, which records them in a history."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.controlplane import ControlPlane
from tests.support.e2e.cluster_history import History, Json, Step, is_leaving, leaving, version
from tests.support.e2e.pods_and_mydemos import crashing, mydemo, mydemos, pod, pods, running

PODS, MYDEMOS = "pods", "mydemos.crddemo.k8s.io"
COLLECTIONS: dict[str, Callable[..., str]] = {PODS: pods, MYDEMOS: mydemos}
FLOOR = 3
"""Objects of a kind that are always left once there have been so many: what `some` changes, and one that goes."""


class Changes:
    """The only writer of pods and mydemos in a namespace; everything it does is in `history`, in order."""

    def __init__(self, controlplane: ControlPlane, namespace: str, *, seed: int = 1) -> None:
        self.history = History()
        self.namespace = namespace
        self.kept: set[str] = set()
        """Names of objects that `one` never deletes."""
        self._controlplane = controlplane
        self._random = random.Random(seed)
        self._number = 0

    def create(self, kind: str, name: str) -> None:
        """Create an object, and record it."""
        body = pod(name, app="web") if kind == PODS else mydemo(name)
        self._do(kind, name, lambda: self._controlplane.create(self._path(kind), body))

    def change(self, kind: str, name: str) -> None:
        """A pod runs or crashes, with another number of restarts; a mydemo gets another port."""
        draw = self._random
        if kind == MYDEMOS:
            patch = {"spec": {"port": draw.randint(1024, 65000)}}
            self._do(kind, name, lambda: self._controlplane.patch(self._path(kind, name), patch))
            return
        restarts = draw.randint(0, 9)
        status = crashing(restarts) if draw.random() < 0.3 else running(restarts=restarts)
        path = f"{self._path(kind, name)}/status"
        self._do(kind, name, lambda: self._controlplane.patch(path, status, "strategic"))

    def delete(self, kind: str, name: str) -> None:
        """Delete the object, which is gone with the response."""
        before, last = time.time(), self.history.now(kind)[name]
        self._controlplane.delete(self._path(kind, name))
        after = time.time()
        if kind == PODS:
            self.history.wrote(kind, Step(before, after, name, leaving(last)))
        self.history.wrote(kind, Step(before, after, name, None))

    def some(self) -> None:
        """What a fault has to meet: of each kind one comes, two change, one goes. What that needs is made first."""
        for kind in COLLECTIONS:
            while len(names := sorted(self.history.now(kind))) < FLOOR:
                self.create(kind, self._new_name(kind))
            self.create(kind, self._new_name(kind))
            for name in self._random.sample(names, 2):
                self.change(kind, name)
            self.delete(kind, self._random.choice(names))

    def fill(self, number: int) -> None:
        """So many pods, half of them changed once, and a fifth as many mydemos."""
        for count in range(number):
            name = self._new_name(PODS)
            self.create(PODS, name)
            if count % 2:
                self.change(PODS, name)
        for _ in range(number // 5):
            self.create(MYDEMOS, self._new_name(MYDEMOS))

    def one(self) -> None:
        """One change by chance; in the long run as many objects come as go, and some are always there."""
        kind = PODS if self._random.random() < 0.7 else MYDEMOS
        names = sorted(self.history.now(kind))
        chance = self._random.random()
        if chance < 0.15 or not names:
            self.create(kind, self._free_name(kind, names))
        elif chance < 0.3 and len(names) > FLOOR and (spare := [name for name in names if name not in self.kept]):
            self.delete(kind, self._random.choice(spare))
        else:
            self.change(kind, self._random.choice(names))

    @contextmanager
    def going_on(self, rate: float) -> Iterator[None]:
        """`rate` changes a second in a thread of their own while the block lasts; what failed there is raised here."""
        ending = threading.Event()
        failed: list[BaseException] = []

        def go_on() -> None:
            due = time.monotonic()
            try:
                while not ending.wait(max(0.0, due - time.monotonic())):
                    self.one()
                    due += 1 / rate
            except BaseException as error:  # noqa: BLE001 - whatever `make` raises is for the thread that waits
                failed.append(error)

        thread = threading.Thread(target=go_on, name="changes")
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()
        for error in failed:
            raise error

    def clear(self) -> None:
        """Delete what is left, for tests after this one that count the whole cluster's objects."""
        for kind in COLLECTIONS:
            for name in sorted(self.history.now(kind)):
                self.delete(kind, name)

    def confirm(self) -> None:
        """Check the history against the API server: its last state equals the list at the version of the last write."""
        for kind in COLLECTIONS:
            number, newest = self._last_written(kind)
            if not number:
                continue
            query = f"?resourceVersion={newest}&resourceVersionMatch=Exact"
            listed = self._controlplane.get(self._path(kind) + query)
            expected = {name: version(each) for name, each in self.history.at(kind, number).items()}
            found = {item["metadata"]["name"]: version(item) for item in listed["items"]}
            differing = {name: (found.get(name), expected.get(name)) for name in found.keys() | expected.keys()}
            wrong = {name: both for name, both in differing.items() if both[0] != both[1]}
            assert not wrong, f"listed and written of {kind} at {newest}: {wrong}"

    def _last_written(self, kind: str) -> tuple[int, int]:
        """The state after the last write that gave an object a version of its own, and that version.

        A deletion names none, and a patch that changes nothing names an old one.
        """
        last = (0, 0)
        for number, step in enumerate(list(self.history.steps.get(kind, ())), 1):
            if step.obj is not None and not is_leaving(step.obj) and int(version(step.obj)) > last[1]:
                last = (number, int(version(step.obj)))
        return last

    def _do(self, kind: str, name: str, call: Callable[[], Json]) -> None:
        before = time.time()
        answer = call()
        self.history.wrote(kind, Step(before, time.time(), name, answer))

    def _new_name(self, kind: str) -> str:
        self._number += 1
        return f"{'pod' if kind == PODS else 'demo'}-{self._number:05d}"

    def _free_name(self, kind: str, taken: list[str]) -> str:
        """Mostly one that was taken before."""
        before = {step.name for step in self.history.steps.get(kind, ())}.difference(taken)
        return self._random.choice(sorted(before)) if before and self._random.random() < 0.7 else self._new_name(kind)

    def _path(self, kind: str, name: str = "") -> str:
        return COLLECTIONS[kind](self.namespace, name)
