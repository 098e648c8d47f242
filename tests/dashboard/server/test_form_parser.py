"""Tests of the parser of URL-encoded forms: it reads what Django's does, in less memory."""

from __future__ import annotations

import tracemalloc
from io import BytesIO
from urllib.parse import quote_plus, urlencode

import pytest
from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from dashboard.server.django_handler import FORM_TYPE, FormRequest, LoopHandler
from dashboard.server.form_parser import PIECE, parse_form

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
RAW = st.lists(
    st.sampled_from([b"a", b"\xe9", b"\xc3\xa4", b"=", b"&", b"+", b"%", b"%4", b"%41", b"%c3%a4", b";", b"\x00"]),
    max_size=24,
)


def lists_of(form: QueryDict) -> list[tuple[str, list[str]]]:
    return [*form.lists()]


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
def test_what_a_browser_sends_is_read_as_it_was_written(fields: list[tuple[str, str]]) -> None:
    body = urlencode(fields).encode()
    form = parse_form(body)
    assert lists_of(form) == lists_of(QueryDict(body))
    assert sorted((name, value) for name, values in form.lists() for value in values) == sorted(fields)


@given(RAW.map(b"".join))
def test_a_form_that_no_browser_writes_is_read_as_django_reads_it(body: bytes) -> None:
    assert lists_of(parse_form(body)) == lists_of(QueryDict(body))


@pytest.mark.parametrize("before", range(PIECE - 4, PIECE + 2))
@pytest.mark.parametrize("text", ["ä", "+", "%", "%%41", "100 %"])
def test_an_encoded_character_that_lies_across_two_pieces_is_one(before: int, text: str) -> None:
    value = "a" * before + text + "b" * PIECE + text
    form = parse_form(b"yaml=" + quote_plus(value).encode())
    assert form["yaml"] == value


@pytest.mark.parametrize("before", range(PIECE - 4, PIECE + 2))
@pytest.mark.parametrize("text", [b"%", b"%4", b"%zz", b"%%", b"%%%%41"])
def test_a_percent_sign_that_encodes_nothing_stays_at_the_end_of_a_piece_too(before: int, text: bytes) -> None:
    body = b"yaml=" + b"a" * before + text + b"b" * PIECE + text
    assert parse_form(body)["yaml"] == QueryDict(body)["yaml"]


@pytest.mark.parametrize(
    "body", [b"name=caf\xe9", b"name=%ff!", b"name=caf\xe9%ff&n\xc3\xa4=%C3%A4", "ä=ü%ff".encode()]
)
def test_bytes_that_are_no_utf_8_are_read_as_django_reads_them(body: bytes) -> None:
    assert lists_of(parse_form(body)) == lists_of(QueryDict(body))


@override_settings(DATA_UPLOAD_MAX_NUMBER_FIELDS=3)
def test_more_fields_than_the_limit_are_refused_before_any_is_read() -> None:
    assert len(parse_form(b"a=1&b=2&c=3")) == 3
    with pytest.raises(TooManyFieldsSent):
        parse_form(b"a=1&b=2&c=3&")


def test_a_form_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        parse_form(b"a=1")["a"] = "2"


@pytest.mark.slow
def test_the_memory_of_a_form_is_a_few_times_its_length() -> None:
    body = b"yaml=" + b"%7B%0A+" * 300_000
    tracemalloc.start()
    try:
        parse_form(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(body)  # Django's takes 38 times


def request_of(body: bytes, content_type: str) -> FormRequest:
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/new/", "query_string": b"", "headers": headers}
    return FormRequest(scope, BytesIO(body))


def test_a_request_reads_its_form_and_its_files() -> None:
    assert request_of(b"a=%C3%A4&a=2", FORM_TYPE).POST.getlist("a") == ["ä", "2"]
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
    assert request_of(part, "multipart/form-data; boundary=x").POST["a"] == "1"
    assert not request_of(b"a=1", "text/plain").POST


def test_daphnes_requests_are_of_this_class() -> None:
    assert LoopHandler.request_class is FormRequest


def test_a_form_in_another_charset_is_read_or_refused_by_django() -> None:
    with pytest.raises(Exception, match="must be UTF-8 encoded"):
        _ = request_of(b"a=%e4", f"{FORM_TYPE}; charset=latin-1").POST
