"""Concurrency limits of requests that cost much: an ASGI layer before Django reads a body.

A request over its user's limit waits for its turn. Where none comes in time it is refused (429) by
`dashboard.server.quota_refusal`, which returns a posted text.
"""

from __future__ import annotations

from typing import Any

from django.urls import Resolver404, resolve

from dashboard.access.quota_owner import quota_owners
from dashboard.runtime.app_state import state_of
from dashboard.runtime.concurrency_limit import LimitReached
from dashboard.runtime.quotas import QUOTAS, RETRY_AFTER, Work
from dashboard.server.guard import REJECTION_HEADERS, Application, Receive, Scope, Send
from dashboard.server.quota_refusal import REFUSAL_KEY, SENTENCES

CHECKS = frozenset({"check", "check-status", "check-new", "check-several", "take", "take-status"})
EXPORTS = frozenset({"export", "selected-export", "matching", "bulk-results", "bulk-commands"})
"""Names of the addresses in dashboard/urls.py."""
SMALL_FORMS = frozenset({"theme", "requeue", "selected", "throw-drafts", "throw-draft"})
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
                await self._inner(scope, receive, send)
        except LimitReached:
            quotas.refused[work] += 1
            await self._refuse(work, scope, receive, send)

    async def _refuse(self, work: Work, scope: Scope, receive: Receive, send: Send) -> None:
        if work != "forms":
            await refuse(send, 429, SENTENCES[work])
            return
        quotas = state_of(scope)[QUOTAS]
        try:
            async with quotas.rescues.slot(quota_owners(scope)):
                await self._inner({**scope, REFUSAL_KEY: work}, receive, send)
        except LimitReached:
            await refuse(send, 429, f"{SENTENCES[work]} Your browser still has what you typed: go back to it.")


def work_of(scope: Scope) -> Work | None:
    """The limit that a request falls under, by the name of its address; None where it is not limited."""
    if scope["type"] != "http":
        return None
    try:
        name = resolve(scope["path"]).url_name
    except Resolver404:
        return None
    if name in EXPORTS:
        return "exports"
    if scope["method"] != "POST" or name in SMALL_FORMS:
        return None
    return "checks" if name in CHECKS else "forms"


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer with a sentence, and with the seconds after which to try again where that may help."""
    body = f"{sentence}\n".encode()
    headers: dict[str, Any] = {**REJECTION_HEADERS, "Content-Length": str(len(body))}
    if status == 429:
        headers["Retry-After"] = str(RETRY_AFTER)
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
