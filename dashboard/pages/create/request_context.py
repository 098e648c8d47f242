"""Context of a create page: kind, namespace, API client, draft and page frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.objects.schemas.version_warnings import VERSION_WARNINGS
from dashboard.pages.create.namespace_choice import (
    NamespaceChoice,
    choose_namespace,
    namespace_choices,
    valid_namespace,
)
from dashboard.pages.create.object_creator import ObjectCreator
from dashboard.pages.drafts.draft import Subject
from dashboard.pages.drafts.request_draft import DraftSession
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import UnavailableKind, describe_kind, redirect_with_query
from dashboard.pages.writes.request_context import (
    kind_unavailable,
    not_connected,
    read_only_error,
    write_recorder_of,
)
from dashboard.pages.writes.write_unavailable import WriteUnavailable
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.read_only import is_read_only
from informerd.rest.client import Client


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """One request of a create page."""

    request: HttpRequest
    state: AppState
    kind: KindInfo
    namespace: str
    """The namespace of the address; empty where the text decides."""
    client: Client
    draft_session: DraftSession

    @property
    def href(self) -> str:
        """Its address, without the parameters of the start text."""
        return (
            f"{self.kind.new_path}?{urlencode({'namespace': self.namespace})}" if self.namespace else self.kind.new_path
        )

    @property
    def words(self) -> str:
        return f"new {self.kind.singular}"

    @property
    def creator(self) -> ObjectCreator:
        return ObjectCreator(
            self.kind, self.namespace, self.client, write_recorder_of(self.request, self.state, self.client)
        )

    @property
    def choices(self) -> tuple[str, ...]:
        """The known namespaces, where the address leaves the namespace open."""
        return namespace_choices(self.state) if self.kind.namespaced and not self.namespace else ()

    async def namespace_choice(self) -> NamespaceChoice:
        """Start namespace of a new object."""
        if self.namespace or not self.kind.namespaced:
            return NamespaceChoice(self.namespace)
        return await choose_namespace(self.state, self.kind, self.request)

    async def schema(self) -> Schema:
        return await self.state[SCHEMAS].schema_of(self.client, self.kind.resource)

    async def version_warnings(self) -> tuple[str, ...]:
        """What the API server says of the kind's version, such as that it is deprecated."""
        return await self.state[VERSION_WARNINGS].of(self.client, self.kind.resource, self.namespace)

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about new objects of the kind."""
        page = page_info(self.request, title=f"{title} {self.kind.singular}", key=self.kind.key)
        whole = {
            **context,
            "page": page,
            "kind": self.kind,
            "create_request": self,
            "draft_session": self.draft_session,
        }
        response = render(self.request, template, whole, status=status)
        response["Cache-Control"] = "no-store"
        return response


async def open_create_request(request: HttpRequest, resource: str) -> CreateRequest:
    """The create request of an address.

    Raises WriteUnavailable where the cluster has no such kind, the address has an alias of the kind (a
    redirect), the API server does not create such objects, or there is no connection.
    """
    state = state_of(request)
    kind = await describe_kind(state, resource)
    if isinstance(kind, UnavailableKind):
        raise kind_unavailable(request, resource, kind, DraftSession(request, Subject(resource)))
    unavailable = partial(WriteUnavailable, key=kind.key, session=DraftSession(request, Subject(kind.key)))
    if kind.key != resource and request.method != "POST":
        raise WriteUnavailable.redirect(redirect_with_query(request, kind.new_path))
    if not kind.creatable:
        raise unavailable(_not_creatable(kind))
    if is_read_only():
        namespace = valid_namespace(request.GET.get("namespace", "")) if kind.namespaced else ""
        raise read_only_error(request, kind, session=DraftSession(request, Subject(kind.key, namespace)))
    client = state[CONNECTION].client
    if client is None:
        raise unavailable(not_connected(state), 503)
    namespace = valid_namespace(request.GET.get("namespace", "")) if kind.namespaced else ""
    return CreateRequest(request, state, kind, namespace, client, DraftSession(request, Subject(kind.key, namespace)))


async def check_permission(create_request: CreateRequest) -> None:
    """Raise WriteUnavailable where creation is denied in the namespace of the address, or without one in any.

    With an open namespace the text decides, and then the API server.
    """
    params, kind = create_request.request.GET, create_request.kind
    namespace = create_request.namespace or params.get("from", "").partition("/")[0].removeprefix("-")
    where = namespace if kind.namespaced else ""
    is_anywhere = kind.namespaced and not where
    if is_anywhere and create_request.state[HUB].rights_problem:
        return
    access = ResourceAttributes("create", kind.resource, where, is_anywhere=is_anywhere)
    reason = await create_request.state[ACCESS_REVIEWS].denial(access)
    if not reason:
        return
    elsewhere = (ChoiceLink("Create one in another namespace", kind.new_path),) if where else ()
    title = f"You are not allowed to create a {kind.singular}{' here' if where else ''}"
    missing = NotFoundInfo(title, reason, (*elsewhere, ChoiceLink(kind.title, kind.path)))
    raise WriteUnavailable(missing, 403, key=kind.key)


def _not_creatable(kind: KindInfo) -> NotFoundInfo:
    reason = f"The API server does not support the creation of {kind.title}: the cluster creates them."
    if kind.is_event_kind:
        reason = f"{kind.title} record what has happened. Cluster components create them."
    return NotFoundInfo(f"{kind.title} cannot be created", reason, (ChoiceLink(kind.title, kind.path),))
