"""Page of a terminal in a container, and the form that adds a debug container."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from dashboard.live.hub.hub import HUB
from dashboard.objects.kinds.row import Row
from dashboard.objects.problems.write_refusal import Refusal, refusal_of
from dashboard.pages.details.object_presenter import whole_object
from dashboard.pages.terminal.container_choices import Choice, choices_of
from dashboard.pages.terminal.debug_container import (
    SUBRESOURCE,
    BadImage,
    add_debug_container,
    check_image,
    debug_container,
)
from dashboard.pages.terminal.kubectl import debug_command, exec_command, port_forward_command
from dashboard.pages.terminal.live_terminal import open_terminal
from dashboard.pages.terminal.shells import OTHER, SHELLS, command_of
from dashboard.pages.writes.access_checks import denial_reason, lacks_subresource
from dashboard.pages.writes.request_context import EditRequest, open_edit_request
from dashboard.pages.writes.write_unavailable import unavailable_as_page
from informerd.errors import InformerdError
from informerd.resource_version import is_before

TITLE = "Terminal in"
PODS = "pods"
TARGETS = ("container", "sidecar")
"""Kinds of containers whose processes a debug container may see."""
NO_DEBUG = "This API server has no ephemeral containers."
SOCKET_PATH = "/terminal/"
RIGHTS = ("create", "get")
"""Verbs of ``pods/exec`` that a terminal needs: a websocket begins with a GET, and since Kubernetes 1.35 the API server
asks for ``create``, too (KEP-4006).
"""
DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
"""Annotation of a pod with the container that kubectl takes where none is named."""


@require_safe
@unavailable_as_page
async def terminal(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The page; its script opens the terminal when somebody asks for it, never by an address alone."""
    edit_request = await open_edit_request(request, resource, namespace, name, "terminal", any_kind=True)
    return await _page(edit_request)


@require_POST
@unavailable_as_page
async def add_container(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Adds a debug container, then shows the page with it."""
    edit_request = await open_edit_request(request, resource, namespace, name, "terminal", any_kind=True)
    pod = await edit_request.read(TITLE)
    target = request.POST.get("target", "")
    try:
        container = debug_container(check_image(request.POST.get("image", "")), target)
    except BadImage as error:
        return await _page(edit_request, pod, status=422, image_problem=str(error))
    try:
        await add_debug_container(edit_request.client, pod, container)
    except InformerdError as error:
        refusal = refusal_of(error)
        return await _page(edit_request, pod, status=refusal.code, refusal=refusal)
    query = urlencode({"container": container["name"]})
    response = HttpResponseRedirect(f"{edit_request.target.href}terminal/?{query}")
    response.status_code = 303
    return response


async def _page(
    edit_request: EditRequest,
    pod: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
    image_problem: str = "",
    refusal: Refusal | None = None,
) -> HttpResponse:
    request, target = edit_request.request, edit_request.target
    pod = pod if pod is not None else await edit_request.read(TITLE)
    lacks_debug = await lacks_subresource(edit_request, PODS, SUBRESOURCE)
    create_denial, get_denial, patch_denial = await asyncio.gather(
        *(denial_reason(edit_request, verb, "exec") for verb in RIGHTS),
        denial_reason(edit_request, "patch", SUBRESOURCE),
    )
    view = open_terminal(edit_request.state[HUB], target.kind, target.namespace, target.name)
    pod = _newest(pod, view.row)
    choices = choices_of(pod)
    chosen = _chosen(pod, choices, request.GET.get("container", ""))
    lasting = [each.name for each in choices if each.line.kind in TARGETS]
    debug_target = chosen if chosen in lasting or not lasting else lasting[0]
    image = request.POST.get("image") or settings.DELTABOARD_DEBUG_IMAGE
    socket_query = urlencode({"path": f"{target.href}terminal/"})
    context: dict[str, object] = {
        "choices": choices,
        "chosen": chosen,
        "pod_uid": pod["metadata"]["uid"],
        "unknown": request.GET.get("container", "") if chosen != request.GET.get("container", chosen) else "",
        "shells": [(name, title) for name, (title, _) in SHELLS.items()],
        "other": OTHER,
        "denial": create_denial or get_denial,
        "debug_denial": NO_DEBUG if lacks_debug else patch_denial,
        "socket": f"{SOCKET_PATH}?{socket_query}",
        "image": image,
        "image_problem": image_problem,
        "refusal": refusal,
        "targets": lasting,
        "debug_target": request.POST.get("target", debug_target),
        "idle_minutes": settings.DELTABOARD_TERMINAL_IDLE_MINUTES,
        "is_recorded": settings.DELTABOARD_TERMINAL_CONTENTS,
        "commands": [
            command
            for command in (
                exec_command(target.namespace, target.name, chosen, command_of("sh")),
                "" if lacks_debug else debug_command(target.namespace, target.name, debug_target, image),
                port_forward_command(target.namespace, pod),
            )
            if command
        ],
    }
    return edit_request.page("terminal/page.html", TITLE, context, status=status, view=view)


def _newest(pod: Mapping[str, Any], row: Row | None) -> Mapping[str, Any]:
    """The pod as it was read, or as the page's view has it where that is newer: frames tell only what comes after."""
    is_older = row is not None and is_before(pod["metadata"]["resourceVersion"], row.version)
    return (whole_object(row) if is_older else None) or pod


def _chosen(pod: Mapping[str, Any], choices: list[Choice], wanted: str) -> str:
    """The container that is asked for; else kubectl's default, else the first one that runs."""
    names = [each.name for each in choices]
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    running = [each.name for each in choices if each.is_running and each.line.kind != "ephemeral"]
    wishes = (wanted, str(annotations.get(DEFAULT_CONTAINER) or ""), *running, *names)
    return next((wish for wish in wishes if wish in names), "")
