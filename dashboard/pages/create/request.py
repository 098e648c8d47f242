"""Context of a create page: kind, API client, namespaces and page frame."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.schemas.schema import Schema
from dashboard.objects.schemas.store import SCHEMAS
from dashboard.pages.create.create import ObjectCreator
from dashboard.pages.drafts.draft import Content, Subject
from dashboard.pages.drafts.session import DISCARD, DraftSession
from dashboard.pages.layout.namespaces import namespace_names
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, kind_not_found, not_found_page
from dashboard.pages.layout.open_kind import UnavailableKind, open_kind
from dashboard.pages.layout.page import page_info
from dashboard.pages.writes.request import write_recorder_of
from dashboard.pages.writes.rescued_text import has_text, kept_page
from dashboard.runtime.app_state import AppState, state_of
from informerd.rest.client import Client

LISTED_NAMESPACES = "among"
"""Address parameter: the namespaces of the list that the user came from, separated by commas."""


MAX_CHOICES = 300
"""Most namespaces that are offered."""


MAX_REVIEWS = 8
"""Most namespaces whose create permission is asked for."""


_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class NamespaceChoice:
    """Start namespace of a new object, and the alternatives."""

    namespace: str
    choices: tuple[str, ...] = ()
    """Namespaces of the list first."""
    listed: tuple[str, ...] = ()
    """Namespaces of the list."""
    denied: str = ""
    """Why creation is denied there and in the other checked namespaces."""


def valid_namespace(name: str) -> str:
    """The name, where it is a valid one; else empty."""
    return name if _NAMESPACE.fullmatch(name) else ""


def namespace_choices(state: AppState, listed: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The known namespaces, those of the list first."""
    return tuple(dict.fromkeys((*listed, *namespace_names(state))))[:MAX_CHOICES]


async def choose_namespace(state: AppState, kind: KindInfo, request: HttpRequest) -> NamespaceChoice:
    """The first namespace with permission to create: of the list, or else ``default`` or the first of all."""
    named = request.GET.get(LISTED_NAMESPACES, "").split(",")[:MAX_CHOICES]
    listed = tuple(dict.fromkeys(name for name in named if valid_namespace(name)))
    choices = namespace_choices(state, listed)
    wanted = (listed or tuple(dict.fromkeys(("default", *choices))))[:MAX_REVIEWS]
    first, *others = wanted
    denied = await _denial(state, kind, first)
    if not denied:
        return NamespaceChoice(first, choices, listed)
    answers = await asyncio.gather(*(_denial(state, kind, name) for name in others))
    allowed = next((name for name, words in zip(others, answers, strict=True) if not words), "")
    return NamespaceChoice(allowed or first, choices, listed, "" if allowed else denied)


async def _denial(state: AppState, kind: KindInfo, namespace: str) -> str:
    return await state[ACCESS_REVIEWS].denial(ResourceAttributes("create", kind.resource, namespace))


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
            self.client, self.kind, self.namespace, write_recorder_of(self.request, self.state, self.client)
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

    def page(self, template: str, title: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        """A page about new objects of the kind."""
        page = page_info(self.request, title=f"{title} {self.kind.singular}", key=self.kind.key)
        whole = {**context, "page": page, "kind": self.kind, "place": self, "writing": self.draft_session}
        response = render(self.request, template, whole, status=status)
        response["Cache-Control"] = "no-store"
        return response


async def find_create_request(request: HttpRequest, resource: str) -> CreateRequest | HttpResponse:
    """The create request of an address, or the page that says why there is none."""
    state = state_of(request)
    kind = await open_kind(state, resource)
    if isinstance(kind, UnavailableKind):
        if has_text(request):
            nowhere = NotFoundInfo("The text cannot be saved here", f"This dashboard does not follow {resource}.")
            return await _kept(request, resource, nowhere, 404)
        return kind_not_found(request, resource, kind)
    if kind.key != resource and request.method != "POST":
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseRedirect(f"{kind.new_path}?{query}" if query else kind.new_path)
    client, missing = state[CONNECTION].client, _obstacle(state, kind)
    if missing is not None:
        if has_text(request):
            return await _kept(request, kind.key, missing, 503)
        return not_found_page(request, missing, key=kind.key, status=503 if client is None else 404)
    assert client is not None  # noqa: S101 (else there was an obstacle)
    namespace = valid_namespace(request.GET.get("namespace", "")) if kind.namespaced else ""
    writing = DraftSession(request, Subject(kind.key, namespace))
    return CreateRequest(request, state, kind, namespace, client, writing)


async def denied_page(place: CreateRequest) -> HttpResponse | None:
    """The page for a denied namespace of the address; None where creation is allowed, or the namespace is open.

    With an open namespace only the text decides, and then the API server.
    """
    asked, kind = place.request.GET, place.kind
    namespace = place.namespace or asked.get("from", "").partition("/")[0].removeprefix("-")
    if kind.namespaced and not namespace:
        return None
    words = await place.state[ACCESS_REVIEWS].denial(
        ResourceAttributes("create", kind.resource, namespace if kind.namespaced else "")
    )
    if not words:
        return None
    elsewhere = (ChoiceLink("Create one in another namespace", kind.new_path),) if kind.namespaced else ()
    missing = NotFoundInfo(
        f"You are not allowed to create a {kind.singular} here", words, (*elsewhere, ChoiceLink(kind.title, kind.path))
    )
    return not_found_page(place.request, missing, key=kind.key, status=403)


def _obstacle(state: AppState, kind: KindInfo) -> NotFoundInfo | None:
    if not kind.creatable:
        message = f"The API server does not support the creation of {kind.title}: the cluster creates them."
        if kind.is_event_kind:
            message = f"{kind.title} record what has happened. Cluster components create them."
        return NotFoundInfo(f"{kind.title} cannot be created", message, (ChoiceLink(kind.title, kind.path),))
    if state[CONNECTION].client is None:
        return NotFoundInfo("Deltaboard is not connected to a cluster", state[HUB].connection_problem())
    return None


async def _kept(request: HttpRequest, resource: str, missing: NotFoundInfo, status: int) -> HttpResponse:
    writing = DraftSession(request, Subject(resource))
    if DISCARD in request.POST:
        return await writing.discard(f"/resources/{resource}/")
    await writing.keep(Content.of(request.POST.dict()))
    return writing.set_cookies(kept_page(request, missing, status=status))
