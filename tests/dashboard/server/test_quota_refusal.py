"""Tests of the page of a request that got no turn: it has all inputs, and sends nothing by itself."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.server.quota_refusal import REFUSAL_KEY
from tests.support.pages.site_without_cluster import Parts, Site, WiredClient

TEXT = '\nkind: "Pod" # <b>\n  \n'


class RefusedClient(WiredClient):
    """A client whose requests get no turn."""

    def __init__(self, parts: Parts, work: str) -> None:
        super().__init__(parts)
        self._work = work

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        return {**super()._base_scope(**request), REFUSAL_KEY: self._work}


class Form(HTMLParser):
    """The form of a page: its attributes, its inputs but for the token, and its buttons."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.form: dict[str, str | None] = {}
        self.inputs: list[tuple[str | None, str | None]] = []
        self.buttons = 0
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self.form = found
        elif tag == "input" and found["name"] != "csrfmiddlewaretoken":
            assert found["type"] == "hidden"
            self.inputs.append((found["name"], found.get("value")))
        elif tag == "button":
            self.buttons += 1


async def test_a_refused_form_comes_back_with_every_input() -> None:
    client = RefusedClient(Site().parts, "forms")
    posted = {"yaml": TEXT, "only": ["1", "3"], "empty": "", "review": ""}
    response = await client.post("/new/?namespace=a&x=1", posted)
    form = Form(response.content)
    assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (429, "5", "no-store")
    assert form.inputs == [("yaml", TEXT), ("only", "1"), ("only", "3"), ("empty", ""), ("review", "")]
    assert (form.form["method"], form.form["action"]) == ("post", "/new/?namespace=a&x=1")
    assert (form.form["data-repeat"], form.buttons) == ("5", 1)
    assert b"This request changed nothing" in response.content
    assert b"data-repeat-button" not in response.content, "the script would press it"


async def test_files_come_back_as_part_of_the_text() -> None:
    client = RefusedClient(Site().parts, "forms")
    response = await client.post("/new/", {"yaml": "a: 1", "file": SimpleUploadedFile("b.yaml", b"b: 2"), "review": ""})
    assert Form(response.content).inputs == [("review", ""), ("yaml", "a: 1\n---\nb: 2\n")]


async def test_a_file_that_cannot_come_back_is_named() -> None:
    client = RefusedClient(Site().parts, "forms")
    response = await client.post("/new/", {"yaml": "a: 1", "file": SimpleUploadedFile("b.yaml", b"\xff")})
    assert Form(response.content).inputs == [("yaml", "a: 1")]
    assert "b.yaml is not UTF-8 text" in response.content.decode()


@pytest.mark.parametrize(("target", "element"), [("div#quick", "quick"), ("form#edit", "edit"), ("", "refused")])
async def test_the_form_takes_the_place_of_the_element_that_htmx_would_replace(target: str, element: str) -> None:
    client = RefusedClient(Site().parts, "forms")
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    response = await client.post("/resources/pods/a/b/do/evict/", {"uid": "1"}, headers=headers)
    form = Form(response.content)
    assert f'<div id="{element}"' in response.content.decode()
    assert form.form.get("hx-target") == (f"#{element}" if target else None)
    assert form.inputs == [("uid", "1")]


async def test_a_refused_page_can_be_asked_for_again_at_its_address() -> None:
    response = await RefusedClient(Site().parts, "pages").get("/resources/pods/?q=a&sort=-age")
    form = Form(response.content)
    assert (response.status_code, form.form["method"], form.form["action"]) == (429, "get", "/resources/pods/")
    assert form.inputs == [("q", "a"), ("sort", "-age")]
    assert b"This page was not made" in response.content
