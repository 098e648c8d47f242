"""Tests of the concurrency limits of requests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.runtime.app_state import SCOPE_KEY, AppState
from dashboard.runtime.concurrency_limit import Limits
from dashboard.runtime.quotas import QUOTAS, Quotas
from dashboard.server.quota_refusal import REFUSAL_KEY
from dashboard.server.request_quotas import RequestQuotas, work_of
from tests.support.clock import FakeClock, run_ready_tasks

ONE = Limits(1, 1)


class Pages:
    """An application behind the limits, whose requests run until they are told to end."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.quotas = Quotas({"checks": ONE, "forms": ONE, "exports": ONE}, self.clock)
        self.running: list[dict[str, Any]] = []
        self.end = asyncio.Event()

    async def request(self, method: str, path: str) -> dict[str, Any]:
        """The first message of the answer."""
        answers: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            answers.append(message)

        async def receive() -> dict[str, Any]:
            raise AssertionError("no body is read before the turn comes")

        state = AppState({QUOTAS: self.quotas})
        scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": [], "client": None}
        scope[SCOPE_KEY] = state
        await RequestQuotas(self._answer)(scope, receive, send)
        return answers[0]

    async def _answer(self, scope: Any, _: Any, send: Any) -> None:
        self.running.append(scope)
        if REFUSAL_KEY not in scope:
            await self.end.wait()
        await send({"status": 200, "headers": []})


@pytest.mark.parametrize(
    ("method", "path", "work"),
    [
        ("POST", "/new/check/", "checks"),
        ("POST", "/resources/pods/a/b/edit/check/", "checks"),
        ("POST", "/resources/pods/a/b/edit/", "forms"),
        ("POST", "/new/", "forms"),
        ("POST", "/drafts/keep/", "forms"),
        ("GET", "/resources/pods/export.yaml", "exports"),
        ("POST", "/resources/pods/selected.csv", "exports"),
        ("GET", "/resources/pods/", None),
        ("GET", "/new/", None),
        ("POST", "/theme/", None),
        ("GET", "/healthz", None),
        ("POST", "/nowhere", None),
    ],
)
def test_the_limit_of_a_request_follows_from_its_address(method: str, path: str, work: str | None) -> None:
    assert work_of({"type": "http", "method": method, "path": path}) == work


@pytest.mark.parametrize(
    ("method", "path", "work"),
    [
        ("POST", "/new/check/", "checks"),
        ("GET", "/resources/pods/export.csv", "exports"),
    ],
)
async def test_what_gets_no_turn_is_refused_with_a_time_to_try_again(method: str, path: str, work: str) -> None:
    pages = Pages()
    first = asyncio.create_task(pages.request(method, path))
    second = asyncio.create_task(pages.request(method, path))
    await run_ready_tasks()
    await pages.clock.advance(10.0)
    refusal = await second
    assert (refusal["status"], (b"retry-after", b"5") in refusal["headers"]) == (429, True)
    assert pages.quotas.refused == {work: 1}
    pages.end.set()
    assert (await first)["status"] == 200


async def test_a_form_that_gets_no_turn_reaches_the_pages_with_its_refusal() -> None:
    pages = Pages()
    first = asyncio.create_task(pages.request("POST", "/new/"))
    second = asyncio.create_task(pages.request("POST", "/new/"))
    await run_ready_tasks()
    await pages.clock.advance(10.0)
    await second
    assert [scope.get(REFUSAL_KEY) for scope in pages.running] == [None, "forms"]
    pages.end.set()
    await first


async def test_health_waits_behind_nothing() -> None:
    pages = Pages()
    tasks = [asyncio.create_task(pages.request("POST", "/new/check/")) for _ in range(5)]
    health = asyncio.create_task(pages.request("GET", "/healthz"))
    await run_ready_tasks()
    assert [scope["path"] for scope in pages.running] == ["/new/check/", "/healthz"]
    pages.end.set()
    await asyncio.gather(health, *tasks)
