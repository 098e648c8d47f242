"""Where an edit page stands: the object of its address, the way to the API server, and what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.edits.editable import Target
from dashboard.edits.exchange import Exchange
from dashboard.edits.kept import has_text, kept_page
from dashboard.edits.problems import Refusal, refusal_of
from dashboard.edits.schema import Schema
from dashboard.live.context import LiveParts, live_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import Link, Missing, missing_kind, missing_object, missing_page
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.page_info import page_info
from informerd.errors import InformerdError, NotFound

if TYPE_CHECKING:
    from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class Place:
    """One request of an edit page."""

    request: HttpRequest
    live: LiveParts
    target: Target
    client: Client

    @property
    def exchange(self) -> Exchange:
        return Exchange(self.client, self.target)

    async def schema(self) -> Schema:
        return await self.live.schemas.schema_of(self.client, self.target.kind.resource)

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about the target, with the live view of it, so that a change by somebody else shows at once."""
        target = self.target
        view = self.live.hub.detail_view(target.kind, target.namespace, target.name)
        page = page_info(self.request, title=f"{title} {target.name}", key=target.kind.key, view=view)
        response = render(
            self.request, template, {**context, "page": page, "target": target, "view": view}, status=status
        )
        response["Cache-Control"] = "no-store"
        return response

    def trouble(self, refusal: Refusal, doing: str) -> HttpResponse:
        """The page that says why the object could not be opened."""
        response = self.page("edits/trouble.html", doing, {"refusal": refusal, "doing": doing}, status=refusal.code)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(round(refusal.retry_after))
        return response

    def unopened(self, error: InformerdError, doing: str) -> HttpResponse:
        """The answer where the object could not be read; with the text, where one was sent."""
        if has_text(self.request):
            refusal = refusal_of(error)
            message = " ".join(f"{problem.words} {problem.said}".strip() for problem in refusal.problems)
            missing = Missing(refusal.title, f"{self.target.words}: {message}")
            return kept_page(self.request, missing, status=refusal.code, key=self.target.kind.key)
        if isinstance(error, NotFound):
            return missing_object(self.request, self.target.kind, self.target.namespace, self.target.name)
        return self.trouble(refusal_of(error), doing)


async def find_place(
    request: HttpRequest, resource: str, namespace: str, name: str, action: str
) -> Place | HttpResponse:
    """The place that an address means, or the page that says why there is none. `action` ends the address."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        if has_text(request):
            return kept_page(request, _not_followed(resource), status=404)
        return missing_kind(request, resource, kind)
    target = Target(kind, "" if namespace == "-" else namespace, name)
    if kind.key != resource and request.method != "POST":
        return HttpResponseRedirect(f"{target.href}{action}/")
    if not kind.editable:
        return _missing(request, _not_editable(kind, target), 404, kind)
    if live.client is None:
        return _missing(request, Missing("There is no cluster to write to", live.problem), 503, kind)
    return Place(request, live, target, live.client)


def _missing(request: HttpRequest, missing: Missing, status: int, kind: KindInfo) -> HttpResponse:
    if has_text(request):
        return kept_page(request, missing, status=status, key=kind.key)
    response = missing_page(request, missing, key=kind.key)
    response.status_code = status
    return response


def _not_followed(resource: str) -> Missing:
    return Missing("There is no place for this text", f"This dashboard does not follow {resource}, or no longer.")


def _not_editable(kind: KindInfo, target: Target) -> Missing:
    return Missing(
        f"{kind.title} are not edited here",
        f"Deltaboard edits and deletes custom resources so far; for others there is kubectl edit {kind.key}.",
        (Link(target.name, target.href), Link(kind.title, kind.path)),
    )
