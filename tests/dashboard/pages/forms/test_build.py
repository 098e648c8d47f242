"""Tests of an object's form: the fields shown first, the folded ones, and the text of each field."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.forms.build import MAX_NODES, PAGE_NODES, FormContext, build_form
from dashboard.pages.forms.expanded_paths import MAX_PATHS as MOST_OPENED
from dashboard.pages.forms.form_tree import FormNode
from tests.support.forms.form_page import FormPage, of_spec
from tests.support.forms.operator_schemas import SPECS, issuer, rollout

RULE = {"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is immutable"}]}
IMMUTABLE = {"type": "string", **RULE}
EVIL = "<script>alert(1)</script>"


def wide() -> FormPage:
    """Of an object with 1,500 plain fields, all of them set."""
    names = [f"f{number}" for number in range(1500)]
    spec = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    return FormPage.of(of_spec(spec), to_yaml({"metadata": {"name": "x"}, "spec": dict.fromkeys(names, "v")}))


def field(node: dict[str, Any], text: str = "spec: {}\n", *, required: bool = False) -> FormNode:
    """The form's node for a field ``it`` of spec."""
    spec = {"type": "object", "properties": {"it": node}, **({"required": ["it"]} if required else {})}
    found = FormPage.of(of_spec(spec), text).form.nodes[0].children
    return next(each for each in found if each.label == "it")


@pytest.mark.parametrize(
    ("node", "control", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, "integer", "1 to 5."),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, "number", "More than 0."),
        ({"type": "integer", "multipleOf": 5}, "integer", "A multiple of 5."),
        ({"type": "string", "maxLength": 9}, "text", "At most 9 characters."),
        ({"type": "string", "minLength": 2, "maxLength": 9}, "text", "2 to 9 characters."),
        ({"type": "string", "format": "ipv4"}, "text", "An IPv4 address such as 10.0.0.1."),
        ({"type": "string", "pattern": "^a+$"}, "text", "Such as a."),
        ({"type": "string", "pattern": "^a{700}$"}, "text", "Pattern ^a{700}$"),
        (
            {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63},
            "text",
            "At most 63 characters. Lower-case letters, digits and dashes, such as my-name.",
        ),
        ({"type": "boolean"}, "boolean", ""),
        ({"type": "string", "format": "quantity"}, "quantity", "A quantity such as 500m, 1.5 or 2Gi."),
        ({"type": "string", "enum": ["a", "b"]}, "choice", ""),
        ({"x-kubernetes-int-or-string": True}, "int-or-string", ""),
        ({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}, "int-or-string", ""),
        ({"type": "string", "description": "How large. It is long."}, "text", "How large."),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": "isIP(self)", "message": "must be an address"}]},
            "text",
            "It must be an address.",
        ),
    ],
)
def test_a_plain_field_has_its_control_and_says_its_bounds(node: dict[str, Any], control: str, words: str) -> None:
    found = field(node)
    assert (found.control, found.help.summary) == (control, words)


@pytest.mark.parametrize(
    ("node", "control", "words"),
    [
        ({"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string"}}, "list", "1 to 3 items."),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "default": ["a"]},
            "list",
            'Each value once. Default: ["a"]',
        ),
        (
            {"type": "object", "maxProperties": 4, "additionalProperties": {"type": "string"}},
            "map",
            "At most 4 entries.",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1}},
            "group",
            'Default: {"a": 1}',
        ),
        ({"type": "object", "properties": {"a": {"type": "integer"}}, "default": {}}, "group", ""),
    ],
)
def test_what_holds_others_says_its_bounds_and_its_default(node: dict[str, Any], control: str, words: str) -> None:
    found = field(node, required=True)
    assert (found.control, found.help.summary) == (control, words)


def test_a_pattern_that_is_long_is_folded_and_not_left_out() -> None:
    found = field({"type": "string", "description": "How. Why.", "pattern": f"^{'a' * 200}$"})
    assert (found.help.summary, found.help.details) == ("How.", f"Why.\nPattern ^{'a' * 200}$")


def test_a_pattern_that_is_told_in_words_is_folded_as_it_is_written() -> None:
    found = field({"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"})
    words, folded = "A duration, such as 1h30m.", r"Pattern ^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"
    assert (found.help.summary, found.help.details) == (words, folded)


def test_the_rest_of_a_description_and_rules_without_a_message_are_folded() -> None:
    found = field(
        {"type": "string", "description": "How large. It is long.", "x-kubernetes-validations": [{"rule": "f(self)"}]}
    )
    assert found.help.details == "It is long."
    assert [rule.code for rule in found.help.rules] == ["f(self)"]


