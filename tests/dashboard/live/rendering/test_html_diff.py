"""Tests of the partials between two trees of parts: they turn the old tree into the new one, and hold no more."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live.rendering.html_diff import diff_partials, parse_parts
from tests.support.live.hx_partial_interpreter import ops_of

Tree = tuple[str, str, Sequence["Tree"]]
"""An attribute, a text before the parts inside (empty: they are a list), and these by number."""
trees: st.SearchStrategy[dict[str, object]] = st.recursive(
    st.fixed_dictionaries({"title": st.sampled_from("ab"), "text": st.sampled_from(["", "x", "y"])}),
    lambda inner: st.fixed_dictionaries(
        {
            "title": st.sampled_from("ab"),
            "text": st.sampled_from(["", "", "", "x"]),
            "parts": st.dictionaries(st.integers(0, 5), inner, max_size=5),
        }
    ),
    max_leaves=12,
)


def html_of(tree: dict[str, object], name: str = "root") -> str:
    parts = tree.get("parts", {})
    assert isinstance(parts, dict)
    inner = "".join(html_of(each, f"{name}-{number}") for number, each in parts.items())
    return f'<div id="{name}" data-part="" title="{tree["title"]}">{tree["text"]}{inner}</div>'


def done(html: str, frame: str) -> str:
    """What a browser makes of `html` by the partials of a frame."""
    page = ElementTree.fromstring(f"<page>{html}</page>")
    for op in ops_of(frame):
        (target,) = (each for each in page.iter() if each.get("id") == op.target[1:])
        above = next(each for each in page.iter() if target in list(each))
        coming = ElementTree.fromstring(op.html) if op.html else None
        style, _, where = op.swap.partition(" ")
        if style == "leave":
            above.remove(target)
        elif style == "attributes":
            assert coming is not None
            target.attrib = coming.attrib
        elif style == "outerMorph":
            assert coming is not None
            above[list(above).index(target)] = coming
        else:
            assert (style, coming is None) == ("place", False)
            assert coming is not None
            for known in [each for each in target if each.get("id") == coming.get("id")]:
                target.remove(known)
            before = where.removeprefix("before:")
            place = len(target) if where == "end" else [each.get("id") for each in target].index(before)
            target.insert(place, coming)
    return ElementTree.tostring(page[0], encoding="unicode")


def plain(html: str) -> str:
    return ElementTree.tostring(ElementTree.fromstring(html), encoding="unicode")


@pytest.mark.slow
@given(trees, trees)
def test_whatever_changed_the_page_ends_with_the_new_html(old: dict[str, object], new: dict[str, object]) -> None:
    before, after = html_of(old), html_of(new)
    frame = diff_partials(parse_parts(before, "root"), parse_parts(after, "root"))
    assert frame is None or done(before, frame) == plain(after)
    assert (frame == "") == (before == after)


@pytest.mark.slow
@given(trees, trees)
def test_what_is_taken_from_the_tree_before_is_what_would_be_read(
    old: dict[str, object], new: dict[str, object]
) -> None:
    before, after = html_of(old), html_of(new)
    known = parse_parts(before, "root")
    assert parse_parts(after, "root", known) == parse_parts(after, "root")
    assert parse_parts(before, "root", known) is known


def test_what_did_not_change_is_not_read_again() -> None:
    def page(*items: str) -> str:
        lines = "".join(f'<li id="i-{item[:1]}" data-part><b>{item}</b></li>' for item in items)
        return f'<section id="root" data-part><h2>A</h2><ul id="u" data-part>{lines}</ul></section>'

    known = parse_parts(page("a", "b", "c"), "root")
    (now,) = parse_parts(page("n", "a", "b!", "c"), "root", known).children
    assert [any(part is old for old in known.children[0].children) for part in now.children] == [
        False,
        True,
        False,
        True,
    ]


def test_of_a_long_list_only_what_differs_is_said() -> None:
    def page(*items: str) -> str:
        lines = "".join(f'<li id="i-{item[:1]}" data-part>{item}</li>' for item in items)
        return f'<section id="root" data-part><h2>A &gt; 1</h2><ul id="u" data-part>{lines}</ul></section>'

    old, new = page("a", "b", "c", "d" * 400), page("n", "a", "c!", "d" * 400)
    frame = diff_partials(parse_parts(old, "root"), parse_parts(new, "root"))
    assert frame is not None
    assert [(op.target, op.swap) for op in ops_of(frame)] == [
        ("#i-b", "leave"),
        ("#i-c", "outerMorph"),
        ("#u", "place before:i-a"),
    ]


def test_what_pages_note_themselves_is_no_change() -> None:
    first, second = (parse_parts(f'<p id="root" data-part data-seq="{seq}">x</p>', "root") for seq in "12")
    assert diff_partials(first, second) == ""


def test_html_that_is_no_tree_is_replaced_as_it_is() -> None:
    for html in ("words", "<p>", '<p id="other" data-part>x</p>', '<p id="root" data-part>x'):
        assert parse_parts(html, "root").html == html
        assert diff_partials(parse_parts(html, "root"), parse_parts(f"{html} ", "root")) is None


def test_of_two_parts_with_one_id_neither_is_lost() -> None:
    def page(*texts: str) -> str:
        lines = "".join(f'<li id="x" data-part>{text}</li>' for text in texts)
        return f'<ul id="root" data-part><li>{"so that a part is less than the whole " * 9}</li>{lines}</ul>'

    for after in (page("c", "b"), page("a", "c"), page("b", "a"), page("a"), page("a", "b", "c")):
        known = parse_parts(page("a", "b"), "root")
        assert diff_partials(known, parse_parts(after, "root")) is None
        assert diff_partials(known, parse_parts(after, "root", known)) is None
