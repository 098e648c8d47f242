"""Permissions of the account or person that Deltaboard writes as, as the API server reports them.

Rendering a page never waits for an answer: an action whose permission is not known yet is offered, and the page is
rendered again once it is known. The API server checks each write in any case.

Source: the API's SelfSubjectAccessReview, which asks all authorizers of a cluster, not only RBAC.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from weakref import WeakSet

from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

REVIEW_TIMEOUT = 3.0
"""Seconds for one request; then a button is offered, and the API server refuses where it has to."""
CACHE_SECONDS = 30.0
"""Seconds that an answer is used where a page is only rendered."""
REFRESH_SECONDS = 10.0
"""Seconds after which an open page checks again what the account may do."""
MAX_CACHED = 5_000
"""Maximum number of cached answers."""
MAX_CONCURRENT = 8
"""Maximum number of concurrent requests for pages that are only rendered; a page that waits asks at once."""
ACCOUNT = "Deltaboard's account"
YOU = "you"
_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectaccessreviews",
    kind="SelfSubjectAccessReview",
    namespaced=False,
)


@dataclass(frozen=True, slots=True)
class ResourceAttributes:
    """An action on one object, or without a name on all objects of its kind and namespace; without a namespace:
    on all.
    """

    verb: str
    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    is_anywhere: bool = False
    """Whether it is about any namespace: where one of them allows it, it is allowed. Only known rules answer that."""


async def ask_denial(client: Client, access: ResourceAttributes, who: str = ACCOUNT) -> str:
    """Why the action is not allowed, as a sentence; empty where it is, or where no answer came within REVIEW_TIMEOUT
    seconds.
    """
    try:
        async with asyncio.timeout(REVIEW_TIMEOUT):
            status = await _review_status(client, access)
    except (InformerdError, TimeoutError):
        return ""
    if status.get("allowed") is not False:
        return ""
    return denial_text(access, who, str(status.get("reason") or ""))


async def is_allowed(client: Client, access: ResourceAttributes) -> bool:
    """Whether the action is allowed, for sure. Raises ApiError and Unreachable."""
    return (await _review_status(client, access)).get("allowed") is True


async def _review_status(client: Client, access: ResourceAttributes) -> dict[str, Any]:
    resource = access.resource
    attributes = {
        "verb": access.verb,
        "group": resource.group,
        "resource": resource.plural,
        "subresource": access.subresource,
        "namespace": access.namespace,
        "name": access.name,
    }
    review = {
        "apiVersion": _REVIEWS.api_version,
        "kind": _REVIEWS.kind,
        "spec": {"resourceAttributes": {name: value for name, value in attributes.items() if value}},
    }
    return (await client.create(_REVIEWS, review)).object().get("status") or {}


def denial_text(access: ResourceAttributes, who: str, reason: str = "") -> str:
    """The sentence of an action that is not allowed; `reason` are the API server's words."""
    what = f"{access.resource.key}/{access.subresource}" if access.subresource else access.resource.key
    where = (
        f" in namespace {access.namespace}" if access.namespace else " in any namespace" if access.is_anywhere else ""
    )
    said = f" The cluster says: {reason}" if reason else ""
    return f"The cluster's access rules do not let {who} {access.verb} {what}{where}.{said}"


class AccessListener(Protocol):
    """A view that shows an answer."""

    def access_changed(self) -> None:
        """An answer that was shown has changed."""


DenialLookup = Callable[[ResourceAttributes, AccessListener], str]
"""See AccessReviews.cached_denial."""


def allow_all(right: ResourceAttributes, listener: AccessListener) -> str:  # noqa: ARG001
    """Allows everything, where there is no API server to ask."""
    return ""


@dataclass(slots=True, eq=False)
class _Answer:
    words: str = ""
    expires_at: float = 0.0
    waiting: bool = False
    """Whether to ask as soon as fewer than MAX_CONCURRENT requests are running."""
    asking: asyncio.Task[None] | None = None
    listeners: WeakSet[AccessListener] = field(default_factory=WeakSet)


