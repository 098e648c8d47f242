"""Tests of the message and the fields of a log line."""

from __future__ import annotations

import json

import pytest

from dashboard.objects.logs.log_message import MAX_FIELDS, MAX_MESSAGE, LogMessage, log_message
from dashboard.objects.logs.severity import ERROR, NONE, severity_of


def read(text: str) -> LogMessage:
    return log_message(text.encode(), severity_of(text.encode()))


def test_a_line_of_json_is_its_severity_its_message_and_its_other_fields() -> None:
    line = read(
        '{"time": "2026-11-29T10:50:35Z", "level": "error", "msg": "no\\tway", "path": "/a", "ms": 36, "in": {"a": 1}}'
    )
    assert line == LogMessage("no\\tway", "error", (("path", "/a"), ("ms", "36"), ("in", '{"a":1}')), is_json=True)
    assert str(line) == 'ERROR no\\tway path=/a ms=36 in={"a":1}'


@pytest.mark.parametrize("name", ["msg", "message", "log", "text", "event"])
def test_the_message_has_one_of_the_names_that_the_page_of_logs_knows(name: str) -> None:
    assert str(read(json.dumps({"a": 1, name: "hello"}))) == "hello a=1"


def test_another_line_stays_as_it_is_without_colours_and_with_its_severity() -> None:
    assert read("\x1b[31mERROR\x1b[0m\tno settings \x07") == LogMessage("ERROR\tno settings \\x07", "error")
    assert str(read("{not json")) == "{not json"
    assert str(read('["a"]')) == '["a"]'
    assert log_message(b"    at main()", ERROR).severity == "error"
    assert log_message(b"\xff", NONE).text == "�"


def test_long_lines_and_many_fields_are_shortened() -> None:
    assert len(read("x" * 1000).text) == MAX_MESSAGE
    line = read(json.dumps({"msg": "m" * 1000, **{f"f{number}": "v" * 100 for number in range(MAX_FIELDS + 3)}}))
    assert (len(line.text), len(line.fields), len(line.fields[0][1])) == (MAX_MESSAGE, MAX_FIELDS, 60)
    assert str(line).endswith("… 3 more")
