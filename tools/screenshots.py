"""Screenshots of every page in every state: ``python -m tools.screenshots [FOLDER]``, or `make screenshots`.

Starts the programs as a person would, on demo clusters in which all is as usual and on others (empty, forbidden,
unreachable, silent …), brings each page into its state and takes it 1440 and 390 pixels wide, light and dark.
Some of the pictures are those of the documentation, in docs/. ``--only list,feed`` takes the scenes whose name has
one of these in it; ``--docs`` only those of the documentation. With ``--axe``, or `make axe`, axe-core looks at each
page of which a picture is taken, but for those without scripts, in which it cannot run; the command ends with a table
of what it objects to, and fails where there is anything.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from playwright.sync_api import Browser, Error, sync_playwright

from tools.axe import violations
from tools.scenes.access_scenes import ACCESS
from tools.scenes.browser_mode_scenes import MEDIA_SCENES
from tools.scenes.child_process import ROOT, DidNotStart
from tools.scenes.edge_case_scenes import CONTENT_STATES, LONG_NAME_SCENES
from tools.scenes.history_scenes import HISTORY
from tools.scenes.log_scenes import LOGS
from tools.scenes.on_call_scenes import ON_CALL
from tools.scenes.page_scenes import SCENES
from tools.scenes.scene import Scene
from tools.scenes.stage import Stage, StageFactory, usual_stage
from tools.scenes.unusual_state_scenes import STATES
from tools.scenes.write_scenes import WRITES

DOCUMENTATION: Mapping[str, str] = MappingProxyType({
    "list-changing": "deltaboard.png", "list-compared-changes": "history.png", "review": "review.png",
    "problems-by-cause": "causes.png", "incident": "incident.png", "logs-containers": "logs.png",
    "bulk-review": "bulk.png",
})  # fmt: skip
"""Scenes whose picture, wide and light, is one of docs/, and its name there."""
ARGUMENTS = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run"]  # fmt: skip
WIDTHS: Mapping[int, int] = MappingProxyType({1440: 900, 390: 844})
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PATIENCE = 120_000
"""Milliseconds for a page to load or for a step on it, on a machine that has other things to do."""
SETTLE = 20.0
"""Seconds for the demo cluster's workload to make a picture worth taking."""


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    return found or sys.exit("screenshots need Chromium: install it, or name the program in CHROMIUM")


def plan(is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, StageFactory, tuple[Scene, ...]]]:
    """The stages and the scenes to be played on each, of those whose name is wanted."""
    for name, (make, scenes) in (
        ("pages", (usual_stage, (*SCENES, *LOGS, *HISTORY, *ON_CALL, *WRITES, *MEDIA_SCENES, *LONG_NAME_SCENES))),
        ("access", ACCESS),
        *STATES.items(),
        *CONTENT_STATES.items(),
    ):
        wanted = tuple(scene for scene in scenes if is_wanted(scene.name))
        if wanted:
            yield name, make, wanted


class Camera:
    """Takes the pictures, and keeps what went wrong."""

    def __init__(self, browser: Browser, folder: Path, *, axe: bool) -> None:
        self._browser = browser
        self._folder = folder
        self._axe = axe
        self.failures: list[str] = []
        """Scenes without a picture, and why."""
        self.axe_violations: list[str] = []
        """axe-core's violations, a line an element."""
        folder.mkdir(parents=True, exist_ok=True)

    def take_all(self, is_wanted: Callable[[str], bool], settle: float) -> None:
        """Every picture that is wanted."""
        for name, make, scenes in plan(is_wanted):
            try:
                with make() as stage:
                    time.sleep(settle if make is usual_stage else 0)
                    for scene in scenes:
                        self._try(stage, scene)
            except DidNotStart as error:
                self.failures.append(f"{name}: {error}")

    def _try(self, stage: Stage, scene: Scene) -> None:
        before = len(self.axe_violations)
        try:
            self._take(stage, scene)
        except Error as error:
            self.failures.append(f"{scene.name}: {error.message.splitlines()[0]}")
            print(f"no picture of {self.failures[-1]}", flush=True)
            return
        looked = f"{len(self.axe_violations) - before} violations" if self._looks_at(scene) else "a picture"
        print(f"{scene.name}: {looked}", flush=True)

    def _looks_at(self, scene: Scene) -> bool:
        """Whether axe-core does: it runs in pages that have scripts."""
        return self._axe and bool(scene.context.get("java_script_enabled", True))

    def _take(self, stage: Stage, scene: Scene) -> None:
        for width, height in WIDTHS.items():
            context = self._browser.new_context(viewport={"width": width, "height": height}, **scene.context)
            context.set_default_timeout(PATIENCE)
            try:
                page = context.new_page()
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme, media=scene.media)
                    if scheme == SCHEMES[0] or scene.is_transient:
                        scene.play(page, stage)
                    page.wait_for_timeout(100 if scene.is_transient else 600)
                    file = self._folder / f"{scene.name}-{width}-{scheme}.png"
                    page.screenshot(path=file, full_page=scene.media == "print")
                    if (width, scheme) == (1440, "light") and scene.name in DOCUMENTATION:
                        shutil.copy(file, ROOT / "docs" / DOCUMENTATION[scene.name])
                    if self._looks_at(scene):
                        self.axe_violations += (f"{file.stem}: {each}" for each in violations(page))
            finally:
                context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "screenshots")
    parser.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="take the scenes whose name has this in it, or one of several with commas between",
    )
    parser.add_argument("--docs", action="store_true", help="take only the pictures of the documentation")
    parser.add_argument("--axe", action="store_true", help="run axe-core on each page too")
    parser.add_argument(
        "--settle", type=float, default=SETTLE, metavar="SECONDS", help="let the workload run for this many seconds"
    )
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    import django

    django.setup()
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        camera = Camera(browser, options.folder, axe=options.axe)
        parts = options.only.split(",")
        camera.take_all(
            lambda name: name in DOCUMENTATION if options.docs else any(part in name for part in parts), options.settle
        )
        browser.close()
    wrong = [*(f"no picture of {each}" for each in camera.failures), *camera.axe_violations]
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
