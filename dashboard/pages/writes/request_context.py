"""Context of a request that changes one object, or asks to: target, API client, draft and page frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.fields.field_access import Value
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.problems.write_refusal import Refusal, refusal_of
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.objects.schemas.version_warnings import VERSION_WARNINGS
from dashboard.pages.authors.record_and_lookup import WriteRecorder
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.details.live_detail import LiveDetail, open_detail
from dashboard.pages.drafts.draft import Subject
from dashboard.pages.drafts.request_draft import DraftSession
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, kind_not_found, object_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.read_only_page import read_only_info, read_only_page
from dashboard.pages.layout.requested_kind import UnavailableKind, open_object, path_namespace
from dashboard.pages.writes.object_client import ObjectClient
from dashboard.pages.writes.target import Editable, Target
from dashboard.pages.writes.typed_name import TypedName, name_to_type
from dashboard.pages.writes.write_unavailable import WriteUnavailable, has_text
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.read_only import is_read_only
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

    @property
    def name_to_type(self) -> TypedName | None:
        """The object's name, to be typed before it is destroyed; None where the cluster is not production."""
        target = self.target
        return name_to_type(self.request, self.state, target.name, target.kind.singular)

    async def schema(self) -> Schema:
        return await self.state[SCHEMAS].schema_of(self.client, self.target.kind.resource)

    async def version_warnings(self) -> tuple[str, ...]:
        """What the API server says of the kind's version, such as that it is deprecated."""
        target = self.target
        return await self.state[VERSION_WARNINGS].of(self.client, target.kind.resource, target.namespace)

    def page(
        self,
        template: str,
        title: str,
        context: dict[str, object],
        *,
        status: int = 200,
        view: LiveDetail | None = None,
    ) -> HttpResponse:
        """A page about the target, with its live view, so that changes by others show immediately. `view` is another
        one than that of its details.
        """
        target = self.target
        if view is None:
            view = open_detail(self.state[HUB], target.kind, target.namespace, target.name)
        page = page_info(self.request, title=f"{title} {target.name}", key=target.kind.key, view=view)
        response = render(
            self.request,
            template,
            {**context, "page": page, "target": target, "view": view, "draft_session": self.draft_session},
            status=status,
        )
        response["Cache-Control"] = "no-store"
        return response

    def refusal_page(self, refusal: Refusal, action: str) -> HttpResponse:
        """The page that says why the object could not be opened."""
        response = self.page("writes/refusal.html", action, {"refusal": refusal, "doing": action}, status=refusal.code)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(round(refusal.retry_after))
        return response

    async def read(self, action: str) -> dict[str, Value]:
        """The current object. Raises WriteUnavailable where it cannot be read; `action` is the page's title."""
        try:
            return await self.object_client.read()
        except InformerdError as error:
            raise self.read_failure(error, action) from error

    def read_failure(self, error: InformerdError, action: str) -> WriteUnavailable:
        """The exception for a page whose object cannot be read; `action` is the page's title."""
        refusal, target = refusal_of(error), self.target
        reason = " ".join(f"{problem.words} {problem.server_message}".strip() for problem in refusal.problems)
        if has_text(self.request):
            page = None
        elif isinstance(error, NotFound):
            page = object_not_found(self.request, target.kind, target.namespace, target.name)
        else:
            page = self.refusal_page(refusal, action)
        missing = NotFoundInfo(refusal.title, f"{target.words}: {reason}")
        session = self.draft_session
        return WriteUnavailable(missing, refusal.code, key=target.kind.key, page=page, session=session, is_saved=True)


def write_recorder_of(request: HttpRequest, state: AppState, client: Client) -> WriteRecorder:
    """The write recorder of a request."""
    return WriteRecorder(
        state[AUTHORS], Identity(user_of(request), browser_of(request)), client.field_manager, state[CLOCK]
    )


async def open_edit_request(
    request: HttpRequest,
    resource: str,
    namespace: str,
    name: str,
    action: str,
    *,
    any_kind: bool = False,
    part: Editable = "spec",
    only_reads: bool = False,
) -> EditRequest:
    """The edit request of an address. `action` ends the address.

    `any_kind`: whether kinds without an editor are allowed too; such pages have no drafts. Raises WriteUnavailable
    where the kind cannot be opened, the address has an invalid name or an alias of the kind (a redirect),
    the kind has no editor, there is no connection, or Deltaboard is read-only and the request is not one that
    `only_reads`.
    """
    state = state_of(request)
    subject = Subject.of(resource, path_namespace(namespace), name, status=part == "status")
    session = None if any_kind else DraftSession(request, subject)
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        raise kind_unavailable(request, resource, kind, session)
    unavailable = partial(WriteUnavailable, key=kind.key, session=session)
    if not_a_name := {name, namespace} & _NO_NAMES:
        raise unavailable(_no_name(kind, not_a_name.pop()))
    target = Target(kind, path_namespace(namespace), name, part)
    if kind.key != resource and request.method != "POST":
        raise WriteUnavailable.redirect(HttpResponseRedirect(f"{target.href}{action}/"))
    if not (kind.editable or any_kind):
        raise unavailable(_not_editable(kind, target))
    if is_read_only() and not only_reads:
        raise read_only_error(request, kind, target, session=session)
    client = state[CONNECTION].client
    if client is None:
        raise unavailable(not_connected(state), 503)
    subject = Subject.of(kind.key, target.namespace, name, status=part == "status")
    return EditRequest(request, state, target, client, DraftSession(request, subject))


def kind_unavailable(
    request: HttpRequest, resource: str, kind: UnavailableKind, session: DraftSession | None
) -> WriteUnavailable:
    """The exception for a kind that cannot be opened; `resource` is its name in the address."""
    page = None if has_text(request) else kind_not_found(request, resource, kind)
    return WriteUnavailable(_cannot_be_opened(resource), page=page, session=session)


def read_only_error(
    request: HttpRequest, kind: KindInfo, target: Target | None = None, *, session: DraftSession | None = None
) -> WriteUnavailable:
    """The exception for an address that writes, in read-only mode. A posted text is shown and kept as a draft."""
    links = [ChoiceLink(kind.title, kind.path)]
    if target is not None:
        links = [ChoiceLink("Its details", target.href), ChoiceLink("Its YAML", f"{target.href}yaml/"), *links]
    page = None if has_text(request) else read_only_page(request, *links, key=kind.key)
    return WriteUnavailable(read_only_info(*links), 403, key=kind.key, page=page, session=session)


def not_connected(state: AppState) -> NotFoundInfo:
    """The reason while there is no API client."""
    return NotFoundInfo("Deltaboard is not connected to a cluster", state[HUB].connection_problem())


def _cannot_be_opened(resource: str) -> NotFoundInfo:
    reason = f"The API server has no {resource}, or none that can be listed."
    return NotFoundInfo("The text cannot be saved here", reason)


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
