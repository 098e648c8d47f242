"""Typist for the YAML editor in a browser: moves the cursor, types, and reads text, marks and help."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Dashboard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.pods_and_mydemos import Json, mydemo, mydemos

CONTENT = ".yaml-host .cm-content"
FIELD = "textarea[name=yaml]"
HELP = ".cm-tooltip .help"
SLOW = 30_000
"""Milliseconds that another page may take on a busy machine."""
_VIEW = """async (given) => {
  const script = document.querySelector("script[src$='/edit/edit.js']").src;
  const module = (name) => import(new URL(`../../${name}`, script));
  const { EditorView } = await module("vendor/codemirror/codemirror.min.js");
  const view = EditorView.findFromDOM(document.querySelector(".yaml-host").shadowRoot.querySelector(".cm-editor"));
  %s
}"""
_HEAD = """
const text = view.state.doc.toString();
const at = text.indexOf(given[0]);
if (at < 0) throw new Error(`the text has no ${given[0]}`);
"""


class Typist:
    """A person who types into the editor of one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.content = page.locator(CONTENT)
        self.field = page.locator(FIELD)

    def open(self, address: str) -> None:
        self.page.goto(address)
        expect(self.content).to_be_visible(timeout=SLOW)
        expect(self.page.locator("body")).to_have_attribute("data-live", "live", timeout=SLOW)

    def behind(self, text: str) -> None:
        """Put the cursor behind the first `text`."""
        self.content.focus()
        self._in_view(_HEAD + "view.dispatch({ selection: { anchor: at + given[0].length } });", text)

    def select(self, text: str) -> None:
        """Select the first `text`."""
        self.content.focus()
        self._in_view(_HEAD + "view.dispatch({ selection: { anchor: at, head: at + given[0].length } });", text)

    def selected(self) -> str:
        found: str = self._in_view(
            "const { from, to } = view.state.selection.main; return view.state.sliceDoc(from, to);"
        )
        return found

    def before_cursor(self) -> str:
        """The line as far as the cursor."""
        found: str = self._in_view(
            "const { head } = view.state.selection.main;"
            "return view.state.sliceDoc(view.state.doc.lineAt(head).from, head);"
        )
        return found

    def text(self) -> str:
        found: str = self._in_view("return view.state.doc.toString();")
        return found

    def take_out(self, text: str) -> None:
        """Select and delete."""
        self.select(text)
        self.page.keyboard.press("Delete")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def review(self) -> None:
        """Press the key that reviews, and wait for the review's page."""
        self.press("Control+s")
        expect(self.page.locator(".edit > .bar h1")).to_contain_text("Review", timeout=SLOW)
        expect(self.page.locator(".cm-merge-b")).to_be_visible(timeout=SLOW)

    def point_at(self, text: str) -> None:
        """Rest the mouse on the first `text`."""
        x, y = self._in_view(
            _HEAD + "const { left, top, bottom } = view.coordsAtPos(at + 1); return [left, (top + bottom) / 2];", text
        )
        self.page.mouse.move(x, y)

    def asks_help(self, text: str, words: str) -> None:
        """Rest the mouse on the first `text` until its help says `words`.

        A note that comes above the editor moves it away below the mouse, which then rests on nothing: as a person
        would, this points again.
        """
        shown = self.page.locator(HELP)
        for patience in (*[3_000] * 10, SLOW):
            self.page.mouse.move(0, 0)
            self.point_at(text)
            try:
                expect(shown).to_contain_text(words, timeout=patience)
            except AssertionError:
                if patience == SLOW:
                    raise
            else:
                return

    def marked_lines(self) -> list[str]:
        """The lines of the text that have a mark."""
        found: list[str] = self._in_view(
            "return [...view.dom.querySelectorAll('.cm-lintRange, .cm-lintPoint')]"
            ".map((one) => view.state.doc.lineAt(view.posAtDOM(one)).text);"
        )
        return found

    def paths(self, texts: list[str]) -> list[Any]:
        """The path of the map to which each of these lines belongs."""
        found: list[Any] = self._in_view(
            'const { placeAt } = await module("js/editor/path_at_position.js");'
            "const text = view.state.doc.toString();"
            "return given[0].map((each) => placeAt(view.state, text.indexOf(each) + 1)?.path ?? null);",
            texts,
        )
        return found

    def beside(self, text: str) -> list[str]:
        """The names of the fields beside the first `text`."""
        found: list[str] = self._in_view(
            'const { placeAt } = await module("js/editor/path_at_position.js");'
            f"{_HEAD} return [...placeAt(view.state, at + 1).beside()];",
            text,
        )
        return found

    def _in_view(self, what: str, *given: Any) -> Any:
        expect(self.content).to_be_visible(timeout=SLOW)  # of a page that has just come, the editor comes last
        return self.page.evaluate(_VIEW % what, given)


def opened(page: Page, dashboard: Dashboard, cluster: ControlPlane, namespace: str, obj: Json | None = None) -> Typist:
    """Make Mydemo ``one`` and open its editor."""
    cluster.create(mydemos(namespace), obj or mydemo("one"))
    typist = Typist(page)
    typist.open(f"{dashboard.url}/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
    return typist
