"""Questions to the database in threads of their own, within a time limit: nothing waits for one that is away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from django.db import Error, InterfaceError, OperationalError, close_old_connections

from informerd.clock import Clock

logger = logging.getLogger(__name__)

THREADS = 2
TIME_LIMIT = 3.0
"""Seconds for one question."""
REST = 5.0
"""Seconds that nobody is kept waiting again after the database failed."""

P = ParamSpec("P")
T = TypeVar("T")


class Unavailable(Exception):
    """The database cannot be used just now; the message is its own."""


class Database:
    """Asks one of Django's databases. A question that failed is not asked again by itself.

    `keeps` is what the log says is kept there.
    """

    def __init__(
        self, clock: Clock, *, alias: str = "default", time_limit: float = TIME_LIMIT, keeps: str = "drafts"
    ) -> None:
        self._clock = clock
        self._alias = alias
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=keeps)
        self._keeps = keeps
        self._problem = ""
        self._until = 0.0

    async def ask(self, question: Callable[Concatenate[str, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `question` gives, called with the database's alias first. Raises Unavailable."""
        if self._problem and self._clock.now() < self._until:
            raise Unavailable(self._problem)
        asked = partial(_closing, partial(question, self._alias, *args, **kwargs))
        try:
            async with asyncio.timeout(self._time_limit):
                answer = await asyncio.get_running_loop().run_in_executor(self._threads, asked)
        except (OperationalError, InterfaceError, TimeoutError) as error:
            raise Unavailable(self._failed(error)) from error
        except Error as error:  # of this question only, such as a value that is too long: others are asked
            logger.warning("a question about %s failed: %s", self._keeps, error)
            raise Unavailable(" ".join(str(error).split())) from error
        if self._problem:
            self._problem = ""
            logger.info("the database answers again: %s are kept", self._keeps)
        return answer

    def _failed(self, error: Exception) -> str:
        words = " ".join(str(error).split()) or f"no answer within {self._time_limit:g} s"
        if not self._problem:
            logger.warning("the database cannot be used, so no %s are kept: %s", self._keeps, words)
        self._problem, self._until = words, self._clock.now() + REST
        return words


def _closing(question: Callable[[], T]) -> T:
    """Connections belong to a thread, and end there when they are old or broken."""
    try:
        return question()
    finally:
        close_old_connections()
