"""Client: Kubernetes' verbs over HTTP, for one API server, with raw responses and typed errors.

Below it, `rest_client.py` sends any request, as client-go's RESTClient does: credentials, retries, connections.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, timedelta
from typing import Any

from informerd.clock import Clock
from informerd.errors import InvalidCall
from informerd.resource import Resource
from informerd.resource_version import is_precondition
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.pod_log import LogEntry, follow_entries, position_of, read_entries
from informerd.rest.request import (
    Headers,
    Params,
    PatchType,
    delete_options,
    object_path,
    patch_content_type,
    write_params,
)
from informerd.rest.response import Response
from informerd.rest.response_stream import ResponseStream
from informerd.rest.rest_client import LIST_TIMEOUT, USER_AGENT, RestClient
from informerd.rest.warning_log import OnWarning
from informerd.unstructured import Json, metadata_of

__all__ = ["Client", "Json", "PatchType", "Response", "ResponseStream"]


class Client(RestClient):
    """The verbs, one request each. Every one raises ApiError, Unreachable and InvalidCall.

    `field_manager` is who owns the fields that writes set; by default the User-Agent's name, as the API server has it.
    `field_validation` says what becomes of unknown fields: Strict (an error), Warn or Ignore. `headers` replace the
    client's own of the same name.
    """

    def __init__(
        self,
        config: ClusterConfig,
        *,
        clock: Clock | None = None,
        user_agent: str = USER_AGENT,
        field_manager: str = "",
        on_warning: OnWarning | None = None,
    ) -> None:
        super().__init__(config, clock=clock, user_agent=user_agent, on_warning=on_warning)
        self.field_manager = field_manager or user_agent.partition("/")[0]

    async def get(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        subresource: str = "",
        params: Params | None = None,
        headers: Headers | None = None,
    ) -> Response:
        """One object."""
        path = object_path(resource, name, namespace, subresource)
        return await self.request("GET", path, params=params, headers=headers)

    async def list(
        self, resource: Resource, namespace: str = "", params: Params | None = None, *, headers: Headers | None = None
    ) -> Response:
        """A collection, of one namespace or of all."""
        path = resource.path(namespace)
        return await self.request("GET", path, params=params, headers=headers, timeout=LIST_TIMEOUT)

    def logs(
        self,
        pod: str,
        namespace: str,
        container: str = "",
        *,
        follow: bool = False,
        previous: bool = False,
        tail: int | None = None,
        since: datetime | timedelta | None = None,
    ) -> AsyncGenerator[LogEntry, None]:
        """The log of one container, line by line, by default of the one that kubectl would take.

        `tail` begins with so many of the newest lines, `since` with those of a moment or of so long ago. `previous` is
        the run before the last restart.

        With `follow` it goes on until the container has ended for good or the pod is gone, through broken connections,
        rotated files, restarts of the container and an API server that is away: each line comes once, in order. Where
        lines may be missing or repeated, and where a run ends or begins, an entry with a `mark` says so. That needs the
        rights to get, list and watch pods, too. A slow reader holds the log up and nothing else.

        Raises as `get` does: NotFound, Forbidden, BadRequest where the container has not begun. InvalidCall for
        `previous` with `follow`, and for a container that the pod does not have.
        """
        position = position_of(tail, since, self.clock.time())
        if not follow:
            return read_entries(self, pod, namespace, container, previous=previous, position=position)
        if previous:
            raise InvalidCall("the log of a run that has ended cannot be followed: leave previous or follow out")
        return follow_entries(self, pod, namespace, container, position)

    async def create(
        self,
        resource: Resource,
        obj: Json | bytes,
        namespace: str = "",
        *,
        name: str = "",
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "",
        field_validation: str = "Strict",
        headers: Headers | None = None,
        patient: bool = True,
    ) -> Response:
        """POST a new object into `namespace`, by default its own; or to a `subresource` of the object `name`.

        After a 429 with Retry-After it is sent again, as every write is, unless it is not `patient`.
        """
        params = write_params(dry_run, field_manager or self.field_manager, field_validation)
        meta = metadata_of(obj)
        namespace = namespace or meta.get("namespace", "")
        path = object_path(resource, name, namespace, subresource) if subresource else resource.path(namespace)
        return await self.request("POST", path, params=params, body=obj, headers=headers, patient=patient)

    async def update(
        self,
        resource: Resource,
        obj: Json | bytes,
        namespace: str = "",
        *,
        subresource: str = "",
        dry_run: bool = False,
        field_manager: str = "",
        field_validation: str = "Strict",
        headers: Headers | None = None,
        patient: bool = True,
    ) -> Response:
        """PUT an object, over any present version unless it carries the resourceVersion and uid it was read with.

        With them it raises Conflict where the object has changed since, and is sent again after a 5xx with Retry-After,
        too, unless it is not `patient`.
        """
        meta = metadata_of(obj)
        path = object_path(resource, meta.get("name", ""), namespace or meta.get("namespace", ""), subresource)
        params = write_params(dry_run, field_manager or self.field_manager, field_validation)
        repeatable = is_precondition(meta.get("resourceVersion"))
        return await self.request(
            "PUT", path, params=params, body=obj, headers=headers, repeatable=repeatable, patient=patient
        )

    async def patch(
        self,
        resource: Resource,
        name: str,
        namespace: str,
        patch: Json | Sequence[Any] | bytes,
        patch_type: PatchType = "merge",
        *,
        subresource: str = "",
        dry_run: bool = False,
        force: bool = False,
        field_manager: str = "",
        field_validation: str = "Strict",
        headers: Headers | None = None,
        patient: bool = True,
    ) -> Response:
        """PATCH an object; `force` takes fields over from other managers (apply only)."""
        params = write_params(dry_run, field_manager or self.field_manager, field_validation)
        if patch_type == "apply":
            params["force"] = force
        return await self.request(
            "PATCH",
            object_path(resource, name, namespace, subresource),
            params=params,
            body=patch,
            content_type=patch_content_type(patch_type),
            headers=headers,
            patient=patient,
        )

    async def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        propagation_policy: str | None = None,
        grace_period: int | None = None,
        dry_run: bool = False,
        headers: Headers | None = None,
        patient: bool = True,
    ) -> Response:
        """DELETE an object; with `uid` or `resource_version` only that one, else Conflict. `grace_period`: seconds.

        With one of them it is sent again after a 5xx with Retry-After, too, unless it is not `patient`.
        """
        body = delete_options(
            uid=uid,
            resource_version=resource_version,
            propagation_policy=propagation_policy,
            grace_period=grace_period,
            dry_run=dry_run,
        )
        path = object_path(resource, name, namespace)
        repeatable = bool(uid or resource_version)
        return await self.request("DELETE", path, body=body, headers=headers, repeatable=repeatable, patient=patient)

    async def delete_collection(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        propagation_policy: str | None = None,
        grace_period: int | None = None,
        dry_run: bool = False,
        headers: Headers | None = None,
    ) -> Response:
        """DELETE every object of a namespace, or of a cluster-scoped resource, that the selectors match."""
        if bool(namespace) != resource.namespaced:  # a namespace that is left out of the path would mean everything
            problem = "are deleted one namespace at a time" if resource.namespaced else "are cluster-scoped"
            raise InvalidCall(f"{resource.key} {problem}")
        body = delete_options(propagation_policy=propagation_policy, grace_period=grace_period, dry_run=dry_run)
        params = {"labelSelector": label_selector, "fieldSelector": field_selector}
        path = resource.path(namespace)
        return await self.request("DELETE", path, params=params, body=body, headers=headers, timeout=LIST_TIMEOUT)
