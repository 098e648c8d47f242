"""What a live page in the browser shows of its connection, and of what was copied."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.wait import until

RECORDER = """
window.states = [];
window.flashed = [];
window.gone = [];
document.addEventListener("deltaboard:state", ({detail}) => window.states.push(detail));
document.addEventListener("DOMContentLoaded", () => new MutationObserver((records) => {
  for (const {target} of records) {
    if (target.matches("tr[data-gone]")) window.gone.push(target.dataset.name);
    if (target.matches("td.changed")) {
      window.flashed.push(`${target.closest("tr").dataset.name ?? target.closest("tr").id} ${target.cellIndex}`);
    }
  }
}).observe(document.body, {subtree: true, attributeFilter: ["class", "data-gone"]}));
"""
"""Notes what is there for a moment only: states of the connection, cells that flash, rows struck out."""
BEATS = """(many) => new Promise((heard, missed) => {
  const wanted = many;
  setTimeout(() => missed(new Error(`heard ${wanted - many} of ${wanted} heartbeats within 60 s`)), 60_000);
  document.addEventListener("deltaboard:beat", () => { many -= 1; if (many === 0) heard(); });
})"""


def wait_for_heard_beats(page: Page, beats: int) -> None:
    """Wait until a page has heard the server so often; it says something each second."""
    page.evaluate(BEATS, beats)


LATE = ("has not been heard since", "is too slow for so many changes")
"""What a page says where its server, its line or its browser had no time: on a busy machine it may at any moment."""


def states_not_live(page: Page) -> list[dict[str, str]]:
    """The states other than live that it has gone through since it was live first, but for what a busy machine does."""
    found = page.evaluate("window.states.filter(({state}) => state !== 'live')")
    return [each for each in found if not any(words in each["words"] for words in LATE)]


SAYS_COPIED = """() => {
  window.saidCopied = false;
  const says = () => [...document.querySelectorAll("button")].some((each) => each.textContent.includes("Copied"));
  const observer = new MutationObserver(() => { window.saidCopied ||= says(); });
  observer.observe(document.body, {subtree: true, childList: true});
}"""


def press_and_wait_for_copied(page: Page, press: Callable[[], None]) -> None:
    """Press a button and wait until it has said that it copied: it does for a moment only."""
    page.evaluate(SAYS_COPIED)
    press()
    until(lambda: page.evaluate("window.saidCopied"), what="Copied")


def has_copied(page: Page, words: str) -> None:
    """Wait until the clipboard has these words; the button says so for a moment only."""
    until(lambda: page.evaluate("navigator.clipboard.readText()") == words, what=words)


def open_live(page: Page, url: str) -> None:
    """Open a page and wait until it says live; the mark would not survive a reload."""
    page.add_init_script(RECORDER)
    page.goto(url)
    expect(page.locator("body")).to_have_attribute("data-live", "live")
    page.evaluate("window.states.length = 0")
    page.evaluate("window.sameDocument = true")
