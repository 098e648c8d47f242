"""What a run does to each of its objects, as the runner sees it; dashboard.bulk.attempt does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from dashboard.bulk.order import Order
from dashboard.bulk.run import Group, Item, ItemState
from dashboard.drafts.draft import Whose
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

_NOT_KNOWN = "Whether it was stored is not known. Trying it again is safe: it cannot be done twice."


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a dry run."""

    item: Item
    group: Group | None = None
    """What would become of it; None where nothing would."""


class Work(Protocol):
    """Both raise InformerdError only where the same can be tried again: it may do better later."""

    async def try_out(self, item: Item) -> Tried:
        """Ask the API server what would become of it."""

    async def write(self, item: Item) -> Item:
        """Do it on top of what was reviewed. Where it raises, it may be done all the same."""


WorkOf = Callable[[Client, Resource, Order, Whose], Work]
"""What is done for whoever began the run."""


def ended(item: Item, state: ItemState, words: str = "", said: str = "") -> Item:
    """The item with what became of it."""
    return msgspec.structs.replace(item, state=state, words=words, said=said, sent=False)


def unsure(item: Item) -> Item:
    """The item that was sent, of which nobody waits for the answer any more."""
    return ended(item, "failed", _NOT_KNOWN)


def unknown(item: Item, error: InformerdError) -> Item:
    """The item of which no try has been answered."""
    if item.state == "waiting":
        return ended(item, "refused", "The API server did not say whether this could be done.", str(error))
    return ended(item, "failed", _NOT_KNOWN if item.sent else "The API server did not take it.", str(error))
