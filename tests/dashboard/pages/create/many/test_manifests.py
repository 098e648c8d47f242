"""Tests of several documents in one text: the position of each, and the errors of invalid ones."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from dashboard.objects.manifests.document import DocumentError
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.create.many.manifests import MAX_OBJECTS, Manifest, parse_manifests


def kinds(text: str) -> list[tuple[int, int, object]]:
    return [(part.number, part.line, part.value.get("kind")) for part in parse_manifests(text)]


def test_documents_are_told_apart_by_their_lines() -> None:
    text = "# first\nkind: A\n---\n\nkind: B\n--- # third\nkind: C\n...\n---\n# nothing\n---\n--- {kind: D}\n"
    assert kinds(text) == [(1, 2, "A"), (2, 5, "B"), (3, 7, "C"), (4, 12, "D")]


def test_what_looks_like_a_separator_inside_of_a_value_is_none() -> None:
    assert kinds("kind: A\ndata: |\n  ---\n  x\n---\nkind: ---B\n") == [(1, 1, "A"), (2, 6, "---B")]


def test_directives_and_byte_order_marks_are_no_documents() -> None:
    assert kinds("\ufeff%YAML 1.2\n---\nkind: A\n") == [(1, 3, "A")]


def test_a_list_is_its_items() -> None:
    text = "kind: A\n---\napiVersion: v1\nkind: List\nitems:\n- kind: B\n- kind: C\n- 7\n"
    assert kinds(text) == [(1, 1, "A"), (2, 6, "B"), (3, 7, "C"), (4, 8, None)]


def test_a_list_of_one_kind_gives_its_items_theirs() -> None:
    text = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n- {apiVersion: v2, kind: B}\n"
    assert [(part.value.get("apiVersion"), part.value.get("kind")) for part in parse_manifests(text)] == [
        ("v1", "Pod"), ("v2", "B"),
    ]  # fmt: skip
    assert kinds("apiVersion: example.com/v1\nkind: AllowList\nspec: {items: []}\n") == [(1, 1, "AllowList")]


@pytest.mark.parametrize("items", ["items: []", "items: {}", "metadata: {}", "items:"])
def test_a_list_without_items_says_so_and_not_that_the_text_is_empty(items: str) -> None:
    wrong, right = parse_manifests(f"apiVersion: v1\nkind: List\n{items}\n---\nkind: B\n")
    assert wrong.refusal is not None
    assert wrong.refusal.problems[0].words.startswith("This list has no items")
    assert right.value == {"kind": "B"}


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_json_objects_follow_each_other_as_jq_writes_them(indent: int | str | None) -> None:
    objects = [{"kind": "A", "data": {"a": "---"}}, {"kind": "B"}, {"kind": "C"}]
    text = "kind: X\n---\n" + "\n".join(json.dumps(each, indent=indent) for each in objects) + "\n---\nkind: Z\n"
    lines = [1, 3, 4, 5, 7] if indent is None else [1, 3, 9, 12, 16]
    assert [(part.line, part.value["kind"]) for part in parse_manifests(text)] == list(zip(lines, "XABCZ", strict=True))
    assert kinds('{"kind": "A"} {"kind": "B"}') == [(1, 1, "A"), (2, 1, "B")]
    (half,) = parse_manifests('{"kind": "A"}\n{"kind": \n')
    assert half.refusal is not None
    assert half.refusal.problems[0].line == 2


def test_a_place_in_json_objects_that_share_a_line_is_one_in_the_whole_text() -> None:
    def place(part: Manifest, *path: str) -> tuple[int, int]:
        problem = part.locate(Refusal((Problem("", path=path),), 422, "")).problems[0]
        return problem.line, problem.column

    one, two, three = parse_manifests('kind: X\n---\n\n{"kind": "A"} {"kind": "B",\n "spec": 1} {"kind": "C"}\n')[1:]
    assert [place(part, "kind") for part in (one, two, three)] == [(4, 2), (4, 16), (5, 14)]
    assert place(two, "spec") == (5, 2)
    _, wrong = parse_manifests('{"kind": "A"} {"kind": "B", "kind": "C"}')
    assert wrong.refusal is not None
    assert (wrong.refusal.problems[0].line, wrong.refusal.problems[0].column) == (1, 29)
    items = parse_manifests('{"kind": "A"} {"apiVersion": "v1", "kind": "List", "items": [{"kind": "B"}]}')
    assert place(items[1], "kind") == (1, 63)


def test_far_too_many_objects_in_one_line_are_refused_before_they_are_all_read() -> None:
    text = "{}" * 500_000
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError, match=f"more than {MAX_OBJECTS} objects"):
            parse_manifests(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50e6


def test_byte_order_marks_of_files_put_together_are_no_text() -> None:
    assert kinds("\ufeffkind: A\n---\n\ufeffkind: B\n\ufeff---\nkind: C\n") == [(1, 1, "A"), (2, 3, "B"), (3, 5, "C")]


def test_a_wrong_document_is_named_by_its_line_in_the_text_and_the_others_are_read() -> None:
    wrong, right = parse_manifests('kind: "A\n---\nkind: B\n')
    assert wrong.refusal is not None
    assert "never closed" in wrong.refusal.problems[0].words
    assert right.value == {"kind": "B"}
    _, wrong = parse_manifests("kind: A\n---\n\nkind: B\nkind: C\n")
    assert wrong.refusal is not None
    assert (wrong.refusal.problems[0].line, wrong.refusal.problems[0].column) == (5, 1)


def test_a_field_is_found_in_the_whole_text() -> None:
    def line(part: Manifest, *path: str) -> int:
        return part.locate(Refusal((Problem("", path=path),), 422, "")).problems[0].line

    one, two = parse_manifests("kind: A\n---\nkind: B\nspec:\n  port: 1\n")
    assert (line(one, "kind"), line(two, "spec", "port")) == (1, 5)
    items = parse_manifests("---\napiVersion: v1\nkind: List\nitems:\n- kind: B\n- kind: C\n  spec: 1\n")
    assert line(items[1], "spec") == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("# nothing\n---\n", "empty"),
        ("x" * (3 * 1024 * 1024 + 1), "larger than 3 MiB"),
        ("---\nkind: A\n" * (MAX_OBJECTS + 1), f"more than {MAX_OBJECTS} objects"),
    ],
    ids=["empty", "comments", "too large", "too many"],
)
def test_too_much_and_nothing_are_refused(text: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        parse_manifests(text)


def test_binary_data_and_aliases_that_explode_are_refused_by_themselves() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
    )
    binary, exploding, right = parse_manifests(f"kind: \x07\n---\n{bomb}---\nkind: C\n")
    assert binary.refusal is not None
    assert "Binary data" in binary.refusal.problems[0].words
    assert exploding.refusal is not None
    assert "expand" in exploding.refusal.problems[0].words
    assert right.refusal is None
