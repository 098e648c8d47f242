"""Tests of the functions that are taken as a reconcile, and of the results that they may give; others are refused with
what to do.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from informerd.controller.controller import Controller
from informerd.controller.request import Request
from informerd.controller.result import Result
from informerd.errors import InvalidCall, InvalidReconcile
from tests.support.clock import FakeClock, run_ready_tasks
from tests.support.informerd.controller_rig import A, running


@pytest.mark.parametrize("wrong", ["soon", float("nan"), float("inf"), [3]], ids=repr)
def test_a_result_with_seconds_that_are_none_is_refused_where_it_is_made(wrong: Any) -> None:
    with pytest.raises(InvalidCall, match="give seconds as a number, or None for not at all"):
        Result(requeue_after=wrong)


def test_a_result_with_a_priority_that_is_none_is_refused_where_it_is_made() -> None:
    with pytest.raises(InvalidCall, match="give a whole number"):
        Result(priority="high")  # type: ignore[arg-type]


class Awaited:
    """No coroutine, but it can be awaited."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return Result(requeue_after=7)


async def test_whatever_can_be_awaited_is_a_reconcile(clock: FakeClock) -> None:
    async with running(lambda _: Awaited(), clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert controller.state().reconciles == {"requeue_after": 1}


def plain(request: Request) -> None:
    """No async function."""


async def generator(request: Request) -> Any:
    yield request


async def nonsense(request: Request) -> Any:
    return {"requeue": True}


@pytest.mark.parametrize(
    ("reconcile", "sentence"),
    [
        (
            plain,
            "the reconcile plain of the controller demo returned None, which cannot be awaited: write it with `async",
        ),
        (generator, "which cannot be awaited: write it with `async def`, and without `yield`"),
        (nonsense, "returned {'requeue': True}: return None, or Result(requeue_after=seconds)"),
    ],
)
async def test_a_reconcile_that_gives_nonsense_is_a_typed_error_that_says_what_to_do(
    clock: FakeClock, caplog: pytest.LogCaptureFixture, reconcile: Any, sentence: str
) -> None:
    async with running(reconcile, clock) as controller:
        controller.requeue(A)
        await run_ready_tasks()
        assert controller.phase == "running"
        (failed,) = controller.state().failed
        assert failed.error.startswith("InvalidReconcile: ")
        assert sentence in failed.error
        assert sentence in caplog.text
        assert controller.state().reconciles == {"panic": 1}


@pytest.mark.parametrize("reconcile", [None, "reconcile", 5])
def test_what_cannot_be_called_is_refused_where_the_controller_is_made(reconcile: Any) -> None:
    with pytest.raises(InvalidReconcile, match="`async def reconcile"):
        Controller("demo", reconcile)


async def takes_nothing() -> None: ...


async def takes_two(kind: str, request: Request) -> None: ...


@pytest.mark.parametrize("reconcile", [takes_nothing, takes_two])
def test_what_takes_no_request_is_refused_where_the_controller_is_made(reconcile: Any) -> None:
    with pytest.raises(InvalidReconcile, match=f"{reconcile.__name__}.* cannot be called with a request alone"):
        Controller("demo", reconcile)
    Controller("demo", partial(takes_two, "pods"))
