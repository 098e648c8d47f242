"""Tests of a document: text becomes one object, or an error message with a position."""

from __future__ import annotations

import random

import pytest

from dashboard.objects.fields.field_access import parse_path, same
from dashboard.objects.manifests.document import MAX_BYTES, DocumentError, parse
from dashboard.objects.manifests.yaml_writer import dump, to_yaml
from tests.support.edit.random_objects import random_object


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("y", True), ("n", False), ("yes", True), ("on", True), ("Off", False), ("0777", 511), ("0o777", 511),
        ("1_000", 1000), ("12:30:45", "12:30:45"), ("0b11", 3), ("1e3", 1000), ("1.0", 1), ("2024-01-01", "2024-01-01"),
        ("=", "="), ("~", None), ("null", None), ("NULL", None), ("", None), ("0x1F", 31), ("+5", 5), ("-0", 0),
        ("1e400", "1e400"), (".5", 0.5), ("5.", 5), ("True", True), ("-.5", -0.5), ("0888", 888), ("0.0", 0),
        ("_1", "_1"), ("012e3", 12000), ("0o8", "0o8"), ("18446744073709551615", 18446744073709551615),
        ("10.0.0.1", "10.0.0.1"), ("1.2.3", "1.2.3"), ("-", None), ("'yes'", "yes"), ('"1"', "1"), ("!!str 1", "1"),
        ("!!int '7'", 7), ("18446744073709551616", 18446744073709551616.0), ("-9223372036854775809", -(2.0**63)),
        pytest.param("9" * 5000, "9" * 5000, id="5000 digits"), ("-" + "1" * 99, -float("1" * 99)),
    ],
)  # fmt: skip
def test_a_plain_word_means_what_kubectl_takes_it_for(word: str, value: object) -> None:
    if word == "-":
        assert parse("a:\n-\n").value == {"a": [None]}
        return
    found = parse(f"a: {word}\n").value["a"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_text_as_kubectl_makes_it() -> None:
    value = parse("8080: a\n0x10: b\nn: c\n1.5: d\n'n': e\n").value
    assert value == {"8080": "a", "16": "b", "false": "c", "1.5": "d", "n": "e"}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('a: "b\nc: 1\n', 1, 4, "never closed"),
        ("a:\n  - 'x\n", 2, 5, "never closed"),
        ("a: b: c\n", 1, 5, "colon"),
        ("a:\n\tb: 1\n", 2, 1, "tab"),
        ("spec:\n  ip: 1\n   port: 2\n", 3, 8, "indentation"),
        ("spec:\n   ip: 1\n  port: 2\n", 3, 3, "indented"),
        ("a: [1, 2\nb: 3\n", 1, 4, "never closed"),
        ("a: {b: 1\n", 1, 4, "never closed"),
        ("a: @x\n", 1, 4, "quotes"),
        ("a: 1\nb\nc: 2\n", 2, 1, "colon"),
        ("a: *nope\n", 1, 4, "alias"),
        ("a: 1\nb: 2\na: 3\n", 3, 1, "given twice; the first is in line 1"),
        ("a: 1\n---\nb: 2\n", 3, 1, "second document"),
        ("- a\n- b\n", 1, 1, "fields"),
        ("just words\n", 1, 1, "fields"),
        ("a: !important 1\n", 1, 4, "!important"),
        ("a: !!binary aGk=\n", 1, 4, "!!binary"),
        ("a: .inf\n", 1, 4, "number"),
        ("a: 1\nb: \x00\n", 2, 4, "Binary data"),
        ("a: 1\nb: x\x1by\n", 2, 5, "Binary data"),
        ("a: 1\n# note\u2028b: 2\n", 2, 7, "begins a new line at this invisible character: write \\u2028"),
        ("a: x\x85y\n", 1, 5, "write \\u0085 in double quotes"),
        ("? [a]\n: b\n", 1, 3, "name"),
        ("a: &x [*x]\n", 1, 8, "refers to a value that contains it"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_column(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n"])
def test_an_empty_text_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match="empty"):
        parse(text)


def test_a_text_over_three_mebibytes_is_refused() -> None:
    with pytest.raises(DocumentError, match="3 MiB"):
        parse("a: " + "é" * (MAX_BYTES // 2 + 1))


def test_aliases_that_explode_are_refused_without_being_unfolded() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in range(1, 30):
        bomb += f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n"
    with pytest.raises(DocumentError, match="expands to more"):
        parse(bomb)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_endless_nesting_is_refused(opening: str) -> None:
    with pytest.raises(DocumentError, match="levels deep"):
        parse("a:\n  " + opening * 5000)


def test_a_text_with_too_many_names_and_values_is_refused_at_the_first_that_is_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dashboard.objects.manifests.composer.MAX_NODES", 6)
    assert parse("a: 1\nb: [2]\n").value == {"a": 1, "b": [2]}
    with pytest.raises(DocumentError, match="more than 6 names and values") as caught:
        parse("a: 1\nb: [2, 3]\n")
    assert (caught.value.line, caught.value.column) == (2, 8)


def test_aliases_and_merge_keys_mean_what_they_say() -> None:
    text = "base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\nagain: *base\n"
    value = parse(text).value
    assert value == {"base": {"a": 1, "b": 2}, "use": {"a": 1, "b": 3}, "again": {"a": 1, "b": 2}}


def test_one_document_between_markers_and_a_byte_order_mark_are_fine() -> None:
    assert parse("\ufeff---\r\na: 1\r\n...\r\n").value == {"a": 1}
    assert parse("a: 1\n---\n").value == {"a": 1}


def test_the_position_of_a_field_is_where_its_name_stands_or_its_nearest_parent() -> None:
    document = parse("kind: X\nspec:\n  ports:\n  - port: 1\n  - {port: 2, name: b}\n")
    places = {
        path: document.position(parse_path(path))
        for path in ("spec", "spec.ports[0].port", "spec.ports[1].name", "spec.ports[7].name", "spec.other", "none")
    }
    found = {path: (place.line, place.column) if place else None for path, place in places.items()}
    assert found == {
        "spec": (2, 1),
        "spec.ports[0].port": (4, 5),
        "spec.ports[1].name": (5, 15),
        "spec.ports[7].name": (3, 3),
        "spec.other": (2, 1),
        "none": None,
    }


@pytest.mark.slow
def test_what_the_dashboard_writes_reads_back_the_same() -> None:
    for seed in range(300):
        value = random_object(random.Random(seed))
        assert same(parse(to_yaml(value)).value, value), seed
        assert same(parse(dump(value)).value, value), seed


def test_a_long_chain_of_aliases_is_refused_and_not_followed_to_the_end_of_the_stack() -> None:
    chain = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 5000))
    with pytest.raises(DocumentError, match="expands to more"):
        parse(chain)
