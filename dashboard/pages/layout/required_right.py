"""Rights that pages of Deltaboard's own need, which are no objects of the cluster: a role gives them as any other.

Their API group is ``deltaboard``. The API server does not know it, but RBAC takes any group and resource in a rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse

from dashboard.access.rights import RIGHTS
from dashboard.cluster.access_reviews import REVIEW_TIMEOUT, YOU, ResourceAttributes, denial_text, is_allowed
from dashboard.cluster.connection import CONNECTION
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.runtime.app_state import AppState, state_of
from informerd.errors import InformerdError
from informerd.resource import Resource

GROUP = "deltaboard"
CONTROLLERS = Resource(group=GROUP, version="v1", plural="controllers", kind="Controller", namespaced=False)
FOLLOWED_KINDS = Resource(group=GROUP, version="v1", plural="followedkinds", kind="FollowedKind", namespaced=False)

View = Callable[..., Coroutine[Any, Any, HttpResponse]]


async def right_denial(state: AppState, access: ResourceAttributes) -> str:
    """Why whoever asks may not do this, as a sentence; empty where they surely may. What is not known is denied: the
    API server does not judge it again.
    """
    rights = state[RIGHTS]
    if rights.allows(access.verb, access.resource.key, access.namespace, access.name, access.subresource):
        return ""
    client = state[CONNECTION].client
    if rights.owner and client is not None:  # not all of their rights could be listed
        with suppress(InformerdError, TimeoutError):
            async with asyncio.timeout(REVIEW_TIMEOUT):
                if await is_allowed(client, access):
                    return ""
    return denial_text(access, YOU)


def requires(verb: str, resource: Resource, subresource: str = "") -> Callable[[View], View]:
    """Decorate a view: who lacks this right gets a page that says so."""
    access = ResourceAttributes(verb, resource, subresource=subresource)

    def decorated(view: View) -> View:
        @wraps(view)
        async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
            if denial := await right_denial(state_of(request), access):
                missing = NotFoundInfo("You may not see this page", denial, (ChoiceLink("Overview", "/"),))
                return not_found_page(request, missing, status=403)
            return await view(request, **address)

        return wrapped

    return decorated
