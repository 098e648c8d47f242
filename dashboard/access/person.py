"""Somebody who is signed in, as the API server knows them: name, groups and uid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from dashboard.runtime.app_state import scope_of

PERSON_KEY = "deltaboard.person"
"""Key of the ASGI scope for the person."""
MAX_NAME_LENGTH = 254
"""Maximum characters of a name: the columns of the database that name owners are no longer."""
MAX_GROUP_LENGTH = 1_000
MAX_GROUPS = 2_000
"""Maximum number of groups: each request to the API server has all of them, and it reads a megabyte of headers."""
RESERVED_PREFIX = "system:"
"""Names of Kubernetes' own users and groups begin with it; no sign-in may give them to anybody."""


class PersonRefused(ValueError):
    """A name or group that nobody may sign in with; the message is a sentence for them."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks. The name is empty without sign-in: then Deltaboard acts with the rights of its own account.

    `checked_person` makes one of what a proxy or provider says.
    """

    name: str = ""
    groups: tuple[str, ...] = ()
    """Sorted, each once."""
    uid: str = ""


NOBODY = Person()


def checked_person(name: str, groups: Iterable[str] = (), uid: str = "") -> Person:
    """The person of this name. Raises PersonRefused where the API server would take the name, a group or the uid for
    another one, or must not be told it.
    """
    _check("user's name", name, MAX_NAME_LENGTH)
    named = sorted(set(groups))
    if len(named) > MAX_GROUPS:
        raise PersonRefused(
            f"{_short(name)} is in {len(named)} groups, but Deltaboard passes on {MAX_GROUPS} at most. "
            "Let the sign-in name only the groups that have rights in the cluster."
        )
    for group in named:
        _check("group", group, MAX_GROUP_LENGTH)
    if uid:
        _check("user's id", uid, MAX_NAME_LENGTH, is_reserved=False)
    return Person(name, tuple(named), uid)


def stored_person(person: Person | None, name: str) -> Person:
    """The person of a record in the database, which others may have written; `name` where it has none of its own.

    NOBODY where nobody could have signed in as that.
    """
    person = person if person is not None else Person(name)
    try:
        return checked_person(person.name, person.groups, person.uid) if person.name else NOBODY
    except PersonRefused:
        return NOBODY


def _check(what: str, text: str, longest: int, *, is_reserved: bool = True) -> None:
    if not text:
        raise PersonRefused(f"The {what} is empty, so Deltaboard does not know who asks.")
    if len(text) > longest:
        raise PersonRefused(
            f"The {what} {_short(text)} has {len(text)} characters, but Deltaboard stores {longest} at most. "
            "Let the sign-in send a shorter one."
        )
    if not text.isprintable() or text != text.strip():
        raise PersonRefused(
            f"The {what} {_short(text)} begins or ends with a space, or has characters that cannot be printed. "
            "The cluster would take it for another one, so it cannot be used."
        )
    if is_reserved and text.casefold().startswith(RESERVED_PREFIX):
        raise PersonRefused(
            f"The {what} {_short(text)} begins with “{RESERVED_PREFIX}”. Kubernetes keeps such names for itself, "
            "so nobody can sign in with one."
        )


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def person_of(carrier: HttpRequest | Mapping[str, Any]) -> Person:
    """The person of a request or an ASGI scope; NOBODY without sign-in."""
    person: Person = scope_of(carrier).get(PERSON_KEY, NOBODY)
    return person
