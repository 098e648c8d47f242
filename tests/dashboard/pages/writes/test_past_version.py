"""Tests of versions from history with which an editor starts: what is restored, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.access.rights import RIGHTS, UNLIMITED, Rights
from dashboard.live.moments.moments import MOMENTS
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.problems.write_refusal import Refusal
from dashboard.pages.writes.past_version import PastVersion, read_past_version
from dashboard.pages.writes.target import Target
from dashboard.runtime.app_state import CLOCK, AppState, Key
from tests.support.clock import FakeClock
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.objects.rows import made

AT = "2026-11-29T10:00:00Z"
POD = made("Pod", "web", namespace="shop")


async def version_of(
    kind: str = "pods", name: str = "web", at: str = AT, *, history: RecordedObjects | None = None, **objects: Any
) -> PastVersion | Refusal:
    """The answer with a history that has one pod, or with other objects of the state."""
    history = history or RecordedObjects(("pods", POD), ("secrets", made("Secret", "web", namespace="shop")))
    state: dict[Key[Any], object] = {
        MOMENTS: SimpleNamespace(object_at=history.object_at),
        RIGHTS: UNLIMITED,
        CLOCK: FakeClock(),
    }
    given = {key: objects[key.name] for key in state if key.name in objects}
    return await read_past_version(AppState({**state, **given}), Target(KINDS[kind], "shop", name), at)


async def test_the_version_of_the_moment_is_returned() -> None:
    assert await version_of(at="2026-11-29 10:00") == PastVersion(POD, AT)


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        pytest.param({"kind": "secrets"}, 422, "does not keep the values of Secrets", id="Secret"),
        pytest.param({"moments": None}, 404, "DELTABOARD_HISTORY is off", id="no history"),
        pytest.param({"at": "yesterday"}, 400, "is not a time", id="no time"),
        pytest.param({"at": "2999-01-01T00:00:00Z"}, 400, "has not come yet", id="future"),
        pytest.param({"name": "other"}, 404, "History has no Pod of this name", id="unknown"),
        pytest.param({"rights": Rights(())}, 404, "History has no Pod of this name", id="hidden"),
    ],
)
async def test_what_cannot_be_restored_is_refused_with_the_reason(asked: Any, code: int, words: str) -> None:
    refusal = await version_of(**asked)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.title) == (code, "The version is not restored")
    assert words in refusal.problems[0].words


async def test_history_that_cannot_be_read_is_said() -> None:
    history = RecordedObjects()
    history.problem = "disk is on fire"
    refusal = await version_of(history=history)
    assert isinstance(refusal, Refusal)
    assert refusal.problems[0].words.startswith("History cannot be read: disk is on fire.")


async def test_a_version_that_is_no_object_is_said() -> None:
    history = RecordedObjects(("pods", POD))
    history.object_at = lambda *_: _answer(b"[]")  # type: ignore[method-assign]
    refusal = await version_of(history=history)
    assert isinstance(refusal, Refusal)
    assert "cannot be read" in refusal.problems[0].words


async def _answer(json: bytes) -> bytes:
    return json


async def test_an_entry_of_a_list_gets_the_kind_that_lists_leave_out() -> None:
    entry = {name: value for name, value in POD.items() if name not in ("apiVersion", "kind")}
    assert await version_of(history=RecordedObjects(("pods", entry))) == PastVersion(POD, AT)


async def test_a_version_of_another_api_version_is_not_restored() -> None:
    refusal = await version_of(history=RecordedObjects(("pods", {**POD, "apiVersion": "v0"})))
    assert isinstance(refusal, Refusal)
    assert "recorded in the API version v0, and is written in v1" in refusal.problems[0].words
