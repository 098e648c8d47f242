"""Parser of the inputs and buttons of a page's form."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Inputs(HTMLParser):
    """Name and value of everything in the last form of a page's main part, as a browser would send it untouched."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.action = ""
        self.values: dict[str, str] = {}
        self.buttons: list[str] = []
        self.radios: dict[str, list[str]] = {}
        self.shown: list[str] = []
        """Texts to read and copy, which no form sends."""
        self.presses: list[tuple[str, str]] = []
        """Name and value of each button."""
        self._open: str | None = None
        self._select: str | None = None
        self._option: tuple[str | None, bool] | None = None
        self._first = False
        self._text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if tag == "form" and found.get("method") == "post":
            self.action = found["action"]
        elif tag == "textarea":
            self._open, self._text = found.get("name", ""), ""
        elif tag == "button" and "name" in found:
            self.buttons.append(found["name"])
            self.presses.append((found["name"], found.get("value", "")))
        elif tag == "select":
            self._select, self._first = found.get("name", ""), True
        elif tag == "option" and self._select is not None:
            self._option = (found.get("value"), "selected" in dict(attributes))
            self._text = ""
        elif tag == "input" and found.get("type") == "radio":
            self.radios.setdefault(found["name"], []).append(found["value"])
            if "checked" in dict(attributes):
                self.values[found["name"]] = found["value"]
        elif tag == "input" and "name" in found and "disabled" not in found:
            value = found.get("value", "")
            self.values[found["name"]] = value if found.get("type") == "hidden" else re.sub("[\r\n]", "", value)

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = None
        if tag == "option" and self._select and self._option is not None:
            value, chosen = self._option
            if chosen or self._first:
                self.values[self._select] = " ".join(self._text.split()) if value is None else value
            self._first, self._option = False, None
        if tag == "textarea" and self._open is not None:
            text = self._text.removeprefix("\n")
            if self._open:
                self.values[self._open] = text
            else:
                self.shown.append(text)
            self._open = None
