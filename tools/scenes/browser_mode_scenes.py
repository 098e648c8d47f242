"""Scenes of pages on paper, without scripts, and in forced colours."""

from __future__ import annotations

from playwright.sync_api import Page

from tools.scenes.page_scenes import PODS, STABLE_MYDEMO_HREF, drawer, pod_page
from tools.scenes.scene import Play, Scene, open_at, press, wait_for_rows
from tools.scenes.stage import Stage


def open_without_scripts(path: str) -> Play:
    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)

    return play


FORCED_COLORS = {"forced_colors": "active"}
WITHOUT_SCRIPTS = {"java_script_enabled": False}
MEDIA_SCENES: tuple[Scene, ...] = (
    Scene("paper-overview", open_at("/"), media="print"),
    Scene("paper-list", open_at(PODS, wait_for_rows), media="print"),
    Scene("paper-detail", pod_page(""), media="print"),
    Scene("paper-feed", open_at("/feed/"), media="print"),
    Scene("unscripted-overview", open_without_scripts("/"), context=WITHOUT_SCRIPTS),
    Scene("unscripted-list", open_without_scripts(PODS), context=WITHOUT_SCRIPTS),
    Scene("unscripted-feed", open_without_scripts("/feed/"), context=WITHOUT_SCRIPTS),
    Scene("unscripted-edit", open_without_scripts(f"{STABLE_MYDEMO_HREF}edit/"), context=WITHOUT_SCRIPTS),
    Scene("forced-overview", open_at("/"), context=FORCED_COLORS),
    Scene("forced-list", open_at(PODS, wait_for_rows, press("j", "x", "j")), context=FORCED_COLORS),
    Scene("forced-feed", open_at("/feed/"), context=FORCED_COLORS),
    Scene("forced-drawer", drawer, context=FORCED_COLORS),
)
"""Played on the stage of demo_scenes, after write_scenes."""