class AccessReviews:
    """Answers of the API server, each cached for a short time and requested once for all callers.

    `stop` ends the running requests; after it `cached_denial` returns what is known and asks no more.
    """

    def __init__(self, clock: Clock, client: Callable[[], Client | None], who: str = ACCOUNT) -> None:
        self._clock = clock
        self._who = who
        self._client = client
        self._answers: dict[ResourceAttributes, _Answer] = {}
        self._gate = asyncio.Semaphore(MAX_CONCURRENT)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    def cached_denial(self, access: ResourceAttributes, listener: AccessListener) -> str:
        """Why the action is not allowed as far as is known, without waiting; asks again where that is CACHE_SECONDS
        old.

        `listener` is called for every later change; it is referenced weakly.
        """
        if access.is_anywhere:
            return ""
        answer = self._answer(access)
        answer.listeners.add(listener)
        if not (answer.waiting or self._stopped or self._known(answer)):
            answer.waiting = True
            self._begin(self._refreshed(access, answer), access)
        return answer.words

    async def denial(self, access: ResourceAttributes) -> str:
        """Why the action is not allowed: a yes may be CACHE_SECONDS old, a no is requested again."""
        if access.is_anywhere:
            return ""
        answer = self._answer(access)
        if answer.words or not self._known(answer):
            await self._wait_for_answer(access, answer)
        return answer.words

    async def stop(self) -> None:
        self._stopped = True
        await cancel_all(list(self._tasks))

    def _known(self, answer: _Answer) -> bool:
        return answer.expires_at > self._clock.now()

    def _answer(self, right: ResourceAttributes) -> _Answer:
        if right not in self._answers and len(self._answers) >= MAX_CACHED:
            self._make_room()
        return self._answers.setdefault(right, _Answer())

    def _make_room(self) -> None:
        """Drop the older half. Views that show a dropped answer ask for it again within a while."""
        by_age = sorted(self._answers.items(), key=lambda each: each[1].expires_at)
        older = by_age[: len(by_age) - MAX_CACHED // 2]
        self._answers = dict([each for each in older if each[1].waiting or each[1].asking] + by_age[len(older) :])

    def _begin(self, work: Coroutine[Any, Any, None], right: ResourceAttributes) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=f"may {right.verb}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _refreshed(self, right: ResourceAttributes, answer: _Answer) -> None:
        """Ask in turn, so that many rendered views do not keep the API server from requests that a page waits for."""
        try:
            async with self._gate:
                if not self._known(answer):
                    await self._wait_for_answer(right, answer)
        finally:
            answer.waiting = False

    async def _wait_for_answer(self, right: ResourceAttributes, answer: _Answer) -> None:
        """Wait for the answer to the running request, or to a new one."""
        if answer.asking is None:
            answer.asking = self._begin(self._ask(right, answer), right)
        await asyncio.wait((answer.asking,))

    async def _ask(self, right: ResourceAttributes, answer: _Answer) -> None:
        """Ask for all objects of a kind first, an answer that their pages share; then for the one, which rules
        may name.
        """
        try:
            words = await self._words(right)
        finally:
            answer.asking = None
        changed = words != answer.words
        answer.words, answer.expires_at = words, self._clock.now() + CACHE_SECONDS
        if changed:
            for listener in list(answer.listeners):
                listener.access_changed()

    async def _words(self, right: ResourceAttributes) -> str:
        client, every = self._client(), replace(right, name="")
        if client is None:
            return ""
        if every != right:
            shared = self._answer(every)
            if not self._known(shared):
                await self._wait_for_answer(every, shared)
            if not shared.words:
                return ""
        return await ask_denial(client, right, self._who)


class AccessAnswers(Protocol):
    """What pages ask about permissions. See AccessReviews for the methods."""

    async def denial(self, access: ResourceAttributes) -> str: ...

    def cached_denial(self, access: ResourceAttributes, listener: AccessListener) -> str: ...


ACCESS_REVIEWS: Key[AccessAnswers] = Key("access reviews")
