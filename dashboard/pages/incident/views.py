"""Incident page: one time line of an object and its family, one link for the chat."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB, Hub
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.causes.grouped_problems import MAX_EXAMINED
from dashboard.pages.causes.live_causes import open_causes
from dashboard.pages.causes.shown_causes import Cause, Causes
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import UnhealthyObject
from dashboard.pages.details.live_detail import LiveDetail, open_detail
from dashboard.pages.incident.family import MAX_MEMBERS, Family, find_family
from dashboard.pages.incident.last_lines import last_lines
from dashboard.pages.incident.markdown import as_markdown
from dashboard.pages.incident.timeline import MAX_ENTRIES, timeline, with_subjects
from dashboard.pages.layout.not_found import kind_not_found, object_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import (
    UnavailableKind,
    has_synced,
    open_object,
    path_namespace,
    redirect_with_query,
    to_address_with_dash,
    wait_until_reported,
)
from dashboard.pages.layout.secret_cache_control import forbid_storing_secrets
from dashboard.runtime.app_state import state_of
from dashboard.runtime.text_with_links import incident_href, object_href, plain_text


@require_safe
async def incident(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The page; ``?markdown`` is its text."""
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    place = path_namespace(namespace), name
    if kind.key != resource:
        return redirect_with_query(request, incident_href(kind.key, *place))
    state = state_of(request)
    await wait_until_reported(state, kind, *place)
    hub = state[HUB]
    family = await find_family(hub, kind, *place)
    entries = await timeline(hub, family, state[AUTHORS])
    is_known = any(entry.source != "gap" for entry in entries)
    if family.row is None and not is_known and has_synced(hub.hub_kinds.replica(kind.key)):
        return object_not_found(request, kind, *place)
    is_full = len(entries) >= MAX_ENTRIES
    lines, why_not = await last_lines(state, family.pods)
    entries = with_subjects(sorted([*entries, *lines], key=lambda entry: -entry.at), family)
    view = open_detail(hub, kind, *place)
    found = causes_of(hub, family)
    causes = found.shown
    sentences = [
        sentence
        for sentence in (
            *map(cause_sentence, causes),
            why_not,
            *what_is_left_out(family, is_full=is_full, are_causes_cut=found.is_cut),
        )
        if sentence
    ]
    title = kind.object_title(*place)
    text = as_markdown(
        title,
        request.build_absolute_uri(quote(incident_href(kind.key, *place), safe="/%-._~")),
        state[CONNECTION].cluster.name,
        state_text(view),
        sentences,
        entries,
    )
    if "markdown" in request.GET:
        response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    else:
        context = {
            "page": page_info(request, title=f"Why: {name}", key=kind.key, view=view),
            "view": view,
            "family": family,
            "entries": entries,
            "causes": causes,
            "sentences": sentences[len(causes) :],
            "markdown": text,
            "title": title,
            "object_href": object_href(kind.key, *place),
        }
        response = render(request, "incident/page.html", context)
    forbid_storing_secrets(response, kind)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def incident_without_namespace(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Lead to the page of an object whose kind has no namespaces, and whose address lacks the dash; 404 as there."""
    response = await incident(request, resource, namespace, name)
    return to_address_with_dash(request, response, incident_href(resource, path_namespace(namespace), name))


def causes_of(hub: Hub, family: Family) -> Causes:
    """The present causes that are about a member, or that a member belongs to."""
    uids = {member.row.uid for member in family.members}

    def is_wanted(subject: Subject, lines: Sequence[UnhealthyObject]) -> bool:
        return subject.place in family.places or any(line.row.uid in uids for line in lines)

    return open_causes(hub).about(is_wanted)


def cause_sentence(cause: Cause) -> str:
    """What is wrong, since when, and what somebody changed shortly before."""
    subject = cause.subject
    about = subject.kind.object_title(*subject.place[1:]) if subject is not None else ""
    since = f", since {cause.since_text}" if cause.since_text else ""
    change = f"; {cause.change.when}: {cause.change.words}" if cause.change is not None else ""
    doubt = f". {cause.change_doubt}" if cause.change_doubt else ""
    return f"{about}: {cause.words}{since}{change}{doubt}"


def state_text(view: LiveDetail) -> str:
    """The state of the object in a sentence."""
    if view.row is None or view.details is None:
        return "It does not exist any more."
    said = plain_text(view.details.summary).replace(" UTC ago", " UTC")
    return f"{said} {view.row.reason}".strip()


def what_is_left_out(family: Family, *, is_full: bool, are_causes_cut: bool) -> list[str]:
    """What the page leaves out, as sentences."""
    sentences = []
    if are_causes_cut:
        sentences.append(
            f"Causes are known of the cluster's {MAX_EXAMINED:,} worst objects: more may be wrong than is said here."
        )
    if family.is_cut:
        sentences.append(f"It has more than {MAX_MEMBERS} relatives: the others are left out.")
    if is_full:
        sentences.append(f"The newest {MAX_ENTRIES} entries are shown. The feed has all that is known.")
    return sentences
