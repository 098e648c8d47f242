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
        self.quotas = Quotas({"checks": ONE, "forms": ONE, "exports": ONE, "pages": ONE}, self.clock)
        self.running: list[dict[str, Any]] = []
        self.end = asyncio.Event()

    async def request(self, method: str, path: str, **headers: str) -> dict[str, Any]:
        """The first message of the answer."""
        answers: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            answers.append(message)

        async def receive() -> dict[str, Any]:
            raise AssertionError("no body is read before the turn comes")

        state = AppState({QUOTAS: self.quotas})
        scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "client": None}
        scope["headers"] = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
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
        ("GET", "/resources/pods/", "pages"),
        ("GET", "/resources/pods/a/b/", "pages"),
        ("GET", "/new/", "pages"),
        ("GET", "/no/such/page/", "pages"),
        ("POST", "/theme/", "pages"),
        ("GET", "/resources/pods/a/b/do/evict/", "forms"),
        ("GET", "/resources/deployments.apps/a/b/do/scale/", "forms"),
        ("GET", "/resources/pods/a/b/delete/", "forms"),
        ("GET", "/static/css/page_bundle.css", None),
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
        ("GET", "/metrics", None),
        ("POST", "/nowhere", "forms"),
        ("POST", "/new/x.txt", "forms"),
        ("GET", "/nowhere.txt", "pages"),
        ("post", "/new/check/", "checks"),
    ],
)
def test_the_limit_of_a_request_follows_from_its_address(method: str, path: str, work: str | None) -> None:
    assert work_of({"type": "http", "method": method, "path": path}) == work


SCRIPT = {"sec_fetch_dest": "empty"}
PERSON = {"sec_fetch_dest": "document"}
HTMX = {"hx_request": "true", **SCRIPT}


async def second_of_two(pages: Pages, method: str, path: str, **headers: str) -> dict[str, Any]:
    """The answer to a request that waits for its turn until it is refused."""
    first = asyncio.create_task(pages.request(method, path))
    second = asyncio.create_task(pages.request(method, path, **headers))
    await run_ready_tasks()
    await pages.clock.advance(10.0)
    refusal = await second
    pages.end.set()
    assert (await first)["status"] == 200
    return refusal


@pytest.mark.parametrize(
    ("method", "path", "work", "headers"),
    [
        ("POST", "/new/check/", "checks", {}),
        ("POST", "/drafts/keep/", "forms", SCRIPT),
        ("POST", "/controllers/requeue/", "pages", HTMX),
        ("GET", "/resources/pods/", "pages", HTMX),
        ("GET", "/kinds/counts/", "pages", SCRIPT),
    ],
)
async def test_a_script_that_gets_no_turn_is_refused_with_a_time_to_try_again(
    method: str, path: str, work: str, headers: dict[str, str]
) -> None:
    pages = Pages()
    refusal = await second_of_two(pages, method, path, **headers)
    assert (refusal["status"], (b"retry-after", b"5") in refusal["headers"]) == (429, True)
    assert (pages.quotas.refused, len(pages.running)) == ({work: 1}, 1)


@pytest.mark.parametrize(
    ("method", "path", "keeps"),
    [("GET", "/resources/pods/", True), ("POST", "/drafts/keep/", True), ("POST", "/controllers/requeue/", False)],
)
async def test_htmx_leaves_a_page_as_it_is_unless_the_page_has_a_place_for_the_sentence(
    method: str, path: str, keeps: bool
) -> None:
    refusal = await second_of_two(Pages(), method, path, **SCRIPT)
    assert ((b"hx-reswap", b"none") in refusal["headers"]) == keeps


@pytest.mark.parametrize(
    ("method", "path", "work", "headers"),
    [
        ("POST", "/new/", "forms", {}),
        ("POST", "/resources/pods/a/b/do/evict/", "forms", HTMX),
        ("GET", "/resources/pods/export.csv", "exports", PERSON),
        ("GET", "/resources/pods/", "pages", PERSON),
    ],
)
async def test_a_person_who_gets_no_turn_gets_a_page_with_the_refusal(
    method: str, path: str, work: str, headers: dict[str, str]
) -> None:
    pages = Pages()
    await second_of_two(pages, method, path, **headers)
    assert [scope.get(REFUSAL_KEY) for scope in pages.running] == [None, work]


async def test_requests_take_turns_on_the_event_loop() -> None:
    happened: list[str] = []

    async def answer(scope: Any, _: Any, send: Any) -> None:
        for _ in range(3):
            happened.append("step")
            await asyncio.sleep(0)
        await send({"status": 200, "headers": []})

    pages = Pages()
    pages.quotas = Quotas({"checks": ONE, "forms": ONE, "exports": ONE, "pages": Limits(5, 5)}, pages.clock)
    pages._answer = answer  # type: ignore[method-assign]
    tasks = [asyncio.create_task(pages.request("GET", "/resources/pods/")) for _ in range(5)]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        happened.append(".")
    steps = "".join("x" if each == "step" else each for each in happened).split(".")
    assert (sum(map(len, steps)), max(map(len, steps))) == (15, 1)


async def test_an_address_without_a_view_is_refused_with_a_sentence() -> None:
    pages = Pages()
    refusal = await second_of_two(pages, "POST", "/new/x.txt", **PERSON)
    assert (refusal["status"], len(pages.running)) == (429, 1)


async def test_health_waits_behind_nothing() -> None:
    pages = Pages()
    tasks = [asyncio.create_task(pages.request("POST", "/new/check/")) for _ in range(5)]
    health = asyncio.create_task(pages.request("GET", "/healthz"))
    await run_ready_tasks()
    assert [scope["path"] for scope in pages.running] == ["/new/check/", "/healthz"]
    pages.end.set()
    await asyncio.gather(health, *tasks)
