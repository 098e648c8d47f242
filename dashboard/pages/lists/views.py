"""Pages of one kind: its list, the list with an object in a drawer, and the exports."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.namespace_limits import limit_of
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.printers import MEASURED_KINDS
from dashboard.objects.query.list_query import Query, QueryProblem
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.followed_kinds.views import follow_choice
from dashboard.pages.layout.cross_site_requests import own_pages_only
from dashboard.pages.layout.htmx import current_page_params, keep_address, vary_on_htmx, wants_fragment
from dashboard.pages.layout.namespaces import namespace_picker, unknown_namespaces
from dashboard.pages.layout.not_found import kind_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import (
    UnavailableKind,
    has_synced,
    not_read_yet_page,
    open_kind,
    redirect_with_query,
)
from dashboard.pages.layout.secret_cache_control import forbid_storing_secrets
from dashboard.pages.lists.column_picker import column_choices
from dashboard.pages.lists.drawer import Drawer, OpenObject, open_drawer, open_logs_tab, read_open_object
from dashboard.pages.lists.export import FORMATS, export
from dashboard.pages.lists.kubectl import kubectl_command
from dashboard.pages.lists.live_list import open_list
from dashboard.pages.lists.sort_choices import sort_choices
from dashboard.pages.logs.page_context import FIRST_LINES_SECONDS
from dashboard.runtime.app_state import AppState, state_of


@require_safe
async def object_list(request: HttpRequest, resource: str) -> HttpResponse:
    """The list of one kind, as its address requests it."""
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        return redirect_with_query(request, kind.path)
    query, lost = _check_namespaces(state, kind, state[HUB].fit_query(kind, Query.parse(request.GET, kind.key)))
    problems: list[QueryProblem] = []
    opened = read_open_object(request.GET, kind, problems)
    if opened is not None and (unavailable := await _read_for_drawer(request, opened)) is not None:
        return kind_not_found(request, PODS, unavailable)
    if wants_fragment(request, "#drawer"):
        shown = render(request, "lists/_drawer.html", {"drawer": _drawer(request, opened, query)})
        return _forbid_storing(shown, kind, opened)
    fragment = wants_fragment(request, "#list")
    if not fragment:
        query = replace(query, problems=query.problems + tuple(problems))
    choices = namespace_picker(state, query.namespaces, lambda names: query.with_(namespaces=names).href(), kind.key)
    await state[HUB].wait_for_rows(kind, query)
    drawer = _drawer(request, opened, query)
    view = open_list(state[HUB], kind, query)
    page = page_info(
        request,
        title=kind.title,
        key=kind.key,
        view=view,
        drawer_view=drawer.view if drawer is not None else None,
        namespaces=choices if kind.namespaced else None,
        selected=query.namespaces,
    )
    template = "lists/_fragment.html" if fragment else "lists/list.html"
    applied_filter = Query.parse(current_page_params(request), kind.key).canonical
    command = kubectl_command(kind, query, _listed_namespaces(state, kind))
    context = {
        **view.context(),
        "page": page,
        "applied_filter": applied_filter,
        "is_fragment": fragment,
        "command": command,
        "follow": follow_choice(state, kind),
        "drawer": drawer,
    }
    context["columns"], context["sorts"] = column_choices(query), sort_choices(query)
    response = render(request, template, context, status=404 if lost and not fragment else 200)
    if fragment and query.problems:
        keep_address(response)
    return _forbid_storing(response, kind, opened)


@require_safe
async def list_again(request: HttpRequest, resource: str) -> HttpResponse:
    """List a kind that no worker follows once more, and show its list. It only reads, so it is a link."""
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    state = state_of(request)
    if state[REPLICAS].get(kind.key).listed is not None:
        await state[INTEREST].list_once(kind.key)
    return redirect_with_query(request, kind.path)


@require_safe
@own_pages_only
async def object_export(request: HttpRequest, resource: str, suffix: str) -> HttpResponseBase:
    """All rows of a list as a file: ``export.csv``, ``export.json`` or ``export.yaml`` with the list's parameters.

    503 while the kind is being read, 400 where the filter has a mistake: a file cannot show it as a page does.
    """
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    query = state[HUB].fit_query(kind, Query.parse(request.GET, kind.key))
    if query.problems:
        params = request.GET
        sentences = [f"{each.param}={params.get(each.param, '')}: {each.message}\n" for each in query.problems]
        return HttpResponse("".join(sentences), status=400, content_type="text/plain; charset=utf-8")
    view = open_list(state[HUB], kind, query)
    if not has_synced(state[REPLICAS].get(kind.key)):
        return not_read_yet_page(kind, view.health.problem)
    rows = await state[HUB].all_rows(kind, query)
    content = export(
        suffix,
        rows,
        query.visible_columns(),
        partial(state[HUB].usage.get, kind.key),
        sums=kind.key not in MEASURED_KINDS,
    )
    response = StreamingHttpResponse(content, content_type=FORMATS[suffix].content_type)
    response["Content-Disposition"] = f'attachment; filename="{kind.resource.plural}.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


def _check_namespaces(state: AppState, kind: KindInfo, query: Query) -> tuple[Query, bool]:
    """The query with a message for each namespace that does not exist, and whether all of the requested ones are
    missing.
    """
    unknown = unknown_namespaces(state, query.namespaces, kind.key)
    problems = tuple(QueryProblem("namespace", 0, len(name), sentence) for name, sentence in unknown)
    lost = bool(unknown) and len(unknown) == len(query.namespaces)
    return replace(query, problems=query.problems + problems), lost


def _listed_namespaces(state: AppState, kind: KindInfo) -> tuple[str, ...]:
    """The namespaces that kubectl may list, where these are not all."""
    scope, limit = state[RIGHTS].scope_of(kind.key), limit_of(state[REPLICAS].get(kind.key).health)
    if not scope.is_everything:
        return tuple(sorted(scope.namespaces))
    return limit.namespaces if limit is not None else ()


async def _read_for_drawer(request: HttpRequest, opened: OpenObject) -> UnavailableKind | None:
    """Read what the drawer shows; returns why pods are not available where it shows their logs."""
    state = state_of(request)
    await state[INTEREST].read_object(opened.kind, opened.namespace, opened.name)
    if opened.shows_logs:
        if isinstance(unavailable := await open_kind(request, PODS), UnavailableKind):
            return unavailable
        await open_logs_tab(state, opened).wait_until_begun(FIRST_LINES_SECONDS)
    return None


def _drawer(request: HttpRequest, opened: OpenObject | None, query: Query) -> Drawer | None:
    if opened is None:
        return None
    return open_drawer(state_of(request), opened, query.column_paths, request.GET)


def _forbid_storing(response: HttpResponse, kind: KindInfo, opened: OpenObject | None) -> HttpResponse:
    """Lines of logs, and Secrets, are in no cache."""
    forbid_storing_secrets(response, kind)
    if opened is not None and opened.shows_logs:
        response["Cache-Control"] = "no-store"
    return vary_on_htmx(response)
