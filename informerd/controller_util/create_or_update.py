"""Create or update: brings an object to the wanted state (controller-runtime's CreateOrUpdate)."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

import msgspec

from informerd.clients.resource_client import ResourceClient
from informerd.clock import Clock
from informerd.controller_util.change_object import MutateFn, with_status, write_change
from informerd.controller_util.manifest_and_identity import Verbs, client_for, head_of, manifest_of
from informerd.controller_util.merge_patch import apply_mutation
from informerd.controller_util.retry_on_conflict import retry_on_conflict
from informerd.errors import AlreadyExists, Conflict, NotFound
from informerd.unstructured import Json

T = TypeVar("T")


class CreateOrUpdateResult(msgspec.Struct, Generic[T], frozen=True):
    """An object as it is now, and what had to be done for it."""

    object: T
    outcome: Literal["created", "updated", "unchanged"]


async def create_or_update(
    verbs: Verbs[T], manifest: Json, mutate: MutateFn, *, clock: Clock | None = None
) -> CreateOrUpdateResult[T]:
    """Create the object that `manifest` names, or update it, as `mutate` changes it.

    Where the object exists, `mutate` gets it, and its changes are written, if any; otherwise `mutate` gets the
    manifest, which is created with the changes. A concurrent write by others repeats this on top of theirs. `mutate`
    sets the desired state, it does not add to it, and must leave name and namespace alone (InvalidCall). Raises
    Conflict after eight tries, and what GET, POST and PATCH raise.
    """
    head = head_of(manifest)
    client = client_for(verbs, head)

    async def attempt() -> CreateOrUpdateResult[T]:
        try:
            read = await client.get(head.name)
        except NotFound:
            return CreateOrUpdateResult(await _create(client, manifest, mutate), "created")
        written = await write_change(client, read, mutate)
        same = head_of(written).resource_version == head_of(read).resource_version
        return CreateOrUpdateResult(written, "unchanged" if same else "updated")

    return await retry_on_conflict(attempt, clock=clock)


async def _create(client: ResourceClient[T], manifest: Json, change: MutateFn) -> T:
    new = manifest_of(manifest)
    if client.namespace:
        new["metadata"]["namespace"] = client.namespace
    wanted, _ = apply_mutation(new, change)
    try:
        created = await client.create(wanted)
    except AlreadyExists as error:
        raise Conflict(error.status) from error  # read what somebody else has created meanwhile
    return await with_status(client, created, wanted, wanted)
