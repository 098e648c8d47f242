"""Bulk run as data: the operation, the progress, and the result of each object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from dashboard.access.identity import Identity
from dashboard.live.rendering.time_texts import rfc3339
from dashboard.objects.fields.text_limit import limit_text
from dashboard.pages.bulk.list_items_in_patch import NamedItem
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.layout.shown_moment import undo_query
from dashboard.pages.writes.workload_effects import Effect
from informerd.errors import InformerdError
from informerd.resource import Resource
from informerd.rest.client import Client

MAX_ITEMS = 10_000
"""Most objects in a run."""
MAX_MESSAGE = 2_000
"""Most characters of a message about an object: a webhook may give each of MAX_ITEMS objects a long one."""
HEARTBEAT_TIMEOUT = 15.0
"""Seconds without a beat after which the process that ran it counts as ended."""

RunState = Literal["choosing", "trying", "review", "running", "cancelled", "done"]
"""choosing: no operation yet · trying: dry runs · review: the user checks the results · running: writes."""
ACTIVE_STATES: frozenset[RunState] = frozenset({"trying", "running"})
ENDED_STATES: frozenset[RunState] = frozenset({"done", "cancelled"})
UNBEGUN_STATES: frozenset[RunState] = frozenset({"choosing", "review"})
"""States of a run that was never begun, unless some objects are written."""
ItemState = Literal["waiting", "tried", "same", "done", "changed", "refused", "failed", "gone"]
"""waiting: not tried · tried: its dry run was accepted, it is to be written · same: nothing would change · changed:
changed by others after the review, or since the run that is undone · refused: the dry run was · failed: the write
was · gone: deleted.
"""


class UndoneWrite(msgspec.Struct, frozen=True, array_like=True):
    """What another run did to an object, which an undo reverses."""

    uid: str
    version: str
    """resourceVersion on top of which it was written, or deleted."""
    stored_version: str
    """resourceVersion that the write made; empty for a deletion, and where no answer told it."""


class Item(msgspec.Struct, frozen=True, array_like=True):
    """One object. `uid` and `version` are those of the reviewed state."""

    namespace: str
    name: str
    uid: str
    state: ItemState = "waiting"
    version: str = ""
    fingerprint: str = ""
    """Fingerprint of the reviewed difference, or of the object to be deleted."""
    group: int = -1
    """Index of its group in the run."""
    words: str = ""
    said: str = ""
    """The API server's own message."""
    is_unconfirmed: bool = False
    """Whether a write was sent whose answer is unknown."""
    effects: tuple[Effect, ...] = ()
    """Effects of its change, on pods and otherwise."""
    stored_fingerprint: str = ""
    """Fingerprint of the object that the dry run would have stored."""
    field_digests: tuple[tuple[str, str], ...] = ()
    """The fields that the dry run changed, with a digest of each value; none for a change of very many fields."""
    stored_version: str = ""
    """resourceVersion that the write made; empty for a deletion, and where no answer told it."""
    undone: UndoneWrite | None = None

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def subpage(self) -> str:
        """End of the address that links lead to: of an undo, the object's versions where it is gone, and the editor
        with this undo where somebody has changed the same. Empty: its details.
        """
        undone = self.undone
        if undone is None or self.state == "done":
            return ""
        if self.state == "changed":
            is_write = undone.version and undone.stored_version
            return f"edit/?{undo_query(undone.stored_version, undone.version)}" if is_write else ""
        return "" if undone.stored_version else "history/"


class DiffItem(msgspec.Struct, frozen=True, array_like=True):
    """An item of a list, or a change in one."""

    how: Literal["gone", "new", "changed", "moved", "kept", "more"]
    text: str
    was_text: str = ""
    now_text: str = ""


class DiffField(msgspec.Struct, frozen=True, array_like=True):
    """One field of a difference, with the names of writes/_changes.html."""

    field: str
    was_text: str
    now_text: str
    by_server: bool = False
    pieces: tuple[DiffItem, ...] = ()
    """Of a list: its items. `now_text` then has the numbers of removed, added and unchanged items."""


class ChangeGroup(msgspec.Struct, frozen=True, array_like=True):
    """Objects with the same change."""

    fingerprint: str = ""
    """Fingerprint of the difference, which distinguishes changes that the shown texts do not."""
    words: str = ""
    """Consequences of a deletion."""
    fields: tuple[DiffField, ...] = ()
    warnings: tuple[str, ...] = ()
    named_items: tuple[NamedItem, ...] = ()
    """New or changed list items that the patch names."""
    more: int = 0
    """Number of further fields, not in `fields`."""
    title: str = ""
    """Facts about a deletion that the objects share: finalizers hold them, or controllers may replace them."""
    more_added_count: int = 0
    """Number of further added items, not in `named_items`."""


