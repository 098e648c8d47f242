"""Static files: read and compressed once, and sent again only to who has not got them yet.

For how long a browser keeps them is decided by their address, see static_addresses.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from wsgiref.headers import Headers

from asgiref.sync import markcoroutinefunction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import MissingFileError

from dashboard.access.static_addresses import ASKED_EACH_TIME, NOT_AT_ALL, parted, versioned_storage

SCRIPTS_AND_STYLES = ("text/javascript", "text/css")
"""What no browser ever shows as a page: headers for pages would only weigh there, on forty files a page."""
WORTH_IT = 0.9
"""A compressed form that is not smaller than this share of the plain one is not sent."""


class StaticFile:
    """One file as it was when it was read: what is sent later is never half of it and half of another."""

    def __init__(self, content: bytes, headers: Mapping[str, str]) -> None:
        self._content = content
        self._headers = headers

    def response(self, request: HttpRequest, kept: str) -> HttpResponse:
        """The file, compressed for who takes it; 304 for who has it; 405 where something else than reading is asked.

        `kept` is its Cache-Control.
        """
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        compressed = self._compressed if takes_gzip(request.headers.get("Accept-Encoding", "")) else None
        body = compressed or self._content
        response = HttpResponse(b"" if request.method == "HEAD" else body, headers=self._headers)
        response["Cache-Control"] = kept
        etag = f'"{self._digest}-gzip"' if compressed else f'"{self._digest}"'
        if kept == ASKED_EACH_TIME:
            response["ETag"] = etag
        response["Vary"] = "Accept-Encoding"
        response["Content-Length"] = str(len(body))
        if compressed:
            response["Content-Encoding"] = "gzip"
        answer = cast("HttpResponse", get_conditional_response(request, etag=etag, response=response))
        if response["Content-Type"].startswith(SCRIPTS_AND_STYLES):
            answer._csp_exempt = True  # type: ignore[attr-defined] # noqa: SLF001 # as django-csp wants it
        return answer

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self._content).hexdigest()[:32]

    @cached_property
    def _compressed(self) -> bytes | None:
        compressed = gzip.compress(self._content, mtime=0)
        return compressed if len(compressed) < WORTH_IT * len(self._content) else None


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip, and not to refuse it."""
    for coding in accepted.lower().split(","):
        name, _, weight = coding.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0") not in ("q=", "q=0.")
    return False


class _Table(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise's table of files, with what the versioned addresses were made of; no `collectstatic` need have run."""

    def add_files_from_finders(self) -> None:
        for name, content in versioned_storage().contents.items():
            url = f"{self.static_prefix}{name}"
            self.files[url] = self._made(content, name, url)

    def get_static_file(self, path: str, url: str, **_: object) -> StaticFile:
        try:
            return self._made(Path(path).read_bytes(), path, url)
        except OSError as error:
            raise MissingFileError(path) from error

    def _made(self, content: bytes, path: str, url: str) -> StaticFile:
        headers = Headers([])
        self.add_mime_headers(headers, path, url)
        return StaticFile(content, dict(headers.items()))


class StaticFiles:
    """Middleware that serves static files on the loop: they are few and small, and each is read and compressed once.

    WhiteNoise's own is synchronous, which would push each request through a thread; it would leave the compressing to
    GZipMiddleware, each time anew, and know its own ETag no more when that one has weakened it. With
    WHITENOISE_AUTOREFRESH every request reads the file as it is then.
    """

    async_capable = True
    sync_capable = False

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response
        self._table = _Table(get_response)
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(self._table.static_prefix):
            return await self._passed_on(request)
        name, kept = parted(request.path_info.removeprefix(self._table.static_prefix))
        found = self._find(self._table.static_prefix + name)
        if found is not None:
            return found.response(request, kept)
        response = await self._passed_on(request)
        response["Cache-Control"] = NOT_AT_ALL
        return response

    async def _passed_on(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)
        return response

    def _find(self, path: str) -> StaticFile | None:
        found = self._table.find_file(path) if self._table.autorefresh else self._table.files.get(path)
        return cast("StaticFile | None", found)
