"""axe-core on an open page: its rules for WCAG 2.2 AA, and its best practices."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (runOnly) => {
  const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"], preload: false });
  const words = ({ target, html, failureSummary }) =>
    `${target.join(" ")}: ${failureSummary.replaceAll(/\\s+/g, " ")} ${html.slice(0, 200)}`;
  return violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(words) }));
}"""
COVERED = "partially obscured"
"""What axe-core says of a target's size where something lies over a part of it."""


@cache
def source() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Page, *, of_colour_only: bool = False) -> list[str]:
    """What is wrong, a line an element. The script comes through the debugger, so that the page's policy stays.

    One exception: what lies under an open popover or the bar of the selection is smaller only until that is closed.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(source())
    rules = {"type": "rule", "values": ["color-contrast"]} if of_colour_only else {"type": "tag", "values": TAGS}
    found: list[dict[str, Any]] = page.evaluate(RUN, rules)
    covered = page.locator("details.pop[open], #selection:not([hidden])").count() > 0
    return [
        f"{each['id']} ({each['help']}) {node}"
        for each in found
        for node in each["nodes"]
        if not (covered and each["id"] == "target-size" and COVERED in node)
    ]
