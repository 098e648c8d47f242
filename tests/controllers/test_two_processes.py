"""The production form: workers of their own, Redis in between, a web process's board and link here."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from dashboard.controllers.link import ControllerLink
from dashboard.controllers.messages import Answer
from informerd.clock import SystemClock
from informerd.controller.state import ControllerState
from tests.program import Program
from tests.require import redis_url
from tests.wait import eventually

pytestmark = pytest.mark.redis


@pytest.fixture
def prefix() -> str:
    """Keeps this run's channels apart from every other's on the same Redis."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def new_worker(prefix: str, tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts workers; all are ended after the test."""
    programs: list[Program] = []
    env = {"REDIS_URL": redis_url(), "DELTABOARD_CHANNEL_PREFIX": prefix, "DELTABOARD_VAR": str(tmp_path)}

    def start(*arguments: str, **more: str) -> Program:
        programs.append(Program(*arguments, env={**env, **more}))
        return programs[-1].start()

    yield start
    for program in programs:
        program.__exit__()


@pytest.fixture
async def link(prefix: str) -> AsyncIterator[ControllerLink]:
    layer = RedisPubSubChannelLayer(hosts=[redis_url()], prefix=prefix)
    heard = ControllerLink(layer, SystemClock())
    running = asyncio.create_task(heard.run())
    yield heard
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await layer.flush()


def shown(link: ControllerLink) -> ControllerState | None:
    """The controller that a page would show first."""
    main = link.board.main
    return next(iter(main.report.manager.controllers), None) if main is not None and not main.silent else None


def failed_keys(link: ControllerLink) -> list[str]:
    state = shown(link)
    return [failed.key for failed in state.failed] if state is not None else []


async def test_a_poison_key_is_seen_requeued_and_gone_across_processes(
    link: ControllerLink, new_worker: Callable[..., Program], tmp_path: Path
) -> None:
    worker = new_worker("-m", "tests.controllers.sample", str(tmp_path))
    await eventually(lambda: failed_keys(link) == ["default/poison"], within=20, what=worker.output)
    (tmp_path / "poison").touch()
    answer = await link.requeue("sample", "default/poison", by="alice")
    assert answer is not None
    assert answer.done
    await eventually(lambda: failed_keys(link) == [], within=5)
    late = await link.requeue("sample", "default/poison")
    assert isinstance(late, Answer)
    assert "is not among the keys of sample that failed" in late.words

    worker.kill()
    await eventually(lambda: link.board.problem, within=5, what="silent")
    assert link.board.main is not None
    assert link.board.main.silent
    assert await link.requeue("sample", "default/poison") is None
