"""Providers of one web process, and the threads in which they are asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dashboard.access.oidc.provider_client import ProviderClient, ProviderUnusable
from dashboard.runtime.app_state import Key
from dashboard.runtime.concurrency_limit import ConcurrencyLimit, Limits, Owners
from dashboard.runtime.oidc_issuers import Issuer
from informerd.clock import Clock

logger = logging.getLogger(__name__)

CALLS = Limits(8, 8)
"""Calls of providers at the same time: of one owner, for behind a proxy all who sign in are one address, and in all.
They hold up no page of people who are signed in.
"""
TIME_LIMIT = 30.0
"""Seconds for a call, which asks up to three times."""

T = TypeVar("T")


class Providers:
    """A client for each issuer."""

    def __init__(self, issuers: Iterable[Issuer], clock: Clock) -> None:
        self.clients = {issuer.name: ProviderClient(issuer, clock) for issuer in issuers}
        self._limit = ConcurrencyLimit(CALLS, clock)
        self._threads = ThreadPoolExecutor(CALLS.in_all, thread_name_prefix="sign-in")

    @property
    def issuers(self) -> tuple[Issuer, ...]:
        return tuple(client.issuer for client in self.clients.values())

    def title_of(self, name: str) -> str:
        """What people call an issuer; its name where it is no longer one."""
        client = self.clients.get(name)
        return client.issuer.title if client is not None else name

    async def check(self) -> None:
        """Ask each issuer for its configuration, and log what is wrong with it."""
        for client in self.clients.values():
            try:
                await asyncio.get_running_loop().run_in_executor(self._threads, client.configuration)
            except ProviderUnusable as error:
                logger.warning("nobody can sign in with %s now: %s", client.issuer.name, error)

    async def call(self, owners: Owners, work: Callable[[], T]) -> T:
        """The result of `work`, which may block. Raises LimitReached where no turn comes, TimeoutError after
        TIME_LIMIT.
        """
        async with self._limit.slot(owners), asyncio.timeout(TIME_LIMIT):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


PROVIDERS: Key[Providers] = Key("sign-in providers")