def test_defaults_are_shown_as_such_and_not_written() -> None:
    found = field({"type": "integer", "default": 3})
    assert (found.value, found.example) == ("", "default: 3")
    on = FormPage.of(
        of_spec({"type": "object", "properties": {"on": {"type": "boolean", "default": True}}}), "spec: {}\n"
    )
    assert "not set (default: true)" in on.html
    assert on.posted({}).text == "spec: {}\n"


def test_what_never_changes_once_set_is_read_only_only_once_it_is_set() -> None:
    node = {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "name is immutable"}]}
    spec = of_spec({"type": "object", "required": ["it"], "properties": {"it": node}})
    there = FormPage.of(spec, "spec: {it: a}\n")
    assert "field.spec.it" not in there.inputs.values
    assert "cannot be changed once it is set" in there.html
    assert "field.spec.it" in FormPage.of(spec, "spec: {}\n").inputs.values


def test_a_new_item_of_a_list_with_keys_is_none_that_was_there_before() -> None:
    item = {
        "type": "object",
        "required": ["name", "zone"],
        "properties": {"name": {"type": "string"}, "zone": IMMUTABLE},
    }
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    schema = of_spec({"type": "object", "properties": {"it": {"type": "array", "items": item, **keyed}}})
    sheet = FormPage.of(schema, to_yaml({"spec": {"it": [{"name": "a", "zone": "1"}, {"name": "b", "zone": "2"}]}}))
    assert not any(name.startswith("field.spec.it") and name.endswith("zone") for name in sheet.inputs.values)
    after = sheet.press("remove spec.it[0]").press("add spec.it")
    assert "field.spec.it[0].zone" not in after.inputs.values
    assert "Was " not in after.html
    again = after.posted({"field.spec.it[1].name": "c", "field.spec.it[1].zone": "3"})
    assert again.document.value["spec"]["it"] == [{"name": "b", "zone": "2"}, {"name": "c", "zone": "3"}]


def test_a_spec_that_never_changes_says_so_and_has_no_inputs() -> None:
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}, **RULE}
    sheet = FormPage.of(of_spec(spec), "spec: {size: 1}\n")
    assert "field.spec.size" not in sheet.inputs.values
    assert "It cannot be changed once it is set." in sheet.html


def test_an_entry_that_never_changes_can_be_taken_out() -> None:
    spec = {"type": "object", "properties": {"it": {"type": "object", "additionalProperties": IMMUTABLE}}}
    sheet = FormPage.of(of_spec(spec), "spec: {it: {a: x}}\n")
    assert "field.spec.it.a" not in sheet.inputs.values
    assert ("change", "remove spec.it.a") in sheet.inputs.presses
    assert "field.spec.it.b" in sheet.posted({"newkey.spec.it": "b", "new.spec.it": "y"}).inputs.values


def test_none_of_several_ways_is_no_way_to_choose() -> None:
    """As Istio's schemas say that at most one of some fields may be there."""
    ways = [{"required": ["exact"]}, {"required": ["prefix"]}]
    fields = {"exact": {"type": "string"}, "prefix": {"type": "string"}, "more": {"type": "string"}}
    match = {"type": "object", "properties": fields, "oneOf": [{"not": {"anyOf": ways}}, *ways]}
    sheet = FormPage.of(of_spec({"type": "object", "properties": {"it": match}}), "spec: {it: {exact: a}}\n")
    (found,) = sheet.form.nodes[0].children
    assert [(way.label, way.is_chosen) for way in found.alternatives] == [("exact", True), ("prefix", False)]
    assert sheet.press("choose spec.it 1").document.value["spec"]["it"] == {}


