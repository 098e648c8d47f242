"""Scene: a page in a state, and the steps that scenes have in common.

A scene waits for its content for as long as its page's time-out allows; the caller sets that time-out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Page

from tools.scenes.stage import Stage

Play = Callable[[Page, Stage], None]


@dataclass(frozen=True, slots=True)
class Scene:
    """A page in a state. Its step leaves it there; the page is a fresh one, or one on which `after` was played."""

    name: str
    step: Play
    after: Scene | None = None
    """The scene that its step goes on from."""
    part: str = ""
    """A selector of what its step shows or changes; all else is as `after` left it. Escape takes it back."""
    is_transient: bool = False
    """It is gone after a moment: play it for each picture anew."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Options of the browser: Playwright's new_context."""
    media: Literal["screen", "print"] = "screen"

    def play(self, page: Page, stage: Stage) -> None:
        """All of it, from the opening of the page on."""
        if self.after is not None:
            self.after.play(page, stage)
        self.step(page, stage)


def wait_until_live(page: Page) -> None:
    """Wait until the page is live."""
    page.wait_for_selector("body[data-live=live]")


def chain(*then: Callable[[Page], None]) -> Play:
    """These one after another."""

    def play(page: Page, _: Stage) -> None:
        for step in then:
            step(page)

    return play


def open_at(path: str, *then: Callable[[Page], None]) -> Play:
    """Opens an address, waits until it is live, and goes on from there."""

    def play(page: Page, stage: Stage) -> None:
        page.goto(stage.url + path)
        chain(wait_until_live, *then)(page, stage)

    return play


def wait_for_rows(page: Page) -> None:
    page.wait_for_selector("tbody tr")


def press(*keys: str) -> Callable[[Page], None]:
    def step(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return step


def click(selector: str, wait_selector: str) -> Callable[[Page], None]:
    """Clicks, and waits for what that shows."""

    def step(page: Page) -> None:
        page.locator(selector).first.click()
        page.wait_for_selector(wait_selector)

    return step
