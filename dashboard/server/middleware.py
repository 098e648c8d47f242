"""Django's middleware on the event loop.

MiddlewareMixin runs `process_request` and `process_response` in a thread, twice per middleware and request, although
none of these waits for anything. Here they are called on the loop, where the request is.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import AsyncIterator
from typing import Any, cast

from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.gzip import GZipMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils.deprecation import MiddlewareMixin

from dashboard.access.quota_owner import quota_owners
from dashboard.runtime.app_state import scope_of, state_of
from dashboard.runtime.quotas import QUOTAS
from dashboard.runtime.thread_pools import SMALL_TEXT, parse_form_in_thread, transfer_in_thread_if_large
from dashboard.server.guard import PROBE_PATHS

logger = logging.getLogger(__name__)

TOO_DEEP = "An object or a text is nested too deep for this page. Nothing was written. Use kubectl for this object.\n"
UNKNOWN_LENGTH = SMALL_TEXT + 1
"""Taken as the length of a body whose length its header does not say."""


class OnLoop(MiddlewareMixin):
    """Calls the synchronous hooks of a middleware directly when the request is served asynchronously.

    For middleware whose hooks only compute: one that waits would block every other request.
    """

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        before = getattr(self, "process_request", None)
        after = getattr(self, "process_response", None)
        response: HttpResponseBase | None = before(request) if before else None
        if response is None:
            response = await self.get_response(request)  # type: ignore[misc]
        return after(request, response) if after else response


class Security(OnLoop, SecurityMiddleware):
    """Adds nosniff, Referrer-Policy, Cross-Origin-Opener-Policy and the ban on embedding by other sites.

    Scripts and styles, which have no policy either, get only the two headers that apply to files that are not pages.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response = super().process_response(request, response)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.setdefault("X-Frame-Options", "DENY")
        if getattr(response, "_csp_exempt", False):
            for name in ("Referrer-Policy", "Cross-Origin-Opener-Policy", "X-Frame-Options"):
                del response[name]
        return response


class ContentSecurityPolicy(OnLoop, CSPMiddleware):
    """Adds settings.CONTENT_SECURITY_POLICY to every response but scripts and styles (see static_files)."""


class GZip(OnLoop, GZipMiddleware):
    """Compresses pages, large ones in a thread; static files are compressed already."""

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)  # type: ignore[misc]
        if not isinstance(response, StreamingHttpResponse):
            size = len(response.content)  # type: ignore[attr-defined]
            return await transfer_in_thread_if_large(self.process_response, request, response, size=size)
        parts = response.streaming_content
        self.process_response(request, response)
        if response.is_async and response.headers.get("Content-Encoding") == "gzip":
            # Django compresses each part by itself; browsers read the first of these members and drop the others.
            response.streaming_content = _compressed(cast("AsyncIterator[bytes]", parts))
        return response


async def _compressed(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The parts as one gzip member, each readable as soon as it has arrived."""
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)  # with gzip's header
    async for part in parts:
        yield compressor.compress(part) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()


class Common(OnLoop, CommonMiddleware):
    """Appends slashes and refuses unknown hosts, except for addresses that load balancers and kubelets request
    by number.
    """

    def process_request(self, request: HttpRequest) -> Any:
        return None if request.path_info in PROBE_PATHS else super().process_request(request)


class NestingRefusal(OnLoop):
    """Refuses what is nested deeper than Python can follow, where no page has said so before: 422 and a sentence."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, RecursionError):
            return None
        logger.warning("refused %s: an object or a text is nested too deep", request.path)
        return HttpResponse(TOO_DEEP, content_type="text/plain; charset=utf-8", status=422)


class LargeForms(OnLoop):
    """Parses a large form in a thread, before Csrf would parse it on the loop. Users take turns."""

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method == "POST":
            length = request.META.get("CONTENT_LENGTH") or ""
            size = int(length) if length.isdigit() else UNKNOWN_LENGTH
            if size > SMALL_TEXT:
                scope = scope_of(request)
                async with state_of(scope)[QUOTAS].form_parsing.slot(quota_owners(scope)):
                    await parse_form_in_thread(request)
        response: HttpResponseBase = await self.get_response(request)  # type: ignore[misc]
        return response


class Csrf(OnLoop, CsrfViewMiddleware):
    """Checks the token of every unsafe request."""

    async def process_view(  # type: ignore[override]
        self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any
    ) -> HttpResponseBase | None:
        refusal: HttpResponseBase | None = super().process_view(request, callback, callback_args, callback_kwargs)
        return refusal
