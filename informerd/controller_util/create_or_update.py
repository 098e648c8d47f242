"""Create or update: have an object so, whether it is there or not (controller-runtime's CreateOrUpdate)."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

import msgspec

from informerd.clients.resource_client import ResourceClient
from informerd.clock import Clock
from informerd.errors import AlreadyExists, Conflict, NotFound
from informerd.rest.call import Json
from informerd.writing.change import Change, with_status, write_change
from informerd.writing.manifest import Verbs, changed, client_for, head_of, manifest_of
from informerd.writing.retry import retry_on_conflict

T = TypeVar("T")


class Written(msgspec.Struct, Generic[T], frozen=True):
    """An object as it is now, and what had to be done for it."""

    object: T
    outcome: Literal["created", "updated", "unchanged"]


async def create_or_update(
    verbs: Verbs[T], manifest: Json, change: Change, *, clock: Clock | None = None
) -> Written[T]:
    """Have the object that `manifest` names as `change` makes it.

    Where it is there, `change` is shown what is there, and what it changes is written, if anything; else it is shown
    the manifest, which is created with the change. Whoever else creates or changes it in between has only this start
    anew, on top of theirs. `change` says how the object has to be in the end, not what to add to it, and touches
    neither name nor namespace (InvalidCall). Raises Conflict after eight of them, and what GET, POST and PATCH raise.
    """
    head = head_of(manifest)
    client = client_for(verbs, head)

    async def attempt() -> Written[T]:
        try:
            read = await client.get(head.name)
        except NotFound:
            return Written(await _create(client, manifest, change), "created")
        written = await write_change(client, read, change)
        same = head_of(written).resource_version == head_of(read).resource_version
        return Written(written, "unchanged" if same else "updated")

    return await retry_on_conflict(attempt, clock=clock)


async def _create(client: ResourceClient[T], manifest: Json, change: Change) -> T:
    new = manifest_of(manifest)
    if client.namespace:
        new["metadata"]["namespace"] = client.namespace
    wanted, _ = changed(new, change)
    try:
        created = await client.create(wanted)
    except AlreadyExists as error:
        raise Conflict(error.status) from error  # read what somebody else has created meanwhile
    return await with_status(client, created, wanted, wanted)
