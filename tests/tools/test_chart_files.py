"""Tests of the files that follow from the Helm chart, and of the chart's documentation of its values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ruamel.yaml import YAML

from informerd.version import VERSION
from tests.support.helm import helm_or_skip
from tests.support.program import ROOT
from tools.chart_files import CHART, OVERLAYS, Json, Value, copies, documented_values, kustomize_files, readme


def leaves(values: Any, schema: Json, path: str = "") -> Iterator[str]:
    """Values without a schema, and properties of the schema without a value."""
    properties = schema.get("properties")
    if not properties or not isinstance(values, dict):
        return
    yield from (f"{path}{name}" for name in values.keys() ^ properties.keys() if name != "global")
    for name in values.keys() & properties.keys():
        yield from leaves(values[name], properties[name], f"{path}{name}.")


def test_the_schema_has_each_value_and_no_other() -> None:
    values = YAML(typ="safe").load(CHART / "values.yaml")
    schema = json.loads((CHART / "values.schema.json").read_text())
    assert sorted(leaves(values, schema)) == []


def test_each_value_is_documented() -> None:
    values = YAML(typ="safe").load(CHART / "values.yaml")
    documented = {each.name for each in documented_values((CHART / "values.yaml").read_text())}

    def undocumented(part: Json, path: str = "") -> Iterator[str]:
        for name, value in part.items():
            if path + name not in documented:
                if isinstance(value, dict) and value:
                    yield from undocumented(value, f"{path}{name}.")
                else:
                    yield path + name

    assert [*undocumented(values)] == []


def test_the_readme_has_the_values() -> None:
    text = (CHART / "README.md").read_text()
    assert text == readme(text, (CHART / "values.yaml").read_text()), "run make chart"


@pytest.mark.program
def test_kustomize_has_what_the_chart_has() -> None:
    files = kustomize_files(helm_or_skip())
    assert len(files) == 1 + len(OVERLAYS)
    for path, content in files.items():
        assert path.read_text() == content, f"{path.relative_to(ROOT)}: run make chart"


def test_a_comment_further_up_belongs_to_no_value() -> None:
    text = "# Of the file.\n\n# Of a.\na: 1\nb:\n  # Of c.\n  c: {d: 1}\n# Of e.\ne:\n  - f: 1\n    g: 2\n"
    assert [*documented_values(text)] == [
        Value("a", "1", "Of a."),
        Value("b.c", "{d: 1}", "Of c."),
        Value("e", "see values.yaml", "Of e."),
    ]


def test_the_chart_installs_the_version_of_this_checkout() -> None:
    assert YAML(typ="safe").load(CHART / "Chart.yaml")["appVersion"] == VERSION


def test_the_chart_has_the_alerts_and_the_dashboard_as_they_are() -> None:
    assert {path: path.read_text() for path in copies()} == copies(), "run make chart"
