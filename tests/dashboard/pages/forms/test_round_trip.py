"""Tests that an unchanged form changes no byte, and that one changed field changes only that field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dashboard.objects.fields.field_access import same
from dashboard.objects.manifests.document import parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import changes
from dashboard.pages.forms.input_names import FIELD, INITIAL, decode_path, encode_path
from tests.support.forms.form_page import FormPage, of_spec
from tests.support.forms.random_schemas import ANYTHING, NAMES, SCHEMAS, fitting
from tests.support.long_tests import examples

pytestmark = pytest.mark.slow

RUNS = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def sheets(draw: st.DrawFn) -> FormPage:
    """A schema, an object of it, and its text, with a comment or two."""
    spec = draw(SCHEMAS)
    value = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "thing"}, "spec": draw(fitting(spec))}
    text = to_yaml(value).replace("\nspec:", "\n# why it is so\nspec:").replace("kind: Thing", "kind: Thing  # a thing")
    assume(same(parse(text).value, value))
    return FormPage.of(of_spec(spec), text)


@RUNS
@given(sheets())
def test_a_form_that_nobody_touched_changes_not_a_byte(sheet: FormPage) -> None:
    after = sheet.posted({})
    assert not after.problems
    assert after.text == sheet.text


@RUNS
@given(sheets(), st.data())
def test_one_field_that_was_changed_changes_that_field_alone(sheet: FormPage, data: st.DataObject) -> None:
    values = sheet.inputs.values
    names = [name for name in values if name.startswith(FIELD) and INITIAL + name.removeprefix(FIELD) in values]
    assume(names)
    name = data.draw(st.sampled_from(names))
    typed = data.draw(st.sampled_from(["7", "true", "other", "3.5", ""]))
    path = decode_path(name.removeprefix(FIELD))
    after = sheet.posted({name: typed})
    changed = changes(sheet.document.value, after.document.value)
    if typed == "" and isinstance(path[-1], int):
        path = path[:-1]  # an item that was emptied goes; those behind it move up
    assert all(change.path[: len(path)] == path or path[: len(change.path)] == change.path for change in changed)
    assert "# why it is so" in after.text or "# why it is so" not in sheet.text
    if after.problems:
        assert after.text == sheet.text


@RUNS
@given(sheets(), st.data())
def test_no_button_breaks_the_text_and_the_form_of_it_can_be_shown(sheet: FormPage, data: st.DataObject) -> None:
    for _ in range(4):
        buttons = [value for name, value in sheet.inputs.presses if name == "change"]
        sheet = sheet.posted({}, data.draw(st.sampled_from(buttons)))
        assert not sheet.problems
        assert sheet.form.nodes


@RUNS
@given(st.lists(st.one_of(NAMES, st.text(max_size=6), st.integers(0, 99)), min_size=1, max_size=5))
def test_every_path_has_a_name_of_its_own(path: list[Any]) -> None:
    assert decode_path(encode_path(path)) == tuple(path)
    assert " " not in encode_path(path)
    assert '"' not in encode_path(path)


@RUNS
@given(SCHEMAS, ANYTHING)
def test_any_value_under_any_schema_has_a_form(schema: Any, value: Any) -> None:
    text = to_yaml({"kind": "Thing", "metadata": {"name": "thing"}, "spec": value})
    assert FormPage.of(of_spec(schema), text).html
