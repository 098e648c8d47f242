"""What the menu of a row says of its object: asked when it opens, not for each row."""

from __future__ import annotations

import asyncio

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from dashboard.access.rights import Right
from dashboard.live.context import live_of
from dashboard.live.object_view import whole
from dashboard.quick.field import Field
from dashboard.resources.kinds import KindInfo
from dashboard.resources.offers import offers_of
from dashboard.resources.opened import Unopened, open_kind


@require_safe
async def may(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """JSON, each by what an action's address adds to the object's: `denied`, why what the account may not do may not be
    done, as far as is known; `titles`, what is called otherwise than in the menu of all, as the object is now.
    """
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return JsonResponse({}, status=404)
    where = namespace if kind.namespaced else ""
    asked = {
        path: Right(verb, kind.resource, where, name, subresource)
        for path, (verb, subresource) in _of_rows(kind).items()
    }
    said = await asyncio.gather(*map(live.rights.denial, asked.values()))
    obj = whole(live.replicas.get(kind.key).get(where, name))
    titles = {
        now.path: now.title for now, any_ in zip(offers_of(kind, obj), offers_of(kind), strict=True) if now != any_
    }
    denied = {path: words for path, words in zip(asked, said, strict=True) if words}
    response = JsonResponse({"denied": denied, "titles": titles if obj else {}})
    response["Cache-Control"] = "no-store"
    return response


def _of_rows(kind: KindInfo) -> dict[str, tuple[str, str]]:
    """What is offered of a row, with the verb and the subresource that it takes the right to."""
    offers = {offer.path: offer.right for offer in offers_of(kind)}
    return {
        **offers,
        "edit/": ("update", ""),
        "delete/": ("delete", ""),
        f"do/{Field.id}/": (Field.verb, Field.subresource),
    }
