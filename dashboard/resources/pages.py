"""The pages of one kind: its list, the details of an object, and an object's YAML."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.detail_view import DetailView
from dashboard.live.replica import Replica
from dashboard.resources.address import keep_address, params_before
from dashboard.resources.column_choices import column_choices
from dashboard.resources.export import FORMATS, export
from dashboard.resources.kinds import KindInfo
from dashboard.resources.kubectl_command import kubectl_command
from dashboard.resources.missing import missing_kind, missing_object
from dashboard.resources.namespaces import namespace_picker, unknown_namespaces
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.page_info import page_info
from dashboard.resources.params import read_open
from dashboard.resources.query import Problem, Query
from dashboard.resources.words import object_href

ASK_AGAIN = 2
"""Seconds after which to ask again for what has not been read yet."""
YAML_TYPE = "text/yaml; charset=utf-8"


class Opened(TypedDict):
    """What the templates see of the object that is open beside the list."""

    drawer: DetailView | None
    close_href: str


@require_safe
async def object_list(request: HttpRequest, resource: str) -> HttpResponse:
    """The list of one kind, as its address asks for it."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    if kind.key != resource:
        return _redirect(request, kind.path)
    query, lost = _checked(live, live.hub.fitting(kind, Query.parse(request.GET, kind.key)))
    if _wants(request, "#drawer"):
        return _drawer(request, _opened(live, kind, request, query)[0])
    choices = namespace_picker(live, query.namespaces, lambda names: query.with_(namespaces=names).href())
    await live.hub.find(kind, query)
    opened, query = _opened(live, kind, request, query)
    view = live.hub.list_view(kind, query)
    page = page_info(
        request,
        title=kind.title,
        key=kind.key,
        view=view,
        beside=opened["drawer"],
        namespaces=choices if kind.namespaced else None,
        chosen=query.namespaces,
    )
    fragment = _wants(request, "#list")
    template = "resources/_fragment.html" if fragment else "resources/list.html"
    still = Query.parse(params_before(request), kind.key).canonical
    command = kubectl_command(kind, query)
    context = {**view.context(), "page": page, "still": still, "held": fragment, "command": command, **opened}
    context["columns"] = column_choices(query)
    response = render(request, template, context, status=404 if lost and not fragment else 200)
    if fragment and query.problems:
        keep_address(response)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


@require_safe
async def object_export(request: HttpRequest, resource: str, suffix: str) -> HttpResponseBase:
    """All rows of a list as a file: ``export.csv``, ``export.json`` or ``export.yaml`` with the list's parameters.

    503 while the kind is being read, 400 where the filter has a mistake: a file cannot say so as a page does.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    query = live.hub.fitting(kind, Query.parse(request.GET, kind.key))
    if query.problems:
        asked = request.GET
        sentences = [f"{each.param}={asked.get(each.param, '')}: {each.message}\n" for each in query.problems]
        return HttpResponse("".join(sentences), status=400, content_type="text/plain; charset=utf-8")
    view = live.hub.list_view(kind, query)
    if not is_known(live.replicas.get(kind.key)):
        return _not_read_yet(kind, view.health.problem)
    rows = await live.hub.all_rows(kind, query)
    content = export(suffix, rows, query.shown_columns())
    response = StreamingHttpResponse(content, content_type=FORMATS[suffix].content_type)
    response["Content-Disposition"] = f'attachment; filename="{kind.resource.plural}.{suffix}"'
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def object_detail(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The details of one object; 404 once it is certain that the cluster has none of that name."""
    return await _object_page(request, resource, namespace, name, "resources/detail.html")


