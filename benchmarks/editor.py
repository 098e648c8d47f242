"""Benchmark of the YAML editor in Chromium: time from key to paint, time to load, and requests to the server.

    python -m benchmarks.editor [--kb 500] [--keys 200]

A real API server and the dashboard in one process. Into a Mydemo's editor goes a text of so many kilobytes
(annotations, a quarter of them texts of several lines); then keys are typed into its middle, 15 a second. A key's time
is from the event's own time stamp until the frame after it is drawn, and the longest task is what held the page up
meanwhile. The same for the turns of a mouse wheel, for 20 kB that are pasted there, for undoing that, and for opening
the completion, whose time is until its list shows. Beside it typing in the plain text box that the page has without
the editor.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import time
from statistics import median, quantiles

import aiohttp
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.chromium import ARGUMENTS, chromium
from benchmarks.support.dashboard_processes import dashboard
from benchmarks.support.result_table import Line, main
from benchmarks.support.stored_objects import ClusterSize
from dashboard.objects.schemas.schema import kind_schema
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos

LOADS = 5
"""Times that each page is opened."""
PAUSE = 1 / 15
"""Seconds between two keys."""
TURNS = 40
"""Turns of the wheel, of 400 pixels each."""
PASTES = 7
PASTED_TEXT = "".join(f"    pasted-{number:04d}.example.com/about: one of many lines\n" for number in range(380))
EDITOR = ".yaml-host .cm-content"
FIELD = "textarea[name=yaml]"
READY = """
  const look = () => {
    const shown = document.querySelector(".yaml-host")?.shadowRoot?.querySelector(".cm-line");
    if (shown) window.ready = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""
LISTEN = """
  window.times = { keydown: [], wheel: [], paste: [] };
  window.tasks = [0];
  new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  for (const type of Object.keys(window.times)) document.addEventListener(type, (event) => {
    const at = event.timeStamp;
    requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.times[type].push(performance.now() - at);
      port2.postMessage(0); });
  }, { capture: true, passive: true });
"""
TAKE = "() => { const found = [{ ...window.times }, Math.max(...window.tasks)]; for (const name in window.times) \
window.times[name] = []; window.tasks = [0]; return found; }"
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const place = document.querySelector(".yaml-host").shadowRoot.querySelector(".cm-content");
  place.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
}"""
LIST = """() => document.querySelector(".yaml-host").shadowRoot.querySelector(".cm-tooltip-autocomplete li")"""
PUT_CURSOR = {
    EDITOR: """async () => {
      const script = document.querySelector("script[src$='/edit/edit.js']").src;
      const { EditorView } = await import(new URL("../../vendor/codemirror/codemirror.min.js", script));
      const root = document.querySelector(".yaml-host").shadowRoot;
      const view = EditorView.findFromDOM(root.querySelector(".cm-editor"));
      const { doc } = view.state;
      view.focus();
      view.dispatch({ selection: { anchor: doc.line(doc.lines >> 1).to }, scrollIntoView: true });
    }""",
    FIELD: """() => {
      const text = document.querySelector("textarea[name=yaml]");
      const at = text.value.indexOf("\\n", text.value.length >> 1);
      text.focus();
      text.setSelectionRange(at, at);
    }""",
}


def long_text(text: str, size: int) -> str:
    """The object's YAML with annotations of `size` bytes in all."""
    lines: list[str] = ["  annotations:"]
    written, number = 0, 0
    while written < size:
        number += 1
        entry = f"    note-{number:05d}.example.com/about: number {number} of many, none of which means anything"
        if number % 4 == 0:
            words = "\n".join(f"      line {each} of a text that has several" for each in range(3))
            entry = f"    note-{number:05d}.example.com/text: |\n{words}"
        lines.append(entry)
        written += len(entry) + 1
    return text.replace("metadata:\n", "metadata:\n" + "\n".join(lines) + "\n", 1)


async def input_latencies(page: Page, kind: str, count: int, what: str) -> dict[str, float]:
    """Milliseconds from each event to its paint, and the longest task since this was asked last."""
    await asyncio.sleep(1)
    times, task = await page.evaluate(TAKE)
    if len(times[kind]) != count:
        raise SystemExit(f"{count} times {kind}, {len(times[kind])} were heard")
    ranks = quantiles(times[kind], n=100, method="inclusive")
    return {f"{what} to paint, p50, ms": ranks[49], "p99, ms": ranks[98], "longest task, ms": task}


async def type_keys(page: Page, selector: str, keys: int) -> dict[str, float]:
    await page.evaluate(PUT_CURSOR[selector])
    await asyncio.sleep(2)
    await page.evaluate(LISTEN)
    for number in range(keys):
        await page.keyboard.press("abcdefghijklmnopqrstuvwxyz "[number % 27])
        await asyncio.sleep(PAUSE)
    return await input_latencies(page, "keydown", keys, "event")


