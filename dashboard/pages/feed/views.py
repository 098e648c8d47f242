"""The page of the feed."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.moments.history_objects import HISTORY
from dashboard.pages.feed.live_feed import open_feed, wait_for_feed
from dashboard.pages.feed.query import FeedQuery
from dashboard.pages.layout.htmx import current_page_params, keep_address, vary_on_htmx, wants_fragment
from dashboard.pages.layout.namespaces import namespace_picker
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import open_kind
from dashboard.runtime.app_state import state_of

MAX_OPENED = 20
"""Maximum number of kinds in an address that are followed for it."""


@require_safe
async def feed(request: HttpRequest) -> HttpResponse:
    """The feed: live, or limited to a span of time."""
    state = state_of(request)
    query = FeedQuery.parse(request.GET)
    for key in query.kinds[:MAX_OPENED]:
        await open_kind(request, key)
    fragment = wants_fragment(request, "#list")  # asked for by scripts, which add the lines that come later
    await wait_for_feed(state[HUB], query, state[HISTORY], needs_lines=not fragment)
    view = open_feed(state[HUB], query, state[HISTORY])
    if wants_fragment(request, "#within"):
        return vary_on_htmx(render(request, "feed/_burst_entries.html", view.context()))
    page = page_info(
        request,
        title="Feed",
        key="feed",
        view=view,
        namespaces=namespace_picker(state, query.namespaces, lambda names: query.with_(namespaces=names).href()),
        selected=query.namespaces,
    )
    template = "feed/_fragment.html" if fragment else "feed/feed.html"
    still = FeedQuery.parse(current_page_params(request)).canonical
    response = render(
        request, template, {**view.context(), "page": page, "applied_filter": still, "is_fragment": fragment}
    )
    if fragment and query.problems:
        keep_address(response)
    return vary_on_htmx(response)
