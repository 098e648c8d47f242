"""Address that leads a page of the past to the next change of what it shows, or to the one before."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

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
from dashboard.pages.layout.shown_moment import MOMENT_PARAMETERS, SEARCHED_TO, STEP
from dashboard.runtime.app_state import AppState, state_of


@require_safe
async def step(request: HttpRequest) -> HttpResponse:
    """Redirect to the page at ``from`` as of the next change, with ``to=previous`` of the one before; where there is
    none, as of its moment, with the outcome. A page says where history cannot be read.
    """
    state = state_of(request)
    moment, moments = state[MOMENT], state[MOMENTS]
    parts = urlsplit(request.GET.get("from", "/"))
    match = _match(parts.path)
    if moment is None or moments is None or match is None:
        return not_found_page(request, NotFoundInfo("There is no such page", "A step needs a page of the past."))
    kinds, place, is_shown = _shown(state, match, QueryDict(parts.query))
    to = "previous" if request.GET.get("to") == "previous" else "next"
    shown_at, outcome = parse_qs(parts.query).get(AT, [format_at(moment.at)])[-1], [(STEP, to)]
    try:
        found = await moments.next_change(moment.at, kinds, is_shown, place=place, earlier=to == "previous")
        if found is not None:
            shown_at, outcome = format_at(found), []
    except SearchLimit as limit:
        outcome.append((SEARCHED_TO, format_at(limit.at)))
    except HistoryUnavailable as error:
        back = ChoiceLink("The moment before this step", f"{parts.path}?{parts.query}")
        info = NotFoundInfo("History cannot be read", f"Try again in a moment: {error}.", (back,), "Go to")
        return not_found_page(request, info, status=503, title="History cannot be read")
    query = [each for each in parse_qsl(parts.query, keep_blank_values=True) if each[0] not in MOMENT_PARAMETERS]
    response = HttpResponseRedirect(f"{parts.path}?{urlencode([*query, (AT, shown_at), *outcome], safe=':,/')}")
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
