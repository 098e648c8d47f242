"""Tests of the differences of two objects, field by field, and of two texts, line by line."""

from __future__ import annotations

from dashboard.objects.merge.diff import changes, diff_lines


def test_what_turns_the_text_around_it_is_seen_in_a_review_in_values_and_names() -> None:
    (change,) = changes({"data": {}}, {"data": {"a\u2066b": "admin\u202ex"}})
    assert (change.field, change.now_text) == ("data.a\\u2066b", "admin\\u202ex")
    assert change.path == ("data", "a\u2066b")


def test_changes_are_told_field_by_field() -> None:
    was = {"spec": {"a": 1, "list": [1, 2], "gone": {"x": 1}}, "same": 1}
    now = {"spec": {"a": 2, "list": [1, 3]}, "same": 1, "new": {"y": {"z": ""}}}
    told = [(change.field, change.was_text, change.now_text) for change in changes(was, now)]
    assert told == [
        ("spec.a", "1", "2"),
        ("spec.list[1]", "2", "3"),
        ("spec.gone.x", "1", ""),
        ("new.y.z", "", '""'),
    ]


def test_a_diff_shows_three_lines_around_each_change_and_counts_the_rest() -> None:
    was = "".join(f"line {number}\n" for number in range(1, 31))
    now = was.replace("line 10\n", "line ten\n").replace("line 25\n", "")
    kinds = [(line.kind, line.text) for line in diff_lines(was, now) if line.kind != "same"]
    assert kinds == [
        ("gap", "6 lines as they were"),
        ("del", "line 10"),
        ("add", "line ten"),
        ("gap", "8 lines as they were"),
        ("del", "line 25"),
        ("gap", "2 lines as they were"),
    ]
    assert diff_lines(was, was) == ()
    assert len(diff_lines("a\n" * 5000, "b\n" * 5000)) == 10_000
