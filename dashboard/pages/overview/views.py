"""Overview page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.moments.history_objects import HISTORY
from dashboard.objects.query.params import read_namespaces
from dashboard.objects.query.tokenizer import QueryProblem
from dashboard.pages.layout.htmx import vary_on_htmx
from dashboard.pages.layout.namespaces import namespace_picker, unknown_namespaces
from dashboard.pages.layout.page import page_info
from dashboard.pages.overview.live_overview import open_overview
from dashboard.runtime.app_state import state_of


@require_safe
async def overview(request: HttpRequest) -> HttpResponse:
    """The overview of the cluster, or of some of its namespaces (``namespace=a,b``)."""
    state = state_of(request)
    problems: list[QueryProblem] = []
    namespaces = read_namespaces(request.GET, problems)
    view = open_overview(state[HUB], namespaces, state[HISTORY])
    choices = namespace_picker(state, namespaces, _overview_href)
    page = page_info(request, title="Overview", key="overview", view=view, namespaces=choices, selected=namespaces)
    sentences = [problem.message for problem in problems] + [
        sentence for _, sentence in unknown_namespaces(state, namespaces)
    ]
    response = render(request, "overview/overview.html", {**view.context(), "page": page, "notices": sentences})
    return vary_on_htmx(response)


def _overview_href(namespaces: tuple[str, ...]) -> str:
    return f"/?namespace={','.join(namespaces)}" if namespaces else "/"
