"""Tests of the filter of log lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.logs.line_filter import MAX_LENGTH, MAX_TERMS, LineFilter, parse_line_filter

TIME = b"2026-11-28T07:09:06.123456789Z "
JSON = b'{"level":"error","msg":"cannot connect","host":"db-1","http":{"status":502},"took.ms":12.5}'
LOGFMT = b'ts=2026 level=warn msg="a \\"quoted\\" word" status=404 took=12ms'


@pytest.mark.parametrize(
    ("typed", "matching", "other"),
    [
        ("connect", JSON, LOGFMT),
        ("CONNECT", JSON, LOGFMT),
        ("ÄRGER", "viel ärger hier".encode(), b"arger"),
        ('"cannot connect"', JSON, b"cannot not connect"),
        ("cannot db-1", JSON, b"cannot"),
        ("-connect", LOGFMT, JSON),
        ("/conn.*db-\\d/", JSON, LOGFMT),
        ("/CONNECT/i", JSON, LOGFMT),
        ("-/a.b/", b"ab", b"axb"),
        ("/a b/", b"xa by", b"ab"),
        ("/a\\/b/", b"a/b", b"ab"),
        ("/CONNECT/", b"CONNECT", JSON),
        ("host=db-1", JSON, LOGFMT),
        ("host=db-*", JSON, LOGFMT),
        ("http.status>=500", JSON, b'{"http":{"status":499}}'),
        ("took.ms<13", JSON, b'{"took":{"ms":14}}'),
        ("took.ms=7", b'{"took":{"ms":7}}', JSON),
        ("status=404", LOGFMT, JSON),
        ('msg="a \\"quoted\\" word"', LOGFMT, JSON),
        ("status!=404", JSON, LOGFMT),
        ("-status=404", JSON, LOGFMT),
        ('"status=404"', LOGFMT, b"status: 404"),
        ("severity>=error", JSON, LOGFMT),
        ("severity=warn", LOGFMT, JSON),
        ("severity<warn", b"INFO x", LOGFMT),
        ("severity=none", b"nothing", LOGFMT),
        ("/^cannot/", b"cannot", b"it cannot"),
        ("/cannot$/", b"it cannot", b"cannot do"),
        ("/path", b"GET /path 200", b"GET / 200"),
    ],
)
def test_a_line_matches_where_all_terms_do(typed: str, matching: bytes, other: bytes) -> None:
    lines = parse_line_filter(typed)
    assert lines.problems == ()
    assert lines.matches(matching)
    assert not lines.matches(other)
    assert lines.matching_lines(TIME + other + b"\n" + TIME + matching + b"\n") == [TIME + matching]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("/a(/", "missing )"),
        ('"open', "closing quotation mark"),
        ("severity=bad", "trace, debug, info, warn, error, fatal"),
        ("status>x", "is no number"),
        ("/" + "a{1000}" * 6 + "/", "too large"),
        ("x" * (MAX_LENGTH + 1), f"first {MAX_LENGTH} characters"),
        (" ".join(f"w{number}" for number in range(MAX_TERMS + 2)), f"first {MAX_TERMS} parts"),
    ],
)
def test_a_mistake_is_told_and_left_out(typed: str, message: str) -> None:
    lines = parse_line_filter(typed)
    (problem,) = lines.problems
    assert message in problem.message
    assert 0 <= problem.start <= problem.end <= len(typed)


@pytest.mark.parametrize(
    "typed",
    ["a b", '"a b" -c', "/x y/i", "-/a\\/b/", "level=error", 'msg="a b"', "a!=b", "x>=5", '"a=b"', '"/a/"', "-1"],
)
def test_a_filter_reads_its_own_text_alike(typed: str) -> None:
    lines = parse_line_filter(typed)
    assert lines.terms
    assert parse_line_filter(str(lines)) == lines


def test_a_time_is_not_searched() -> None:
    chunk = TIME + b"no such year\n" + TIME + b"in 2026\n"
    assert parse_line_filter("2026").matching_lines(chunk) == [TIME + b"in 2026"]
    assert parse_line_filter("/2026|T07/").matching_lines(chunk) == [TIME + b"in 2026"]


TEXTS = st.lists(st.binary(max_size=12).map(lambda text: text.replace(b"\n", b"")), max_size=12)
FILTERS = st.sampled_from(
    [
        "a",
        "-a",
        "/a.c/",
        "a b",
        "severity>=warn",
        "level=error",
        "/[ab]/i -c",
        "2026",
        "-/./",
        "",
        "é",
        "error",
        "/^a/",
        "/b$/",
        "/[^x]b/",
        "/\\s/",
        "/^$/",
        "/a*/",
        "/a[^b]c/",
        "/(?s)a.b/",
        "/\\Aa/",
        "/(?-m)a$/",
        "/[b-c]\\z/",
    ]
)


@given(TEXTS, FILTERS)
def test_a_chunk_is_searched_as_its_lines_are(texts: list[bytes], typed: str) -> None:
    lines = parse_line_filter(typed)
    chunk = b"".join(TIME + text + b"\n" for text in [*texts, b'level=error a{"x":1}', b"ERROR abc"])
    expected = [line for line in chunk.split(b"\n") if line and lines.matches(line[len(TIME) :])]
    assert lines.matching_lines(chunk) == expected


def test_no_filter_takes_every_line() -> None:
    assert not LineFilter()
    assert LineFilter().matching_lines(TIME + b"a\n" + TIME + b"\n") == [TIME + b"a", TIME]
