"""Pages of a cluster whose history a test makes: requests with ``at=`` show that moment of the past."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import AsyncClient

from dashboard.live.moments.moments import MOMENTS, Moments
from dashboard.runtime.app_state import SCOPE_KEY
from dashboard.server.guard import Scope
from dashboard.server.moment_layer import MomentLayer
from tests.support.live.recorded_objects import RecordedObjects
from tests.support.objects.rows import Json
from tests.support.pages.app_state import AttributeState
from tests.support.pages.site_without_cluster import WATCHED, Site


class _ScopedClient(AsyncClient):
    """Sends requests with the content of an ASGI scope."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        super().__init__()
        self._scope = scope

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        scope: dict[str, Any] = super()._base_scope(**request)  # type: ignore[misc]
        return {**scope, **self._scope}


class SiteWithHistory:
    """`site` in the present, and `moments` of the objects of `history`, None where there is none."""

    def __init__(self, site: Site, history: RecordedObjects, moments: Moments | None) -> None:
        self.site = site
        self.history = history
        self.moments = moments
        self.state = AttributeState(site.parts).with_objects({MOMENTS: moments})

    async def get(self, address: str, **headers: str) -> HttpResponse:
        """The response to a GET."""
        responses: list[Any] = []

        async def answer(scope: Scope, *_: object) -> None:
            kept = {key: value for key, value in scope.items() if key.startswith("deltaboard")}
            client = _ScopedClient({SCOPE_KEY: self.state, **kept})
            responses.append(await client.get(address, headers=headers))

        layer = MomentLayer(answer, answer, self.state, self.moments)
        parts = urlsplit(address)
        scope = {"type": "http", "path": parts.path, "query_string": parts.query.encode()}

        async def nothing(*_: object) -> Any:
            return {}

        await layer(scope, nothing, nothing)
        (response,) = responses
        return response  # type: ignore[no-any-return]


@asynccontextmanager
async def site_with_history(*objects: tuple[str, Json], is_kept: bool = True) -> AsyncIterator[SiteWithHistory]:
    """A site without objects whose history has these at every moment."""
    site, history = Site(), RecordedObjects(*objects)
    history.objects.update({key: [] for key in WATCHED if key not in history.objects})
    if not is_kept:
        yield SiteWithHistory(site, history, None)
        return
    moments = Moments(site.feeds, history, site.clock, lambda _at: render_to_string)
    running = asyncio.create_task(moments.run())
    await asyncio.sleep(0)
    try:
        yield SiteWithHistory(site, history, moments)
    finally:
        running.cancel()
        await asyncio.wait([running])
