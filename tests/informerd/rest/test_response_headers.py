"""Tests of response headers: warnings, dates, retry times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from informerd.rest.response import error_from_response, http_date, retry_after, warning_texts


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (['299 - "unknown field \\"spec.prot\\""'], ('unknown field "spec.prot"',)),
        (['299 - "one"', '299 - "two"'], ("one", "two")),
        (['299 - "one", 299 agent "two" "Sat, 21 Nov 2026 08:00:43 GMT"'], ("one", "two")),
        (['299 - "a, b", 299 - "c"'], ("a, b", "c")),
        (['299 - "same"', '299 - "same"'], ("same",)),
        (['199 - "not for people"', '110 - "stale"'], ()),
        (["nonsense", '299 - "unclosed'], ()),
        ([], ()),
    ],
)
def test_warnings_are_the_texts_of_code_299(headers: list[str], expected: tuple[str, ...]) -> None:
    assert warning_texts(headers) == expected


def test_retry_after_is_seconds_or_a_date() -> None:
    moment = datetime(2026, 11, 21, 8, 0, 43, tzinfo=UTC).timestamp()
    assert retry_after("3", now=0) == 3.0
    assert retry_after("Sat, 21 Nov 2026 08:00:43 GMT", now=moment - 9) == 9.0
    assert retry_after("Sat, 21 Nov 2026 08:00:43 GMT", now=moment + 9) == 0.0
    assert retry_after("soon", now=0) is None
    assert retry_after("", now=0) is None


def test_a_date_header_is_utc() -> None:
    assert http_date("Sat, 21 Nov 2026 08:00:43 GMT") == datetime(2026, 11, 21, 8, 0, 43, tzinfo=UTC)
    assert http_date("") is None


def test_a_date_that_names_no_zone_is_utc_and_one_outside_of_time_is_none() -> None:
    assert http_date("Sat, 21 Nov 2026 08:00:43") == datetime(2026, 11, 21, 8, 0, 43, tzinfo=UTC)
    assert http_date("Fri, 31 Dec 9999 23:59:59 -2359") is None


def test_a_date_to_come_again_counts_by_the_clock_of_who_named_it() -> None:
    headers = [("Retry-After", "Sat, 21 Nov 2026 08:00:43 GMT"), ("Date", "Sat, 21 Nov 2026 08:00:40 GMT")]
    assert error_from_response(429, b"", headers, now=0.0).retry_after == 3.0
    moment = datetime(2026, 11, 21, 8, 0, 40, tzinfo=UTC).timestamp()
    assert error_from_response(429, b"", headers[:1], now=moment).retry_after == 3.0
