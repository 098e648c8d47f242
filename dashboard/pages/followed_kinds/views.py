"""The button of a list that has its kind followed always."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from dashboard.access.identity import user_of
from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.live.hub.hub import HUB
from dashboard.live.hub.on_demand_kinds import INTEREST
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.followed_kinds.store import FOLLOWED_KINDS
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, kind_not_found, not_found_page
from dashboard.pages.layout.requested_kind import UnavailableKind, open_kind
from dashboard.pages.layout.required_right import FOLLOWED_KINDS as FOLLOWED_KINDS_RESOURCE
from dashboard.pages.layout.required_right import requires
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.read_only import is_past_shown


@dataclass(frozen=True, slots=True)
class FollowChoice:
    """Value of `follow` in followed_kinds/_follow.html."""

    href: str
    is_always: bool


def follow_choice(state: AppState, kind: KindInfo) -> FollowChoice | None:
    """What the list of a kind offers; None where the settings name the kind, which is followed always anyway,
    and in the past.
    """
    if is_past_shown() or any(kind.key == each.key for each in state[HUB].configured_kinds):
        return None
    return FollowChoice(f"{kind.path}follow-always/", kind.key in state[INTEREST].always)


@require_POST
@requires("update", FOLLOWED_KINDS_RESOURCE)
async def follow_always(request: HttpRequest, resource: str) -> HttpResponse:
    """Follow a kind always (``always=on``), or only while somebody views it; then show its list.

    It needs the right to watch the kind, and where people have rights of their own, to update followedkinds (API group
    deltaboard): what is followed always, everybody's pages show and the worker pays for.
    """
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    store, problem, status = state[FOLLOWED_KINDS], "", 503
    try:
        if request.POST.get("always") != "on":
            await store.remove(kind.key)
        elif denial := await state[ACCESS_REVIEWS].denial(ResourceAttributes("watch", kind.resource, "")):
            problem, status = denial, 403
        elif not await store.add(kind.key, user_of(request), most=settings.DELTABOARD_ON_DEMAND.kinds):
            problem = f"{settings.DELTABOARD_ON_DEMAND.kinds} kinds are followed always already, which is the limit"
            problem, status = f"{problem} (DELTABOARD_ON_DEMAND_KINDS).", 409
    except Unavailable as error:
        problem = f"The database cannot be used, so the choice was not kept: {error}"
    if problem:
        links = (ChoiceLink(kind.title, kind.path),)
        missing = NotFoundInfo(f"{kind.title} are not followed always", problem, links)
        return not_found_page(request, missing, key=kind.key, status=status)
    return HttpResponseRedirect(kind.path)
