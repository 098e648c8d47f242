"""One call of a reconcile function, with its time limit, the check of its result, and the meaning of its errors."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable, signature
from types import CoroutineType
from typing import Any

from informerd.cache.handler import name_of
from informerd.clock import Clock, within
from informerd.controller.blocking_detector import BlockingDetector
from informerd.controller.counters import Outcome
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InformerdError, InvalidReconcile, ReconcileTimeout, TerminalError
from informerd.log_throttle import LogThrottle, repeat_suffix

log = logging.getLogger(__name__)

BLOCKING_SECONDS = 0.5
"""Seconds for which a reconcile may block the event loop before a warning is logged."""

Reconcile = Callable[[Request], Awaitable[Result | None]]
"""Async function that makes the world as the object of that name asks for. It may be called any number of times."""

PANICS = (
    TypeError, AttributeError, NameError, LookupError, AssertionError, ArithmeticError, RecursionError,
    NotImplementedError, ImportError, SyntaxError, MemoryError,
)  # fmt: skip
"""Exceptions where Go would panic: the program is wrong. Subclasses of InformerdError are not among them."""


class ReconcileCall:
    """Calls a reconcile function. Where no time-out is asked for, that costs no task."""

    def __init__(self, function: Reconcile, *, controller: str, timeout: float | None, clock: Clock) -> None:
        self._function = function
        self._controller = controller
        self._timeout = timeout
        self._clock = clock
        self._repeats = LogThrottle(clock)

    async def __call__(self, request: Request) -> Result | None:
        """The result of the reconcile. Raises what it raises, ReconcileTimeout and InvalidReconcile."""
        awaitable: Any = self._function(request)
        if not isawaitable(awaitable):
            raise InvalidReconcile(
                f"the reconcile {name_of(self._function)} of the controller {self._controller} returned {awaitable!r}, "
                "which cannot be awaited: write it with `async def`, and without `yield`"
            )
        steps: BlockingDetector[Any] | None = None
        if isinstance(awaitable, CoroutineType):
            awaitable = steps = BlockingDetector(awaitable, self._clock.now)
        try:
            result = await (awaitable if self._timeout is None else self._in_time(awaitable, self._timeout))
        finally:
            if steps is not None and steps.longest_step >= BLOCKING_SECONDS:
                self._say_blocked(request, steps.longest_step)
        if result is None or isinstance(result, Result):
            return result
        raise InvalidReconcile(
            f"the reconcile {name_of(self._function)} of the controller {self._controller} returned {result!r}: "
            "return None, or Result(requeue_after=seconds)"
        )

    def _say_blocked(self, request: Request, seconds: float) -> None:
        if number := self._repeats.count("blocked"):
            name = name_of(self._function)
            fields = {"controller": self._controller, "object": request.key, "seconds": seconds, "failures": number}
            text = (
                "the reconcile %s of the controller %s held up the event loop for %.1f s on %s, and with it every "
                "informer: await what waits, or call it with asyncio.to_thread%s"
            )
            log.warning(text, name, self._controller, seconds, request.key, repeat_suffix(number), extra=fields)

    async def _in_time(self, awaitable: Awaitable[Any], timeout: float) -> Any:
        began = self._clock.now()
        try:
            async with within(timeout, self._clock):
                return await awaitable
        except TimeoutError as error:
            if self._clock.now() - began < timeout:
                raise  # a time-out of its own
            raise ReconcileTimeout(f"not done within {timeout:g} s, so it was cancelled") from error


def outcome_of(error: BaseException) -> Outcome:
    """The Outcome of an error that a reconcile raised."""
    if is_terminal(error):
        return "terminal"
    if isinstance(error, ReconcileTimeout):
        return "timeout"
    if isinstance(error, InvalidReconcile):
        return "panic"
    if isinstance(error, PANICS) and not isinstance(error, InformerdError):
        return "panic"
    return "error" if isinstance(error, Exception) else "panic"


def is_terminal(error: BaseException) -> bool:
    """Whether it is a TerminalError or has one among its causes; a group of errors, whether all of it is."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, TerminalError):
            return True
        if isinstance(cause, BaseExceptionGroup):
            return all(is_terminal(each) for each in cause.exceptions)
        seen.add(id(cause))
        cause = cause.__cause__
    return False


def check_reconcile(function: object) -> None:
    """Raises InvalidReconcile where it cannot be called with a request. Whether it is async shows when it is called."""
    if not callable(function):
        raise InvalidReconcile(f"{function!r} is not a function: a reconcile is `async def reconcile(request)`")
    try:
        form = signature(function)
    except (TypeError, ValueError):  # written in C: nobody knows
        return
    try:
        form.bind(None)
    except TypeError as error:
        raise InvalidReconcile(
            f"{name_of(function)}{form} cannot be called with a request alone ({error}): "
            "a reconcile is `async def reconcile(request)`"
        ) from None
