"""View of the page /status/: memory, sockets, delays and versions of this process, and the freshness of each kind."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.replication.replicas import REPLICAS
from dashboard.pages.layout.freshness_panel_views import kinds_freshness, workers_freshness
from dashboard.pages.layout.htmx import vary_on_htmx
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.runtime.app_state import Key, state_of
from dashboard.server.process_status import StatusPart

STATUS: Key[Callable[[], tuple[StatusPart, ...]]] = Key("status")
"""The parts of the status of this process, as they are now."""
_DENIAL = "It needs the right to get the address /metrics (nonResourceURLs of a ClusterRole)."


@require_safe
async def status(request: HttpRequest) -> HttpResponse:
    """The status of the process that answers. Whoever may read its metrics may see it; kinds have the objects that the
    person sees.
    """
    state = state_of(request)
    if not state[RIGHTS].allows_url("get", "/metrics"):
        missing = NotFoundInfo("You may not see this page", _DENIAL, (ChoiceLink("Overview", "/"),))
        return not_found_page(request, missing, status=403)
    counts = [len(state[REPLICAS].get(kind.key).rows) for kind in state[REPLICAS].kinds]
    context = {
        "page": page_info(request, title="Status of Deltaboard", key="status"),
        "parts": state[STATUS](),
        "kinds": list(zip(kinds_freshness(state), counts, strict=True)),
        "workers": workers_freshness(state),
    }
    response = vary_on_htmx(render(request, "status/page.html", context))
    response["Cache-Control"] = "no-store"
    return response
