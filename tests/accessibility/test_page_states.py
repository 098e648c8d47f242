"""axe-core tests of pages in unusual states (empty, forbidden, loading, unreachable), and of sign-in and rights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext

from tests.support.long_tests import long_but
from tools.axe import violations
from tools.scenes.access_scenes import ACCESS
from tools.scenes.unusual_state_scenes import STATES

pytestmark = pytest.mark.browser

ALL = {**STATES, "access": ACCESS}
STAGES = [name for name in ALL if name not in {"usual", "two processes"}]
"""Stages whose scenes wait for nothing to fall silent."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", long_but(STAGES, "empty", "access"))
def test_axe_finds_nothing_wrong_with_a_state(new_context: Callable[..., BrowserContext], name: str) -> None:
    make, scenes = ALL[name]
    found: dict[str, None] = {}
    with make() as stage:
        for scene in scenes:
            page = new_context(reduced_motion="reduce").new_page()
            page.set_default_timeout(60_000)
            scene.play(page, stage)
            for width, scheme in ((1440, "light"), (390, "dark")):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                found |= dict.fromkeys(f"{scene.name} {width} {scheme}: {each}" for each in violations(page))
            page.close()
    assert not found, "\n".join(found)
