"""Django's ASGI handler without its detours through threads."""

from __future__ import annotations

from http import HTTPStatus
from io import SEEK_END
from typing import Any, cast

from asgiref.sync import SyncToAsync, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix, set_urlconf
from django.utils.datastructures import MultiValueDict
from django.utils.log import log_response

from dashboard.runtime.malloc_tuning import large_work_ended
from dashboard.runtime.thread_pools import SMALL_TEXT
from dashboard.server.form_parser import parse_form
from dashboard.server.guard import REJECTION_HEADERS

FORM_TYPE = "application/x-www-form-urlencoded"


class FormRequest(ASGIRequest):
    """A request whose URL-encoded form is parsed in little memory."""

    def _load_post_and_files(self) -> None:
        read_as_utf8 = (self.encoding or settings.DEFAULT_CHARSET).lower() == "utf-8"
        is_unread = not self._read_started or hasattr(self, "_body")  # type: ignore[attr-defined] # not in its stub
        if self.method == "POST" and self.content_type == FORM_TYPE and read_as_utf8 and is_unread:
            self._post, self._files = parse_form(self.body), MultiValueDict[str, Any]()
        else:
            super()._load_post_and_files()


class LoopHandler(ASGIHandler):
    """Serves a request on the event loop from beginning to end.

    Django starts a new thread for every request, to send its signals at the beginning and the end: their receivers
    close database connections, which belong to the thread that opened them. Ours are opened in threads only
    (`sync_to_async`, the asynchronous ORM), so the signals are sent in the thread only where the request had one.
    Static files and pages made from replicas have none, which saves each of them most of a millisecond.

    A browser that goes away does not cancel its request: a write that has started is finished.
    """

    request_class = FormRequest

    def create_request(self, scope: Any, body_file: Any) -> tuple[ASGIRequest, None] | tuple[None, HttpResponseBase]:
        """The request, or the response to one that cannot be read; no middleware sees that, so its headers are
        set here.
        """
        request, refusal = super().create_request(scope, body_file)
        if refusal is None:
            return cast("ASGIRequest", request), None
        sentence = "This request cannot be read. Write its address in UTF-8, percent-encoded.\n"
        return None, HttpResponse(sentence, status=refusal.status_code, headers=REJECTION_HEADERS)

    async def get_response_async(self, request: Any) -> HttpResponseBase:
        """The response of the middleware and the view. Django logs one of 400 and more in a thread of the default
        executor, where a refusal would wait behind other work.
        """
        set_urlconf(settings.ROOT_URLCONF)
        response: Any = await self._middleware_chain(request)  # type: ignore[attr-defined] # not in its stub
        response._resource_closers.append(request.close)  # noqa: SLF001 -- as Django does
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            log_response("%s: %s", response.reason_phrase, request.path, response=response, request=request)
        return cast("HttpResponseBase", response)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body_file = await self.read_body(receive)
        except RequestAborted:
            return
        request, size = None, body_file.seek(0, SEEK_END)
        body_file.seek(0)
        try:
            set_script_prefix(get_script_prefix(scope))
            signals.request_started.send(sender=type(self), scope=scope)
            request, refusal = self.create_request(scope, body_file)
            response = cast("HttpResponseBase", refusal if request is None else await self.run_get_response(request))
            try:
                await self.send_response(response, send)
            finally:
                await _close(response)
        finally:
            body_file.close()
            if request is not None:
                request.__dict__.clear()  # it stands in cycles (htmx, drafts) that would keep its body for minutes
            if size > SMALL_TEXT:
                large_work_ended()


async def _close(response: HttpResponseBase) -> None:
    """Close the response, which sends the signal of the request's end, in the request's thread where it had one."""
    context = SyncToAsync.thread_sensitive_context.get(None)
    if context is not None and context in SyncToAsync.context_to_thread_executor:
        await sync_to_async(response.close)()
    else:
        response.close()
