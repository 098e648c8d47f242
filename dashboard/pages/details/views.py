"""Pages of one object: its details and its YAML."""

from __future__ import annotations

import asyncio

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from dashboard.live.hub.hub import HUB
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.moments.recorded_feed import open_recorded_feed
from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.pages.authors.store import AUTHORS
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.details.object_presenter import object_as_yaml
from dashboard.pages.layout.cross_site_requests import is_from_other_site, refuse_other_site
from dashboard.pages.layout.flash import flash_for
from dashboard.pages.layout.htmx import vary_on_htmx
from dashboard.pages.layout.not_found import kind_not_found, object_not_found
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.requested_kind import (
    UnavailableKind,
    has_synced,
    not_read_yet_page,
    open_object,
    path_namespace,
    redirect_with_query,
    to_address_with_dash,
)
from dashboard.pages.layout.secret_cache_control import forbid_storing_secrets
from dashboard.runtime.app_state import CLOCK, AppState, state_of
from dashboard.runtime.text_with_links import object_href
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.clock import within

WRITE_WAIT = 1.0
"""Seconds that the page of an object waits at most for a write that was made through Deltaboard a moment ago."""
YAML_TYPE = "text/yaml; charset=utf-8"


@require_safe
async def object_detail(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The details of one object; 404 once the cluster certainly has none of that name."""
    return await _object_page(request, resource, namespace, name, "details/detail.html")


@require_safe
async def object_without_namespace(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """Lead to the details of an object whose kind has no namespaces, and whose address lacks the dash; 404 as there."""
    response = await object_detail(request, resource, namespace, name)
    return to_address_with_dash(request, response, object_href(resource, path_namespace(namespace), name))


@require_safe
async def object_yaml(request: HttpRequest, resource: str, namespace: str, name: str) -> HttpResponse:
    """The object's YAML: a page for clients that accept HTML, else text; ``?download`` makes it a file.

    The text is 503 while the kind is being read, and 404 once the cluster certainly has none of that name. The file of
    a deleted object is its last state, as long as a page that shows it is open.
    """
    download = "download" in request.GET
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", "") and not download:
        return await _object_page(request, resource, namespace, name, "details/yaml.html")
    if is_from_other_site(request):
        return refuse_other_site()
    state = state_of(request)
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    view = open_detail(state[HUB], kind, path_namespace(namespace), name)
    if view.loading:
        return not_read_yet_page(kind, view.problem)
    if view.row is None or not (view.exists or download):
        return object_not_found(request, kind, path_namespace(namespace), name)
    yaml = await run_in_thread_if_large(object_as_yaml, view.row, size=view.row.json_size)
    response = HttpResponse(yaml, content_type=YAML_TYPE)
    forbid_storing_secrets(response, kind)
    if download:
        response["Content-Disposition"] = f'attachment; filename="{_file_name(kind, name)}"'
    patch_vary_headers(response, ("Accept",))
    return response


async def _object_page(request: HttpRequest, resource: str, namespace: str, name: str, template: str) -> HttpResponse:
    state = state_of(request)
    kind = await open_object(request, resource, namespace, name)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if kind.key != resource:
        rest = "yaml/" if template.endswith("yaml.html") else ""
        return redirect_with_query(request, object_href(kind.key, path_namespace(namespace), name) + rest)
    replica = state[REPLICAS].get(kind.key)
    if flash_for(request) is not None:
        await _wait_for_write(state, replica, path_namespace(namespace), name)
    view = open_detail(state[HUB], kind, path_namespace(namespace), name)
    if replica.get(path_namespace(namespace), name) is None and has_synced(replica):
        return object_not_found(request, kind, path_namespace(namespace), name, view=view)
    view.read_recorded(open_recorded_feed(state[HUB], state[HISTORY]))
    await view.wait_for_recorded()
    page = page_info(request, title=name, key=kind.key, view=view)
    response = vary_on_htmx(render(request, template, {**view.context(), "page": page}))
    forbid_storing_secrets(response, kind)
    patch_vary_headers(response, ("Accept",))
    return response


async def _wait_for_write(state: AppState, replica: ReadableReplica, namespace: str, name: str) -> None:
    """Wait until the watch has brought what was just written here, WRITE_WAIT seconds at most: its page says so."""
    changed = asyncio.Event()
    leave = replica.on_change(lambda _: changed.set())
    try:
        async with within(WRITE_WAIT, state[CLOCK]):
            while (row := replica.get(namespace, name)) is None:
                await changed.wait()
                changed.clear()
            writes = await state[AUTHORS].writes_of(row.uid)
            while writes and not _has_seen(replica, replica.get(namespace, name), writes[0].version):
                await changed.wait()
                changed.clear()
    except TimeoutError:
        pass
    finally:
        leave()


def _has_seen(replica: ReadableReplica, row: Row | None, version: str) -> bool:
    is_current = row is None or row.version == version or not version or replica.listed is not None
    return is_current or any(entry.version == version for entry in replica.entries)


def _file_name(kind: KindInfo, name: str) -> str:
    safe = "".join(letter if letter.isalnum() or letter in ".-_" else "_" for letter in name if letter.isascii())
    return f"{kind.resource.singular or kind.resource.plural}-{safe}.yaml"
