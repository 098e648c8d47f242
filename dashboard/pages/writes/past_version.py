"""Version of an object from history, with which an editor starts. It goes through review like any edit."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.access.rights import RIGHTS
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.moments.at_parameter import BadMoment, format_at, parse_at
from dashboard.live.moments.moments import MOMENTS
from dashboard.objects.fields.field_access import Value
from dashboard.objects.problems.write_refusal import Problem, Refusal
from dashboard.pages.writes.recorded_write import NO_HISTORY, NO_SECRETS, NotRecorded, recorded_object
from dashboard.pages.writes.target import Target
from dashboard.runtime.app_state import CLOCK, AppState

NOT_RESTORED = "The version is not restored"


@dataclass(frozen=True, slots=True)
class PastVersion:
    """An object as it was."""

    value: dict[str, Value]
    at: str
    """RFC 3339 of the moment."""


async def read_past_version(state: AppState, target: Target, text: str) -> PastVersion | Refusal:
    """The version of `target` at the moment that `text` names, or why it cannot be restored."""
    kind = target.kind
    if kind.is_secret_kind:
        return _refusal(422, NO_SECRETS)
    moments = state[MOMENTS]
    if moments is None:
        return _refusal(404, NO_HISTORY)
    try:
        at = parse_at(text, state[CLOCK].time())
    except BadMoment as error:
        return _refusal(400, str(error))
    found: bytes | None = None
    if state[RIGHTS].scope_of(kind.key).includes(target.namespace, target.name):
        try:
            found = await moments.object_at(kind.key, target.namespace, target.name, at)
        except HistoryUnavailable as error:
            return _refusal(503, f"History cannot be read: {error}. Try again in a moment.")
    if found is None:
        return _refusal(404, f"History has no {kind.singular} of this name at {format_at(at)}.")
    try:
        return PastVersion(recorded_object(kind, found), format_at(at))
    except NotRecorded as error:
        return _refusal(422, str(error))


def _refusal(code: int, words: str) -> Refusal:
    return Refusal((Problem(f"{words} The editor shows what is there without it."),), code, NOT_RESTORED)
