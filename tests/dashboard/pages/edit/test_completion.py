"""Tests of the YAML editor's completion and help at a path, and of the JSON that its script gets."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.edit.completion import FieldHint, Hints, hints, is_labels, read_path, status_hints
from dashboard.pages.edit.diagnostics import diagnostics
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser

SCHEMA = Schema({
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "How large.\nAnd more."},
        "mode": {"enum": ["on", "slow: down"], "default": "on"},
        "loud": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "port": {"x-kubernetes-int-or-string": True},
        "parts": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^a"}},
    },
    "required": ["loud"],
})  # fmt: skip


def test_fields_come_with_their_type_required_ones_first() -> None:
    found = hints(SCHEMA, ())
    assert [(field.name, field.type, field.words) for field in found.fields] == [
        ("loud", "value", "true or false"),
        ("size", "value", "whole number"),
        ("mode", "value", ""),
        ("names", "list", "list of text"),
        ("port", "value", "whole number or text"),
        ("parts", "map", "fields"),
    ]
    assert [field.required for field in found.fields] == [True, False, False, False, False, False]


def test_values_are_written_as_yaml_has_them() -> None:
    assert [(value.text, value.words) for value in hints(SCHEMA, ("mode",)).values] == [
        ('"on"', "default"), ("'slow: down'", ""),
    ]  # fmt: skip
    assert [value.text for value in hints(SCHEMA, ("loud",)).values] == ["true", "false"]
    assert [value.text for value in hints(SCHEMA, ("size",)).values] == ["3"]


def test_help_has_the_whole_description_and_the_bounds() -> None:
    found = hints(SCHEMA, ("size",))
    assert found.words == "How large. 1 to 9.\nAnd more."
    assert found.facts == ("whole number", "default 3")
    assert "^a" in hints(SCHEMA, ("parts", "any")).words


def test_nothing_is_said_of_what_the_schema_does_not_have() -> None:
    found = hints(SCHEMA, ("names", 0, "deeper"))
    assert (found.fields, found.values, found.facts) == ((), (), ())


@pytest.mark.parametrize("text", ["", "{}", "[1.5]", "[true]", "[null]", "[[]]", "[" * 5000, str(["a"] * 61)])
def test_a_path_that_is_none_is_told_apart(text: str) -> None:
    assert read_path(text) is None
    assert read_path('["spec", 0, "a.b/c"]') == ("spec", 0, "a.b/c")


def test_labels_and_selectors_are_labels_wherever_they_stand() -> None:
    assert is_labels(("spec", "selector", "matchLabels"))
    assert not is_labels(("spec", "labels", "app"))
    assert not is_labels(())


def test_a_mark_names_its_field_and_keeps_the_api_servers_words() -> None:
    refusal = Refusal((Problem("No.", "must be less", ("spec", "port"), 4, 3), Problem("Nowhere.")), 422, "Title")
    assert diagnostics(refusal) == [
        {"line": 4, "column": 3, "words": "spec.port: No. must be less"},
        {"line": 0, "column": 0, "words": "Nowhere."},
    ]
    assert diagnostics(None) == []


def test_an_edit_of_the_status_is_offered_nothing_else_but_which_object_it_is_of() -> None:
    named = hints(UNKNOWN.child("metadata"), ())
    fields = tuple(FieldHint(name, name, "value", "") for name in ("name", "namespace", "labels"))
    found = status_hints(replace(named, fields=fields), ("metadata",))
    assert [field.name for field in found.fields] == ["name", "namespace"]
    for path in (("spec",), ("spec", "port"), ("metadata", "annotations")):
        assert status_hints(Hints(fields, words="words"), path) == Hints()
    for path in (("status", "phase"), ("kind",), ("metadata", "name")):
        assert status_hints(Hints(fields, words="words"), path) == Hints(fields, words="words")


async def test_the_script_gets_what_it_asks_for_as_json(browser: Browser) -> None:
    address = "/resources/mydemos.crddemo.k8s.io/schema"
    answer = (await browser.client.get(address, {"path": '["spec"]'})).json()
    assert [field["name"] for field in answer["fields"]] == ["ip", "port"]
    answer = (await browser.client.get(address, {"path": '["kind"]'})).json()
    assert [value["text"] for value in answer["values"]] == ["Mydemo"]
    assert (await browser.client.get(address, {"path": "spec"})).status_code == 400
    whole = {"apiVersion", "kind", "metadata", "status"}
    for path, names in (([], whole), (["spec"], set()), (["metadata", "labels"], set())):
        query = {"path": json.dumps(path), "edits": "status"}
        answer = (await browser.client.get(address, query)).json()
        assert {field["name"] for field in answer["fields"]} == names, "of what an edit of the status can hold"
    status = (await browser.client.get(address, {"path": '["status"]', "edits": "status"})).json()
    assert status == (await browser.client.get(address, {"path": '["status"]'})).json()
    assert (await browser.client.get("/resources/nothings/schema", {"path": "[]"})).status_code == 404


async def test_taking_in_answers_with_text_and_base_and_with_nothing_where_both_changed_the_same(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    cluster.create(collection, mydemo("one"))
    path = f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/"
    page = await browser.open(path)
    mine = {**page.form.values, "yaml": page.yaml.replace("8080", "9090  # mine")}
    cluster.patch(f"{collection}/one", {"spec": {"ip": "10.0.0.9"}})
    answer = (await browser.client.post(f"{path}take/", mine)).json()
    assert "ip: 10.0.0.9\n  port: 9090  # mine" in answer["yaml"]
    assert answer["inputs"]["base_version"] != mine["base_version"]
    assert '"10.0.0.9"' in answer["inputs"]["base"]
    cluster.patch(f"{collection}/one", {"spec": {"port": 7070}})
    assert (await browser.client.post(f"{path}take/", mine)).json() == {}
    assert (await browser.client.post(f"{path}take/", {"yaml": "a: 1"})).json() == {}
    answer = (await browser.client.post(f"{path}take/", {**mine, "yaml": "spec: ["})).json()
    assert (answer["valid"], answer["marks"][0]["line"]) == (False, 2), "where the text ends"
    assert "yaml" not in answer
    assert (await browser.client.get(f"{path}take/")).status_code == 405
