"""Tests of form input, written into the text as its type, or refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.fields.field_access import ABSENT, Path, get, same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms import apply_form
from tests.support.forms.form_page import FormPage, of_spec

SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "on": {"type": "boolean"},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "level": {"type": "integer", "enum": [1, 2]},
        "note": {"type": "string"},
        "either": {"x-kubernetes-int-or-string": True},
        "tls": {"type": "object", "properties": {"name": {"type": "string"}}},
        "hosts": {"type": "array", "items": {"type": "string"}},
        "ports": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer"}}}},
        "weights": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
SCHEMA: Schema = of_spec(SPEC)
TEXT = """\
metadata:
  labels:
    team: a  # who
spec:
  size: 3  # large
  hosts:
    - one
    - two  # the second
  ports:
    - port: 80
  weights:
    x: 1  # first
    w: 2
"""


@pytest.mark.parametrize(
    ("field", "typed", "path", "value"),
    [
        ("spec.size", " 7 ", ("spec", "size"), 7),
        ("spec.ratio", "0.5", ("spec", "ratio"), 0.5),
        ("spec.on", "false", ("spec", "on"), False),
        ("spec.mode", "slow", ("spec", "mode"), "slow"),
        ("spec.level", "2", ("spec", "level"), 2),
        ("spec.note", "yes", ("spec", "note"), "yes"),
        ("spec.either", "80", ("spec", "either"), 80),
        ("spec.either", "25%", ("spec", "either"), "25%"),
        ("spec.size", "", ("spec", "size"), ABSENT),
        ("spec.tls.name", "b", ("spec", "tls", "name"), "b"),
        ("spec.hosts[1]", "2", ("spec", "hosts", 1), "2"),
        ("spec.hosts[0]", "", ("spec", "hosts"), ["two"]),
        ("spec.ports[0].port", "81", ("spec", "ports", 0, "port"), 81),
        ("spec.weights.x", "5", ("spec", "weights", "x"), 5),
        ("metadata.labels.team", "", ("metadata", "labels", "team"), ""),
    ],
)
def test_what_is_typed_is_written_as_its_type(field: str, typed: str, path: Path, value: Any) -> None:
    sheet = FormPage.of(SCHEMA, TEXT)
    shown = sheet.inputs.values.get(f"shown.{field}", "")
    applied, problems = apply_form(SCHEMA, sheet.document, {f"field.{field}": typed, f"shown.{field}": shown})
    assert not problems
    found = get(applied.value, path)
    assert same(found, value) or found is value


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("spec.size", "1.5", "is not a whole number"),
        ("spec.size", "\uff10\uff11", "is not a whole number"),
        ("spec.size", "1_000", "is not a whole number"),
        ("spec.size", "0x10", "is not a whole number"),
        ("spec.ratio", "NaN", "is not a number"),
        ("spec.ratio", "\u0661.\u0665", "is not a number"),
        ("spec.ratio", "half", "is not a number"),
        ("spec.ratio", "1e999", "larger than any number"),
        ("spec.ratio", f"-{'9' * 400}", "larger than any number"),
        ("spec.on", "maybe", "is not true or false"),
        ("spec.hosts[9]", "late", "no longer has a field"),
        ("spec.nowhere", "x", "only be written as YAML"),
        ("spec.size", "9", "both changed"),
    ],
)
def test_what_cannot_be_written_is_told_at_its_field(field: str, typed: str, words: str) -> None:
    document = parse(TEXT)
    applied, (problem,) = apply_form(SCHEMA, document, {f"field.{field}": typed, f"shown.{field}": "?"})
    assert applied is document
    assert words in problem.words
    assert problem.field == field


@pytest.mark.parametrize("name", [f"spec.hosts[{'9' * 5000}]", f"spec{'.a' * 200}", "[0]", "spec.hosts[٣]", ""])
def test_names_that_no_form_has_are_told_and_change_nothing(name: str) -> None:
    document = parse(TEXT)
    for begin in ("field.", "new.", "newkey.", "key."):
        applied, problems = apply_form(SCHEMA, document, {f"{begin}{name}": "x", f"shown.{name}": "?"})
        assert applied is document
        assert problems or (begin, name) == ("key.", "") or len(name) > 100


def test_comments_stay_beside_what_was_not_changed_and_what_was() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).posted({"field.spec.size": "4", "field.spec.hosts[0]": "uno"})
    assert sheet.text == TEXT.replace("size: 3", "size: 4").replace("- one", "- uno")


def test_an_entry_is_renamed_where_it_stands_with_its_comment() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).posted({"key.spec.weights.x": "z: #", "field.spec.weights.x": "9"})
    assert sheet.text == TEXT.replace("x: 1  # first", "'z: #': 9  # first")


@pytest.mark.parametrize(("typed", "words"), [("", "needs a name"), ("w", "exists already")])
def test_a_name_that_cannot_be_is_told_and_the_entry_stays(typed: str, words: str) -> None:
    sheet = FormPage.of(SCHEMA, TEXT).posted({"key.spec.weights.x": typed})
    assert words in sheet.problems[0].words
    assert sheet.text == TEXT


def test_new_items_and_entries_are_added_by_any_button() -> None:
    typed = {"new.spec.hosts": "three", "newkey.spec.weights": "z", "new.spec.weights": "3"}
    value = FormPage.of(SCHEMA, TEXT).posted(typed).document.value
    assert value["spec"]["hosts"] == ["one", "two", "three"]
    assert value["spec"]["weights"] == {"x": 1, "w": 2, "z": 3}


@pytest.mark.parametrize(
    ("key", "typed", "words"),
    [
        ("x", "3", "exists already"),
        ("z", "much", "is not a whole number"),
        ("z", "", "needs a value"),
        ("", "3", "a name"),
    ],
)
def test_a_new_entry_that_cannot_be_is_told(key: str, typed: str, words: str) -> None:
    sheet = FormPage.of(SCHEMA, TEXT).posted({"newkey.spec.weights": key, "new.spec.weights": typed})
    assert words in sheet.problems[0].words
    assert sheet.text == TEXT


def test_several_items_that_were_emptied_go_together() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).posted({"field.spec.hosts[0]": "", "field.spec.hosts[1]": ""})
    assert sheet.document.value["spec"]["hosts"] == []


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("field.spec.tls.name", {"shown.spec.tls.name": ""}),
        ("newkey.spec.weights", {"new.spec.weights": "3"}),
        ("new.spec.ports[4].tags", {}),
        ("new.spec.hosts", {}),
    ],
)
def test_what_the_text_has_made_something_else_of_is_not_overwritten(name: str, typed: dict[str, str]) -> None:
    """Form and text come together: where somebody wrote another thing into the text, the form has no place there."""
    text = TEXT.replace("  size: 3", "  tls: words\n  size: 3")
    text = text.replace("weights:\n    x: 1  # first\n    w: 2", "weights: words")
    text = text.replace("hosts:\n    - one\n    - two  # the second", "hosts: words")
    document = parse(text)
    assert document.value["spec"]["tls"] == document.value["spec"]["weights"] == document.value["spec"]["hosts"]
    applied, problems = apply_form(SCHEMA, document, {name: "b", **typed})
    assert applied is document
    assert "“b”" in problems[0].words


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_lines_end_as_they_did(end: str) -> None:
    sheet = of_note(f"one{end}two{end}")
    assert (
        sheet.posted({"field.spec.note": "one\r\n2\r\n3\r\n"}).document.value["spec"]["note"] == f"one{end}2{end}3{end}"
    )


def test_lines_that_end_in_several_ways_are_left_to_the_yaml() -> None:
    sheet = of_note("one\r\ntwo\n")
    after = sheet.posted({"field.spec.note": "one\r\n2\r\n"})
    assert "mixed line endings" in after.problems[0].words
    assert after.text == sheet.text
    assert sheet.posted({"field.spec.note": "one"}).document.value["spec"]["note"] == "one"


def of_note(note: str) -> FormPage:
    """A form whose one field holds that text."""
    return FormPage.of(SCHEMA, to_yaml({"metadata": {}, "spec": {"note": note}}))


@pytest.mark.parametrize("number", [2**53 + 1, 2**63 - 1, -(2**53) - 1])
def test_whole_numbers_beyond_those_of_javascript_stay_as_they_are(number: int) -> None:
    text = TEXT.replace("size: 3", f"size: {number}")
    sheet = FormPage.of(SCHEMA, text)
    assert sheet.inputs.values["field.spec.size"] == str(number)
    assert sheet.posted({"field.spec.note": "n"}).document.value["spec"]["size"] == number
    typed = FormPage.of(SCHEMA, TEXT).posted({"field.spec.size": str(number)})
    assert typed.document.value["spec"]["size"] == number
