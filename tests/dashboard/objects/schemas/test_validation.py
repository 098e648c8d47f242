"""Tests of schema validation: a message at the field for each violation, and none for valid objects."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.objects.schemas.rules_and_immutability import immutable_reason, rules_of
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.validation import MAX_PROBLEMS, immutability_problems, schema_problems
from tests.support.forms.form_page import of_spec
from tests.support.forms.operator_schemas import issuer


def said(node: dict[str, Any], value: Any) -> list[str]:
    return [problem.words for problem in schema_problems(Schema(node), value)]


@pytest.mark.parametrize(
    ("node", "right", "wrong", "words"),
    [
        ({"type": "integer", "maximum": 65535}, 65535, 99999999, "It must be at most 65535."),
        ({"type": "integer", "minimum": 1}, 1, 0, "It must be at least 1."),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, 0.1, 0, "It must be more than 0."),
        ({"type": "number", "maximum": 1, "exclusiveMaximum": True}, 0.9, 1, "It must be less than 1."),
        ({"type": "integer", "multipleOf": 5}, 10, 11, "It must be a multiple of 5."),
        ({"type": "integer", "format": "int32"}, 2**31 - 1, 2**31, "It must be between -2147483648 and 2147483647."),
        ({"type": "integer"}, 1.0, 1.5, "It must be a whole number."),
        ({"type": "integer"}, 10**400, 1.5, "It must be a whole number."),
        ({"type": "integer", "multipleOf": 5}, 10**400, 10**400 + 1, "It must be a multiple of 5."),
        ({"type": "number", "multipleOf": 0.5}, 10**400, 0.7, "It must be a multiple of 0.5."),
        ({"type": "integer"}, 1, True, "It must be a whole number."),
        ({"type": "boolean"}, False, 0, "It must be true or false."),
        ({"type": "string"}, "", 1, "It must be text."),
        ({"type": "array"}, [], {}, "It must be a list."),
        ({"x-kubernetes-int-or-string": True}, "a", 1.5, "It must be a whole number or text."),
        ({"type": "string", "minLength": 1}, "a", "", "It must not be empty."),
        ({"type": "string", "maxLength": 2}, "ab", "abc", "It must have at most 2 characters, and has 3."),
        (
            {"type": "string", "pattern": "^(a+)+$"},
            "a" * 40,
            "a" * 4000 + "b",
            "It must match the pattern ^(a+)+$ such as a",
        ),
        ({"type": "string", "pattern": "^([0-9]+(ms|s|m|h))+$"}, "5m", "5", "It must be a duration, such as 1h30m."),
        ({"type": "string", "pattern": "(?=x)"}, "a", None, ""),
        ({"type": "string", "format": "ipv4"}, "10.0.0.1", "10.0.0.256",
         "It must be an IPv4 address such as 10.0.0.1."),
        ({"type": "string", "format": "date-time"}, "2026-11-21T20:30:00Z", "today",
         "It must be a date and time such as 2026-11-21T20:30:00Z."),
        ({"format": "quantity", "oneOf": [{"type": "string"}, {"type": "number"}]}, "500m", "much",
         "It must be a quantity such as 500m, 1.5 or 2Gi."),
        ({"type": "string", "enum": ["a", "b"]}, "a", "c", "It must be one of a, b."),
        ({"type": "array", "maxItems": 1}, [1], [1, 2], "It must have at most 1 item, and has 2."),
        ({"type": "array", "x-kubernetes-list-type": "set"}, ["a", "b"], ["a", "a"], "The list has “a” already."),
        ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
         [{"name": "a"}, {"name": "b"}], [{"name": "a"}, {"name": "a"}], "The list has name=a already."),
        ({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
          "x-kubernetes-patch-strategy": "merge"}, [], [{"name": "a"}, {"name": "a"}], ""),
        ({"type": "object", "minProperties": 1, "additionalProperties": {}}, {"a": 1}, {},
         "It must have at least 1 field."),
        ({"type": "object", "properties": {"a": {}}}, {"a": 1}, {"b": 1}, "The schema has no such field."),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, {"a": 1}, {}, "It is required."),
        ({"not": {"required": ["a", "b"]}}, {"a": 1}, {"a": 1, "b": 1}, "The schema forbids this combination."),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, {}, "One of a, b is needed."),
        ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, 2, 4, "It must be at most 3."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_what_is_right_is_not(
    node: dict[str, Any], right: Any, wrong: Any, words: str
) -> None:
    assert said(node, right) == []
    assert said(node, wrong) == ([words] if words else [])


def test_one_of_several_ways_is_asked_for_by_their_fields() -> None:
    schema = of_spec(issuer())
    (problem,) = schema_problems(schema, {"spec": {}})
    assert (problem.words, problem.field) == ("One of acme, ca, selfSigned, vault is needed.", "spec")
    (problem,) = schema_problems(schema, {"spec": {"ca": {"secretName": "a"}, "selfSigned": {}}})
    assert problem.words == "Only one of ca, selfSigned is allowed."


def test_what_the_api_server_keeps_is_not_judged() -> None:
    schema = of_spec({"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    assert not schema_problems(
        schema, {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a", "x": 1}, "spec": {"a": 1}}
    )
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {}}}
    assert not said(embedded, {"apiVersion": "v1", "kind": "X", "metadata": {}, "spec": 1})


def test_no_more_is_told_than_anybody_reads() -> None:
    assert len(said({"type": "array", "items": {"type": "string"}}, list(range(1000)))) == MAX_PROBLEMS


FIXED = {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "class is immutable"}]}
BY_PARENT = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    "x-kubernetes-validations": [
        {"rule": "self.a == oldSelf.a", "message": "a stays"},
        {"rule": "self.b == oldSelf.b || true"},
    ],
}


def test_fields_that_never_change_are_told_by_their_own_rule_or_by_that_of_what_they_stand_in() -> None:
    schema = of_spec({"type": "object", "properties": {"class": FIXED, "both": BY_PARENT}})
    base = {"spec": {"class": "x", "both": {"a": "1", "b": "1"}}}
    assert not immutability_problems(schema, base, base)
    changed = {"spec": {"class": "y", "both": {"a": "2", "b": "2"}}}
    assert [(each.field, each.words) for each in immutability_problems(schema, changed, base)] == [
        ("spec.class", "It cannot be changed once it is set."),
        ("spec.both.a", "It cannot be changed once it is set. a stays."),
    ]
    assert not immutability_problems(schema, changed, {"spec": {}})


def test_a_field_may_be_taken_out_that_its_own_rule_keeps_from_changing() -> None:
    """The API server asks a transition rule only where the value was and is."""
    schema = of_spec({"type": "object", "properties": {"class": FIXED, "both": BY_PARENT}})
    base = {"spec": {"class": "x", "both": {"a": "1"}}}
    assert [each.field for each in immutability_problems(schema, {"spec": {"both": {}}}, base)] == ["spec.both.a"]


def test_the_items_of_a_list_are_held_to_what_they_were_by_their_keys() -> None:
    items = {"type": "object", "properties": {"name": {"type": "string"}, "class": FIXED}}
    keyed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items}
    schema = of_spec({"type": "object", "properties": {"by": keyed, "plain": {"type": "array", "items": items}}})
    a, b, c = ({"name": name, "class": "x"} for name in "abc")
    base = {"spec": {"by": [a, b], "plain": [a, b]}}
    assert not immutability_problems(schema, {"spec": {"by": [c, b, a], "plain": [b]}}, base)
    turned = {"spec": {"by": [b, {**a, "class": "y"}], "plain": [{**a, "class": "y"}]}}
    assert [each.field for each in immutability_problems(schema, turned, base)] == ["spec.by[1].class"]
    assert not immutability_problems(schema, turned, {"spec": {"by": [a, {"class": "x"}]}}), (
        "nothing tells its items apart"
    )


def test_rules_are_told_by_their_message_or_as_they_are() -> None:
    schema = Schema(
        {
            "x-kubernetes-validations": [
                {"rule": "a"},
                {"rule": "b", "message": "must be b"},
                {"rule": "self == oldSelf"},
            ]
        }
    )
    assert [(rule.words, rule.code) for rule in rules_of(schema)] == [("", "a"), ("It must be b.", "b")]
    assert immutable_reason(schema, "x") == ""
