"""Tests of the form's buttons, which change the text, keep the rest, and return the requested form."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.forms.test_apply_to_yaml import SCHEMA, TEXT
from tests.support.forms.form_page import FormPage, of_spec

ITEMS = """\
spec:
  ports:
    # the first
    - port: 80  # web
    # the second
    - port: 443
      name: tls
    - port: 9090
  hosts: [a, b]
"""


def test_moving_an_item_takes_its_comments_along() -> None:
    sheet = FormPage.of(SCHEMA, ITEMS).press("down spec.ports[0]")
    assert sheet.text == ITEMS.replace(
        "    # the first\n    - port: 80  # web\n    # the second\n    - port: 443\n      name: tls\n",
        "    # the first\n    # the second\n    - port: 443\n      name: tls\n    - port: 80  # web\n",
    )
    back = sheet.press("up spec.ports[1]")
    assert back.document.value == FormPage.of(SCHEMA, ITEMS).document.value
    assert sheet.press("up spec.hosts[1]").document.value["spec"]["hosts"] == ["b", "a"]


def test_removing_takes_out_that_item_and_nothing_else() -> None:
    sheet = FormPage.of(SCHEMA, ITEMS).press("remove spec.ports[1]")
    assert sheet.text == ITEMS.replace("    - port: 443\n      name: tls\n", "")


def test_an_object_is_added_as_an_empty_one_and_its_fields_are_open() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).press("add spec.ports")
    assert sheet.document.value["spec"]["ports"] == [{"port": 80}, {}]
    assert "field.spec.ports[1].port" in sheet.inputs.values
    assert sheet.posted({"field.spec.ports[1].port": "81"}).document.value["spec"]["ports"][1] == {"port": 81}


def test_a_plain_value_is_typed_and_added_with_its_button() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).press("add spec.hosts", new__spec__hosts="three")
    assert sheet.document.value["spec"]["hosts"] == ["one", "two", "three"]


def test_what_was_typed_elsewhere_is_not_lost_when_a_button_is_pressed() -> None:
    sheet = FormPage.of(SCHEMA, TEXT).press("remove spec.ports[0]", field__spec__size="9")
    assert sheet.document.value["spec"]["size"] == 9
    assert sheet.document.value["spec"]["ports"] == []


def test_a_field_that_is_opened_shows_empty_and_writes_nothing() -> None:
    many = {name: {"type": "string"} for name in (f"field{number}" for number in range(30))}
    sheet = FormPage.of(of_spec({"type": "object", "properties": many}), "spec:\n  field1: x\n")
    assert "field.spec.field7" not in sheet.inputs.values
    added = sheet.posted({"child.spec": "field7"}, "add spec")
    assert added.text == sheet.text
    assert added.inputs.values["field.spec.field7"] == ""
    assert added.posted({"field.spec.field7": "z"}).text == "spec:\n  field1: x\n  field7: z\n"


UNION = of_spec(
    {
        "type": "object",
        "oneOf": [{"required": ["ca"]}, {"required": ["selfSigned"]}],
        "properties": {
            "ca": {"type": "object", "required": ["secretName"], "properties": {"secretName": {"type": "string"}}},
            "selfSigned": {"type": "object", "properties": {"crl": {"type": "string"}}},
        },
    }
)


def test_choosing_one_of_several_takes_out_the_others_and_opens_it() -> None:
    sheet = FormPage.of(UNION, "spec:\n  selfSigned: {}\n")
    chosen = [way.label for way in sheet.form.nodes[0].alternatives if way.is_chosen]
    assert chosen == ["selfSigned"]
    sheet = sheet.press("choose spec 0")
    assert sheet.document.value["spec"] == {"ca": {}}
    assert sheet.inputs.values["field.spec.ca.secretName"] == ""
    assert sheet.press("choose spec 1").document.value["spec"] == {"selfSigned": {}}


def test_null_is_written_where_the_schema_allows_it() -> None:
    schema = of_spec({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}})
    sheet = FormPage.of(schema, "spec:\n  a: x  # why\n").press("null spec.a")
    assert sheet.text == "spec:\n  a: null  # why\n"
    assert "null spec.a" not in dict(sheet.inputs.presses).values()


@pytest.mark.slow
def test_what_a_button_names_that_is_not_there_changes_nothing() -> None:
    sheet = FormPage.of(SCHEMA, TEXT)
    for button in (
        "up spec.hosts[0]", "down spec.hosts[7]", "remove spec.hosts[7]", "choose spec 7", "choose spec x",
        "add spec nope", "null spec.size", "explode spec", "add", "", "up spec", "empty spec.size",
        f"remove spec.hosts[{'9' * 5000}]", "empty [0]", "empty spec.size.a", f"empty spec{'.a' * 300}",
        "up spec.hosts[\u0663]",
        "choose spec -1", "empty spec.nowhere", "add spec.size.a b", "page spec.hosts 9999999999",
    ):  # fmt: skip
        assert sheet.posted({}, button).text == TEXT, button
