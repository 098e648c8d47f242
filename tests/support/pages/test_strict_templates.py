"""Tests of the guard against names that templates read and no object has."""

from __future__ import annotations

from types import SimpleNamespace

from django.template import Context, Template

from tests.support.pages.strict_templates import unresolved


def render(source: str, **context: object) -> list[str]:
    """Render a template. Returns the names that it did not find."""
    Template(source).render(Context(context))
    found = list(unresolved)
    unresolved.clear()
    return found


def test_a_missing_attribute_is_found_in_output_conditions_and_loops() -> None:
    assert render("{{ view.nothing }}", view=object()) == ["None: view.nothing (object)"]
    assert render("{% if view.nothing and view %}{% endif %}", view=object()) == ["None: view.nothing (object)"]
    assert render("{% for each in view.nothing %}{% endfor %}", view=object()) == ["None: view.nothing (object)"]
    assert render("{% with name=view.nothing %}{% endwith %}", view=object()) == ["None: view.nothing (object)"]


def test_a_missing_name_is_found() -> None:
    assert render("{% if nothing %}{% endif %}") == ["None: nothing (Context)"]


def test_keys_of_mappings_attributes_of_nothing_and_of_samples_may_be_absent() -> None:
    assert render("{{ counts.failed }}{{ view.row.name }}", counts={}, view=SimpleNamespace(row=None)) == []
    assert render("{{ view.nothing }}", view=SimpleNamespace()) == []
