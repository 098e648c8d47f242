"""Where an edit page stands: the object of its address, the way to the API server, and what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.authors.pen import Pen
from dashboard.drafts.cookies import browser_of
from dashboard.drafts.draft import Subject, Whose
from dashboard.drafts.writing import Writing
from dashboard.edits.editable import Part, Target
from dashboard.edits.exchange import Exchange
from dashboard.edits.kept import has_text, kept_page
from dashboard.edits.problems import Refusal, refusal_of
from dashboard.edits.schema import Schema
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import Link, Missing, missing_kind, missing_object, missing_page
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.page_info import page_info
from informerd.errors import InformerdError, NotFound

if TYPE_CHECKING:
    from informerd.rest.client import Client

_NO_NAMES = frozenset({".", ".."})
"""What the API server's path segment names never are: in an address they would mean another one."""


@dataclass(frozen=True, slots=True)
class Place:
    """One request of an edit page."""

    request: HttpRequest
    live: LiveParts
    target: Target
    client: Client
    writing: Writing
    """The draft of what is being typed."""

    @property
    def words(self) -> str:
        return self.target.words

    @property
    def href(self) -> str:
        """Address of the object's details."""
        return self.target.href

    @property
    def exchange(self) -> Exchange:
        return Exchange(self.client, self.target, pen=self.pen)

    @property
    def pen(self) -> Pen:
        """Puts this person's name to what is written, for others who edit the same."""
        return pen_of(self.request, self.live, self.client)

    async def schema(self) -> Schema:
        return await self.live.schemas.schema_of(self.client, self.target.kind.resource)

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about the target, with the live view of it, so that a change by somebody else shows at once."""
        target = self.target
        view = self.live.hub.detail_view(target.kind, target.namespace, target.name)
        page = page_info(self.request, title=f"{title} {target.name}", key=target.kind.key, view=view)
        response = render(
            self.request,
            template,
            {**context, "page": page, "target": target, "view": view, "writing": self.writing},
            status=status,
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


def pen_of(request: HttpRequest, live: LiveParts, client: Client) -> Pen:
    """With whose hand a request writes."""
    return Pen(live.authors, Whose(user_of(request), browser_of(request)), client.field_manager, live.clock)


async def find_place(
    request: HttpRequest,
    resource: str,
    namespace: str,
    name: str,
    action: str,
    *,
    any_kind: bool = False,
    part: Part = "spec",
) -> Place | HttpResponse:
    """The place that an address means, or the page that says why there is none. `action` ends the address.

    `any_kind`: whether it is for kinds, too, of which no editor is offered.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        if has_text(request):
            return kept_page(request, _not_followed(resource), status=404)
        return missing_kind(request, resource, kind)
    if not_a_name := {name, namespace} & _NO_NAMES:
        return missing_place(request, _no_name(kind, not_a_name.pop()), 404, kind)
    target = Target(kind, "" if namespace == "-" else namespace, name, part)
    if kind.key != resource and request.method != "POST":
        return HttpResponseRedirect(f"{target.href}{action}/")
    if not (kind.editable or any_kind):
        return missing_place(request, _not_editable(kind, target), 404, kind)
    if live.client is None:
        return missing_place(request, Missing("There is no cluster to write to", live.problem), 503, kind)
    subject = Subject.of(kind.key, target.namespace, name, status=part == "status")
    return Place(request, live, target, live.client, Writing(request, subject))


def missing_place(request: HttpRequest, missing: Missing, status: int, kind: KindInfo) -> HttpResponse:
    """The page that says why nothing is edited here; with the text, where one was sent."""
    if has_text(request):
        return kept_page(request, missing, status=status, key=kind.key)
    response = missing_page(request, missing, key=kind.key)
    response.status_code = status
    return response


def _not_followed(resource: str) -> Missing:
    return Missing("There is no place for this text", f"This dashboard does not follow {resource}, or no longer.")


def _no_name(kind: KindInfo, name: str) -> Missing:
    words = f"“{name}” is no name that an object or a namespace can have. Choose one from the list."
    return Missing("There is no such object", words, (Link(kind.title, kind.path),))


def _not_editable(kind: KindInfo, target: Target) -> Missing:
    why = f"The API server has only {', '.join(sorted(kind.resource.verbs))} for them."
    if kind.records:
        why = "They say what has happened: whoever recorded it may add to it, nobody else."
    return Missing(
        f"{kind.title} cannot be edited",
        why,
        (Link(target.name, target.href), Link(kind.title, kind.path)),
    )
