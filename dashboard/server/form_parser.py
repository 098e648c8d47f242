"""Parsing of URL-encoded forms in little memory."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict

PIECE = 64 * 1024
"""Bytes that are decoded at once: where much is percent-encoded, urllib takes up to 80 bytes of memory for each."""


def parse_form(body: bytes) -> QueryDict:
    """The fields of a form, as Django's QueryDict reads them: a form with raw bytes that are not UTF-8 is in Latin-1;
    encoded bytes that are not UTF-8 become U+FFFD. Raises TooManyFieldsSent.
    """
    limit = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    if body.count(b"&") >= limit:
        raise TooManyFieldsSent("The number of GET/POST parameters exceeded settings.DATA_UPLOAD_MAX_NUMBER_FIELDS.")
    if not body.isascii():  # no browser sends it
        try:
            body.decode()
        except UnicodeDecodeError:
            body = body.decode("latin-1").encode()
    form = QueryDict(mutable=True)
    for field in body.split(b"&"):
        if field:
            name, _, value = field.partition(b"=")
            form.appendlist(_decode(name), _decode(value))
    form._mutable = False  # noqa: SLF001 -- as Django does for the forms of requests
    return form


def _decode(text: bytes) -> str:
    pieces, start = [], 0
    while start < len(text):
        end = start + PIECE
        cut = text.rfind(b"%", end - 2, end)  # its two digits belong to it
        end = cut if start < cut < len(text) - 2 else end
        pieces.append(unquote_to_bytes(text[start:end].replace(b"+", b" ")))
        start = end
    return b"".join(pieces).decode(errors="replace")
