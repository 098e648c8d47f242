"""Time that a page in Chromium takes to answer clicks and keys."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence

from playwright.async_api import Page

INPUTS = 5
"""A second."""
LISTEN = """
  window.inputs = [];
  const take = (event) => {
    const at = event.timeStamp;
    requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.inputs.push(performance.now() - at);
      port2.postMessage(0); });
  };
  for (const type of ["click", "keydown"]) document.addEventListener(type, take);
"""


async def measure_inputs(page: Page, seconds: float, keys: Sequence[str] = ("ArrowLeft",)) -> list[float]:
    """Milliseconds of each of some clicks on the title and presses of these keys, in turn: from the time stamp that the
    browser gave it until it has been handled and the next frame is drawn.
    """
    await page.evaluate(LISTEN)
    title = await page.locator("h1").bounding_box()
    if title is None:
        sys.exit("the page has no title to click on")
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        turn = number % (len(keys) + 1)
        if turn == len(keys):
            await page.mouse.click(title["x"] + 10, title["y"] + 10)
        else:
            await page.keyboard.press(keys[turn])
        number += 1
        await asyncio.sleep(1 / INPUTS)
    found: list[float] = await page.evaluate("window.inputs")
    return found
