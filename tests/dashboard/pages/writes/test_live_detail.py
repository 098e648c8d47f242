"""The pages of quick actions and deletions follow the object that they are about on the page's socket."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.live.opening import open_view


@pytest.mark.parametrize(
    "path", ["do/evict/", "do/field/?path=.spec.x", "do/drain/?run=1", "delete/", "delete/finalizer/"]
)
async def test_a_page_about_an_object_is_live(parts: SimpleNamespace, path: str) -> None:
    (pods,) = (kind for kind in parts.kinds if kind.key == "pods")
    assert open_view(parts.hub, f"/resources/pods/default/web/{path}") is parts.hub.detail_view(pods, "default", "web")
