"""Resource requests: mapping of method, path and query to a verb, and of the result to a response."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from aiohttp import web

from devcluster.server import request_options as options
from devcluster.server.api_errors import (
    Failure,
    bad_request,
    method_not_allowed,
    plain_error,
    strict_failure,
    verb_not_allowed,
)
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints import request_bodies
from devcluster.server.endpoints.api_path_resolver import PlainNotFound, Route
from devcluster.server.endpoints.metrics_api import get_metrics, list_metrics
from devcluster.server.endpoints.pod_exec import run_command
from devcluster.server.endpoints.pod_logs import send_log
from devcluster.server.endpoints.watch_response import WatchResponses
from devcluster.server.kinds import EVICTIONS, Kind
from devcluster.server.printers import partial_metadata, tables
from devcluster.server.registry.binding import bind
from devcluster.server.registry.managed_fields import manager_of
from devcluster.server.registry.scale import SCALE, scale_body
from devcluster.server.registry.verbs import VerbResult
from devcluster.server.storage import listing
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.selectable_fields import selectable_fields
from devcluster.server.storage.selectors import Selection, parse_fields, parse_labels
from devcluster.server.storage.store import Record
from devcluster.server.storage.watch import WatchQuery

_LONGEST_WATCH = 3600.0
_OLD_EVICTION = "policy/v1beta1"
_OF_CONTAINERS = MappingProxyType({"exec": run_command, "log": send_log})
"""Subresources of pods that are only read."""
_CREATE_ONLY = ("binding", "eviction")
"""Subresources that are only created."""


@dataclass(frozen=True)
class ResourceRequests:
    """Answers requests on resources of one core."""

    core: ApiServer
    watch_responses: WatchResponses

    async def handle(self, request: web.BaseRequest, route: Route) -> web.StreamResponse:
        """Raises Failure for a refused request."""
        if request.method == "POST" and route.subresource == "exec":  # kubectl's second try, for older servers
            return await run_command(self.core, request, route.namespace, route.name)
        if request.method == "GET" or (request.method == "HEAD" and route.kind.custom):
            return await self._read(request, route)
        if route.kind.custom and route.kind.namespaced and not route.namespace:
            raise PlainNotFound
        if route.subresource in _OF_CONTAINERS or route.kind.is_measured:
            raise method_not_allowed()
        body = await request.read()
        if len(body) > request_bodies.MAX_BODY_BYTES:
            raise request_bodies.too_large()
        content_type = request.headers.get("Content-Type", "")
        if request_bodies.is_yaml(content_type) and request.method in ("POST", "PUT"):
            body, content_type = (
                await asyncio.to_thread(request_bodies.json_of_yaml, body, route.kind),
                "application/json",
            )
        return _response(self._write(request, route, body, content_type))

    def _write(self, request: web.BaseRequest, route: Route, body: bytes, content_type: str) -> VerbResult:
        query = {"fieldManager": manager_of(request.headers.get("User-Agent", "")), **request.query}
        match request.method:
            case "POST":
                return self._create(route, query, body, content_type)
            case "PUT":
                return self._update(route, query, body, content_type)
            case "PATCH":
                return self._patch(route, query, body, content_type)
            case "DELETE":
                return self._delete(route, query, body, content_type)
        raise _not_allowed(route, "")

    def _create(self, route: Route, query: Mapping[str, str], body: bytes, content_type: str) -> VerbResult:
        if route.kind.namespaced and not route.namespace:
            raise method_not_allowed()
        if route.subresource == "binding":
            binding, _ = request_bodies.decode_object(body, content_type, route.kind, self.core.messages)
            pod = self.core.verbs.get(route.kind, route.namespace, route.name)
            return bind(self.core.store, pod, binding, self.core.now())
        if route.subresource == "eviction":
            return self._evict(route, query, body, content_type)
        if route.subresource or (route.name and not route.kind.custom):
            raise _not_allowed(route, "create")
        wishes = options.write_options("CreateOptions", query)
        obj, warnings = self._object(body, content_type, route.kind, wishes)
        outcome = self.core.verbs.create(route.kind, route.namespace, obj, wishes)
        return VerbResult(outcome.code, outcome.raw, (*warnings, *outcome.warnings))

    def _evict(self, route: Route, query: Mapping[str, str], body: bytes, content_type: str) -> VerbResult:
        wishes = options.write_options("CreateOptions", query)
        eviction, warnings = self._object(body, content_type, EVICTIONS, wishes)
        if eviction.get("apiVersion") == _OLD_EVICTION:
            del eviction["apiVersion"]
        warnings += self.core.verbs.admit(EVICTIONS, eviction, wishes)
        outcome = self.core.evictions.evict(route.namespace, route.name, eviction, wishes)
        return VerbResult(outcome.code, outcome.raw, tuple(warnings))

    def _update(self, route: Route, query: Mapping[str, str], body: bytes, content_type: str) -> VerbResult:
        _need_name(route)
        wishes = options.write_options("UpdateOptions", query)
        if route.subresource == "scale":
            scale, _ = request_bodies.decode_object(body, content_type, SCALE, self.core.messages)
            return self.core.verbs.update_scale(route.kind, route.namespace, route.name, scale, wishes)
        obj, warnings = self._object(body, content_type, route.kind, wishes)
        outcome = self.core.verbs.update(route.kind, route.namespace, route.name, obj, wishes, route.subresource)
        return VerbResult(outcome.code, outcome.raw, (*warnings, *outcome.warnings))

    def _object(
        self, body: bytes, content_type: str, kind: Kind, wishes: options.WriteOptions
    ) -> tuple[Object, list[str]]:
        root = self.core.builtin_types.root_definition(kind)
        obj, doubled = request_bodies.decode_object(body, content_type, kind, self.core.messages, root)
        problems = [f'duplicate field "{path}"' for path in doubled]
        if problems and wishes.field_validation == "Strict":
            raise strict_failure(kind, problems)
        return obj, problems if wishes.field_validation == "Warn" else []

    def _patch(self, route: Route, query: Mapping[str, str], body: bytes, content_type: str) -> VerbResult:
        _need_name(route)
        patch, patch_type = request_bodies.decode_patch(body, content_type, route.kind)
        wishes = options.write_options("PatchOptions", query)
        if route.subresource == "scale":
            return self.core.verbs.patch_scale(route.kind, route.namespace, route.name, patch, patch_type, wishes)
        return self.core.verbs.patch(
            route.kind, route.namespace, route.name, patch, patch_type, wishes, route.subresource
        )

    def _delete(self, route: Route, query: Mapping[str, str], body: bytes, content_type: str) -> VerbResult:
        wishes = request_bodies.decode_delete(body, content_type, query, self.core.messages)
        if route.subresource:
            raise _not_allowed(route, "delete")
        if route.name:
            return self.core.deletion.delete(route.kind, route.namespace, route.name, wishes)
        if (route.kind.namespaced and not route.namespace) or "deletecollection" not in route.kind.verbs:
            raise method_not_allowed()
        page = self._page(route, query)
        for record in page.records:
            try:
                self.core.deletion.delete(route.kind, record.key[0], record.key[1], wishes)
            except Failure as failure:
                if failure.code != 404:
                    raise
        return VerbResult(200, listing.list_body(route.kind, page))

    async def _read(self, request: web.BaseRequest, route: Route) -> web.StreamResponse:
        query = request.query
        if route.kind.is_measured:
            return _json(await self._read_metrics(route, query))
        if route.subresource in _CREATE_ONLY:
            raise method_not_allowed()
        if (answer := _OF_CONTAINERS.get(route.subresource)) is not None:
            return await answer(self.core, request, route.namespace, route.name)
        wants_table = tables.accepts_table(request.headers.get("Accept", ""))
        wants_partial = partial_metadata.accepts_partial_metadata(request.headers.get("Accept", ""))
        if route.name:
            record = self.core.verbs.get(route.kind, *self.core.verbs.key(route.kind, route.namespace, route.name))
            if route.subresource == "scale":
                return _response(VerbResult(200, scale_body(record.raw)))
            if wants_table:
                return _json(self._rows(route.kind, [record], str(record.revision), query))
            return _response(VerbResult(200, partial_metadata.partial_body(record) if wants_partial else record.raw))
        if options.parse_boolean(query, "watch") and request.method == "GET":
            return await self._watch(request, route, query)
        page = self._page(route, query)
        if wants_table:
            rows = self._rows(route.kind, page.records, str(page.revision), query)
            rows["metadata"] |= {"continue": page.continue_token} if page.continue_token else {}
            rows["metadata"] |= {"remainingItemCount": page.remaining} if page.remaining else {}
            return _json(rows)
        if wants_partial:
            return _response(VerbResult(200, partial_metadata.partial_list_body(page, custom=route.kind.custom)))
        return _response(VerbResult(200, listing.list_body(route.kind, page)))

    async def _read_metrics(self, route: Route, query: Mapping[str, str]) -> dict[str, Any]:
        if route.name:
            return await get_metrics(self.core, route.kind, route.namespace, route.name)
        return await list_metrics(self.core, route.kind, _selection(route, query))

    def _rows(self, kind: Kind, records: list[Record], version: str, query: Mapping[str, str]) -> dict[str, Any]:
        include = query.get("includeObject", "")
        return tables.make_table(kind, self.core.builtin_types, records, version, self.core.now(), include=include)

    def _row(self, kind: Kind, record: Record, query: Mapping[str, str]) -> bytes:
        """One object as a table of its own, as watches of tables send it."""
        return json.dumps(self._rows(kind, [record], "", query)).encode()

    def _page(self, route: Route, query: Mapping[str, str]) -> listing.Page:
        return listing.list_page(self.core.store, route.kind, listing.parse_list_query(query), _selection(route, query))

    async def _watch(self, request: web.BaseRequest, route: Route, query: Mapping[str, str]) -> web.StreamResponse:
        timeout, _ = options.parse_integer(query, "timeoutSeconds"), options.parse_integer(query, "limit")
        options.check_watch_options(query)
        # Unasked, the real server chooses between 30 and 60 minutes, so that watches do not all end together.
        seconds = float(timeout) if timeout > 0 else random.uniform(1800, _LONGEST_WATCH)  # noqa: S311 - not a secret
        version = _watch_version(query.get("resourceVersion", ""))
        # Whoever starts anywhere begins with what there is, and is told where that ends.
        initial = options.parse_boolean(query, "sendInitialEvents") if "sendInitialEvents" in query else version == 0
        checked = WatchQuery(
            version=version,
            selection=_selection(route, query),
            bookmarks=options.parse_boolean(query, "allowWatchBookmarks"),
            initial_events=initial,
        )
        if tables.accepts_table(request.headers.get("Accept", "")):
            checked = replace(checked, render=lambda record: self._row(route.kind, record, query))
        if partial_metadata.accepts_partial_metadata(request.headers.get("Accept", "")):
            shown_as = (partial_metadata.KIND, partial_metadata.API_VERSION)
            checked = replace(checked, render=partial_metadata.partial_body, bookmark_type=shown_as)
        return await self.watch_responses.send(request, route.kind, checked, seconds)


def _not_allowed(route: Route, verb: str) -> Failure:
    return verb_not_allowed(route.kind, verb) if route.kind.custom else method_not_allowed()


def _need_name(route: Route) -> None:
    if route.subresource in _CREATE_ONLY:
        raise method_not_allowed()
    if not route.name:
        raise bad_request("name must be provided") if route.kind.custom else method_not_allowed()


def _watch_version(text: str) -> int:
    if why := listing.version_problem(text):
        raise plain_error(why)
    return int(text or 0)


def _selection(route: Route, query: Mapping[str, str]) -> Selection:
    labels = parse_labels(query.get("labelSelector", ""))
    fields = parse_fields(query.get("fieldSelector", ""), *selectable_fields(route.kind))
    return Selection(route.namespace, labels, fields)


def _json(document: dict[str, Any]) -> web.Response:
    return web.Response(body=json.dumps(document).encode(), headers={"Content-Type": "application/json"})


def _response(outcome: VerbResult) -> web.Response:
    response = web.Response(status=outcome.code, body=outcome.raw, headers={"Content-Type": "application/json"})
    add_warnings(response, outcome.warnings)
    return response


def add_warnings(response: web.Response, warnings: tuple[str, ...]) -> None:
    """Add Warning headers, which kubectl prints. One that a header cannot hold is left out, as by the real server."""
    for warning in filter(str.isprintable, warnings):
        escaped = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{escaped}"')
