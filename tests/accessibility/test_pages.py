"""axe-core tests of the pages of a healthy cluster, wide and light, narrow and dark.

`make axe` covers more: every scene in both themes at both widths, on a page of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import pytest
from playwright.sync_api import BrowserContext

from tests.support.long_tests import long_but
from tools.axe import violations
from tools.scenes.history_scenes import HISTORY
from tools.scenes.log_scenes import LOGS
from tools.scenes.on_call_scenes import ON_CALL
from tools.scenes.page_scenes import ERRORS, LISTS, OBJECTS, ON_LIST, ON_OVERVIEW
from tools.scenes.scene import Scene
from tools.scenes.stage import Stage, usual_stage
from tools.scenes.walk import Walk
from tools.scenes.write_scenes import ACTION_SCENES, CREATE_SCENES, MENU

pytestmark = pytest.mark.browser

AROUND = "header.top, #side"
"""Parts around every page, which are checked on the first page only."""
LIKE_OTHERS = {
    "list-filtered", "feed-filtered", "nodes", "events", "mydemos", "several", "drafts", "namespace-detail",
    "list-changing", "list-compared-filtered", "list-compared-no-scripts",
    "quick-scale", "quick-restart", "quick-cordon", "quick-evict", "quick-delete", "edited-elsewhere",
}  # fmt: skip
"""Pages left out because others have the same parts: the run has 30 minutes."""
WALKS: Mapping[str, tuple[Scene, ...]] = MappingProxyType({
    "overview": ON_OVERVIEW, "list": ON_LIST, "lists": LISTS, "objects": OBJECTS, "errors": ERRORS, "making":
    CREATE_SCENES,
    "actions": ACTION_SCENES, "logs": LOGS, "history": HISTORY, "on call": ON_CALL,
})  # fmt: skip
"""Scenes that one page goes through."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with usual_stage(pods=40, rate=1) as programs:
        yield programs


@pytest.mark.timeout(400)
@pytest.mark.parametrize("walk", long_but(WALKS, "list"))
def test_axe_finds_nothing_wrong(new_context: Callable[..., BrowserContext], stage: Stage, walk: str) -> None:
    """The theme changes nothing but colours, and no width has colours of its own: two runs see all there is."""
    page = new_context(reduced_motion="reduce").new_page()
    page.set_default_timeout(120_000)
    steps = Walk(page, stage)
    found: list[str] = []
    for number, scene in enumerate(scene for scene in WALKS[walk] if scene.name not in LIKE_OTHERS):
        wide, apart = 390 if scene is MENU else 1440, AROUND if number and scene is not MENU else ""
        page.set_viewport_size({"width": wide, "height": 900})
        page.emulate_media(color_scheme="light")
        steps.play(scene)
        found += (f"{scene.name} wide: {each}" for each in violations(page, part=scene.part, excluded=apart))
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="dark")
        found += (f"{scene.name} narrow: {each}" for each in violations(page, part=scene.part, excluded=apart))
    assert not found, "\n".join(found)
