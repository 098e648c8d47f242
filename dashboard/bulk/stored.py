"""What was stored otherwise than the dry run of a run had it: a policy or webhook may tell the two apart.

That it was is known by a fingerprint that each object of the run carries. What it is, is found by comparing with the
very version that was reviewed, which the API server still has for some minutes (etcd compacts every five).
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.bulk.run import Item
from dashboard.edits.beside import otherwise
from dashboard.edits.diff import Change, changes
from dashboard.edits.editable import editable, fingerprint
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import ABSENT, Value

MOST_SEEN = 40
"""Fields of a change whose values are remembered."""
_DIGEST = 12
UNKNOWN = "Not all is as reviewed, and what the API server stored otherwise could not be found out."


def print_of(stored: dict[str, Value]) -> str:
    """Tells whether two objects are stored alike, beside their status and what only the API server writes."""
    return fingerprint(editable(stored))[: 2 * _DIGEST]


def seen_in(found: Sequence[Change]) -> tuple[tuple[str, str], ...]:
    """Each field that changed with a digest of what it is now; nothing where they are very many."""
    if len(found) > MOST_SEEN:
        return ()
    return tuple((each.field, "" if each.now is ABSENT else fingerprint(each.now)[:_DIGEST]) for each in found)


async def stored_otherwise(exchange: Exchange, item: Item, stored: dict[str, Value]) -> str:
    """What is, in sentences; empty where it is as reviewed, or where nobody knows what was."""
    if not item.stored or print_of(stored) == item.stored:
        return ""
    was = await exchange.read_version(item.version) if item.seen else None
    if was is None:
        return UNKNOWN
    made = seen_in(changes(editable(was), editable(stored)))
    return (otherwise(dict(item.seen), dict(made)).words if made else "") or UNKNOWN
