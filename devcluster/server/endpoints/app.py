"""API server over HTTP, on aiohttp: checks, routes and answers each request.

Guarantees: it binds to the given address only and serves only requests that carry the token and this machine's own
name; nothing that a client sends ends the process; `close` ends open watches first.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from aiohttp import web

from devcluster.server.api_errors import Failure, bad_request, internal_error, method_not_allowed
from devcluster.server.api_server_core import ApiServer
from devcluster.server.endpoints import access_review, discovery, guard, openapi, request_bodies
from devcluster.server.endpoints.api_path_resolver import PlainNotFound, resolve
from devcluster.server.endpoints.faults import Faults
from devcluster.server.endpoints.resource_requests import ResourceRequests, add_warnings
from devcluster.server.endpoints.watch_response import WatchResponses
from devcluster.server.storage.watch import LINGER_SECONDS

_log = logging.getLogger(__name__)
_HEALTH = frozenset(("/healthz", "/livez", "/readyz"))


class ApiApp:
    """HTTP server of an ApiServer. `faults` is None unless fault injection was asked for."""

    def __init__(
        self,
        core: ApiServer,
        *,
        token: str,
        faults: Faults | None = None,
        bookmark_seconds: float = 60.0,
        linger: float = LINGER_SECONDS,
    ) -> None:
        self._core = core
        self._token = token
        self._faults = faults
        self._streams = WatchResponses(core.store, bookmark_seconds=bookmark_seconds, linger=linger)
        self._requests = ResourceRequests(core, self._streams)
        core.served_kinds.on_change(lambda: self._streams.end_not_served(core.served_kinds))

    def close(self) -> None:
        """End every open watch cleanly."""
        self._streams.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer any request; failures become Status bodies."""
        try:
            return await self._answer(request)
        except Failure as failure:
            return failure_response(failure)
        except PlainNotFound:
            return web.Response(status=404, text="404 page not found\n")
        except web.HTTPRequestEntityTooLarge:
            return failure_response(request_bodies.too_large())
        except RecursionError:
            return failure_response(bad_request("json: exceeded max depth"))
        except (web.HTTPException, ConnectionResetError):
            raise
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            _log.exception("%s %s", request.method, request.path)
            return failure_response(internal_error(f"{type(error).__name__}: {error}"))

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        guard.check_request(request, self._token)
        path = request.path.rstrip("/") or "/"
        if path in _HEALTH:
            return web.Response(text="ok")
        if path == "/faults" and self._faults is not None:
            return await self._set_faults(request, self._faults)
        if self._faults is not None:
            await self._faults.inject()
        document = self._document(request, path)
        if document is not None:
            return document
        if request.method == "POST" and (review := access_review.review_access(path, await request.read())) is not None:
            return json_response(review, code=201)
        return await self._requests.handle(
            request, resolve(self._core.served_kinds, request.raw_path.partition("?")[0])
        )

    def _document(self, request: web.BaseRequest, path: str) -> web.Response | None:
        """Discovery, OpenAPI and the version; None for resources. Raises Failure (405)."""
        registry = self._core.served_kinds
        if request.method != "GET" and (path in ("/api", "/version") or _is_version(path)):
            raise method_not_allowed()
        if path == "/version":
            return web.json_response(discovery.version(), dumps=lambda document: json.dumps(document, indent=2))
        if path in ("/api", "/apis"):
            if "APIGroupDiscoveryList" in request.headers.get("Accept", ""):
                groups = discovery.aggregated(registry, core=path == "/api")
                return json_response(groups, content_type=discovery.AGGREGATED)
            plain = discovery.api_versions(request.host) if path == "/api" else discovery.group_list(registry)
            return json_response(plain)
        parts = path.strip("/").split("/")
        if parts[0] == "openapi":
            return self._openapi(parts)
        if parts[0] == "apis" and len(parts) == 2:
            return _found(discovery.group(registry, parts[1]))
        if (parts[0], len(parts)) in (("api", 2), ("apis", 3)):
            return _found(discovery.resource_list(registry, parts[1] if parts[0] == "apis" else "", parts[-1]))
        return None

    def _openapi(self, parts: list[str]) -> web.Response:
        registry, definitions = self._core.served_kinds, self._core.builtin_types
        if parts == ["openapi", "v3"]:
            return json_response(openapi.index(registry, definitions))
        if parts[1:2] != ["v3"] or len(parts) not in (4, 5):
            raise PlainNotFound
        group = parts[3] if len(parts) == 5 else ""
        return _found(openapi.document(registry, definitions, group, parts[-1]))

    async def _set_faults(self, request: web.BaseRequest, faults: Faults) -> web.Response:
        if request.method == "POST":
            try:
                wish = json.loads(await request.read())
            except ValueError as error:
                raise web.HTTPBadRequest(text=f"{error}\n") from error
            if not isinstance(wish, dict):
                raise web.HTTPBadRequest(text="an object is wanted\n")
            faults.apply(wish)
            self._streams.stall(faults.stalled)
            if wish.get("drop"):
                self._streams.reset_all()
        return json_response(faults.state())


def _is_version(path: str) -> bool:
    """Whether a path names a group's version, the only discovery document that depends on the method."""
    parts = path.strip("/").split("/")
    return (parts[0], len(parts)) in (("api", 2), ("apis", 3))


def _found(document: dict[str, Any] | None) -> web.Response:
    if document is None:
        raise PlainNotFound
    return json_response(document)


def json_response(document: dict[str, Any], *, content_type: str = "application/json", code: int = 200) -> web.Response:
    """A document as JSON. The content type may carry parameters."""
    return web.Response(status=code, body=json.dumps(document).encode(), headers={"Content-Type": content_type})


def failure_response(failure: Failure) -> web.Response:
    """A failure as a Status, with Retry-After where it says so."""
    headers = {"Content-Type": "application/json"}
    if failure.retry_after:
        headers["Retry-After"] = str(failure.retry_after)
    response = web.Response(status=failure.code, body=json.dumps(failure.status()).encode(), headers=headers)
    add_warnings(response, failure.warnings)
    return response
