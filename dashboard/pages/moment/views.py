"""Address that leads a page of the past to the next change of what it shows, or to the one before."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import Resolver404, ResolverMatch, resolve
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Version
from dashboard.live.hub.hub import HUB
from dashboard.live.moments.at_parameter import AT, STEPPED_PAGES, format_at
from dashboard.live.moments.history_objects import SearchLimit
from dashboard.live.moments.moments import MOMENT, MOMENTS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.objects.query.params import read_namespaces
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.layout.requested_kind import path_namespace
from dashboard.runtime.app_state import AppState, state_of


@require_safe
async def step(request: HttpRequest) -> HttpResponse:
    """Redirect to the page at ``from`` as of the next change, with ``to=previous`` of the one before. A page says so
    where there is none, and where history cannot be read.
    """
    state = state_of(request)
    moment, moments = state[MOMENT], state[MOMENTS]
    parts = urlsplit(request.GET.get("from", "/"))
    match = _match(parts.path)
    if moment is None or moments is None or match is None:
        return not_found_page(request, NotFoundInfo("There is no such page", "A step needs a page of the past."))
    back = ChoiceLink("The moment before this step", f"{parts.path}?{parts.query}")
    kinds, place, is_shown = _shown(state, match, QueryDict(parts.query))
    is_earlier = request.GET.get("to") == "previous"
    try:
        found = await moments.next_change(moment.at, kinds, is_shown, place=place, earlier=is_earlier)
    except SearchLimit as limit:
        until = format_at(limit.at)
        query = urlencode({**request.GET.dict(), AT: until})
        sentence = f"Nothing that this page shows changed between {format_at(moment.at)} and {until}."
        info = NotFoundInfo("No change so far", sentence, (ChoiceLink("Search on", f"{request.path}?{query}"), back))
        return not_found_page(request, info, title="No change so far")
    except HistoryUnavailable as error:
        info = NotFoundInfo("History cannot be read", f"Try again in a moment: {error}.", (back,), "Go to")
        return not_found_page(request, info, status=503, title="History cannot be read")
    if found is None:
        sentence = f"Nothing that this page shows has changed {'before' if is_earlier else 'since'} that moment."
        info = NotFoundInfo("There is no change", sentence, (back,), "Go to")
        return not_found_page(request, info, title="There is no change")
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != AT]
    response = HttpResponseRedirect(f"{parts.path}?{urlencode([*kept, (AT, format_at(found))], safe=':,/')}")
    response["Cache-Control"] = "no-store"
    return response


def _match(path: str) -> ResolverMatch | None:
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.url_name in STEPPED_PAGES else None


def _shown(
    state: AppState, match: ResolverMatch, params: QueryDict
) -> tuple[list[str], tuple[str, str] | None, Callable[[Version], bool]]:
    """The kinds that a page shows, namespace and name of its object, and whether it shows a version of them."""
    rights = state[RIGHTS]
    namespaces = frozenset(read_namespaces(params, []))
    name, namespace = match.kwargs.get("name"), match.kwargs.get("namespace")
    followed = state[HUB].kinds
    kind = find_kind(str(match.kwargs["resource"]), followed) if "resource" in match.kwargs else None
    kinds = [kind.key] if kind is not None else []
    if "resource" not in match.kwargs:
        kinds = [each.key for each in followed if not each.is_event_kind]
    place = (path_namespace(str(namespace)), str(name)) if kind is not None and name is not None else None

    def is_shown(version: Version) -> bool:
        about = version.object
        if namespaces and about.namespace not in namespaces:
            return False
        return rights.may_list(about.kind, about.namespace, about.name)

    return kinds, place, is_shown
