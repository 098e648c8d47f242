"""Draft store in Django's database, so that drafts outlive browsers and servers.

A tab that opens an editor starts a draft, and a page that resumes it takes it over. Of a tab's saves the one with the
highest number counts, in whatever order they come. A tab whose draft another tab has written to meanwhile gets a draft
of its own: neither text is lost.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Length

from dashboard.access.identity import Identity
from dashboard.pages.drafts.draft import Content, Draft, Save, SaveResult, Subject
from dashboard.pages.drafts.models import KeptDraft
from dashboard.runtime.app_state import Key
from dashboard.runtime.database_executor import DatabaseExecutor, Unavailable
from informerd.clock import Clock

__all__ = [
    "MAX_CHARACTERS_PER_PERSON",
    "MAX_PER_BROWSER",
    "MAX_PER_PERSON",
    "MIN_EVICTION_AGE",
    "RETENTION",
    "DraftLimitReached",
    "DraftStore",
    "Unavailable",
    "new_key",
]

RETENTION = timedelta(days=14)
"""Lifetime after the last save."""
MAX_PER_BROWSER = 50
"""Most drafts of one user in one browser."""
MAX_PER_PERSON = 5_000
"""Most drafts of one user in all browsers; without a sign-in all users count as one, since browser ids are free."""
MAX_CHARACTERS_PER_PERSON = 256 * 1024 * 1024
"""Most characters of one user's drafts in all browsers, the texts that the edits began with included."""
_LONG = 64 * 1024
"""Characters of a save from which on those of all others are summed: shorter ones are limited by their number."""
MIN_EVICTION_AGE = timedelta(days=1)
"""Time after its last save in which a draft is not replaced by another browser's."""
_TRIES = 3
_TEXTS = ("text", "fields", "base")
_BASE = ("base_uid", "base_version", "base")


class DraftLimitReached(Exception):
    """There are MAX_PER_BROWSER drafts already, or as many or as long ones of this user as there may be.

    The message says which, as sentences.

    A user's drafts are never deleted automatically. Without a sign-in nobody could delete another browser's drafts:
    above MAX_PER_PERSON its oldest one is replaced, unless it was saved recently.
    """


def new_key() -> str:
    """An unguessable key for a draft or a tab."""
    return secrets.token_hex(16)


class DraftStore:
    """Store of all drafts. Every method raises Unavailable where the database cannot be used. A draft is
    visible to its owner only.
    """

    def __init__(self, clock: Clock, database: DatabaseExecutor | None = None) -> None:
        self._clock = clock
        self._database = database or DatabaseExecutor(clock)

    async def keep(self, identity: Identity, subject: Subject, content: Content, save: Save) -> SaveResult:
        """Store the content of one save, unless a newer one of the same tab has come. Raises DraftLimitReached where
        there is no room.
        """
        return await self._database.ask(_keep, identity, subject, content, save, self._now())

    async def find(self, identity: Identity, key: str) -> Draft | None:
        """The draft `key`; None where it does not exist or has another owner."""
        return await self._database.ask(_find, identity, key, self._now())

    async def for_subject(self, identity: Identity, subject: Subject) -> tuple[Draft, ...]:
        """The drafts of an object, or of a kind's new objects, newest first and without their texts."""
        return await self._database.ask(_about, identity, subject, self._now())

    async def all(self, identity: Identity) -> tuple[Draft, ...]:
        """Every draft of the owner, newest first and without its text."""
        return await self._database.ask(_all, identity, self._now())

    async def count(self, identity: Identity) -> int:
        return await self._database.ask(_count, identity, self._now())

    async def end(self, identity: Identity, keys: Iterable[str]) -> None:
        """Delete the texts of saved or discarded drafts; late saves do not bring them back."""
        await self._database.ask(_end, identity, tuple(keys))

    async def discard(self, identity: Identity, subject: Subject, key: str) -> None:
        """End one draft whose first save may still be on its way: that stores nothing either."""
        await self._database.ask(_discard, identity, subject, key, self._now())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)


