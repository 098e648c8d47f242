"""Walk through several scenes on one page, each continuing from the one before where it can, to save time in tests."""

from __future__ import annotations

from playwright.sync_api import Error, Page

from tools.scenes.scene import Scene
from tools.scenes.stage import Stage

MAX_SHOWN = 2000
"""Characters of a page that an error repeats."""


class Walk:
    """A page and the scenes that are on it, each going on from the one before."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self._page = page
        self._stage = stage
        self._on: list[Scene] = []

    def play(self, scene: Scene) -> None:
        """Play the scene: its step alone where the one it goes on from is on the page, else all of it. An error says
        what the page shows.
        """
        try:
            self._play(scene)
        except Error as error:
            error.add_note(f"{self._page.url} shows: {self._page.inner_text('body')[:MAX_SHOWN]}")
            raise

    def _play(self, scene: Scene) -> None:
        while self._on and self._on[-1] is not scene.after and self._on[-1].part:
            self._page.keyboard.press("Escape")
            self._on.pop()
        if self._on and self._on[-1] is scene.after:
            scene.step(self._page, self._stage)
            self._on.append(scene)
        else:
            scene.play(self._page, self._stage)
            self._on = [*_chain(scene)]


def _chain(scene: Scene) -> list[Scene]:
    return [*(_chain(scene.after) if scene.after else ()), scene]
