"""Tests of the search for fields of a form: in which order they are found."""

from __future__ import annotations

from dashboard.pages.forms.search import find_fields
from tests.support.forms.form_page import of_spec


def test_fields_of_that_name_come_first_then_those_that_begin_with_it_hold_it_or_are_below_it() -> None:
    text = {"type": "string"}
    port = {"type": "object", "properties": dict.fromkeys(("name", "targetPort", "portName", "port"), text)}
    spec = of_spec({"type": "object", "properties": {"port": port}})
    hits = find_fields(spec, {"spec": {}}, "Port", (), ("spec",))
    assert [hit.label for hit in hits] == [
        "spec.port", "spec.port.port", "spec.port.portName", "spec.port.targetPort", "spec.port.name",
    ]  # fmt: skip
