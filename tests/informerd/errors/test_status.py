"""Tests of the error tree: the error type of each Status."""

from __future__ import annotations

import pytest

from informerd.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Cause,
    Conflict,
    Expired,
    Forbidden,
    Invalid,
    NotFound,
    NotServed,
    ResourceVersionTooLarge,
    ServerError,
    ServerTimeout,
    Status,
    StatusDetails,
    TooManyRequests,
    Unauthorized,
    error_from_status,
)
from informerd.rest.response import error_from_response


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (400, "BadRequest", BadRequest),
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (404, "", NotServed),
        (409, "Conflict", Conflict),
        (409, "AlreadyExists", AlreadyExists),
        (410, "Expired", Expired),
        (410, "Gone", Expired),
        (422, "Invalid", Invalid),
        (429, "TooManyRequests", TooManyRequests),
        (504, "Timeout", ServerTimeout),
        (500, "InternalError", ServerError),
        (503, "ServiceUnavailable", ServerError),
    ],
)
def test_a_reason_decides_the_type(code: int, reason: str, expected: type[ApiError]) -> None:
    error = error_from_status(Status(code=code, reason=reason, message="words"))
    assert type(error) is expected
    assert (error.code, str(error)) == (code, "words")


@pytest.mark.parametrize(
    ("code", "expected"),
    [(404, NotFound), (409, Conflict), (410, Expired), (429, TooManyRequests), (502, ServerError), (418, ApiError)],
)
def test_without_a_known_reason_the_code_decides(code: int, expected: type[ApiError]) -> None:
    assert type(error_from_status(Status(code=code, reason="Strange"))) is expected


@pytest.mark.parametrize(
    "status",
    [
        Status(code=504, reason="Timeout", details=StatusDetails(causes=(Cause(reason="ResourceVersionTooLarge"),))),
        Status(
            code=504,
            reason="Timeout",
            details=StatusDetails(causes=(Cause(message="Too large resource version: 9, current: 3"),)),
        ),
        Status(code=504, reason="Timeout", message="Too large resource version: 9, current: 3"),
    ],
    ids=["cause type", "cause message", "message"],
)
def test_too_large_resource_version_is_known_in_all_three_encodings(status: Status) -> None:
    assert isinstance(error_from_status(status), ResourceVersionTooLarge)


def test_too_large_in_the_message_counts_only_with_reason_timeout() -> None:
    status = Status(code=500, reason="InternalError", message="Too large resource version: 9")
    assert isinstance(error_from_status(status), ServerError)


def test_the_header_says_when_to_come_again_and_the_body_where_it_does_not() -> None:
    status = Status(code=429, reason="TooManyRequests", details=StatusDetails(retry_after_seconds=7))
    assert error_from_status(status, retry_after=2.0).retry_after == 2.0
    assert error_from_status(status).retry_after == 7.0
    assert error_from_status(Status(code=429)).retry_after is None


def test_causes_name_the_fields() -> None:
    body = (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"Invalid","code":422,'
        b'"details":{"name":"a","kind":"Mydemo","causes":[{"reason":"FieldValueInvalid","message":"too big","field":'
        b'"spec.port"}]}}'
    )
    error = error_from_response(422, body, [], now=0.0)
    assert isinstance(error, Invalid)
    assert error.causes == (Cause(reason="FieldValueInvalid", message="too big", field="spec.port"),)


@pytest.mark.parametrize(
    ("code", "body", "expected"),
    [
        (404, b"404 page not found\n", "HTTP 404 Not Found: 404 page not found"),
        (502, b"<html><body>gateway</body></html>", "HTTP 502 Bad Gateway"),
        (503, b"", "HTTP 503 Service Unavailable"),
        (599, b'{"message": "odd"}', 'HTTP 599: {"message": "odd"}'),
        (
            500,
            b'{"kind": "Status", "code": "text"}',
            'HTTP 500 Internal Server Error: {"kind": "Status", "code": "text"}',
        ),
        (403, b"\xff\xfe", "HTTP 403 Forbidden: \ufffd\ufffd"),
    ],
)
def test_an_answer_that_is_no_status_is_still_an_error_with_words(code: int, body: bytes, expected: str) -> None:
    error = error_from_response(code, body, [], now=0.0)
    assert (error.code, str(error)) == (code, expected)


def test_a_status_without_a_code_has_the_answers() -> None:
    assert error_from_response(404, b'{"kind":"Status","message":"gone"}', [], now=0.0).code == 404