DRAFTS: Key[DraftStore] = Key("drafts")


def _owned_by(alias: str, identity: Identity) -> QuerySet[KeptDraft]:
    return KeptDraft.objects.using(alias).filter(owner=identity.owner, browser=identity.browser)


def _current(alias: str, identity: Identity, now: datetime) -> QuerySet[KeptDraft]:
    return _owned_by(alias, identity).filter(over=False, kept__gt=now - RETENTION).order_by("-kept", "-pk")


def _same_subject(drafts: QuerySet[KeptDraft], subject: Subject) -> QuerySet[KeptDraft]:
    """Drafts of new objects belong together, whatever namespace their page started with."""
    where = {"resource": subject.resource, "name": subject.name}
    return drafts.filter(**where) if subject.is_new else drafts.filter(**where, namespace=subject.namespace)


def _keep(alias: str, identity: Identity, subject: Subject, content: Content, save: Save, now: datetime) -> SaveResult:
    _check_characters(alias, identity, content, save, now)
    for _ in range(_TRIES):
        result = _try_to_keep(alias, identity, subject, content, save, now)
        if result is not None:
            others = _same_subject(_current(alias, identity, now), subject).exclude(key=result.draft)
            number = 0 if subject.is_new else others.count()
            return SaveResult(result.draft, result.number, result.is_fork, result.is_late, number)
    return SaveResult(save.draft, save.number, is_late=True)


def _try_to_keep(
    alias: str, identity: Identity, subject: Subject, content: Content, save: Save, now: datetime
) -> SaveResult | None:
    """Try to store a save. Each step is one statement, so that two concurrent saves cannot both win; None: the other
    one won, look again.
    """
    own = _owned_by(alias, identity).filter(key=save.draft)
    newer = Q(tab=save.tab, number__lt=save.number) | (~Q(tab=save.tab) & Q(number__lte=save.base_number))
    same_base = {} if content.base else {"base_version": content.base_version}
    if own.filter(newer, over=False, **same_base).update(**_columns_of(content, save.tab, save.number, now)):
        return SaveResult(save.draft, save.number)
    there = own.values_list("tab", "number", "over").first()
    if there is None:
        return _start_draft(alias, identity, subject, content, save, now)
    tab, number, over = there
    if over and not save.by_button:
        return SaveResult(save.draft, number, is_late=True)
    if over or tab != save.tab:
        began = own.values(*_BASE)[0]
        if not content.base and began["base_version"] != content.base_version:
            return SaveResult(
                save.draft, number, is_late=True
            )  # the base here is another tab's: this one has to send its own
        content = content if content.base else replace(content, **began)
        begun = _start_draft(alias, identity, subject, content, Save(new_key(), save.tab, 0, save.number), now)
        return begun and SaveResult(begun.draft, begun.number, is_fork=not over)
    if not save.by_button:
        return SaveResult(save.draft, number, is_late=True)
    if own.filter(tab=tab, number=number, over=False).update(**_columns_of(content, tab, number + 1, now)):
        return SaveResult(save.draft, number + 1)
    return None


def _start_draft(
    alias: str, identity: Identity, subject: Subject, content: Content, save: Save, now: datetime
) -> SaveResult | None:
    KeptDraft.objects.using(alias).filter(kept__lte=now - RETENTION).delete()
    if _current(alias, identity, now).count() >= MAX_PER_BROWSER:
        raise DraftLimitReached(f"this browser has {MAX_PER_BROWSER} already. Throw some away, or save them.")
    _make_room(alias, identity, now)
    try:
        KeptDraft.objects.using(alias).create(
            key=save.draft,
            owner=identity.owner,
            browser=identity.browser,
            resource=subject.resource,
            namespace=subject.namespace,
            name=subject.name,
            made=now,
            **{"base": "", **_columns_of(content, save.tab, save.number, now)},
        )
    except IntegrityError:
        if (
            KeptDraft.objects.using(alias)
            .filter(key=save.draft)
            .exclude(owner=identity.owner, browser=identity.browser)
        ):
            return _start_draft(alias, identity, subject, content, Save(new_key(), save.tab, 0, save.number), now)
        return None
    return SaveResult(save.draft, save.number)


