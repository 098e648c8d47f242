"""Tests of the expanded fields of a form: those of a list's items go with them."""

from __future__ import annotations

from dashboard.pages.forms.expanded_paths import ExpandedPaths
from tests.support.forms.form_page import FormPage, of_spec


def test_what_is_open_below_items_moves_with_them_and_so_do_their_pages() -> None:
    before = ExpandedPaths.read("spec.ports spec.ports[0] spec.ports[1].tls spec.hosts[0] spec.ports[0].rules@50")
    after = before.after_move(("spec", "ports"), {0: 1, 1: 0})
    assert after.text == "spec.ports spec.ports[1] spec.ports[0].tls spec.hosts[0] spec.ports[1].rules@50"
    assert after.after_move(("spec", "ports"), {1: 0, 0: 1}) == before


def test_a_field_that_was_opened_in_an_item_is_open_in_it_after_others_moved() -> None:
    tls = {"type": "object", "properties": {f"field{number}": {"type": "string"} for number in range(30)}}
    ports = {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer"}, "tls": tls}}}
    text = "spec:\n  ports:\n  - port: 80\n  - port: 443\n    tls: {field1: x}\n"
    sheet = FormPage.of(of_spec({"type": "object", "properties": {"ports": ports}}), text)
    sheet = sheet.posted({"child.spec.ports[1].tls": "field7"}, "add spec.ports[1].tls")
    assert "field.spec.ports[1].tls.field7" in sheet.inputs.values
    assert "field.spec.ports[0].tls.field7" in sheet.press("up spec.ports[1]").inputs.values
    assert "field.spec.ports[0].tls.field7" in sheet.press("remove spec.ports[0]").inputs.values
