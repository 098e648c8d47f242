"""Tests of quick-action and delete pages, which follow their object on the page's socket."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.pages.details.live_detail import open_detail
from dashboard.server.live_view_routing import open_live_view
from tests.support.pages.app_state import AttributeState


@pytest.mark.parametrize(
    "path", ["do/evict/", "do/field/?path=.spec.x", "do/drain/?run=1", "delete/", "delete/finalizer/"]
)
async def test_a_page_about_an_object_is_live(parts: SimpleNamespace, path: str) -> None:
    (pods,) = (kind for kind in parts.replicas.kinds if kind.key == "pods")
    assert open_live_view(AttributeState(parts), f"/resources/pods/default/web/{path}") is open_detail(
        parts.hub, pods, "default", "web"
    )
