"""Errors of informers and their stores."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from informerd.errors.base import InformerdError


class AlreadyStarted(InformerdError):
    """Something that must be set up before an informer starts came after it."""


class InformerExists(InformerdError):
    """The factory has an informer of that resource already, with another projection or transform."""


class InformerStopped(InformerdError):
    """The informer has stopped and accepts no handlers and no waiters."""


class NotSynced(InformerdError):
    """A store was read that has not held a first complete list; `pending` says which ones and why not."""

    def __init__(self, pending: Mapping[str, str], sentence: str = "not synced yet: {}") -> None:
        super().__init__(sentence.format("; ".join(f"{name} is {why}" for name, why in pending.items())))
        self.pending = pending


class CacheSyncTimeout(NotSynced, TimeoutError):
    """The time for which the sync was waited for has passed."""


class CacheMutated(InformerdError):
    """A reader changed objects of a store; `mutations` has a sentence for each."""

    def __init__(self, mutations: tuple[str, ...]) -> None:
        super().__init__("\n".join(mutations))
        self.mutations = mutations


class InsideEventLoop(InformerdError):
    """The blocking informers were used where an event loop runs, which they would stop."""

    def __init__(self) -> None:
        super().__init__(
            "an event loop runs in this thread, and waiting here would stop it: use the async SharedInformerFactory, "
            "`async with Client(config) as client, SharedInformerFactory(client) as factory`"
        )


class WatchEnded(InformerdError):
    """The API server ended a watch that nobody asked it to end yet; `resource_version` is where the next one goes on.

    It does so every few minutes, and where it restarts.
    """

    def __init__(self, resource: str, resource_version: str) -> None:
        goes_on = f"watch again from version {resource_version}" if resource_version else "watch again"
        super().__init__(f"the API server ended the watch of {resource}: {goes_on}, or use an informer, which does so")
        self.resource_version = resource_version


_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_MISSING = re.compile(r"^Object missing required field `(.*?)`")


class UnexpectedObject(InformerdError):
    """The API server sent an object of another kind, or one that the projection does not fit; says which and where."""


class Unreadable(msgspec.Struct, frozen=True):
    """One object that the API server has and this process cannot read, as it was when it came last."""

    key: str
    resource_version: str
    problem: str
    """Why, as a sentence."""
    since: float
    """Since when, in Unix seconds."""
    uid: str = ""


class UnreadableObject(UnexpectedObject):
    """The API server has the object, and nobody here can say what is in it: its JSON is nested too deeply, or broken.

    It says nothing of whether the object is what it was. `unreadable` has its key, version and the problem.
    """

    def __init__(self, resource: str, unreadable: Unreadable) -> None:
        super().__init__(f"{resource} {unreadable.key} cannot be read: {unreadable.problem}")
        self.resource = resource
        self.unreadable = unreadable
        self.key = unreadable.key
        self.problem = unreadable.problem


class ProjectionMismatch(UnexpectedObject):
    """A projection does not fit an object: its fields have their defaults there, all but the head.

    `key` is the object's, `field` the path of what does not fit, as far as it is known.
    """

    def __init__(self, projection: str, resource: str, key: str, problem: str) -> None:
        super().__init__(f"{projection} does not fit {resource} {key}: {problem}")
        self.projection = projection
        self.resource = resource
        self.key = key
        self.problem = problem
        self.field = _field_at_fault(problem)


def _field_at_fault(problem: str) -> str:
    """The field that a sentence of msgspec's names, as in: Expected `int`, got `str` - at `$.spec.port`."""
    place = _PLACE.search(problem)
    missing = _MISSING.search(problem)
    steps = [place[1]] if place and place[1] else []
    return ".".join([*steps, missing[1]] if missing else steps)
