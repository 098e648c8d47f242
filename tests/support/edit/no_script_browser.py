"""Browser without scripts, which reads the forms of a page and presses their buttons."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from django.test import AsyncClient

from dashboard.pages.layout.flash import COOKIE
from dashboard.runtime.app_state import SCOPE_KEY
from tests.support.edit.form_inputs import Inputs
from tests.support.pages.app_state import AttributeState


@dataclass
class Page:
    """Response with a page, as far as tests look at it."""

    status: int
    location: str
    body: str
    said: bool

    @cached_property
    def form(self) -> Inputs:
        inputs = Inputs()
        inputs.feed(self.main)
        return inputs

    @property
    def main(self) -> str:
        """Its main part: the frame around it is the same on every page, and twice as long."""
        return self.body[self.body.find("<main") : self.body.find("</main>")] if "<main" in self.body else self.body

    @property
    def text(self) -> str:
        """What a person reads in the main part, spaces made one."""
        bare = re.sub(r"(?s)<textarea.*?</textarea>|<[^>]*>", " ", self.main.replace("<wbr>", ""))
        return re.sub(r"\s+", " ", html.unescape(bare))

    @property
    def yaml(self) -> str:
        return self.form.values["yaml"]


class WiredClient(AsyncClient):
    """Puts the live parts into each request's scope, as dashboard/server/wiring/web.py does."""

    def __init__(self, parts: SimpleNamespace, *, check_csrf: bool) -> None:
        super().__init__(enforce_csrf_checks=check_csrf)
        self._parts = parts

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        scope = super()._base_scope(**request)  # type: ignore[misc] # not in the stubs
        path = scope["path"].encode("latin-1").decode()  # as servers read it; Django's client reads it as Latin-1
        return {**scope, "path": path, SCOPE_KEY: AttributeState(self._parts)}


class Browser:
    """Keeps cookies; `press` sends the last form of a page with one button and what was typed."""

    def __init__(self, parts: SimpleNamespace, *, check_csrf: bool = False) -> None:
        self.parts = parts
        self.client = WiredClient(parts, check_csrf=check_csrf)

    async def open(self, path: str, **headers: str) -> Page:
        return _page(await self.client.get(path, headers=headers))

    async def press(self, page: Page, button: str, **typed: str) -> Page:
        """What comes of pressing `button`; underscores in the names of `typed` stand for dots."""
        changes = {name.replace("__", "."): value for name, value in typed.items()}
        return await self.send(page.form.action, {**page.form.values, **changes, button: ""})

    async def send(self, path: str, data: dict[str, str], **headers: str) -> Page:
        return _page(await self.client.post(path, data, headers=headers))


def _page(response: Any) -> Page:
    body = response.content.decode()
    return Page(response.status_code, response.get("Location", ""), body, COOKIE in response.cookies)


async def reviewed(browser: Browser, path: str, old: str, new: str) -> Page:
    """The review of the object's text with `old` made `new`."""
    page = await browser.open(f"{path}edit/")
    assert old in page.yaml
    return await browser.press(page, "review", yaml=page.yaml.replace(old, new))