def test_what_the_schema_does_not_describe_is_left_to_the_yaml() -> None:
    found = field({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "spec: {it: {a: 1}}\n")
    assert (found.control, found.value) == ("yaml", "a: 1")
    misfit = field({"type": "integer"}, "spec: {it: [1]}\n")
    assert misfit.control == "yaml"


def test_a_kind_without_a_schema_has_labels_and_annotations() -> None:
    sheet = FormPage.of(UNKNOWN, "metadata:\n  labels:\n    a: b\nspec:\n  x: 1\n")
    assert sheet.inputs.values["field.metadata.labels.a"] == "b"
    assert "gives no schema" in sheet.html


def test_markup_in_any_field_is_text() -> None:
    node = {"type": "string", "description": f"{EVIL} And {EVIL}.", "default": EVIL, "enum": [EVIL, "b"]}
    properties = {
        EVIL: node,
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "plain": {"type": "string"},
    }
    value = {"metadata": {"name": "x"}, "spec": {EVIL: EVIL, "map": {EVIL: EVIL}, "plain": EVIL}}
    sheet = FormPage.of(of_spec({"type": "object", "properties": properties}), to_yaml(value))
    sheet.problems = (Problem(EVIL, path=("spec", "plain")),)
    assert "<script" not in sheet.html
    assert sheet.posted({}).text == sheet.text
    sheet.find = EVIL
    assert "<script" not in sheet.html


def test_problems_stand_at_their_fields_and_around_them_where_the_form_has_no_such_field() -> None:
    sheet = FormPage.of(of_spec(issuer()), "spec:\n  ca: {}\n")
    sheet.problems = (
        Problem("It is required.", path=("spec", "ca", "secretName")),
        Problem("No such field.", path=("spec", "ca", "sekret")),
        Problem("It is required.", path=("spec", "acme", "server")),
    )
    form = sheet.form
    assert form.anchor_of(("spec", "ca", "secretName")) == "field.spec.ca.secretName"
    assert form.anchor_of(("spec", "ca", "sekret")) == "field.spec.ca"
    assert form.anchor_of(("spec", "acme", "server")) == "field.spec.acme.server"
    assert sheet.html.count("No such field.") == 1


def test_only_what_is_set_and_what_must_be_is_shown_first() -> None:
    sheet = FormPage.of(
        of_spec(rollout()), "spec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: a\n"
    )
    shown = {name.removeprefix("field.") for name in sheet.inputs.values if name.startswith("field.")}
    assert {"spec.replicas", "spec.template.spec.containers[0].name"} <= shown
    assert len(shown) < 12
    assert {field.name for field in sheet.form.nodes[0].addable_fields} == {"selector", "strategy"}


@pytest.mark.parametrize("kind", SPECS)
def test_large_schemas_have_small_forms(kind: str) -> None:
    sheet = FormPage.of(of_spec(SPECS[kind]()), "spec: {}\n")
    assert sheet.posted({}).text == "spec: {}\n"
    assert len(sheet.html) < 120_000


@pytest.mark.slow
def test_a_large_object_is_held_back_until_it_is_asked_for() -> None:
    containers = [{"name": f"c{number}", "image": "x", "args": ["a", "b"]} for number in range(200)]
    text = to_yaml({"metadata": {"name": "x"}, "spec": {"template": {"spec": {"containers": containers}}}})
    sheet = FormPage.of(of_spec(rollout()), text)
    assert len([name for name in sheet.inputs.values if name.startswith("field.")]) < MAX_NODES + 40
    assert sheet.posted({}).text == text


@pytest.mark.long
@pytest.mark.slow
def test_plain_fields_are_held_back_too_where_there_are_very_many() -> None:
    sheet = wide()
    assert len(sheet.inputs.values) < 3 * MAX_NODES
    assert sheet.posted({}).text == sheet.text
    opened = sheet.press("open spec.f1400")
    assert opened.inputs.values["field.spec.f1400"] == "v"
    assert "f1400: mine" in opened.posted({"field.spec.f1400": "mine"}).text


@pytest.mark.slow
def test_a_plain_field_without_room_is_shown_where_it_is_wrong_or_was_typed_into() -> None:
    sheet = wide()
    sheet.problems = (Problem("It must be text.", path=("spec", "f1300")),)
    assert sheet.inputs.values["field.spec.f1300"] == "v"
    typed = {"field.spec.f1200": "mine", "shown.spec.f1200": "v"}
    form = build_form(sheet.schema, FormContext(sheet.document.value, {}, typed), {})
    assert form.nodes[0].children[1200].value == "mine"
    assert form.nodes[0].children[1200].is_input


@pytest.mark.long
@pytest.mark.slow
def test_as_many_fields_as_can_be_open_can_be_sent() -> None:
    sheet = wide()
    sheet.opened = " ".join(f"spec.f{number}" for number in range(1000, 1000 + MOST_OPENED))
    assert sheet.inputs.values["field.spec.f1000"] == "v"
    assert len(sheet.inputs.values) < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS / 2


def test_fields_are_found_by_words_of_their_paths_and_opened_with_all_around_them() -> None:
    sheet = FormPage.of(of_spec(rollout()), "spec: {}\n")
    sheet.find = "canary maxsurge"
    assert [hit.label for hit in sheet.form.hits] == ["spec.strategy.canary.maxSurge"]
    opened = sheet.press("open spec.strategy.canary.maxSurge")
    assert "field.spec.strategy.canary.maxSurge" in opened.inputs.values
    assert opened.text == sheet.text
    sheet.find = "no such thing"
    assert "No field of this kind" in sheet.html


def test_a_schema_that_holds_itself_has_a_form_and_a_search() -> None:
    definitions = {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "child": {"$ref": "#/components/schemas/Node"}},
        }
    }
    schema = Schema(
        {"type": "object", "properties": {"spec": {"$ref": "#/components/schemas/Node"}, "metadata": {}}}, definitions
    )
    sheet = FormPage.of(schema, "spec: {name: a, child: {child: {name: b}}}\n")
    sheet.find = "child name"
    assert sheet.form.hits
    assert sheet.inputs.values["field.spec.child.child.name"] == "b"


