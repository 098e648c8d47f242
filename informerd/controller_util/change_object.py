"""Read, change and patch of an object, which sends only the difference and leaves concurrent changes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from informerd.clients.resource_client import ResourceClient
from informerd.clock import Clock
from informerd.controller_util.manifest_and_identity import Verbs, check_same, client_for, head_of, manifest_of
from informerd.controller_util.merge_patch import apply_mutation, patch_to, with_preconditions
from informerd.controller_util.retry_on_conflict import retry_on_conflict
from informerd.errors import NotFound
from informerd.unstructured import Json

T = TypeVar("T")

MutateFn = Callable[[Json], object]
"""Changes a manifest in place. It may be called several times, each time with a fresh one."""


async def change_object(verbs: Verbs[T], obj: T, mutate: MutateFn, *, clock: Clock | None = None) -> T:
    """Change an object: send a merge patch of what `mutate` changed, for the very version that it got.

    `obj` is the object as it was read, if only from a cache: it is tried first, and read afresh after a Conflict. Where
    nothing is different nothing is sent, and it comes back as it was read. Fields that nobody here knows of stay as
    they are, whatever form the object has. What is changed in ``status`` goes to that subresource where there is one,
    after the rest: `mutate` may get an object of which the rest has been done. Raises NotFound, ObjectReplaced
    (the uid is another one), Conflict after eight tries, InvalidCall, and what PATCH raises.
    """
    wanted = head_of(obj)
    client = client_for(verbs, wanted)
    given = [obj] if wanted.resource_version else []

    async def attempt() -> T:
        read = given.pop() if given else await client.get(wanted.name)
        check_same(wanted, head_of(read))
        return await write_change(client, read, mutate)

    return await retry_on_conflict(attempt, clock=clock)


async def write_change(client: ResourceClient[T], obj: T, mutate: MutateFn) -> T:
    """One try, from `obj` as it was read, which is returned where nothing is different. Raises Conflict."""
    after, patch = apply_mutation(obj, mutate)
    if not patch:
        return obj
    head = head_of(obj)
    if patch.keys() == {"status"}:
        try:
            return await client.patch(head.name, with_preconditions(patch, head), subresource="status")
        except NotFound:  # it has no such subresource, or is gone: the next one tells
            pass
    return await with_status(client, await client.patch(head.name, with_preconditions(patch, head)), patch, after)


async def with_status(client: ResourceClient[T], written: T, patch: Json, status: Json) -> T:
    """The object with that `status`, where a write that named one (`patch`) did not set it."""
    if not patch.get("status"):
        return written
    left = patch_to(manifest_of(written).get("status") or {}, status["status"])
    if not left:
        return written
    head = head_of(written)
    return await client.patch(head.name, with_preconditions({"status": left}, head), subresource="status")