class Run(msgspec.Struct, frozen=True):
    """One run, as stored in the table, without its objects and groups."""

    key: str
    resource: Resource
    order: BulkOperation | None
    state: RunState
    total: int
    counts: dict[str, int]
    """Number of objects by ItemState."""
    wish: str
    """The user's request: pause, go, cancel."""
    heard: str
    """The request that the runner has acted on."""
    words: str
    """Why it cannot continue, as a sentence."""
    rate: float
    """Objects a second."""
    back: str
    """Address of the list in which it started."""
    matching: bool
    """Whether it covers all objects that matched the filter at its start, and not selected rows."""
    owner: str
    browser: str
    runner: str
    made: float
    """Unix seconds, like `beat`."""
    beat: float
    is_newer: bool = False
    """Whether a newer version stored it, with words that this one does not know: then it has no `order`, and is left as
    it is.
    """

    @property
    def identity(self) -> Identity:
        """The user who started it."""
        return Identity(self.owner, self.browser)

    @property
    def href(self) -> str:
        return self._href_of(self.key)

    @property
    def undone_href(self) -> str:
        """Address of the run that this one undoes; empty where it undoes none."""
        return self._href_of(self.order.undo.key) if self.order is not None and self.order.undo is not None else ""

    def _href_of(self, key: str) -> str:
        return f"/resources/{self.resource.key}/bulk/{key}/"

    @property
    def created_at(self) -> str:
        return rfc3339(self.made)

    @property
    def last_heartbeat(self) -> str:
        return rfc3339(self.beat)

    @property
    def written_count(self) -> int:
        return self.counts.get("done", 0)

    @property
    def can_choose_again(self) -> bool:
        """Whether the operation can be chosen again: nothing is written yet."""
        return self.state in UNBEGUN_STATES and not self.written_count

    @property
    def can_undo(self) -> bool:
        """Whether it has ended and something was written."""
        return self.state in ENDED_STATES and bool(self.written_count)

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE_STATES

    @property
    def is_paused(self) -> bool:
        return self.is_active and self.heard == "pause"

    @property
    def pending_request(self) -> str:
        """The request that the runner has not received yet."""
        return self.wish if self.is_active and self.wish != self.heard else ""

    @property
    def remaining_count(self) -> int:
        """Number of objects that the phase has not reached."""
        return self.counts.get("waiting" if self.state == "trying" else "tried", 0)

    @property
    def processed_count(self) -> int:
        return self.total - self.remaining_count

    def lost(self, now: float) -> bool:
        """Whether the process that ran it ended before it did."""
        return self.is_active and now - self.beat > HEARTBEAT_TIMEOUT


def count_by_state(items: Iterable[Item]) -> dict[str, int]:
    return dict(Counter(item.state for item in items))


_NOT_KNOWN = "It is not known whether it was stored. A retry is safe: it cannot happen twice."


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """Result of a dry run."""

    item: Item
    group: ChangeGroup | None = None
    """The change; None where there would be none."""


class ItemExecutor(Protocol):
    """Executor of single objects. Its methods raise InformerdError only where a retry can succeed."""

    async def dry_run(self, item: Item) -> DryRunResult:
        """Send a dry run to the API server."""

    async def write(self, item: Item) -> Item:
        """Write it on top of the reviewed state. After an error, it may be written all the same."""


ExecutorFactory = Callable[[Client, Resource, BulkOperation, Identity], ItemExecutor]
"""Executor for the user who started the run."""


def finish_item(item: Item, state: ItemState, message: str = "", server_message: str = "") -> Item:
    """The item with its result; messages are cut to MAX_MESSAGE characters."""
    words, said = limit_text(message, MAX_MESSAGE), limit_text(server_message, MAX_MESSAGE)
    return msgspec.structs.replace(item, state=state, words=words, said=said, is_unconfirmed=False)


def mark_unconfirmed(item: Item) -> Item:
    """The item of a sent write whose answer is not awaited any more."""
    return finish_item(item, "failed", _NOT_KNOWN)


def mark_unanswered(item: Item, error: InformerdError) -> Item:
    """The item without an answer to any try."""
    if item.state == "waiting":
        return finish_item(item, "refused", "The API server did not answer the dry run.", str(error))
    return finish_item(
        item, "failed", _NOT_KNOWN if item.is_unconfirmed else "The API server did not accept it.", str(error)
    )
