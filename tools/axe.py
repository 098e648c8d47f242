"""axe-core runner for an open page, with the rules for WCAG 2.2 AA and the best practices."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_SCRIPT = """async ({ runOnly, part, apart }) => {
  const shape = (one) => `${one.localName} ${one.className} ${[...one.attributes].map(({ name }) => name)}`;
  const shapes = new Set();
  const alike = [...document.querySelectorAll("tbody tr, .feed li")].filter((row) => {
    const text = [row, ...row.querySelectorAll("*")].map(shape).join("|");
    return shapes.has(text) || !shapes.add(text);
  });
  const include = part ? [...document.querySelectorAll(part)] : [document];
  const where = { include, exclude: [...alike, ...(apart ? document.querySelectorAll(apart) : [])] };
  const { violations } = await axe.run(where, { runOnly, resultTypes: ["violations"], preload: false });
  const words = ({ target, html, failureSummary }) =>
    `${target.join(" ")}: ${failureSummary.replaceAll(/\\s+/g, " ")} ${html.slice(0, 200)}`;
  return violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(words) }));
}"""
"""Of rows that are made of the same elements, with the same classes and attributes, it looks at the first."""
COVERED_MESSAGE = "partially obscured"
"""axe-core's message on a target's size where something covers a part of it."""


@cache
def axe_source() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text()


def violations(page: Page, *, of_colour_only: bool = False, part: str = "", excluded: str = "") -> list[str]:
    """Violations, one line an element: on the page, or in `part` of it alone; not in `excluded` elements. Both
    are selectors, and there must be an element of `part`.

    The script is injected through the debugger, so that the page's Content-Security-Policy stays.

    One exception: a target under an open popover or the bar of the selection is too small only until that is closed.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source())
    rules = {"type": "rule", "values": ["color-contrast"]} if of_colour_only else {"type": "tag", "values": TAGS}
    found: list[dict[str, Any]] = page.evaluate(RUN_SCRIPT, {"runOnly": rules, "part": part, "apart": excluded})
    covered = page.locator("details.pop[open], #selection:not([hidden])").count() > 0
    return [
        f"{each['id']} ({each['help']}) {node}"
        for each in found
        for node in each["nodes"]
        if not (covered and each["id"] == "target-size" and COVERED_MESSAGE in node)
    ]
