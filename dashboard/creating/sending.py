"""The one request that makes an object; and, where no clear answer came to it, what reading tells of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.authors.pen import Pen
from dashboard.edits.again import holds
from dashboard.edits.beside import AS_REVIEWED, Beside, Otherwise, beside, otherwise
from dashboard.edits.editable import Target, editable
from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import Value
from dashboard.edits.problems import Refusal, doubted, refusal_of, unanswered
from dashboard.repeats import NONE, UNREAD, is_unanswered
from informerd.errors import AlreadyExists, InformerdError, NotFound
from informerd.rest.client import Client

MAYBE = "It may or may not be made"
_UNREAD = "Whether it was made is not known yet: it cannot be asked for at the moment."
NAMELESS = (
    "Whether it was made is not known: the API server makes up its name, so it cannot be asked for, and making it once "
    "more could make two. Look into the list of its kind, and review again only if it is not there."
)


@dataclass(frozen=True, slots=True)
class Made:
    """The API server has made it."""

    target: Target
    warnings: tuple[str, ...] = ()
    read: bool = False
    """Whether no clear answer came, and reading the object showed it."""
    otherwise: Otherwise = AS_REVIEWED


@dataclass(frozen=True, slots=True)
class Taken:
    """There is one of this name already. Nothing was written."""

    target: Target
    is_going: bool = False
    """Whether it is being deleted."""


async def make(
    client: Client,
    target: Target,
    sent: dict[str, Value],
    *,
    lost: str = "",
    seen: Beside | None = None,
    pen: Pen | None = None,
) -> Made | Taken | Refusal:
    """Make the object `sent`; never on top of one that exists.

    `lost` (repeats.LOST): no clear answer came before: it may be there, or somebody may have deleted it. A refusal says
    after how long it may be sent again by itself: not where the API server makes up the name, which could make two.
    `seen`: what a review showed beside what is sent. `pen` puts a name to it.
    """
    found = await _after_lost(client, target, sent, lost) if lost and target.name else None
    if found is not None:
        return found
    try:
        stored = await Exchange(client, target, pen=pen).create(sent, dry_run=False)
    except AlreadyExists as error:
        found = await _after_lost(client, target, sent, UNREAD) if lost and target.name else None
        return found or Taken(target, is_going(error))
    except InformerdError as error:
        if is_unanswered(error):
            return await _found_out(client, target, sent, error)
        refusal = refusal_of(error)
        return refusal if target.name else replace(refusal, again_after=None)
    made = replace(target, name=str(stored.value["metadata"]["name"]))
    return Made(made, stored.warnings, otherwise=otherwise(seen, beside(sent, stored.value)))


def is_going(error: AlreadyExists) -> bool:
    """Whether the object of the same name is being deleted (apiserver's registry/generic: Store.Create)."""
    return str(error).startswith("object is being deleted")


async def _after_lost(client: Client, target: Target, sent: dict[str, Value], lost: str) -> Made | Refusal | None:
    """What reading tells of a creation that got no clear answer before; None where it may be sent once more."""
    try:
        now = editable(await Exchange(client, target).read())
    except NotFound:
        if lost == NONE:
            return None
        words = f"There is no {target.words}: it was not made, or it was and somebody deleted it. Review it again."
        return doubted(MAYBE, words)
    except InformerdError as error:
        return replace(unanswered(error, MAYBE, _UNREAD, unread=True), trace=lost)
    return Made(target, read=True) if holds(now, sent) else doubted(MAYBE, _another(target))


async def _found_out(client: Client, target: Target, sent: dict[str, Value], error: InformerdError) -> Made | Refusal:
    """After a creation without a clear answer: look whether there is one of that name, with all that was sent."""
    if not target.name:
        return unanswered(error, MAYBE, NAMELESS, repeatable=False)
    try:
        now = editable(await Exchange(client, target).read())
    except NotFound:
        words = "The API server was asked: there is no object of this name, so nothing was made."
        return replace(unanswered(error, "It was not made", words), trace=NONE)
    except InformerdError:
        return unanswered(error, MAYBE, _UNREAD, unread=True)
    return Made(target, read=True) if holds(now, sent) else unanswered(error, MAYBE, _another(target), repeatable=False)


def _another(target: Target) -> str:
    return f"There is a {target.words} now; whether it was made from your text is not known. A review tells more."
