"""Tests of objects that cannot be dry-run before others of the same text exist: their schemas check them."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from dashboard.objects.schemas.from_crd import schema_of_version
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.objects.schemas.validation import schema_problems
from dashboard.pages.create.many.dependencies import kinds_defined_by
from tests.dashboard.pages.create.many.test_views import mydemo, reviewed
from tests.support.edit.no_script_browser import Browser

_numbers = itertools.count(1)
SIZE = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "maximum": 9}}}


def definition(group: str, schema: dict[str, Any] | None) -> str:
    version: dict[str, Any] = {"name": "v1", "served": True, "storage": True}
    if schema is not None:
        version["schema"] = {"openAPIV3Schema": schema}
    return json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [version],
        },
    }) + "\n"  # fmt: skip


def space(name: str) -> str:
    return f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n"


async def test_what_waits_for_a_namespace_is_checked_by_its_schema_and_the_review_says_so(browser: Browser) -> None:
    name = f"waiting-{next(_numbers)}"
    documents = (space(name), mydemo("good", name), mydemo("bad", name, port=70000))
    review = await reviewed(browser, "/new/", *documents)
    assert "1 to create 1 waiting for others 1 refused" in review.text
    assert "Checked against the schema of its kind only" in review.text
    assert "only after its namespace, which the object in line 1 creates" in review.text
    assert "The schema of this kind does not allow it" in review.text
    assert "line 17, column 3 spec.port It must be at most 65535." in review.text


async def test_what_waits_for_its_kind_is_checked_by_the_schema_of_the_text(browser: Browser) -> None:
    group = f"waiting{next(_numbers)}.example.com"
    widget = f"apiVersion: {group}/v1\nkind: Widget\nmetadata: {{name: %s}}\nsize: %s\n"
    review = await reviewed(browser, "/new/", definition(group, SIZE), widget % ("a", 3), widget % ("b", 10))
    assert "1 to create 1 waiting for others 1 refused" in review.text
    assert "Checked against the schema of its kind only" in review.text
    assert "line 11, column 1 size It must be at most 9." in review.text


async def test_what_waits_and_has_no_schema_is_said_not_to_be_checked(browser: Browser) -> None:
    group = f"waiting{next(_numbers)}.example.com"
    widget = f"apiVersion: {group}/v1\nkind: Widget\nmetadata: {{name: a}}\nsize: 3\n"
    review = await reviewed(browser, "/new/", definition(group, None), widget)
    assert "Not checked: no schema of its kind is known" in review.text


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": 5},
        {"properties": {"a": []}},
        {"items": 1},
        {"type": ["object"]},
        {"required": "a"},
        {"additionalProperties": "yes"},
        {"oneOf": [5]},
        {"minimum": "1"},
        {"maxLength": True},
        {"properties": {"a": {"not": {"anyOf": {}}}}},
        {"x-kubernetes-validations": ["self"]},
        {"$ref": "#/a"},
    ],
)
def test_what_is_no_schema_is_taken_for_none(schema: dict[str, Any]) -> None:
    assert schema_of_version({"schema": {"openAPIV3Schema": schema}}) is UNKNOWN


@pytest.mark.parametrize("spec", [None, [], {"group": 1}, {"group": "a", "names": [], "versions": {}}])
def test_a_definition_that_nobody_can_read_defines_nothing(spec: Any) -> None:
    value = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    assert list(kinds_defined_by(value)) == []


def test_what_a_structural_schema_fills_in_is_not_asked_for() -> None:
    node = {"type": "object", "required": ["a", "b"], "properties": {"a": {"default": 0}, "b": {"type": "integer"}}}
    schema = schema_of_version({"schema": {"openAPIV3Schema": node}})
    assert [each.field for each in schema_problems(schema, {"kind": "X"})] == ["b"]
