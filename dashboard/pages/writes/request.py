"""Context of an edit page: target object, API client, draft and page frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.problem import Refusal, refusal_of
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.store import SCHEMAS
from dashboard.pages.authors.recorder import WriteRecorder
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.drafts.draft import Subject
from dashboard.pages.drafts.session import DraftSession
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, kind_not_found, not_found_page, object_not_found
from dashboard.pages.layout.open_kind import UnavailableKind, open_kind
from dashboard.pages.layout.page import page_info
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.rescued_text import has_text, kept_page
from dashboard.pages.writes.target import Editable, Target
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from informerd.errors import InformerdError, NotFound

if TYPE_CHECKING:
    from informerd.rest.client import Client

_NO_NAMES = frozenset({".", ".."})
"""Invalid API path segments: in an address they would mean another path."""


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One request of an edit page."""

    request: HttpRequest
    state: AppState
    target: Target
    client: Client
    draft_session: DraftSession
    """The draft of this edit."""

    @property
    def words(self) -> str:
        return self.target.words

    @property
    def href(self) -> str:
        """Address of the object's details."""
        return self.target.href

    @property
    def object_client(self) -> ObjectClient:
        return ObjectClient(self.client, self.target, write_recorder=self.write_recorder)

    @property
    def write_recorder(self) -> WriteRecorder:
        """Recorder of this user's writes, for other editors of the same object."""
        return write_recorder_of(self.request, self.state, self.client)

    async def schema(self) -> Schema:
        return await self.state[SCHEMAS].schema_of(self.client, self.target.kind.resource)

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about the target, with its live view, so that changes by others show immediately."""
        target = self.target
        view = open_detail(self.state[HUB], target.kind, target.namespace, target.name)
        page = page_info(self.request, title=f"{title} {target.name}", key=target.kind.key, view=view)
        response = render(
            self.request,
            template,
            {**context, "page": page, "target": target, "view": view, "writing": self.draft_session},
            status=status,
        )
        response["Cache-Control"] = "no-store"
        return response

    def trouble(self, refusal: Refusal, action: str) -> HttpResponse:
        """The page that says why the object could not be opened."""
        response = self.page("writes/refusal.html", action, {"refusal": refusal, "doing": action}, status=refusal.code)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(round(refusal.retry_after))
        return response

    def read_error_page(self, error: InformerdError, action: str) -> HttpResponse:
        """The response where the object could not be read; with the text, where one was posted."""
        if has_text(self.request):
            refusal = refusal_of(error)
            message = " ".join(f"{problem.words} {problem.said}".strip() for problem in refusal.problems)
            missing = NotFoundInfo(refusal.title, f"{self.target.words}: {message}")
            return kept_page(self.request, missing, status=refusal.code, key=self.target.kind.key)
        if isinstance(error, NotFound):
            return object_not_found(self.request, self.target.kind, self.target.namespace, self.target.name)
        return self.trouble(refusal_of(error), action)


def write_recorder_of(request: HttpRequest, state: AppState, client: Client) -> WriteRecorder:
    """The write recorder of a request."""
    return WriteRecorder(
        state[AUTHORS], Identity(user_of(request), browser_of(request)), client.field_manager, state[CLOCK]
    )


async def find_edit_request(
    request: HttpRequest,
    resource: str,
    namespace: str,
    name: str,
    action: str,
    *,
    any_kind: bool = False,
    part: Editable = "spec",
) -> EditRequest | HttpResponse:
    """The edit request of an address, or the page that says why there is none. `action` ends the address.

    `any_kind`: whether kinds without an editor are allowed too.
    """
    state = state_of(request)
    kind = await open_kind(state, resource)
    if isinstance(kind, UnavailableKind):
        if has_text(request):
            return kept_page(request, _not_followed(resource), status=404)
        return kind_not_found(request, resource, kind)
    if not_a_name := {name, namespace} & _NO_NAMES:
        return unavailable_page(request, _no_name(kind, not_a_name.pop()), 404, kind)
    target = Target(kind, "" if namespace == "-" else namespace, name, part)
    if kind.key != resource and request.method != "POST":
        return HttpResponseRedirect(f"{target.href}{action}/")
    if not (kind.editable or any_kind):
        return unavailable_page(request, _not_editable(kind, target), 404, kind)
    client = state[CONNECTION].client
    if client is None:
        return unavailable_page(
            request,
            NotFoundInfo("Deltaboard is not connected to a cluster", state[HUB].connection_problem()),
            503,
            kind,
        )
    subject = Subject.of(kind.key, target.namespace, name, status=part == "status")
    return EditRequest(request, state, target, client, DraftSession(request, subject))


def unavailable_page(request: HttpRequest, missing: NotFoundInfo, status: int, kind: KindInfo) -> HttpResponse:
    """The page that says why nothing can be edited here; with the text, where one was posted."""
    if has_text(request):
        return kept_page(request, missing, status=status, key=kind.key)
    response = not_found_page(request, missing, key=kind.key)
    response.status_code = status
    return response


def _not_followed(resource: str) -> NotFoundInfo:
    return NotFoundInfo("The text cannot be saved here", f"This dashboard does not follow {resource}.")


def _no_name(kind: KindInfo, name: str) -> NotFoundInfo:
    words = f"“{name}” is not a valid name of an object or a namespace. Choose one from the list."
    return NotFoundInfo("There is no such object", words, (ChoiceLink(kind.title, kind.path),))


def _not_editable(kind: KindInfo, target: Target) -> NotFoundInfo:
    why = f"The API server has only {', '.join(sorted(kind.resource.verbs))} for them."
    if kind.is_event_kind:
        why = "They record what has happened; only the component that recorded them updates them."
    return NotFoundInfo(
        f"{kind.title} cannot be edited",
        why,
        (ChoiceLink(target.name, target.href), ChoiceLink(kind.title, kind.path)),
    )