def long_list(count: int, *names: str) -> FormPage:
    """Of an object with so many items in each of these lists (`items`), each with a name and a level."""
    names = names or ("items",)
    item = {"type": "object", "properties": {"name": {"type": "string"}, "level": {"type": "integer"}}}
    spec = {"type": "object", "properties": {name: {"type": "array", "items": item} for name in names}}
    items = [{"name": f"item-{number}"} for number in range(count)]
    held = dict.fromkeys(names, items)
    return FormPage.of(of_spec(spec), to_yaml({"metadata": {"name": "x"}, "spec": held}))


@pytest.mark.slow
def test_a_list_that_is_too_long_is_turned_page_by_page_until_every_item_was_there() -> None:
    sheet = long_list(400)
    seen: list[int] = []
    for _ in range(20):
        node = sheet.form.nodes[0].children[0]
        seen += [each.index for each in node.children if each.index is not None]
        assert node.unrendered_count == 400 - len(node.children)
        if not node.next_start:
            break
        sheet = sheet.press(f"page spec.items {node.next_start}")
    assert seen == list(range(400))
    assert sheet.press("page spec.items 0").form.nodes[0].children[0].children[0].index == 0


@pytest.mark.slow
def test_the_page_that_was_turned_last_has_its_room_and_all_pages_together_keep_the_bound() -> None:
    names = ("first", "second", "third")
    sheet = long_list(400, *names)
    for name in names:
        sheet.opened = " ".join(f"spec.{each}@100" for each in sorted(names, key=lambda each: each == name))
        assert len(sheet.form.anchors) < MAX_NODES + 10
        shown = {node.label: [each.index for each in node.children] for node in sheet.form.nodes[0].children}
        assert shown[name] == list(range(100, 100 + len(shown[name])))
        assert len(shown[name]) > PAGE_NODES // 4, "as many as there is room for, at three fields each"
        assert all(len(shown[each]) < len(shown[name]) for each in shown if each != name)


def test_a_turned_page_of_what_is_gone_takes_no_room_from_the_rest() -> None:
    sheet = long_list(400, "first")
    before = len(sheet.form.anchors)
    sheet.opened = "spec.gone@100"
    assert len(sheet.form.anchors) == before


@pytest.mark.slow
def test_a_search_finds_what_is_below_lists_by_path_and_by_value() -> None:
    sheet = long_list(400)
    assert sheet.form.searchable
    sheet.find = "item-377"
    assert [hit.label for hit in sheet.form.hits] == ["spec.items[377].name"]
    opened = sheet.press("open spec.items[377].name")
    assert 377 in [each.index for each in opened.form.nodes[0].children[0].children]
    sheet.find = "level"
    assert [hit.label for hit in sheet.form.hits][:2] == ["spec.items[0].level", "spec.items[1].level"]


def test_what_would_need_a_name_too_long_for_a_form_is_edited_as_yaml() -> None:
    """A browser sends the name in the head of a part, and Django refuses the whole form where that is over 1 kB."""
    schema = of_spec({"type": "object", "additionalProperties": {"type": "string"}})
    sheet = FormPage.of(schema, f"spec:\n  {'長' * 200}: x\n  short: w\n")
    assert sheet.inputs.values["field.spec.short"] == "w"
    assert max(map(len, sheet.inputs.values)) < 950
    assert sheet.posted({"field.spec.short": "z"}).text == sheet.text.replace("short: w", "short: z")