def _check_characters(alias: str, identity: Identity, content: Content, save: Save, now: datetime) -> None:
    """Raise DraftLimitReached where a long text finds no room among the user's other drafts."""
    size = len(content.text) + len(content.base)
    if size < _LONG:
        return
    theirs = KeptDraft.objects.using(alias).filter(owner=identity.owner, over=False, kept__gt=now - RETENTION)
    used = theirs.exclude(key=save.draft).aggregate(used=Sum(Length("text") + Length("base")))["used"] or 0
    if used + size > MAX_CHARACTERS_PER_PERSON:
        whose = "all your drafts" if identity.owner else "the drafts of all browsers here"
        raise DraftLimitReached(f"{whose} together are as long as they may be. Throw some away, or save them.")


def _make_room(alias: str, identity: Identity, now: datetime) -> None:
    theirs = KeptDraft.objects.using(alias).filter(owner=identity.owner, over=False)
    if theirs.count() < MAX_PER_PERSON:
        return
    if identity.owner:
        raise DraftLimitReached(f"all your browsers have {MAX_PER_PERSON:,} already. Throw some away, or save them.")
    others = theirs.filter(kept__lte=now - MIN_EVICTION_AGE).exclude(browser=identity.browser).order_by("kept", "pk")
    oldest = others.values_list("pk", flat=True).first()
    if oldest is None:
        words = f"all browsers here have {MAX_PER_PERSON:,} already, of which none is older than a day."
        raise DraftLimitReached(f"{words} Save it, or keep a copy elsewhere.")
    theirs.filter(pk=oldest).delete()


def _columns_of(content: Content, tab: str, number: int, now: datetime) -> dict[str, Any]:
    base = {name: getattr(content, name) for name in _BASE}
    return {
        "text": content.text,
        "fields": [list(pair) for pair in content.fields],
        "tab": tab,
        "number": number,
        "kept": now,
        **(base if content.base else {}),
    }


def _find(alias: str, identity: Identity, key: str, now: datetime) -> Draft | None:
    return next(map(_draft, _current(alias, identity, now).filter(key=key)), None)


def _about(alias: str, identity: Identity, subject: Subject, now: datetime) -> tuple[Draft, ...]:
    return tuple(map(_without_text, _same_subject(_current(alias, identity, now), subject).defer(*_TEXTS)))


def _all(alias: str, identity: Identity, now: datetime) -> tuple[Draft, ...]:
    return tuple(map(_without_text, _current(alias, identity, now).defer(*_TEXTS)))


def _count(alias: str, identity: Identity, now: datetime) -> int:
    return _current(alias, identity, now).count()


def _end(alias: str, identity: Identity, keys: tuple[str, ...]) -> None:
    _owned_by(alias, identity).filter(key__in=keys).update(over=True, text="", base="", fields=[])


def _discard(alias: str, identity: Identity, subject: Subject, key: str, now: datetime) -> None:
    nothing = {"text": "", "base": "", "base_uid": "", "base_version": "", "tab": "", "number": 0}
    where = {"resource": subject.resource, "namespace": subject.namespace, "name": subject.name}
    whole = {"owner": identity.owner, "browser": identity.browser, "made": now, "kept": now, "over": True}
    with suppress(IntegrityError):  # it is kept already, or was while this looked
        KeptDraft.objects.using(alias).create(key=key, **where, **whole, **nothing)
    _end(alias, identity, (key,))


def _draft(row: KeptDraft) -> Draft:
    fields = tuple((str(name), str(value)) for name, value in row.fields)
    return replace(_without_text(row), content=Content(row.text, fields, row.base_uid, row.base_version, row.base))


def _without_text(row: KeptDraft) -> Draft:
    """Drafts without their texts, which may be long."""
    subject = Subject(row.resource, row.namespace, row.name)
    return Draft(row.key, subject, Content("", base_uid=row.base_uid), row.number, row.made, row.kept)
