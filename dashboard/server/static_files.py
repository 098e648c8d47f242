"""Static files: read and compressed once, and sent only to browsers that do not have them yet.

The address of a file decides how long a browser keeps it, see static_urls.
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

from dashboard.server.static_urls import NO_STORE, REVALIDATE, split_version, versioned_storage

SCRIPTS_AND_STYLES = ("text/javascript", "text/css")
"""Browsers never show these types as a page: headers for pages would only add bytes, on forty files a page."""
MAX_COMPRESSED_SHARE = 0.9
"""A compressed form must be smaller than this share of the plain one to be sent."""


class StaticFile:
    """A file as it was when it was read, so that no response mixes two versions of it."""

    def __init__(self, content: bytes, headers: Mapping[str, str]) -> None:
        self._content = content
        self._headers = headers

    def response(self, request: HttpRequest, cache_control: str) -> HttpResponse:
        """The response with the file, compressed where the client accepts it; 304 where it is unchanged; 405 for other
        methods.

        `cache_control` is its Cache-Control.
        """
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        compressed = self._compressed if takes_gzip(request.headers.get("Accept-Encoding", "")) else None
        body = compressed or self._content
        response = HttpResponse(b"" if request.method == "HEAD" else body, headers=self._headers)
        response["Cache-Control"] = cache_control
        etag = f'"{self._digest}-gzip"' if compressed else f'"{self._digest}"'
        if cache_control == REVALIDATE:
            response["ETag"] = etag
        response["Vary"] = "Accept-Encoding"
        response["Content-Length"] = str(len(body))
        if compressed:
            response["Content-Encoding"] = "gzip"
        answer = cast("HttpResponse", get_conditional_response(request, etag=etag, response=response))
        if response["Content-Type"].startswith(SCRIPTS_AND_STYLES):
            answer._csp_exempt = True  # type: ignore[attr-defined] # as django-csp wants it  # noqa: SLF001 # as django-csp wants it
        return answer

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self._content).hexdigest()[:32]

    @cached_property
    def _compressed(self) -> bytes | None:
        compressed = gzip.compress(self._content, mtime=0)
        return compressed if len(compressed) < MAX_COMPRESSED_SHARE * len(self._content) else None


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header accepts gzip."""
    for coding in accepted.lower().split(","):
        name, _, weight = coding.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0") not in ("q=", "q=0.")
    return False


class _Table(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise's table of files, with the files behind the versioned addresses; it does not need `collectstatic`."""

    def add_files_from_finders(self) -> None:
        for name, content in versioned_storage().contents.items():
            url = f"{self.static_prefix}{name}"
            self.files[url] = self._load(content, name, url)

    def get_static_file(self, path: str, url: str, **_: object) -> StaticFile:
        try:
            return self._load(Path(path).read_bytes(), path, url)
        except OSError as error:
            raise MissingFileError(path) from error

    def _load(self, content: bytes, path: str, url: str) -> StaticFile:
        headers = Headers([])
        self.add_mime_headers(headers, path, url)
        return StaticFile(content, dict(headers.items()))


class StaticFiles:
    """Middleware that serves static files on the loop: they are few and small, and each is read and compressed once.

    WhiteNoise's own middleware is synchronous, so each request would go through a thread; GZipMiddleware would compress
    each response again, and its weakened ETag would not match any more. With WHITENOISE_AUTOREFRESH every request reads
    the file again.
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
        name, cache_control = split_version(request.path_info.removeprefix(self._table.static_prefix))
        file = self._find(self._table.static_prefix + name)
        if file is not None:
            return file.response(request, cache_control)
        response = await self._passed_on(request)
        response["Cache-Control"] = NO_STORE
        return response

    async def _passed_on(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)
        return response

    def _find(self, path: str) -> StaticFile | None:
        file = self._table.find_file(path) if self._table.autorefresh else self._table.files.get(path)
        return cast("StaticFile | None", file)
