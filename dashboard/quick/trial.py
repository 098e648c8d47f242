"""What the API server would store (dry run), so that a write is seen before it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.edits.diff import Change, changes
from dashboard.edits.editable import editable, fingerprint
from dashboard.edits.exchange import Exchange, Stored
from dashboard.edits.fields import ABSENT, Value, same
from dashboard.quick.action import Action, State
from dashboard.quick.commands import nested
from informerd.errors import BadRequest


@dataclass(frozen=True, slots=True)
class Trial:
    """What would become of an object, or became of it."""

    wanted: Value
    stored: Value
    """What the field would be."""
    changes: tuple[Change, ...]
    """Of the whole object; `by_server` marks what was not asked for."""
    warnings: tuple[str, ...] = ()
    untried: str = ""
    """Why it could not be tried out, in the API server's words: some webhooks know no dry run."""

    @property
    def as_wanted(self) -> bool:
        """Whether the field would be what was asked for."""
        return same(self.stored, self.wanted)

    @property
    def others(self) -> tuple[Change, ...]:
        """What the API server would change that was not asked for."""
        return tuple(change for change in self.changes if change.by_server)

    @property
    def surprise(self) -> str:
        """Fingerprint of all that asking for the value does not say by itself; empty where there is nothing.

        Of other fields it has which they are, and not their values: a rule that stamps a time or an id gives another
        one with every dry run, and nobody could ever have seen the one that is stored.
        """
        if self.as_wanted and not (self.others or self.warnings or self.untried):
            return ""
        found = [[list(each.path), each.was is ABSENT, each.now is ABSENT] for each in self.others]
        return fingerprint([found, list(self.warnings), self.untried, self.as_wanted or [self.stored]])


async def try_out(action: Action, exchange: Exchange, state: State, wanted: Value) -> Trial:
    """Ask for a dry run on top of that very state. Raises as a write does."""
    try:
        stored = await sent(action, exchange, state, wanted, dry_run=True)
    except BadRequest as error:
        if "does not support dry run" not in str(error):  # apiserver's admission/plugin/webhook/errors
            raise
        return Trial(wanted, wanted, (Change(state.path, state.value, wanted),), untried=str(error))
    return compared(state, wanted, stored)


async def sent(action: Action, exchange: Exchange, state: State, wanted: Value, *, dry_run: bool) -> Stored:
    """The one request of an action."""
    change = nested(state.path, wanted)
    return await exchange.patch(change, state.uid, state.version, dry_run=dry_run, subresource=action.subresource)


def compared(state: State, wanted: Value, stored: Stored) -> Trial:
    """What the API server said that it stored, or would."""
    found = changes(editable(state.live), editable(stored.value))
    marked = (replace(_worded(state, each), by_server=not _is_asked(state, wanted, each)) for each in found)
    return Trial(wanted, replace(state, live=stored.value).value, tuple(marked), stored.warnings)


def _worded(state: State, change: Change) -> Change:
    """A field that is left out where it is 0 or false changes to that: to say that it is removed would mislead."""
    if change.path != state.path or state.unset is ABSENT:
        return change
    was, now = (state.unset if value is ABSENT else value for value in (change.was, change.now))
    return replace(change, was=was, now=now)


def _is_asked(state: State, wanted: Value, change: Change) -> bool:
    now = state.unset if change.now is ABSENT else change.now
    return change.path == state.path and same(None if now is ABSENT else now, wanted)