async def edit_text(page: Page) -> list[Line]:
    """What else somebody does with the text; the cursor stands at the end of a line in its middle."""
    lines = []
    await page.hover(EDITOR, position={"x": 200, "y": 100})
    for number in range(TURNS):
        await page.mouse.wheel(0, 400 if number % 20 < 15 else -400)
        await asyncio.sleep(PAUSE)
    lines.append(Line("scrolling the long text", await input_latencies(page, "wheel", TURNS, "event")))
    await page.evaluate(PUT_CURSOR[EDITOR])
    for _ in range(PASTES):
        await page.evaluate(PASTE, "\n" + PASTED_TEXT.rstrip())
        await asyncio.sleep(0.7)
    lines.append(
        Line(f"pasting {len(PASTED_TEXT) / 1000:.0f} kB into it", await input_latencies(page, "paste", PASTES, "event"))
    )
    for _ in range(PASTES):
        await page.keyboard.press("Control+z")
        await asyncio.sleep(0.7)
    lines.append(Line("undoing that", await input_latencies(page, "keydown", 2 * PASTES, "event")))
    await page.evaluate(
        PUT_CURSOR[EDITOR].replace("doc.line(doc.lines >> 1).to", 'doc.toString().indexOf("kind: ") + 6')
    )
    opened = []
    for _ in range(PASTES):
        began = time.perf_counter()
        await page.keyboard.press("Control+Space")
        await page.wait_for_function(LIST)
        opened.append((time.perf_counter() - began) * 1e3)
        await page.keyboard.press("Escape")
        await asyncio.sleep(0.5)
    figures = await input_latencies(page, "keydown", 3 * PASTES, "event")
    lines.append(Line("opening the completion in it", {**figures, "until its list shows, p50, ms": median(opened)}))
    return lines


async def measure_loads(browser: Browser, address: str, *, cold: bool) -> list[float]:
    """Milliseconds from navigation until the editor shows its text."""
    found: list[float] = []
    context = await browser.new_context()
    for _ in range(LOADS + (not cold)):
        if cold:
            await context.close()
            context = await browser.new_context()
        page = await context.new_page()
        await page.add_init_script(READY)
        await page.goto(address)
        await page.wait_for_function("() => window.ready > 0")
        found.append(await page.evaluate("window.ready"))
        await page.close()
    await context.close()
    return found if cold else found[1:]


async def measure_long_text(
    browser: Browser, address: str, size: int, keys: int, name: str, *, plain: bool = False
) -> list[Line]:
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    if plain:
        await page.route("**/js/editor/**", lambda route: route.abort())
    await page.add_init_script(READY)
    await page.goto(address)
    await page.wait_for_selector("body[data-live=live]")
    place = FIELD if plain else EDITOR
    await page.wait_for_selector(place)
    text = long_text(await page.input_value(FIELD), size)
    # the form's own button brings the page back with this text, as a review that was refused does
    await page.evaluate(
        """(text) => {
          const field = document.querySelector("textarea[name=yaml]");
          field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
          const button = document.createElement("button");
          button.name = "edit";
          field.form.append(button);
          field.form.requestSubmit(button);
        }""",
        text,
    )
    await page.wait_for_function(
        "() => document.querySelector('textarea[name=yaml]')?.defaultValue.includes('note-00001')", timeout=60_000
    )
    figures: dict[str, float] = {"text, kB": len(text) / 1000}
    if not plain:
        await page.wait_for_function("() => window.ready > 0")
        figures["until the text shows, ms"] = await page.evaluate("window.ready")
    lines = [Line(name, {**figures, **await type_keys(page, place, keys)})]
    if not plain and size > 1000:
        lines += await edit_text(page)
    await context.close()
    return lines


async def in_chromium(address: str, arguments: argparse.Namespace) -> list[Line]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        cold, warm = await measure_loads(browser, address, cold=True), await measure_loads(browser, address, cold=False)
        size = arguments.kb * 1000
        small = await measure_long_text(browser, address, 1, arguments.keys, "typing into a small text")
        long = await measure_long_text(browser, address, size, arguments.keys, "typing into the long text")
        box = await measure_long_text(
            browser, address, size, arguments.keys, "typing into the plain text box", plain=True
        )
        await browser.close()
    return [
        Line("a Mydemo's editor, nothing cached", {"until the text shows, ms": median(cold)}),
        Line("a Mydemo's editor, opened again", {"until the text shows, ms": median(warm)}),
        *small,
        *long,
        *box,
    ]


async def schema_lines(cluster: ControlPlane, url: str) -> list[Line]:
    """What is asked of the server for help at one place of a pod, beside the schema as a whole."""
    whole = kind_schema(cluster.get("/openapi/v3/api/v1"), "", "v1", "Pod")
    assert whole is not None
    text = json.dumps({"schema": whole.node, "definitions": whole.definitions}).encode()
    lines = [Line("a pod's schema, whole", {"kB": len(text) / 1000, "compressed, kB": len(gzip.compress(text)) / 1000})]
    async with aiohttp.ClientSession() as session:
        for path in ("[]", '["spec"]', '["spec","containers",0]'):
            async with session.get(f"{url}/resources/pods/schema", params={"path": path}) as answer:
                body = await answer.read()
            figures = {"kB": len(body) / 1000, "compressed, kB": len(gzip.compress(body)) / 1000}
            lines.append(Line(f"what is asked for at {path}", figures))
    return lines


def measure(arguments: argparse.Namespace) -> list[Line]:
    with filled_cluster(ClusterSize(20)) as cluster, dashboard(cluster.kubeconfig) as running:
        cluster.create(mydemos("team-0"), mydemo("edited"))
        running.wait_until_ready()
        address = f"{running.url}/resources/mydemos.crddemo.k8s.io/team-0/edited/edit/"
        lines = asyncio.run(in_chromium(address, arguments))
        return lines + asyncio.run(schema_lines(cluster, running.url))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", type=int, default=500, help="size of the long text")
    parser.add_argument("--keys", type=int, default=200, help="keys that are typed into each")
    main("The YAML editor in Chromium", measure, parser)