@require_safe
async def object_yaml(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The object's YAML: a page for who asks for HTML, else text; ``?download`` has browsers keep it as a file.

    The text is 503 while the kind is being read, and 404 once it is certain that the cluster has none of that name.
    """
    download = "download" in request.GET
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", "") and not download:
        return await _object_page(request, resource, namespace, name, "resources/yaml.html")
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    view = live.hub.detail_view(kind, _namespace(namespace), name)
    if view.loading:
        return _not_read_yet(kind, view.problem)
    if not view.found:
        return missing_object(request, kind, _namespace(namespace), name)
    response = HttpResponse(view.yaml, content_type=YAML_TYPE)
    if download:
        response["Content-Disposition"] = f'attachment; filename="{_file_name(kind, name)}"'
    patch_vary_headers(response, ("Accept",))
    return response


def _not_read_yet(kind: KindInfo, problem: str) -> HttpResponse:
    """What a program is told while nobody knows whether the object exists: to ask again."""
    sentence = (
        f"{kind.title} have not been read yet, so nobody can tell whether this one exists. Ask again in a moment."
    )
    text = f"{sentence} {problem}".strip() + "\n"
    headers = {"Retry-After": str(ASK_AGAIN), "Cache-Control": "no-store"}
    return HttpResponse(text, status=503, content_type="text/plain; charset=utf-8", headers=headers)


async def _object_page(request: HttpRequest, resource: str, namespace: str, name: str, template: str) -> HttpResponse:
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    if kind.key != resource:
        rest = "yaml/" if template.endswith("yaml.html") else ""
        return _redirect(request, object_href(kind.key, _namespace(namespace), name) + rest)
    replica = live.replicas.get(kind.key)
    view = live.hub.detail_view(kind, _namespace(namespace), name)
    if replica.get(_namespace(namespace), name) is None and is_known(replica):
        return missing_object(request, kind, _namespace(namespace), name, view=view)
    page = page_info(request, title=name, key=kind.key, view=view)
    response = render(request, template, {**view.context(), "page": page})
    patch_vary_headers(response, ("HX-Request", "HX-Target", "Accept"))
    return response


def is_known(replica: Replica) -> bool:
    """Whether the replica can tell what exists: its kind has been listed, or the API server has no such kind."""
    return replica.state != "starting" and replica.health.state in ("live", "stale", "absent")


def _checked(live: LiveParts, query: Query) -> tuple[Query, bool]:
    """The query with a message for each namespace that does not exist, and whether none of those asked for does."""
    unknown = unknown_namespaces(live, query.namespaces)
    problems = tuple(Problem("namespace", 0, len(name), sentence) for name, sentence in unknown)
    lost = bool(unknown) and len(unknown) == len(query.namespaces)
    return replace(query, problems=query.problems + problems), lost


def _wants(request: HttpRequest, part: str) -> bool:
    """Whether htmx asks for one part of the page: the list, which a filter changes, or the drawer."""
    return "HX-Request" in request.headers and request.headers.get("HX-Target", "").endswith(part)


def _opened(live: LiveParts, kind: KindInfo, request: HttpRequest, query: Query) -> tuple[Opened, Query]:
    """What the templates see of the object that the address opens, and the query with what is wrong with it."""
    problems: list[Problem] = []
    found = read_open(request.GET, kind.namespaced, kind.title, problems)
    params = request.GET.copy()
    params.pop("open", None)
    close = f"{kind.path}?{params.urlencode()}" if params else kind.path
    view = live.hub.detail_view(kind, *found, query.shown_paths) if found is not None else None
    if not problems or _wants(request, "#list"):
        return {"drawer": view, "close_href": close}, query
    return {"drawer": view, "close_href": close}, replace(query, problems=query.problems + tuple(problems))


def _drawer(request: HttpRequest, opened: Opened) -> HttpResponse:
    response = render(request, "resources/_drawer.html", {**opened})
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def _redirect(request: HttpRequest, path: str) -> HttpResponse:
    encoded = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"{path}?{encoded}" if encoded else path)


def _namespace(segment: str) -> str:
    """The namespace that an address's segment means: a dash stands for none."""
    return "" if segment == "-" else segment


def _file_name(kind: KindInfo, name: str) -> str:
    safe = "".join(letter if letter.isalnum() or letter in ".-_" else "_" for letter in name if letter.isascii())
    return f"{kind.resource.singular or kind.resource.plural}-{safe}.yaml"
