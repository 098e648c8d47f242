"""Cost of an open page to its browser, by the browser's own counts after a garbage collection."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page


@dataclass(frozen=True)
class Costs:
    heap: float
    """Bytes of JavaScript that are in use."""
    nodes: int
    """DOM nodes, including detached ones that scripts hold."""
    listeners: int
    elements: int
    """Elements of the document."""


def costs_of(page: Page) -> Costs:
    """The page's present costs, counted after garbage collections."""
    browser = page.context.new_cdp_session(page)
    try:
        browser.send("Performance.enable")
        for _ in range(3):  # what one collection finds out to be garbage the next one takes away
            browser.send("HeapProfiler.collectGarbage")
        found = {each["name"]: each["value"] for each in browser.send("Performance.getMetrics")["metrics"]}
    finally:
        browser.detach()
    elements = int(page.evaluate("document.querySelectorAll('*').length"))
    return Costs(found["JSHeapUsedSize"], int(found["Nodes"]), int(found["JSEventListeners"]), elements)


def least_costs_of(page: Page, takes: int = 5) -> Costs:
    """The least of several takes: what came between a collection and its count is garbage in some of them only."""
    found = [costs_of(page)]
    for _ in range(takes - 1):
        page.wait_for_timeout(330)  # not in step with the heartbeat
        found.append(costs_of(page))
    return min(found, key=lambda each: (each.nodes, each.heap))
