"""The pages that show all kinds at once, and the answers for machines."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from dashboard.live.context import live_of
from dashboard.live.feed_query import FeedQuery
from dashboard.resources.address import keep_address, params_before
from dashboard.resources.namespaces import namespace_picker, unknown_namespaces
from dashboard.resources.page_info import THEME_COOKIE, THEMES, page_info
from dashboard.resources.params import read_namespaces
from dashboard.resources.tokens import Problem

YEAR = 31_536_000
"""Seconds that a browser keeps its theme."""


@require_safe
async def overview(request: HttpRequest) -> HttpResponse:
    """The whole cluster at a glance, or some of its namespaces (``namespace=a,b``)."""
    live = live_of(request)
    problems: list[Problem] = []
    chosen = read_namespaces(request.GET, problems)
    view = live.hub.overview_view(chosen)
    choices = namespace_picker(live, chosen, _overview_href)
    page = page_info(request, title="Overview", key="overview", view=view, namespaces=choices, chosen=chosen)
    told = [problem.message for problem in problems] + [said for _, said in unknown_namespaces(live, chosen)]
    response = render(request, "live/overview.html", {**view.context(), "page": page, "told": told})
    return _varied(response)


@require_safe
async def feed(request: HttpRequest) -> HttpResponse:
    """Every change as it happens, or those of a span of time."""
    live = live_of(request)
    query = FeedQuery.parse(request.GET)
    await live.hub.find_feed(query)
    view = live.hub.feed_view(query)
    if _wants(request, "#within"):
        return _varied(render(request, "live/_within.html", view.context()))
    page = page_info(
        request,
        title="Feed",
        key="feed",
        view=view,
        namespaces=namespace_picker(live, query.namespaces, lambda names: query.with_(namespaces=names).href()),
        chosen=query.namespaces,
    )
    fragment = _wants(request, "#list")
    template = "live/_feed_fragment.html" if fragment else "live/feed.html"
    still = FeedQuery.parse(params_before(request)).canonical
    response = render(request, template, {**view.context(), "page": page, "still": still, "held": fragment})
    if fragment and query.problems:
        keep_address(response)
    return _varied(response)


@require_safe
async def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - the process answers, whoever asks
    """200 while the process serves requests at all."""
    return _plain("ok")


@require_safe
async def readyz(request: HttpRequest) -> HttpResponse:
    """200 once this process can serve what there is to see, whatever the state of the cluster; else 503.

    That is when the worker has answered for every kind of the settings, be it that the cluster cannot be reached or
    forbids it, or when a worker of our own has no usable configuration: the pages say so, and without this process
    nobody would.
    """
    live = live_of(request)
    waiting = [kind.key for kind in live.hub.steady if live.replicas.get(kind.key).state == "starting"]
    if waiting and not live.cannot_watch:
        return _plain(f"waiting for the worker's first word on {', '.join(waiting)}", status=503)
    return _plain("ok")


@require_safe
async def metrics(request: HttpRequest) -> HttpResponse:
    """What this process counts, for Prometheus: numbers by kind, no objects. Who may see pages may see it."""
    text, content_type = live_of(request).metrics()
    return HttpResponse(text, content_type=content_type, headers={"Cache-Control": "no-store"})


@require_POST
async def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme that was chosen without scripts, and go back to where the browser was."""
    chosen = request.POST.get("theme", "")
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    response = HttpResponseRedirect(back)
    response.status_code = 303
    if chosen in THEMES:
        response.set_cookie(THEME_COOKIE, chosen, max_age=YEAR, samesite="Lax")
    return response


def _overview_href(namespaces: tuple[str, ...]) -> str:
    return f"/?namespace={','.join(namespaces)}" if namespaces else "/"


def _wants(request: HttpRequest, target: str) -> bool:
    """Whether htmx asks for this element only."""
    return "HX-Request" in request.headers and request.headers.get("HX-Target", "").endswith(target)


def _varied(response: HttpResponse) -> HttpResponse:
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


def _plain(text: str, status: int = 200) -> HttpResponse:
    response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status)
    response["Cache-Control"] = "no-store"
    return response
