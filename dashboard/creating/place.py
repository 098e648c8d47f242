"""Where a page that makes objects of one kind stands: its kind, the way to the API server, what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.access.rights import Right
from dashboard.creating.making import Maker
from dashboard.creating.whereabouts import Whereabouts, choices_of, valid_namespace, whereabouts
from dashboard.drafts.draft import Content, Subject
from dashboard.drafts.writing import DISCARD, Writing
from dashboard.edits.kept import has_text, kept_page
from dashboard.edits.place import pen_of
from dashboard.edits.schema import Schema
from dashboard.live.context import LiveParts, live_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import Link, Missing, missing_kind, missing_page
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.page_info import page_info
from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class NewPlace:
    """One request of such a page."""

    request: HttpRequest
    live: LiveParts
    kind: KindInfo
    namespace: str
    """The one of the address; empty where the text decides."""
    client: Client
    writing: Writing

    @property
    def href(self) -> str:
        """Its address, without what it begins with."""
        return (
            f"{self.kind.new_path}?{urlencode({'namespace': self.namespace})}" if self.namespace else self.kind.new_path
        )

    @property
    def words(self) -> str:
        return f"new {self.kind.singular}"

    @property
    def maker(self) -> Maker:
        return Maker(self.client, self.kind, self.namespace, pen_of(self.request, self.live, self.client))

    @property
    def choices(self) -> tuple[str, ...]:
        """The namespaces that are known, where the address leaves open which it is."""
        return choices_of(self.live) if self.kind.namespaced and not self.namespace else ()

    async def begins(self) -> Whereabouts:
        """In which namespace an object begins here."""
        if self.namespace or not self.kind.namespaced:
            return Whereabouts(self.namespace)
        return await whereabouts(self.live, self.kind, self.request)

    async def schema(self) -> Schema:
        return await self.live.schemas.schema_of(self.client, self.kind.resource)

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about new objects of the kind."""
        page = page_info(self.request, title=f"{title} {self.kind.singular}", key=self.kind.key)
        whole = {**context, "page": page, "kind": self.kind, "place": self, "writing": self.writing}
        response = render(self.request, template, whole, status=status)
        response["Cache-Control"] = "no-store"
        return response


async def find_new_place(request: HttpRequest, resource: str) -> NewPlace | HttpResponse:
    """The place that an address means, or the page that says why there is none."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        if has_text(request):
            nowhere = Missing("There is no place for this text", f"This dashboard does not follow {resource}.")
            return await _kept(request, resource, nowhere, 404)
        return missing_kind(request, resource, kind)
    if kind.key != resource and request.method != "POST":
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseRedirect(f"{kind.new_path}?{query}" if query else kind.new_path)
    missing = _obstacle(live, kind)
    if missing is not None:
        if has_text(request):
            return await _kept(request, kind.key, missing, 503)
        return missing_page(request, missing, key=kind.key, status=503 if live.client is None else 404)
    assert live.client is not None  # noqa: S101 (else there was an obstacle)
    namespace = valid_namespace(request.GET.get("namespace", "")) if kind.namespaced else ""
    writing = Writing(request, Subject(kind.key, namespace))
    return NewPlace(request, live, kind, namespace, live.client, writing)


async def refused_place(place: NewPlace) -> HttpResponse | None:
    """The page that says that nobody may make one in the namespace of the address; None where one may, or it is open.

    Whether one may be made somewhere else only the text tells, and then the API server.
    """
    asked, kind = place.request.GET, place.kind
    namespace = place.namespace or asked.get("from", "").partition("/")[0].removeprefix("-")
    if kind.namespaced and not namespace:
        return None
    words = await place.live.rights.denial(Right("create", kind.resource, namespace if kind.namespaced else ""))
    if not words:
        return None
    elsewhere = (Link("Make one in another namespace", kind.new_path),) if kind.namespaced else ()
    missing = Missing(f"You may not make a {kind.singular} here", words, (*elsewhere, Link(kind.title, kind.path)))
    return missing_page(place.request, missing, key=kind.key, status=403)


def _obstacle(live: LiveParts, kind: KindInfo) -> Missing | None:
    if not kind.creatable:
        message = f"The API server lets nobody create {kind.title}: they come by themselves."
        if kind.records:
            message = (
                f"{kind.title} say what has happened. Whoever saw it happen records them: they come by themselves."
            )
        return Missing(f"{kind.title} cannot be made", message, (Link(kind.title, kind.path),))
    if live.client is None:
        return Missing("There is no cluster to write to", live.problem)
    return None


async def _kept(request: HttpRequest, resource: str, missing: Missing, status: int) -> HttpResponse:
    writing = Writing(request, Subject(resource))
    if DISCARD in request.POST:
        return await writing.discarded(f"/resources/{resource}/")
    await writing.keep(Content.of(request.POST.dict()))
    return writing.leave(kept_page(request, missing, status=status))
