"""Concurrency limits of requests: an ASGI layer before Django reads a body.

A request over its user's limit waits for its turn. Where none comes in time it is refused (429): a person gets a page
of `dashboard.server.quota_refusal`, which returns what was posted, and a script a sentence.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import Resolver404, resolve

from dashboard.access.quota_owner import quota_owners
from dashboard.runtime.app_state import state_of
from dashboard.runtime.concurrency_limit import LimitReached
from dashboard.runtime.quotas import QUOTAS, RETRY_AFTER, Work
from dashboard.server.guard import REJECTION_HEADERS, Application, Receive, Scope, Send
from dashboard.server.quota_refusal import REFUSAL_KEY, SENTENCES
from dashboard.server.request_headers import header_values

CHECKS = frozenset({"check", "check-status", "check-new", "check-several", "take", "take-status"})
EXPORTS = frozenset(
    {"audit-export", "export", "selected-export", "matching", "bulk-results", "bulk-commands", "log-download",
     "selection-log-download"}
)  # fmt: skip
"""Names of the addresses in dashboard/urls.py."""
MONITORING = frozenset({"healthz", "readyz", "metrics"})
"""They are not limited, and neither are static files. An address that no view has is limited as a page or a form."""
SIGN_IN = frozenset({"openid_connect_login", "openid_connect_callback", "back-channel-logout"})
"""They wait for a provider, within limits of their own (dashboard.access.oidc.providers)."""
DRY_RUNS = frozenset({"act", "drain", "evict", "delete", "finalizer"})
"""Pages that ask the API server for a dry run before anything is posted."""
SMALL_FORMS = frozenset(
    {"theme", "follow-always", "requeue", "selected", "throw-drafts", "throw-draft", "sign-out", "end-sessions"}
)
"""POSTs that cost no more than a page."""


class RequestQuotas:
    """Passes a request to `inner` when its turn comes."""

    def __init__(self, inner: Application) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        work = work_of(scope)
        if work is None:
            await self._inner(scope, receive, send)
            return
        quotas = state_of(scope)[QUOTAS]
        try:
            async with quotas.by_work[work].slot(quota_owners(scope)):
                await quotas.turns.run(self._inner(scope, receive, send))
        except LimitReached:
            quotas.refused[work] += 1
            await self._refuse(work, scope, receive, send)

    async def _refuse(self, work: Work, scope: Scope, receive: Receive, send: Send) -> None:
        sentence = SENTENCES[work]
        if work == "checks" or _view_name(scope["path"]) is None or not _shows_page(scope, work):
            await refuse(send, 429, sentence, keeps_page=work == "forms" or scope["method"] != "POST")
            return
        quotas = state_of(scope)[QUOTAS]
        try:
            async with quotas.refusals.slot(quota_owners(scope)):
                await quotas.turns.run(self._inner({**scope, REFUSAL_KEY: work}, receive, send))
        except LimitReached:
            typed = " Your browser still has what you typed: go back to it." if scope["method"] == "POST" else ""
            await refuse(send, 429, f"{sentence}{typed}", keeps_page=True)


def work_of(scope: Scope) -> Work | None:
    """The limit that a request falls under, by the name of its address; None where it is not limited."""
    if scope["type"] != "http":
        return None
    name = _view_name(scope["path"])
    if name in MONITORING or name in SIGN_IN or scope["path"].startswith(settings.STATIC_URL):
        return None
    if name in EXPORTS:
        return "exports"
    if scope["method"].upper() == "POST" and name not in SMALL_FORMS:
        return "checks" if name in CHECKS else "forms"
    return "forms" if name in DRY_RUNS else "pages"


def _view_name(path: str) -> str | None:
    """The name of the address; None where no view has it."""
    try:
        return resolve(path).url_name
    except Resolver404:
        return None


def _shows_page(scope: Scope, work: Work) -> bool:
    """Whether the browser shows the response as a page, or htmx in place of the form that was sent. Other scripts read
    it, and htmx leaves a page as it is after a GET, which most pages repeat by themselves.
    """
    if header_values(scope, "hx-request"):
        return work == "forms" and bool(scope["method"] == "POST")
    return header_values(scope, "sec-fetch-dest") in ([], ["document"])


async def refuse(send: Send, status: int, sentence: str, *, keeps_page: bool = False) -> None:
    """Answer with a sentence, and with the seconds after which to try again where that may help. htmx does not show it
    in a page if that `keeps_page`.
    """
    body = f"{sentence}\n".encode()
    headers: dict[str, Any] = {**REJECTION_HEADERS, "Content-Length": str(len(body))}
    if keeps_page:
        headers["HX-Reswap"] = "none"
    if status == 429:
        headers["Retry-After"] = str(RETRY_AFTER)
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
