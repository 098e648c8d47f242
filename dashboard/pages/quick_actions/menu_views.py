"""Endpoint for a row's action menu, requested when the menu opens."""

from __future__ import annotations

import asyncio

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.cluster.access_reviews import ACCESS_REVIEWS, ResourceAttributes
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.quick_actions import quick_actions_of
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.layout.requested_kind import UnavailableKind, open_kind
from dashboard.pages.quick_actions.edit_field import EditField
from dashboard.runtime.app_state import state_of


@require_safe
async def action_menu(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """JSON, keyed by an action's address suffix: `denied` has the reason of each denied action, as far as is known;
    `titles` has labels that differ from the general menu in the object's present state.
    """
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return JsonResponse({}, status=404)
    where = namespace if kind.namespaced else ""
    attributes = {
        path: ResourceAttributes(verb, kind.resource, where, name, subresource)
        for path, (verb, subresource) in _of_rows(kind).items()
    }
    denials = await asyncio.gather(*map(state[ACCESS_REVIEWS].denial, attributes.values()))
    obj = whole_object(state[REPLICAS].get(kind.key).get(where, name))
    titles = {
        now.path: now.title
        for now, any_ in zip(quick_actions_of(kind, obj), quick_actions_of(kind), strict=True)
        if now != any_
    }
    denied = {path: words for path, words in zip(attributes, denials, strict=True) if words}
    response = JsonResponse({"denied": denied, "titles": titles if obj else {}})
    response["Cache-Control"] = "no-store"
    return response


def _of_rows(kind: KindInfo) -> dict[str, tuple[str, str]]:
    """Actions of a row, each with the verb and subresource whose permission it needs."""
    offers = {offer.path: offer.required_access for offer in quick_actions_of(kind)}
    return {
        **offers,
        "edit/": ("update", ""),
        "delete/": ("delete", ""),
        f"do/{EditField.id}/": (EditField.verb, EditField.subresource),
    }
