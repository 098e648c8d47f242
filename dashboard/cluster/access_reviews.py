"""What may be done with the account that everything is written with, as the API server itself says.

Whoever renders a page never waits for it: what is not known yet is offered, and the page is drawn anew once it is. The
API server judges each write in any case.

Source: the API's SelfSubjectAccessReview, which asks all of a cluster's authorizers, not RBAC alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from weakref import WeakSet

from dashboard.live.tasks import cancelled
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

PATIENCE = 3.0
"""Seconds for one question; then a button is offered, and the API server says no where it has to."""
KEPT = 30.0
"""Seconds that an answer is taken for granted where a page is only drawn."""
ASKED_AGAIN = 10.0
"""Seconds after which an open page looks whether what the account may do is still known."""
MOST = 5_000
"""Answers that are kept."""
AT_ONCE = 8
"""Questions at a time for pages that are only drawn; a page that waits for its answer asks at once."""
_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectaccessreviews",
    kind="SelfSubjectAccessReview",
    namespaced=False,
)


@dataclass(frozen=True, slots=True)
class Right:
    """To do something to one object, or with no name to every one of its kind and namespace; no namespace: of all."""

    verb: str
    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


async def denial(client: Client, right: Right) -> str:
    """Why it may not be done, as a sentence; empty where it may, or where nobody could tell within PATIENCE seconds."""
    resource = right.resource
    attributes = {
        "verb": right.verb,
        "group": resource.group,
        "resource": resource.plural,
        "subresource": right.subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    review = {
        "apiVersion": _REVIEWS.api_version,
        "kind": _REVIEWS.kind,
        "spec": {"resourceAttributes": {name: value for name, value in attributes.items() if value}},
    }
    try:
        async with asyncio.timeout(PATIENCE):
            status = (await client.create(_REVIEWS, review)).object().get("status") or {}
    except (InformerdError, TimeoutError):
        return ""
    if status.get("allowed") is not False:
        return ""
    what = f"{resource.key}/{right.subresource}" if right.subresource else resource.key
    where = f" in namespace {right.namespace}" if right.namespace else ""
    reason = f" The cluster says: {status['reason']}" if status.get("reason") else ""
    return f"The cluster's access rules do not let Deltaboard's account {right.verb} {what}{where}.{reason}"


class Listener(Protocol):
    """Who shows an answer."""

    def rights_changed(self) -> None:
        """An answer that was shown is another now."""


Denied = Callable[[Right, Listener], str]
"""See Rights.denied."""


def offered(right: Right, listener: Listener) -> str:  # noqa: ARG001
    """Everything, where nobody can be asked."""
    return ""


@dataclass(slots=True, eq=False)
class _Answer:
    words: str = ""
    until: float = 0.0
    waiting: bool = False
    """Whether it is to be asked for as soon as fewer than AT_ONCE are."""
    asking: asyncio.Task[None] | None = None
    listeners: WeakSet[Listener] = field(default_factory=WeakSet)


class Rights:
    """Answers of the API server, each kept for a short time and asked for once, however many want to know.

    `stop` ends what is being asked; after it `denied` says what is known and asks no more.
    """

    def __init__(self, clock: Clock, client: Callable[[], Client | None]) -> None:
        self._clock = clock
        self._client = client
        self._answers: dict[Right, _Answer] = {}
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    def denied(self, right: Right, listener: Listener) -> str:
        """Why it may not be done as far as is known, without waiting; it is asked for anew where that is KEPT old.

        `listener` is told of every change from here on, whoever asks; it is kept weakly.
        """
        answer = self._answer(right)
        answer.listeners.add(listener)
        if not (answer.waiting or self._stopped or self._known(answer)):
            answer.waiting = True
            self._begin(self._refreshed(right, answer), right)
        return answer.words

    async def denial(self, right: Right) -> str:
        """Why it may not be done: a yes may be KEPT seconds old, a no is asked for again."""
        answer = self._answer(right)
        if answer.words or not self._known(answer):
            await self._asked(right, answer)
        return answer.words

    async def stop(self) -> None:
        self._stopped = True
        await cancelled(list(self._tasks))

    def _known(self, answer: _Answer) -> bool:
        return answer.until > self._clock.now()

    def _answer(self, right: Right) -> _Answer:
        if right not in self._answers and len(self._answers) >= MOST:
            self._make_room()
        return self._answers.setdefault(right, _Answer())

    def _make_room(self) -> None:
        """Drop the older half. Who shows one of them asks for it again within a while, as a view does."""
        by_age = sorted(self._answers.items(), key=lambda each: each[1].until)
        older = by_age[: len(by_age) - MOST // 2]
        self._answers = dict([each for each in older if each[1].waiting or each[1].asking] + by_age[len(older) :])

    def _begin(self, work: Coroutine[Any, Any, None], right: Right) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=f"may {right.verb}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _refreshed(self, right: Right, answer: _Answer) -> None:
        """In its turn: many that are drawn at once do not keep the API server from those whom a page waits for."""
        try:
            async with self._gate:
                if not self._known(answer):
                    await self._asked(right, answer)
        finally:
            answer.waiting = False

    async def _asked(self, right: Right, answer: _Answer) -> None:
        """Wait for the answer to the question that is under way, or to a new one."""
        if answer.asking is None:
            answer.asking = self._begin(self._ask(right, answer), right)
        await asyncio.wait((answer.asking,))

    async def _ask(self, right: Right, answer: _Answer) -> None:
        """Of all of a kind first, an answer that their pages share; then of the one, which rules may name."""
        try:
            words = await self._words(right)
        finally:
            answer.asking = None
        changed = words != answer.words
        answer.words, answer.until = words, self._clock.now() + KEPT
        if changed:
            for listener in list(answer.listeners):
                listener.rights_changed()

    async def _words(self, right: Right) -> str:
        client, every = self._client(), replace(right, name="")
        if client is None:
            return ""
        if every != right:
            shared = self._answer(every)
            if not self._known(shared):
                await self._asked(every, shared)
            if not shared.words:
                return ""
        return await denial(client, right)
