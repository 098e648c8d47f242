"""An attempt: one call of a reconcile function, held to its time and its form, and what an error of it means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from informerd.cache.handler import name_of
from informerd.clock import Clock, within
from informerd.controller.counters import Outcome
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InformerdError, InvalidReconcile, ReconcileTimeout, TerminalError

Reconcile = Callable[[Request], Awaitable[Result | None]]
"""Makes the world as the object of that name asks for, looking into caches only now, as often as it is called."""

PANICS = (
    TypeError, AttributeError, NameError, LookupError, AssertionError, ArithmeticError, RecursionError,
    NotImplementedError, ImportError, SyntaxError, MemoryError,
)  # fmt: skip
"""What Python raises where Go would panic: the program is wrong. Whatever derives from InformerdError is none."""


class Attempt:
    """Calls a reconcile function. Where no time-out is asked for, that costs no task."""

    def __init__(self, function: Reconcile, *, controller: str, timeout: float | None, clock: Clock) -> None:
        self._function = function
        self._controller = controller
        self._timeout = timeout
        self._clock = clock

    async def __call__(self, request: Request) -> Result | None:
        """What it gives. Raises what it raises, ReconcileTimeout and InvalidReconcile."""
        awaitable = self._function(request)
        if not isawaitable(awaitable):
            raise InvalidReconcile(
                f"the reconcile {name_of(self._function)} of the controller {self._controller} gave {awaitable!r}, "
                "which cannot be awaited: write it with `async def`, and without `yield`"
            )
        result = await (awaitable if self._timeout is None else self._in_time(awaitable, self._timeout))
        if result is None or isinstance(result, Result):
            return result
        raise InvalidReconcile(
            f"the reconcile {name_of(self._function)} of the controller {self._controller} gave {result!r}: "
            "return None, or Result(requeue_after=seconds)"
        )

    async def _in_time(self, awaitable: Awaitable[Any], timeout: float) -> Any:
        began = self._clock.now()
        try:
            async with within(timeout, self._clock):
                return await awaitable
        except TimeoutError as error:
            if self._clock.now() - began < timeout:
                raise  # a time-out of its own
            raise ReconcileTimeout(f"not done within {timeout:g} s, and cancelled") from error


def outcome_of(error: BaseException) -> Outcome:
    """What an error that a reconcile raised means."""
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
    """Raises InvalidReconcile for what cannot be called. Whether it is async shows when it is called."""
    if not callable(function):
        raise InvalidReconcile(f"{function!r} is no function: a reconcile is `async def reconcile(request)`")
