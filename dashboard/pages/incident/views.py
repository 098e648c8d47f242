"""Incident page: one time line of an object and its family, one link for the chat."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB, Hub
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.moments import MOMENT
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.causes.grouped_problems import MAX_EXAMINED
from dashboard.pages.causes.live_causes import open_causes
from dashboard.pages.causes.shown_causes import Cause, Causes
from dashboard.pages.causes.top_owner import Subject
from dashboard.pages.causes.unhealthy_object import UnhealthyObject
from dashboard.pages.details.live_detail import LiveDetail, open_detail
from dashboard.pages.details.usage_chart import UsageCharts
from dashboard.pages.incident.family import MAX_MEMBERS, Family, find_family
from dashboard.pages.incident.lines_around import lines_around_ends
from dashboard.pages.incident.markdown import as_markdown
from dashboard.pages.incident.people import WritesOfPeople
from dashboard.pages.incident.routine import folded
from dashboard.pages.incident.state_text import past_state, present_state
from dashboard.pages.incident.timeline import MAX_ENTRIES, Timeline, timeline, with_subjects
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
from dashboard.runtime.text_with_links import incident_href, object_href


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
    moment = state[MOMENT]
    people = WritesOfPeople(
        state[AUDIT],
        state[AUTHORS],
        state[CONNECTION].cluster.server,
        state[RIGHTS].may_list,
        state[RIGHTS].sees_all,
        until=moment.at if moment is not None else None,
    )
    line = await timeline(hub, family, people, open_recorded_feed(hub, state[HISTORY]))
    is_known = any(entry.source != "gap" for entry in line.entries)
    is_gone = family.row is None and has_synced(hub.hub_kinds.replica(kind.key))
    if is_gone and not is_known:
        return object_not_found(request, kind, *place)
    lines, why_not = await lines_around_ends(state, family.pods)
    entries = with_subjects(sorted([*line.entries, *lines], key=lambda entry: -entry.at), family)
    view = open_detail(hub, kind, *place)
    past = past_state(view, family, line.last_state) if is_gone else None
    found = causes_of(hub, family)
    causes = found.shown
    sentences = [
        *map(cause_sentence, causes),
        *filter(None, (unknown_author(people, line, is_gone=is_gone), *why_not)),
        *what_is_left_out(family, is_full=line.is_cut, are_causes_cut=found.is_cut),
    ]
    title = kind.object_title(*place)
    text = as_markdown(
        title,
        request.build_absolute_uri(
            quote(incident_href(kind.key, *place), safe="/%-._~") + (f"?at={format_at(moment.at)}" if moment else "")
        ),
        state[CONNECTION].cluster.name,
        past.text if past is not None else present_state(view),
        sentences,
        entries,
    )
    if "markdown" in request.GET:
        response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    else:
        context = {
            "page": page_info(request, title=f"Why: {name}", key=kind.key, view=view),
            "view": view,
            "past": past,
            "uid": line.last_state.uid if is_gone else family.row.uid if family.row is not None else "",
            "usage": shown_usage(view, is_gone=is_gone),
            "family": family,
            "entries": folded(entries),
            "entry_count": len(entries),
            "causes": causes,
            "sentences": sentences[len(causes) :],
            "markdown": text,
            "title": title,
            "object_href": "" if is_gone else object_href(kind.key, *place),
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
    began = f"; it began {cause.since_text}" if cause.since_text else ""
    change = f"; {cause.change.when}: {cause.change.words}" if cause.change is not None else ""
    doubt = f". {cause.change_doubt}" if cause.change_doubt else ""
    names = [line.row.name for line in cause.members]
    more = f" and {cause.more_count:,} more" if cause.more_count else ""
    which = f" ({', '.join(names)}{more})" if names else ""
    return f"{about}: {cause.words}{which}{began}{change}{doubt}"


def unknown_author(people: WritesOfPeople, line: Timeline, *, is_gone: bool) -> str:
    """Why it is not known who deleted or wrote the object, as a sentence; empty where it is."""
    if is_gone:
        return people.who_deleted_is_unknown(line.last_state.uid)
    return people.who_wrote_is_unknown([entry.words for entry in line.entries if entry.source == "write"])


def shown_usage(view: LiveDetail, *, is_gone: bool) -> UsageCharts | None:
    """What the object uses; of one that is gone what it used, where that is known: nothing comes any more."""
    usage = view.usage
    return None if usage is None or (is_gone and usage.is_empty) else usage


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
        most = f"The newest {MAX_ENTRIES} entries and {MAX_ENTRIES} routine ones are shown."
        sentences.append(f"{most} The feed has all that is known.")
    return sentences
