"""Page that says who somebody is, where that comes from, and what they may do."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.oidc.providers import PROVIDERS
from dashboard.access.person import Person, person_of
from dashboard.access.rights import RIGHTS
from dashboard.access.sessions.session import session_of
from dashboard.cluster.connection import CONNECTION
from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.live.hub.hub import HUB
from dashboard.objects.query.params import read_namespaces
from dashboard.pages.layout.htmx import vary_on_htmx
from dashboard.pages.layout.kinds_sidebar import all_kinds
from dashboard.pages.layout.namespaces import namespace_picker
from dashboard.pages.layout.page import kubectl_of, page_info
from dashboard.pages.whoami.live_whoami import open_whoami
from dashboard.runtime.app_state import state_of


@require_safe
async def whoami(request: HttpRequest) -> HttpResponse:
    """The person, their groups, and a matrix of what they may do (``namespace=a,b``: in these namespaces)."""
    state, person = state_of(request), person_of(request)
    namespaces = read_namespaces(request.GET, [])
    view = open_whoami(state[HUB], state[RIGHTS], tuple(all_kinds(state)), namespaces)
    choices = namespace_picker(state, namespaces, _href)
    page = page_info(request, title="Who am I", key="whoami", view=view, namespaces=choices, selected=namespaces)
    context = {
        "page": page,
        "person": person,
        "source": _source(request),
        "has_session": page.has_session,
        "has_own_rights": settings.DELTABOARD_RIGHTS == "person",
        "account": state[CONNECTION].cluster.user,
        "command": _can_i_command(person, namespaces or tuple(state[RIGHTS].by_namespace)),
        "kubectl": kubectl_of(state),
    }
    return vary_on_htmx(render(request, "whoami/page.html", {**view.context(), **context}))


def _source(request: HttpRequest) -> str:
    if settings.DELTABOARD_SIGN_IN == "oidc":
        session = session_of(request)
        if session is None:
            return "nothing: nobody is signed in"
        return f"the sign-in with {state_of(request)[PROVIDERS].title_of(session.issuer)}"
    if settings.DELTABOARD_SIGN_IN != "proxy":
        who = "has the access token" if settings.DELTABOARD_TOKEN else "reaches this address"
        return f"nobody signs in here: whoever {who} may enter"
    groups = settings.DELTABOARD_TRUST_PROXY_GROUPS
    named = f" and the groups in {groups}" if groups else ""
    return f"the proxy, which sends the name in {settings.DELTABOARD_TRUST_PROXY_USER}{named}"


def _can_i_command(person: Person, namespaces: tuple[str, ...]) -> str:
    """What follows kubectl in the command that lists the same rights, those of the first of these namespaces."""
    options = [f"--as={person.name}", *(f"--as-group={group}" for group in person.groups)] if person.name else []
    return kubectl_arguments("auth", "can-i", "--list", namespace=namespaces[0] if namespaces else "", options=options)


def _href(namespaces: tuple[str, ...]) -> str:
    return f"/whoami/?namespace={','.join(namespaces)}" if namespaces else "/whoami/"
