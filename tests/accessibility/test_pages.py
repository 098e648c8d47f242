"""No page of a cluster in which all is as usual has what axe-core objects to, wide and light, narrow and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext

from tests.accessibility.axe import violations
from tools.scenes.demo_scenes import SCENES, Scene
from tools.scenes.stage import Stage, usual
from tools.scenes.write_scenes import WRITES

pytestmark = pytest.mark.browser

OF_THEIR_OWN = {
    "clone", "several-plan", "several-done", "edit-large", "bulk-review", "draining", "quick-in-place", "deleting",
    "finalizer",
}  # fmt: skip
"""Pages that write and have parts which no other page has."""
LIKE_OTHERS = {"list-filtered", "feed-filtered", "list-cursor", "nodes", "events", "mydemos", "error-403", "error-500"}
"""Pages made of what others are made of: the run has 30 minutes."""
PLAYED = (
    *(scene for scene in SCENES if scene.name not in LIKE_OTHERS),
    *(scene for scene in WRITES if scene.name in OF_THEIR_OWN),
)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with usual(pods=40, rate=1) as programs:
        yield programs


@pytest.mark.parametrize("scene", PLAYED, ids=lambda scene: scene.name)
def test_axe_finds_nothing_wrong(new_context: Callable[..., BrowserContext], stage: Stage, scene: Scene) -> None:
    """The theme changes nothing but colours, and no width has colours of its own: two runs see all there is."""
    page = new_context(reduced_motion="reduce", color_scheme="light").new_page()
    page.set_default_timeout(60_000)
    scene.play(page, stage)
    wide = violations(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    narrow = violations(page)
    assert (wide, narrow) == ([], []), "\n".join([*wide, *narrow])
