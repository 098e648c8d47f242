"""What may be done with the account that everything is written with, as the API server itself says.

Whoever renders a page never waits for it: what is not known yet is offered, and the page is drawn anew once it is. The
API server judges each write in any case.

Source: the API's SelfSubjectAccessReview, which asks all of a cluster's authorizers, not RBAC alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dashboard.live.tasks import cancelled
from informerd.clock import Clock
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

PATIENCE = 3.0
"""Seconds for one question; then a button is offered, and the API server says no where it has to."""
KEPT = 30.0
"""Seconds that an answer is taken for granted where a page is only drawn."""
MOST = 5_000
"""Answers that are kept."""
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


Denied = Callable[[Right, Callable[[], None]], str]
"""See Rights.denied."""


def offered(right: Right, later: Callable[[], None]) -> str:  # noqa: ARG001
    """Everything, where nobody can be asked."""
    return ""


@dataclass(slots=True)
class _Answer:
    words: str = ""
    until: float = 0.0
    asking: bool = False
    later: list[Callable[[], None]] = field(default_factory=list)


class Rights:
    """Answers of the API server, each kept for a short time. `stop` ends what is being asked."""

    def __init__(self, clock: Clock, client: Callable[[], Client | None]) -> None:
        self._clock = clock
        self._client = client
        self._answers: dict[Right, _Answer] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def denied(self, right: Right, later: Callable[[], None]) -> str:
        """Why it may not be done as far as is known, without waiting; `later` is called once where that has changed."""
        answer = self._answer(right)
        if not answer.asking and answer.until <= self._clock.now():
            answer.asking = True
            task = asyncio.get_running_loop().create_task(self._refresh(right, answer), name=f"may {right.verb}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if answer.asking and later not in answer.later:
            answer.later.append(later)
        return answer.words

    async def denial(self, right: Right) -> str:
        """Why it may not be done: a yes may be KEPT seconds old, a no never is."""
        answer = self._answer(right)
        if answer.words or answer.until <= self._clock.now():
            await self._ask(right, answer)
        return answer.words

    async def stop(self) -> None:
        await cancelled(list(self._tasks))

    def _answer(self, right: Right) -> _Answer:
        if right not in self._answers and len(self._answers) >= MOST:
            self._answers = {each: kept for each, kept in self._answers.items() if kept.asking}
        return self._answers.setdefault(right, _Answer())

    async def _refresh(self, right: Right, answer: _Answer) -> None:
        before = answer.words
        try:
            await self._ask(right, answer)
        finally:
            answer.asking = False
            later, answer.later = answer.later, []
        if answer.words != before:
            for tell in later:
                tell()

    async def _ask(self, right: Right, answer: _Answer) -> None:
        """Of all of a kind first, an answer that their pages share; then of the one, which rules may name."""
        client, words = self._client(), ""
        if client is not None:
            every = replace(right, name="")
            shared = self._answer(every)
            if every == right or shared.until <= self._clock.now():
                shared.words = await denial(client, every)
                shared.until = self._clock.now() + KEPT
            words = await denial(client, right) if shared.words and every != right else shared.words
        answer.words, answer.until = words, self._clock.now() + KEPT
