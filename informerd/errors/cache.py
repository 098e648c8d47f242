"""Errors of informers and their stores."""

from __future__ import annotations

from collections.abc import Mapping

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
