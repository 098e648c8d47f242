"""Executor of database calls in threads, within a time limit, so that no request waits for an unreachable database."""

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
"""Time limit of one call in seconds."""
FAILURE_PAUSE = 5.0
"""Seconds after a failure in which calls fail at once."""

P = ParamSpec("P")
T = TypeVar("T")


class Unavailable(Exception):
    """The database cannot be used now; the message is the database's own."""


class DatabaseExecutor:
    """Runs calls on one of Django's databases. A failed call is not repeated.

    `content` names the stored data in log lines.
    """

    def __init__(
        self, clock: Clock, *, alias: str = "default", time_limit: float = TIME_LIMIT, content: str = "drafts"
    ) -> None:
        self._clock = clock
        self._alias = alias
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=content)
        self._keeps = content
        self._problem = ""
        self._until = 0.0

    async def ask(self, question: Callable[Concatenate[str, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `question`, which is called with the database's alias first. Raises Unavailable."""
        if self._problem and self._clock.now() < self._until:
            raise Unavailable(self._problem)
        call = partial(_closing, partial(question, self._alias, *args, **kwargs))
        try:
            async with asyncio.timeout(self._time_limit):
                answer = await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except (OperationalError, InterfaceError, TimeoutError) as error:
            raise Unavailable(self._failed(error)) from error
        except Error as error:  # of this question only, such as a value that is too long: others are asked
            logger.warning("a database call for %s failed: %s", self._keeps, error)
            raise Unavailable(" ".join(str(error).split())) from error
        if self._problem:
            self._problem = ""
            logger.info("the database answers again: %s are saved", self._keeps)
        return answer

    def _failed(self, error: Exception) -> str:
        words = " ".join(str(error).split()) or f"no answer within {self._time_limit:g} s"
        if not self._problem:
            logger.warning("the database cannot be used, so no %s are saved: %s", self._keeps, words)
        self._problem, self._until = words, self._clock.now() + FAILURE_PAUSE
        return words


def _closing(question: Callable[[], T]) -> T:
    """Close connections that are old or broken; they belong to a thread."""
    try:
        return question()
    finally:
        close_old_connections()
