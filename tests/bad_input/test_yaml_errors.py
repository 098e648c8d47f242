"""Tests of the errors that each page shows for bad text: the position, the problem, and the text itself."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dashboard.objects.kinds.catalog import find_kind
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.live.replica_feeder import Feeder, put_feeders
from tests.support.objects.rows import row_of

KEY = "mydemos.crddemo.k8s.io"
ONE = """\
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata:
  name: one
  namespace: default
spec:
  ip: 10.0.0.1
  port: 8080
"""
DEFINITION = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.y}\n"
EVIL = "</textarea><script>alert(1)</script>"
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 30)
)
UNREADABLE = (
    ("", "The text is empty or has only comments"),
    ("# nothing\n", "The text is empty or has only comments"),
    ("- a\n", "line 1, column 1 An object is made of fields"),
    ("words\n", "line 1, column 1 An object is made of fields"),
    (ONE + "  port: 1\n", "line 9, column 3 The field “port” is given twice"),
    (ONE.replace("  port", "\tport"), "line 8, column 1 There is a tab where YAML needs spaces"),
    (ONE.replace("8080", ".nan"), "line 8, column 9 .nan is not a number that an object can hold"),
    (
        ONE.replace("8080", "!!int " + "9" * 5000),
        "line 8, column 9 “" + "9" * 40 + "” does not match the tag !!int",
    ),
    (ONE.replace("8080", '"\\ud800"'), "This escape is not valid"),
    (ONE.replace("8080", "\x00"), "line 8, column 9 Binary data (character U+0000)"),
    (ONE.replace("8080", "[" * 10_000), "This is nested more than 200 levels deep"),
    (ONE.replace("8080", "!a 1"), "line 8, column 9 Kubernetes does not support the tag !a"),
    (BOMB, "line 6, column 10 This alias expands to more"),
    ('{"a": 1}\nb: 2\n', "line 2, column 1 The object ends before this"),
)
"""Texts that are no object, and what is said of each."""
OTHERS = (
    (ONE.replace("kind: Mydemo", f"kind: '{EVIL}'"), f"kind It is “{EVIL}” in the text"),
    (ONE.replace("kind: Mydemo", "kind: {a: b}"), "kind It is made of fields in the text"),
    (ONE.replace("crddemo.k8s.io/v1", "[v1]"), "apiVersion It is a list in the text"),
    (ONE.replace("namespace: default", "namespace: .."), "metadata.namespace It is “..” in the text"),
    (ONE.replace("namespace: default", "namespace: yes"), "metadata.namespace It is “true” in the text"),
    ("apiVersion: v1\nkind: List\nitems: []\n", "kind It is “List” in the text"),
)
"""Texts that are about another object than the page."""
WRONG = (
    (ONE.replace("name: one", "name: one\n  labels: [a]"), "line 5, column 3 metadata.labels A list cannot stand here"),
    (ONE.replace("name: one", "name: one\n  labels: {a: 5}"), "column 12 metadata.labels.a A number cannot stand here"),
    (ONE.replace("name: one", "name: one\n  annotations: x"), "column 3 metadata.annotations A text cannot stand here"),
    (
        ONE.replace("name: one", "name: one\n  finalizers: {a: b}"),
        "column 3 metadata.finalizers A map cannot stand here",
    ),
    (ONE.replace("8080", "9223372036854775808"), "line 8, column 3 spec.port"),
    (ONE.replace("8080", "2026-01-01T00:00:00Z"), "line 8, column 3 spec.port"),
)
"""Texts that the API server refuses."""


@pytest.fixture
async def one(parts: SimpleNamespace) -> str:
    """Address of Mydemo ``one``, which is in the cluster and in the list."""
    kind = find_kind(KEY, parts.replicas.kinds)
    assert kind is not None
    made = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo", "metadata": {"name": "one", "namespace": "default"}}
    stored = await parts.client.create(kind.resource, {**made, "spec": {"ip": "10.0.0.1", "port": 8080}})
    put_feeders(parts.replicas, Feeder(KEY, parts.clock, [row_of(KEY, stored.object())]))
    return f"/resources/{KEY}/default/one/"


def check(page: Page, text: str, words: str, *, name: str = "yaml") -> None:
    """That the page says it, keeps the text, and shows no markup of it."""
    assert page.status in (200, 400, 422), text[:200]
    assert words in page.text, text[:200]
    assert page.form.values[name] == text
    assert "<script>alert" not in page.body


@pytest.mark.slow
@pytest.mark.parametrize("part", ["edit/", "edit/status/"])
async def test_an_edit_says_what_is_wrong_and_keeps_the_text(browser: Browser, one: str, part: str) -> None:
    begun = await browser.open(one + part)
    for text, words in UNREADABLE + OTHERS + (WRONG if part == "edit/" else ()):
        check(await browser.press(begun, "review", yaml=text), text, words)


@pytest.mark.long
@pytest.mark.slow
async def test_a_new_object_says_what_is_wrong_and_keeps_the_text(browser: Browser) -> None:
    begun = await browser.open(f"/resources/{KEY}/new/?namespace=default")
    for text, words in UNREADABLE + OTHERS + WRONG:
        check(await browser.press(begun, "review", yaml=text), text, words)


@pytest.mark.slow
async def test_several_objects_say_what_is_wrong_of_each_and_keep_the_text(browser: Browser) -> None:
    begun = await browser.open("/new/")
    for text, words in UNREADABLE + WRONG:
        page = await browser.press(begun, "review", yaml=text)
        check(page, text, words.partition(" column 10 ")[0] if text is BOMB else words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ONE.replace("name: one", "name: .."), "'..' in namespace 'default' is not a valid name"),
        (ONE.replace("name: one", "name: ../../pods/x"), "'../../pods/x' in namespace 'default' is not a valid name"),
        (ONE.replace("namespace: default", "namespace: a/b"), "'a/b' is not a valid namespace"),
        (ONE.replace("kind: Mydemo", "kind: List"), "The API server has no List in crddemo.k8s.io/v1"),
        ("apiVersion: v1\nkind: List\nitems: [5, {}]\n", "The object has no apiVersion"),
        (
            f"{DEFINITION}spec: {{versions: 5}}\n---\napiVersion: y/v1\nkind: X\nmetadata: {{name: a}}\n",
            "The API server has no X in y/v1",
        ),
    ],
)
async def test_of_several_objects_names_that_lead_elsewhere_are_refused(
    browser: Browser, text: str, words: str
) -> None:
    check(await browser.press(await browser.open("/new/"), "review", yaml=text), text, words)


@pytest.mark.slow
async def test_a_patch_of_many_says_what_is_wrong_and_keeps_the_text(browser: Browser, one: str) -> None:
    run = (await browser.press(await browser.open(f"/resources/{KEY}/bulk/"), "all")).location
    for text, words in UNREADABLE:
        page = await browser.send(run, {"verb": "patch", "patch": text, "try": ""})
        check(page, text, words, name="patch")


@pytest.mark.parametrize("was", ['"\\ud800"', "[" * 10_000, "NaN", "words", ""])
async def test_a_quick_action_that_comes_with_an_odd_value_asks_again(browser: Browser, one: str, was: str) -> None:
    page = await browser.open(f"{one}do/field/?path=.spec.port")
    page = await browser.press(page, "do", wanted="9090", was=was)
    assert page.status == 200
    assert page.form.values["was"] == "8080"


@pytest.mark.slow
async def test_a_draft_that_began_with_no_object_is_shown(browser: Browser, one: str) -> None:
    begun = await browser.open(f"{one}edit/")
    await browser.press(begun, "review", yaml="words", base='{"a": "\\ud800"}')
    kept = await browser.open("/drafts/")
    [key] = set(re.findall(r'href="/drafts/([^/"]+)/"', kept.body))
    page = await browser.open(f"/drafts/{key}/")
    assert (page.status, "words" in page.body) == (200, True)
