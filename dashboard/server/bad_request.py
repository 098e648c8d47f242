"""Response to a form that is larger than the server reads, with the form's text, because a browser loses it."""

from __future__ import annotations

from typing import BinaryIO, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

MAX_SEARCHED_BYTES = 20 * 1024 * 1024
"""Bytes of a request in which a text is searched: somewhat more than the limit of a form."""
MAX_TEXT_BYTES = 6 * 1024 * 1024
"""Maximum bytes of a returned text: twice what the API server accepts. The page holds some copies of it for a
moment.
"""
_FIELD = b'name="yaml"\r\n\r\n'


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for a request that Django refused to read (400); with the text, where an editor's page sent one."""
    too_much = isinstance(exception, RequestDataTooBig | TooManyFieldsSent)
    by_person = request.headers.get("Sec-Fetch-Dest", "document") == "document"  # and not by one of our scripts
    text, too_long = _text_of(request) if too_much and by_person else (None, False)
    context = {
        "text": text,
        "too_long": too_long,
        "longest": MAX_TEXT_BYTES // 2**20,
        "too_much": too_much,
        "mib": settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20,
    }
    return render(request, "400.html", context, status=400)


def _text_of(request: HttpRequest) -> tuple[str | None, bool]:
    """The field ``yaml`` of a multipart form, None where it cannot be read; and whether it is too long."""
    stream = cast("BinaryIO | None", getattr(request, "_stream", None))
    boundary = request.content_params.get("boundary") if request.content_params else None
    if request.method != "POST" or not boundary or stream is None:
        return None, False
    try:
        stream.seek(0)
        sent = stream.read(MAX_SEARCHED_BYTES)
    except (OSError, ValueError, AttributeError):
        return None, False
    field = sent.find(_FIELD)
    if field < 0:
        return None, False
    begin, behind = field + len(_FIELD), b"\r\n--" + boundary.encode()
    end = sent.find(behind, begin, begin + MAX_TEXT_BYTES + len(behind))
    if end < 0:
        return None, True
    return sent[begin:end].decode(errors="replace").replace("\r\n", "\n"), False
