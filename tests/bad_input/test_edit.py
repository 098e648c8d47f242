"""Tests of edits that no page of ours sends, and of texts with YAML beyond plain fields."""

from __future__ import annotations

import pytest

from tests.bad_input.test_yaml_errors import ONE, check, one
from tests.support.edit.no_script_browser import Browser
from tests.support.long_tests import long_but

__all__ = ["one"]
PARTS = ("edit/", "edit/status/")
EXTRAS = (
    (ONE + "---\n" + ONE, "line 10, column 1 A second document begins here. This page accepts one object"),
    (
        ONE.replace("8080", "!!python/object:os.system x"),
        "line 8, column 9 Kubernetes does not support the tag !!python/object:os.system",
    ),
    (ONE.replace("10.0.0.1", "!!binary aGk="), "line 7, column 7 Kubernetes does not support the tag !!binary"),
    (
        ONE.replace("10.0.0.1", "!!timestamp 2026-01-01"),
        "line 7, column 7 Kubernetes does not support the tag !!timestamp",
    ),
    (ONE.replace("10.0.0.1", "a\u2028b"), "line 7, column 8 YAML begins a new line at this invisible character"),
    (ONE.replace("  ip: 10.0.0.1", "  <<: 5"), "line 7, column 7 “<<” needs fields to merge"),
    (ONE.replace("8080", "*port"), "line 8, column 9 The alias *port has no anchor before it"),
    (ONE + "  ~: 1\n", "line 9, column 3 A field needs a name before its colon"),
    (ONE + "%\n", "line 9, column 2 A line cannot begin with “%”"),
    (ONE.replace("  name: one", "  name: one\n  uid: abc"), "line 5, column 3 metadata.uid It is “abc” in the text"),
    (ONE.replace("name: one", "name: one\n  resourceVersion: '1'"), "column 3 metadata.resourceVersion It is “1”"),
    (ONE.replace("name: one", "name: two"), "line 4, column 3 metadata.name It is “two” in the text"),
    (ONE.replace("default", "kube-system"), "line 5, column 3 metadata.namespace It is “kube-system” in the text"),
)
"""Texts of an edit that are refused, each with its message."""
REFUSED = (
    ("NaN", "line 8, column 3 spec.port"),
    ("1e999", "line 8, column 3 spec.port"),
    ("\uff18\uff10\uff18\uff11", "line 8, column 3 spec.port"),
    ("12:30:45", "line 8, column 3 spec.port"),
    ("yes", "line 8, column 3 spec.port"),
    ("9007199254740993", "line 8, column 3 spec.port"),
    ("-0", "line 8, column 3 spec.port"),
)
TAKEN = (("8_081", 8081), ("+8081", 8081), ("8081.0", 8081), ("0x1F91", 8081), ("017621", 8081), ("&p 8081", 8081))
"""Texts that kubectl reads as numbers, too."""
NAMES = (
    "field.[0]", "new.[0]", "new.spec.port[3]", "key.metadata.labels.gone", "key.", "field.",
    "field.metadata.labels[%00]", "child.spec", "form.open", "form.find", f"choice.{'W' * 50}", f"new.spec{'.a' * 300}",
)  # fmt: skip
BUTTONS = (
    f"remove spec.a[{'9' * 5000}]", f"empty spec{'.a' * 300}", "empty [0]", "add [0] x", "page spec 99999999999",
    "choose spec -1", "\x00", "up", "empty spec.port.a",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
async def test_what_yaml_has_beyond_plain_fields_is_said_with_its_place(browser: Browser, one: str, part: str) -> None:
    begun = await browser.open(one + part)
    for text, words in EXTRAS:
        check(await browser.press(begun, "review", yaml=text), text, words)


@pytest.mark.slow
async def test_a_number_is_what_kubectl_takes_it_for_or_is_refused_at_its_place(browser: Browser, one: str) -> None:
    begun = await browser.open(f"{one}edit/")
    for word, words in REFUSED:
        text = ONE.replace("8080", word)
        check(await browser.press(begun, "review", yaml=text), text, words)
    for word, number in TAKEN:
        page = await browser.press(begun, "review", yaml=ONE.replace("8080", word))
        assert "save" in page.form.buttons, word
        assert f"port: {number}" in page.form.shown[1], word


@pytest.mark.slow
@pytest.mark.parametrize("breaks", ["\r\n", "\r", "\n"])
async def test_line_breaks_of_any_system_and_a_byte_order_mark_change_nothing(
    browser: Browser, one: str, breaks: str
) -> None:
    page = await browser.press(await browser.open(f"{one}edit/"), "review", yaml="\ufeff" + ONE.replace("\n", breaks))
    assert "Nothing would change" in page.text


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
async def test_inputs_and_buttons_that_no_page_has_write_nothing_and_keep_the_text(
    browser: Browser, one: str, part: str
) -> None:
    begun = await browser.open(one + part)
    text = begun.form.values["yaml"]
    for name in NAMES:
        shown = {f"shown.{name.partition('.')[2]}": "y"}
        page = await browser.send(begun.form.action, {**begun.form.values, name: "x", **shown, "edit": ""})
        assert page.status in (200, 422), name
        assert page.form.values["yaml"] == text, name
    for button in BUTTONS:
        page = await browser.send(begun.form.action, {**begun.form.values, "change": button})
        assert (page.status, page.form.values["yaml"]) == (200, text), button


@pytest.mark.slow
@pytest.mark.parametrize("part", long_but(PARTS, PARTS[0]))
async def test_a_form_that_lacks_something_or_has_it_broken_is_answered_and_writes_nothing(
    browser: Browser, one: str, part: str
) -> None:
    begun = await browser.open(one + part)
    for name in begun.form.values:
        without = {each: value for each, value in begun.form.values.items() if each != name}
        for values in (without, {**without, name: "\x00"}, {**without, name: '{"a":' * 500}, {**without, name: "null"}):
            page = await browser.send(begun.form.action, {**values, "save": ""})
            assert page.status in (200, 400, 409, 422), (name, values.get(name))
            assert not page.said, name
    page = await browser.send(one + part, {"yaml": "words " * 800_000, "review": ""})
    assert (page.status, "words words" in page.form.values["yaml"]) == (400, True)


async def test_a_text_without_the_pages_token_is_refused_and_given_back(browser: Browser, one: str) -> None:
    page = await Browser(browser.parts, check_csrf=True).send(f"{one}edit/", {"yaml": ONE, "save": ""})
    assert page.status == 403
    assert "kind: Mydemo" in page.body
