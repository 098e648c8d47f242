"""Tests of one field edited in place: checked by the schema, and written over the value shown only."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.schemas.schema import Schema
from dashboard.pages.quick_actions.action import Input, WrongInput
from dashboard.pages.quick_actions.edit_field import parse_scalar, scalar_input, scalar_text
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser


@pytest.mark.parametrize(
    ("node", "current", "text", "value"),
    [
        ({"type": "integer"}, 1, " 12 ", 12),
        ({"type": "number"}, 1, "1.5", 1.5),
        ({"type": "boolean"}, False, "true", True),
        ({"type": "string"}, "a", " kept ", " kept "),
        ({"type": "string"}, "a", "", ""),
        ({"x-kubernetes-int-or-string": True}, 80, "8080", 8080),
        ({"x-kubernetes-int-or-string": True}, 80, "http", "http"),
        ({"type": "string", "enum": ["Always", "Never"]}, "Always", "Never", "Never"),
        ({"type": "integer", "minimum": 1}, 1, "9", 9),
        ({}, True, "false", False),
        ({}, 1.5, "2.5", 2.5),
        ({}, 1, "2", 2),
        ({}, None, "text", "text"),
    ],
)
def test_a_value_has_the_type_of_its_schema_or_else_of_the_value_before(
    node: dict[str, Any], current: Any, text: str, value: Any
) -> None:
    parsed = parse_scalar(text, Schema(node), current)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize(
    ("node", "text", "words"),
    [
        ({"type": "integer"}, "", "The value is empty."),
        ({"type": "integer"}, "1.5", "“1.5” is not a whole number."),
        ({"type": "number"}, "many", "“many” is not a number."),
        ({"type": "number"}, "1e999", "“1e999” is not a number."),
        ({"type": "boolean"}, "yes", "“yes” is not true or false."),
        ({"type": "string", "enum": ["Always", "Never"]}, "Maybe", "“Maybe” is not one of Always, Never."),
        ({"type": "integer", "minimum": 1}, "0", "0 is out of bounds: it must be at least 1."),
        ({"type": "integer", "maximum": 9}, "10", "10 is out of bounds: it must be at most 9."),
        ({"type": "number", "minimum": 1, "maximum": 9}, "9.5", "9.5 is out of bounds: it must be 1 to 9."),
        ({"type": "string", "minLength": 2}, "a", "The text has 1 character: it must have at least 2."),
        ({"type": "string", "maxLength": 3}, "four", "The text has 4 characters: it must have at most 3."),
    ],
)
def test_a_value_that_its_schema_refuses_says_why(node: dict[str, Any], text: str, words: str) -> None:
    with pytest.raises(WrongInput) as refused:
        parse_scalar(text, Schema(node), None)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    ("node", "kind", "choices", "hint"),
    [
        ({"type": "string"}, "text", (), ""),
        (
            {"type": "integer", "description": "Its port.", "minimum": 1, "maximum": 9},
            "number",
            (),
            "Its port. 1 to 9.",
        ),
        ({"type": "number", "minimum": 1}, "text", (), "At least 1."),
        ({"type": "integer", "maximum": 9}, "number", (), "At most 9."),
        ({"type": "boolean"}, "choice", ("true", "false"), ""),
        ({"type": "string", "enum": ["Always", "Never"]}, "choice", ("Always", "Never"), ""),
    ],
)
def test_the_input_offers_what_the_schema_allows(
    node: dict[str, Any], kind: str, choices: tuple[str, ...], hint: str
) -> None:
    assert scalar_input("now", Schema(node), "spec.field") == Input("wanted", "spec.field", "now", kind, choices, hint)


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (False, "false"), (None, ""), (8080, "8080"), ("a", "a")])
def test_a_value_is_shown_as_its_input_takes_it(value: Any, text: str) -> None:
    assert scalar_text(value) == text


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    cluster.create(collection, mydemo("one"))
    return f"{collection}/one"


@pytest.fixture
def field(namespace: str) -> str:
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/do/field/?path="


async def test_a_field_is_written_and_undone(browser: Browser, cluster: ControlPlane, one: str, field: str) -> None:
    page = await browser.open(f"{field}.spec.port&shown=8080")
    assert "1 to 65535." in page.text
    assert "The list showed" not in page.text
    page = await browser.press(page, "do", wanted="9090")
    assert "8080 → 9090" in page.text
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.1", "port": 9090}
    await browser.press(page, "undo")
    assert cluster.get(one)["spec"]["port"] == 8080


@pytest.mark.parametrize(
    ("path", "typed", "said"),
    [
        (".spec.port", "many", "“many” is not a whole number"),
        (".spec.port", "70000", "it must be 1 to 65535"),
        (".spec.ip", "x", "The text has 1 character"),
        (".spec.ip", "999.1.1.1", "must be an IPv4 or IPv6 address"),
    ],
)
async def test_what_the_schema_or_the_api_server_refuses_is_said_and_kept(
    browser: Browser, cluster: ControlPlane, one: str, field: str, path: str, typed: str, said: str
) -> None:
    before = cluster.get(one)
    page = await browser.press(await browser.open(f"{field}{path}"), "do", wanted=typed)
    assert page.status == 422
    assert said in page.text
    assert page.form.values["wanted"] == typed
    assert cluster.get(one) == before


async def test_theirs_is_shown_where_it_changed_meanwhile(
    browser: Browser, cluster: ControlPlane, one: str, field: str
) -> None:
    page = await browser.open(f"{field}.spec.port&shown=8080")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "do", wanted="9090")
    assert page.status == 409
    assert "it is 7777 now" in page.text
    assert page.form.values["wanted"] == "9090"
    assert cluster.get(one)["spec"]["port"] == 7777


async def test_what_the_list_showed_and_is_no_more_is_said(
    browser: Browser, cluster: ControlPlane, one: str, field: str
) -> None:
    page = await browser.open(f"{field}.spec.port&shown=1")
    assert "The list showed 1; by now it is 8080." in page.text


async def test_what_a_dry_run_gives_beyond_what_was_typed_is_seen_before_it_is_written(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, one: str, field: str
) -> None:
    patch = parts.client.patch

    async def mutated(resource: Any, name: str, namespace: str, change: Any, *how: str, **options: Any) -> Any:
        """The object as an admission webhook changes it."""
        metadata, port = change["metadata"], change["spec"]["port"]
        change = {"metadata": {**metadata, "annotations": {"port": str(port)}}, "spec": {"port": port + 1}}
        return await patch(resource, name, namespace, change, *how, **options)

    parts.client.patch = mutated
    page = await browser.open(f"{field}.spec.port&shown=8080&wanted=9090")
    assert "What the API server would store" in page.text
    assert "spec.port 8080 → 9091 set by the API server" in page.text
    assert "This is not what you asked for" in page.text
    unseen = {name: value for name, value in page.form.values.items() if name != "seen"}
    page = await browser.send(page.form.action, {**unseen, "do": ""})
    assert "Nothing is written yet: it would change more than was shown" in page.text
    assert cluster.get(one)["spec"]["port"] == 8080
    page = await browser.press(page, "do")
    assert "8080 → 9091" in page.text
    assert "metadata.annotations.port 9090 new" in page.text
    assert cluster.get(one)["spec"]["port"] == 9091


async def test_what_a_rule_stamps_anew_each_time_is_shown_from_the_dry_run_of_the_press_and_then_written(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, one: str, field: str
) -> None:
    patch, stamps = parts.client.patch, count()

    async def stamped(resource: Any, name: str, namespace: str, change: Any, *how: str, **options: Any) -> Any:
        metadata = {**change["metadata"], "annotations": {"stamp": f"at-{next(stamps)}"}}
        return await patch(resource, name, namespace, {**change, "metadata": metadata}, *how, **options)

    page = await browser.open(f"{field}.spec.port&shown=8080")
    parts.client.patch = stamped
    page = await browser.press(page, "do", wanted="9090")
    assert "Nothing is written yet: it would change more than was shown" in page.text
    assert "metadata.annotations.stamp at-0 new" in page.text
    assert next(stamps) == 1, "its own dry run is shown, and no other made"
    assert cluster.get(one)["spec"]["port"] == 8080
    page = await browser.press(page, "do")
    assert "8080 → 9090" in page.text
    assert cluster.get(one)["metadata"]["annotations"]["stamp"] == "at-3"


@pytest.mark.parametrize("path", ["", ".status.phase", ".spec.ip[0]", "../x", ".metadata.name", ".spec"])
async def test_what_is_no_plain_field_is_refused(browser: Browser, one: str, field: str, path: str) -> None:
    page = await browser.open(field + path)
    assert page.status == 422
    assert "not a plain field of spec" in page.text or "not a single value" in page.text
