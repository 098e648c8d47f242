"""Observer of a client's requests, which sees each before it is sent and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from informerd.rest.request import RestRequest

T = TypeVar("T")


class CallObserver(Protocol):
    """Is called in place of each request of a client, reads and streams included (see RestClient.observed_by)."""

    async def __call__(self, call: RestRequest, send: Callable[[], Awaitable[T]]) -> T:
        """The result of ``await send()``, which sends the request, with the client's retries, and raises its errors.

        An observer that raises CallRefused before it calls `send` has nothing sent.
        """
        ...
