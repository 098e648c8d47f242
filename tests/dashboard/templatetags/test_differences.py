"""Tests of changed fields and diffs as HTML: everything in them is escaped, and each piece has its mark."""

from __future__ import annotations

from dataclasses import replace

from django.template.loader import render_to_string

from dashboard.objects.fields.field_access import ABSENT
from dashboard.objects.merge.diff import Change, diff_lines


def changes_html(*changes: Change, **context: str | None) -> str:
    return render_to_string("writes/_changes.html", {"changes": changes, **context})


def test_each_change_has_its_field_and_both_values() -> None:
    changed = changes_html(Change(("spec", "port"), 80, 8080))
    assert "<code>spec.<wbr>port</code><span><del>80</del> → <ins>8080</ins></span>" in changed
    added = changes_html(Change(("spec", "port"), ABSENT, 80))
    assert '<span><ins>80</ins> <span class="dim">new</span></span>' in added
    removed = changes_html(Change(("spec", "port"), 80, ABSENT))
    assert '<span><del>80</del> <span class="dim">removed</span></span>' in removed
    by_server = changes_html(Change(("spec", "port"), 80, 81, by_server=True))
    assert '<ins>81</ins> <span class="label">set by the API server</span>' in by_server


def test_without_changes_it_says_so() -> None:
    assert '<li class="none">Nothing.</li>' in changes_html()
    assert '<li class="none">Nothing &lt;else&gt;.</li>' in changes_html(none="Nothing <else>.")
    for without in ("", None):
        assert '<li class="none">Nothing.</li>' in changes_html(none=without)


def test_where_there_is_nothing_to_compare_nothing_is_shown() -> None:
    assert '<ul class="lines"><li class="none">Nothing.</li></ul>' in render_to_string(
        "writes/_changes.html", {"changes": None}
    )
    assert "></pre>" in render_to_string("writes/_diff.html", {"lines": None})


def test_texts_of_fields_and_values_are_escaped() -> None:
    html = changes_html(Change(("<b>", "x"), "<script>", '"&'))
    assert "<b>" not in html
    assert "<script>" not in html
    assert "<del>&lt;script&gt;</del> → <ins>&quot;&amp;</ins>" in html


def test_a_diff_has_numbers_signs_gaps_and_escaped_lines() -> None:
    was = "\n".join(f"line {number}" for number in range(1, 31))
    lines = [replace(line, by_server=line.kind == "add") for line in diff_lines(was, was.replace("line 20", "<b>"))]
    html = render_to_string("writes/_diff.html", {"lines": lines})
    number = '<span class="ln" aria-hidden="true">{}</span>'
    minus = '<span class="sign">\N{MINUS SIGN}</span>'
    assert f'<span class="diff-del">{number.format(20)}{number.format("")}{minus}line 20\n' in html
    assert (
        f'<span class="diff-add">{number.format("")}{number.format(20)}<span class="sign">+</span>&lt;b&gt; '
        '<span class="label">set by the API server</span>\n</span>'
    ) in html
    assert html.count('<span class="diff-gap">') == 2
    assert html.count('<span class="diff-same">') == 6
