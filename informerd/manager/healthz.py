"""Named health checks, and a probe's response from them (controller-runtime's healthz, apiserver's format)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from http import HTTPStatus
from inspect import isawaitable
from typing import Any, NamedTuple

from informerd.errors import InvalidCall

Check = Callable[[], Awaitable[Any] | Any]
"""Plain or async: raises where something is wrong, with what is; False says so too, without a word."""

CHECK_TIMEOUT = 5.0
"""Seconds that one check may take."""


class CheckResult(NamedTuple):
    """A probe's answer."""

    status: HTTPStatus
    text: str


class HealthChecks:
    """The checks of one endpoint, such as ``healthz``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._checks: dict[str, Check] = {}

    def add(self, name: str, check: Check) -> None:
        """Add a check. Raises InvalidCall for a name that exists or cannot be in a URL, and for a value that is no
        function.
        """
        if not name or "/" in name or not callable(check):
            raise InvalidCall(f"a check needs a name without slashes, and a function: not {name!r} and {check!r}")
        if name in self._checks:
            raise InvalidCall(f"{self.name} has a check {name!r} already")
        self._checks[name] = check

    async def run(self, *, only: str = "", exclude: Collection[str] = (), verbose: bool = False) -> CheckResult:
        """Run the checks that are not excluded, or `only` one; the messages of failed checks are always included."""
        if only and only not in self._checks:
            known = ", ".join(self._checks)
            return CheckResult(HTTPStatus.NOT_FOUND, f"there is no check {only!r}; there are {known}\n")
        wanted = {name: each for name, each in self._checks.items() if name not in exclude and only in ("", name)}
        problems = await asyncio.gather(*(_problem(check) for check in wanted.values()))
        failed = any(problems)
        if not failed and not verbose:
            return CheckResult(HTTPStatus.OK, "ok")
        lines = [
            f"[-]{name} failed: {problem}" if problem else f"[+]{name} ok"
            for name, problem in zip(wanted, problems, strict=True)
        ]
        lines += [f"[+]{name} excluded: ok" for name in self._checks if name in exclude and not only]
        lines.append(f"{self.name} check {'failed' if failed else 'passed'}")
        return CheckResult(HTTPStatus.INTERNAL_SERVER_ERROR if failed else HTTPStatus.OK, "\n".join(lines) + "\n")


async def _problem(check: Check) -> str:
    """What is wrong, or ""."""
    try:
        async with asyncio.timeout(CHECK_TIMEOUT):
            answer = check()
            if isawaitable(answer):
                answer = await answer
    except TimeoutError:
        return f"it has not answered within {CHECK_TIMEOUT:g} s"
    except Exception as error:  # noqa: BLE001 - a check that raises anything has failed
        return " ".join(str(error).split()) or type(error).__name__
    return "it said no" if answer is False else ""
