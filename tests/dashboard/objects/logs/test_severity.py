"""Tests of the severity that is found in a log line."""

from __future__ import annotations

import pytest

from dashboard.objects.logs.severity import (
    DEBUG,
    ERROR,
    FATAL,
    INFO,
    NONE,
    TRACE,
    WARN,
    severities_of,
    severity_named,
    severity_of,
)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (b"E1128 10:00:00.123456       1 reflector.go:22] failed", ERROR),
        (b"I1128 10:00:00.123456       1 main.go:1] started", INFO),
        (b'{"ts":1,"level":"warn","msg":"slow"}', WARN),
        (b'{"msg":"late","severity":"CRITICAL"}', FATAL),
        (b'{"level":50,"msg":"pino counts"}', ERROR),
        (b'{"level": 10}', TRACE),
        (b'time=2026-11-28T10:00:00Z level=debug msg="cache hit"', DEBUG),
        (b"2026-11-28 10:00:00,123 ERROR [worker-3] c.e.Service - failed", ERROR),
        (b"2026/11/28 10:00:00 [error] 29#29: *1 open() failed", ERROR),
        (b"2026-11-28 10:00:00.123 UTC [1] FATAL:  the database system is starting up", FATAL),
        (b"12:00:00 [warning  ] structlog pads its levels", WARN),
        (b"WARN slow query", WARN),
        (b"<WARN> slow", WARN),
        (b"\x1b[31mERROR\x1b[0m colours do not hide it", ERROR),
        (b"panic: runtime error: index out of range", FATAL),
        (b"Traceback (most recent call last):", ERROR),
        (b"java.lang.NullPointerException: boo", ERROR),
        (b"ValueError: no number", ERROR),
        (b"GET /error 200", NONE),
        (b"information about errors", NONE),
        (b'{"message":"the level is high"}', NONE),
        (b"levels=error", NONE),
        (b"", NONE),
        (b"\xff\xfe\x00", NONE),
        (b"x" * 600 + b" ERROR too far back", NONE),
    ],
)
def test_the_forms_that_loggers_write_are_read(text: bytes, severity: int) -> None:
    assert severity_of(text) == severity


def test_the_lines_of_a_stack_trace_have_the_severity_of_its_first() -> None:
    lines = [
        b"INFO started",
        b"  indented, and of no severity of its own",
        b"ERROR it broke",
        b"\tat com.example.Main(Main.java:1)",
        b"Caused by: nothing",
        b"a new line",
        b"  continued",
    ]
    assert severities_of(lines) == [INFO, NONE, ERROR, ERROR, ERROR, NONE, NONE]
    assert severities_of([b"\tat more"], before=ERROR) == [ERROR]


@pytest.mark.parametrize(("word", "severity"), [("Warning", WARN), ("err", ERROR), ("none", NONE), ("high", None)])
def test_severities_are_named_as_loggers_name_them(word: str, severity: int | None) -> None:
    assert severity_named(word) == severity
