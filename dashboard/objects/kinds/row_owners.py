"""Owners of an object, as its row names them."""

from __future__ import annotations

from dashboard.objects.kinds.catalog import builtin_group
from dashboard.objects.kinds.row import Owner, Row


def owner_references(row: Row) -> tuple[Owner, ...]:
    """All owners, each once, the controller first."""
    if not row.owners:
        return (_only_owner(*row.owner),) if row.owner is not None else ()
    references: dict[str, Owner] = {}
    for owner in sorted(row.owners, key=lambda owner: not owner.is_controller):
        references.setdefault(owner.uid, owner)
    return tuple(references.values())


def main_owner(row: Row) -> Owner | None:
    """Its controller; without a controller, its only owner. That is `row.owner`, with its API group."""
    references = owner_references(row)
    return references[0] if references and (references[0].is_controller or len(references) == 1) else None


def owner_uids(row: Row) -> tuple[str, ...]:
    """The uids of all owners, in no order, possibly repeated."""
    if row.owners:
        return tuple([owner.uid for owner in row.owners])
    return (row.owner[2],) if row.owner is not None else ()


def blocks_owner_deletion(row: Row, uid: str) -> bool:
    """Whether the owner of this uid waits for the object when it is deleted in the foreground."""
    return not row.owners or any(owner.blocks_owner_deletion for owner in row.owners if owner.uid == uid)


def can_own(owner: Row, row: Row) -> bool:
    """Whether `owner`, which `row` names, can own it: a namespaced object owns objects in its own namespace only.

    For any other reference the garbage collector treats the owner as missing.
    """
    return owner.namespace in ("", row.namespace)


def _only_owner(kind: str, name: str, uid: str) -> Owner:
    """The owner of a row that does not list its owners."""
    return Owner(builtin_group(kind) or "", kind, name, uid, is_controller=True, blocks_owner_deletion=True)
