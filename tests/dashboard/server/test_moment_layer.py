"""Tests of the layer that gives requests the state of a moment: which are of the past, and what is refused."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import quote

import pytest

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.moments import MAX_MOMENTS, MOMENT, Moment
from dashboard.runtime.app_state import CLOCK, SCOPE_KEY, AppState
from dashboard.runtime.read_only import is_past_shown, is_read_only
from dashboard.server.guard import Scope
from dashboard.server.moment_layer import REFUSAL_KEY, MomentLayer, MomentRefusal
from dashboard.server.websocket_connection import BUSY, NOT_FOUND
from tests.support.pages.site_with_history import SiteWithHistory, site_with_history


class Calls:
    """Applications of the present and of the past, which note what they are asked."""

    def __init__(self, past: SiteWithHistory) -> None:
        self.found: list[tuple[str, Scope, bool]] = []
        self.sent: list[dict[str, Any]] = []
        self._layer = MomentLayer(self._app("present"), self._app("past"), past.state, past.moments)

    def _app(self, name: str) -> Any:
        async def app(scope: Scope, receive: object, send: object) -> None:
            self.found.append((name, scope, is_past_shown()))

        return app

    async def ask(self, path: str, query: str = "", kind: str = "http") -> tuple[str, Scope, bool] | None:
        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            self.sent.append(message)

        await self._layer({"type": kind, "path": path, "query_string": query.encode()}, receive, send)
        return self.found.pop() if self.found else None


async def test_a_request_with_a_moment_has_its_state_and_can_change_nothing() -> None:
    async with site_with_history() as past:
        calls, at = Calls(past), past.site.clock.time() - 60
        found = await calls.ask("/resources/pods/", f"q=web&at={format_at(at)}")
        assert found is not None
        name, scope, is_past = found
        state = cast("AppState", scope[SCOPE_KEY])
        moment = state[MOMENT]
        assert moment is not None
        assert (name, is_past, moment.at, state[CLOCK].time(), state[HUB]) == ("past", True, at, at, moment.hub)
        assert state[CONNECTION].client is None
        assert not is_read_only()


@pytest.mark.parametrize(
    ("path", "query", "kind"),
    [
        ("/resources/pods/", "q=at", "http"),
        ("/resources/pods/", "at=", "http"),
        ("/static/page.css", "", "http"),
        ("/live/", f"path={quote('/resources/pods/?q=web')}", "websocket"),
        ("/terminal/", f"path={quote('/?at=2026-01-01T00:00:00Z')}", "websocket"),
        ("", "", "lifespan"),
    ],
)
async def test_all_else_is_passed_on_as_it_is(path: str, query: str, kind: str) -> None:
    async with site_with_history() as past:
        found = await Calls(past).ask(path, query, kind)
        assert found is not None
        assert (found[0], found[2]) == ("present", False)
        assert SCOPE_KEY not in found[1]
        assert REFUSAL_KEY not in found[1]


async def test_a_socket_has_the_moment_of_the_page_that_it_follows() -> None:
    async with site_with_history() as past:
        at = format_at(past.site.clock.time() - 60)
        found = await Calls(past).ask("/live/", f"path={quote(f'/resources/pods/?at={at}')}&view=a", "websocket")
        assert found is not None
        assert found[0] == "past"


@pytest.mark.parametrize(
    ("path", "at", "status"),
    [
        ("/drafts/", "2026-01-01T00:00:00Z", 404),
        ("/resources/pods/shop/web/edit/", "2026-01-01T00:00:00Z", 404),
        ("/nothing", "2026-01-01T00:00:00Z", 404),
        ("/", "yesterday", 400),
        ("/", "2999-01-01T00:00:00Z", 400),
    ],
)
async def test_what_has_no_moment_is_refused(path: str, at: str, status: int) -> None:
    async with site_with_history() as past:
        calls = Calls(past)
        found = await calls.ask(path, f"at={at}")
        assert found is not None
        refusal = cast("MomentRefusal", found[1][REFUSAL_KEY])
        assert (found[0], refusal.status) == ("present", status)
        assert await calls.ask("/live/", f"path={quote(f'{path}?at={at}')}", "websocket") is None
        assert calls.sent == [{"type": "websocket.close", "code": NOT_FOUND}]


async def test_without_history_there_is_no_moment() -> None:
    async with site_with_history(is_kept=False) as past:
        found = await Calls(past).ask("/", "at=2026-01-01T00:00:00Z")
        assert found is not None
        assert cast("MomentRefusal", found[1][REFUSAL_KEY]).title == "There is no history"


async def test_more_moments_than_are_kept_are_refused_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Moment, "is_viewed", True)
    async with site_with_history() as past:
        calls, now = Calls(past), past.site.clock.time()
        found = [await calls.ask("/", f"at={format_at(now - number)}") for number in range(MAX_MOMENTS + 1)]
        assert [each[0] for each in found if each is not None] == [*["past"] * MAX_MOMENTS, "present"]
        last = found[-1]
        assert last is not None
        assert cast("MomentRefusal", last[1][REFUSAL_KEY]).status == 503
        await calls.ask("/live/", f"path={quote(f'/?at={format_at(now - 99)}')}", "websocket")
        assert calls.sent == [{"type": "websocket.close", "code": BUSY}]
