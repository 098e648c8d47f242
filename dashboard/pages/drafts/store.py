"""Where drafts are kept: Django's database, so that they outlive browsers and servers.

A draft is one run of writing: a tab that opens an editor begins one, and a page that goes on with it takes it over.
Of the saves of one tab the one with the highest number counts, in whatever order they come. A tab whose draft another
tab has written to meanwhile gets a draft of its own: neither text is lost.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet

from dashboard.drafts.database import Database, Unavailable
from dashboard.drafts.draft import Content, Draft, Kept, Save, Subject, Whose
from dashboard.drafts.models import KeptDraft
from informerd.clock import Clock

__all__ = ["KEPT_FOR", "MOST", "MOST_OF_ALL", "SPARED", "Full", "Shelf", "Unavailable", "new_key"]

KEPT_FOR = timedelta(days=14)
"""After the last save."""
MOST = 50
"""Drafts of one person in one browser."""
MOST_OF_ALL = 5_000
"""Drafts of one person in all browsers; without a sign-in everybody is that person. A new browser is easily made up."""
SPARED = timedelta(days=1)
"""After its last save no draft makes room for another browser's."""
_TRIES = 3
_TEXTS = ("text", "fields", "base")
_BASE = ("base_uid", "base_version", "base")


class Full(Exception):
    """There are MOST drafts already, or MOST_OF_ALL of this person; the message says which, as sentences.

    A person's are not thrown away unasked. Where nobody signs in there is no person who could: above MOST_OF_ALL the
    oldest of another browser makes room, though none that was written to within SPARED.
    """


def new_key() -> str:
    """Names a draft or a tab; nobody guesses it."""
    return secrets.token_hex(16)


class Shelf:
    """Every method raises Unavailable where the database cannot be used. Drafts are seen by whose they are only."""

    def __init__(self, clock: Clock, database: Database | None = None) -> None:
        self._clock = clock
        self._database = database or Database(clock)

    async def keep(self, whose: Whose, subject: Subject, content: Content, save: Save) -> Kept:
        """Keep what one save says, unless a newer one of the same tab has come. Raises Full."""
        return await self._database.ask(_keep, whose, subject, content, save, self._now())

    async def find(self, whose: Whose, key: str) -> Draft | None:
        """The draft `key`; None where there is none, or none of theirs."""
        return await self._database.ask(_find, whose, key, self._now())

    async def about(self, whose: Whose, subject: Subject) -> tuple[Draft, ...]:
        """The drafts of an object, or of a kind's new objects, newest first and without their texts."""
        return await self._database.ask(_about, whose, subject, self._now())

    async def all(self, whose: Whose) -> tuple[Draft, ...]:
        """Every draft, newest first and without its text."""
        return await self._database.ask(_all, whose, self._now())

    async def count(self, whose: Whose) -> int:
        return await self._database.ask(_count, whose, self._now())

    async def end(self, whose: Whose, keys: Iterable[str]) -> None:
        """Forget the texts of drafts that were saved or thrown away; late saves do not bring them back."""
        await self._database.ask(_end, whose, tuple(keys))

    async def discard(self, whose: Whose, subject: Subject, key: str) -> None:
        """The same of one, whose first save may still be on its way: that keeps nothing either."""
        await self._database.ask(_discard, whose, subject, key, self._now())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)


def _of(alias: str, whose: Whose) -> QuerySet[KeptDraft]:
    return KeptDraft.objects.using(alias).filter(owner=whose.owner, browser=whose.browser)


def _current(alias: str, whose: Whose, now: datetime) -> QuerySet[KeptDraft]:
    return _of(alias, whose).filter(over=False, kept__gt=now - KEPT_FOR).order_by("-kept", "-pk")


def _same_subject(drafts: QuerySet[KeptDraft], subject: Subject) -> QuerySet[KeptDraft]:
    """Drafts of new objects belong together whatever the namespace that their page began with."""
    where = {"resource": subject.resource, "name": subject.name}
    return drafts.filter(**where) if subject.is_new else drafts.filter(**where, namespace=subject.namespace)


def _keep(alias: str, whose: Whose, subject: Subject, content: Content, save: Save, now: datetime) -> Kept:
    for _ in range(_TRIES):
        kept = _try_to_keep(alias, whose, subject, content, save, now)
        if kept is not None:
            others = _same_subject(_current(alias, whose, now), subject).exclude(key=kept.draft)
            number = 0 if subject.is_new else others.count()
            return Kept(kept.draft, kept.number, kept.forked, kept.late, number)
    return Kept(save.draft, save.number, late=True)


def _try_to_keep(
    alias: str, whose: Whose, subject: Subject, content: Content, save: Save, now: datetime
) -> Kept | None:
    """Each step is one statement, so that two saves at once cannot both win; None: the other one did, look again."""
    own = _of(alias, whose).filter(key=save.draft)
    newer = Q(tab=save.tab, number__lt=save.number) | (~Q(tab=save.tab) & Q(number__lte=save.seen))
    same_base = {} if content.base else {"base_version": content.base_version}
    if own.filter(newer, over=False, **same_base).update(**_written(content, save.tab, save.number, now)):
        return Kept(save.draft, save.number)
    there = own.values_list("tab", "number", "over").first()
    if there is None:
        return _begin(alias, whose, subject, content, save, now)
    tab, number, over = there
    if over and not save.pressed:
        return Kept(save.draft, number, late=True)
    if over or tab != save.tab:
        began = own.values(*_BASE)[0]
        if not content.base and began["base_version"] != content.base_version:
            return Kept(save.draft, number, late=True)  # the base here is another tab's: this one has to send its own
        content = content if content.base else replace(content, **began)
        begun = _begin(alias, whose, subject, content, Save(new_key(), save.tab, 0, save.number), now)
        return begun and Kept(begun.draft, begun.number, forked=not over)
    if not save.pressed:
        return Kept(save.draft, number, late=True)
    if own.filter(tab=tab, number=number, over=False).update(**_written(content, tab, number + 1, now)):
        return Kept(save.draft, number + 1)
    return None


def _begin(alias: str, whose: Whose, subject: Subject, content: Content, save: Save, now: datetime) -> Kept | None:
    KeptDraft.objects.using(alias).filter(kept__lte=now - KEPT_FOR).delete()
    if _current(alias, whose, now).count() >= MOST:
        raise Full(f"this browser has {MOST} already. Throw some away, or save them.")
    _make_room(alias, whose, now)
    try:
        KeptDraft.objects.using(alias).create(
            key=save.draft,
            owner=whose.owner,
            browser=whose.browser,
            resource=subject.resource,
            namespace=subject.namespace,
            name=subject.name,
            made=now,
            **{"base": "", **_written(content, save.tab, save.number, now)},
        )
    except IntegrityError:
        if KeptDraft.objects.using(alias).filter(key=save.draft).exclude(owner=whose.owner, browser=whose.browser):
            return _begin(alias, whose, subject, content, Save(new_key(), save.tab, 0, save.number), now)
        return None
    return Kept(save.draft, save.number)


def _make_room(alias: str, whose: Whose, now: datetime) -> None:
    theirs = KeptDraft.objects.using(alias).filter(owner=whose.owner, over=False)
    if theirs.count() < MOST_OF_ALL:
        return
    if whose.owner:
        raise Full(f"all of yours have {MOST_OF_ALL:,} already. Throw some away, or save them.")
    others = theirs.filter(kept__lte=now - SPARED).exclude(browser=whose.browser).order_by("kept", "pk")
    oldest = others.values_list("pk", flat=True).first()
    if oldest is None:
        words = f"all browsers here have {MOST_OF_ALL:,} already, of which none is older than a day."
        raise Full(f"{words} Save it, or keep a copy elsewhere.")
    theirs.filter(pk=oldest).delete()


def _written(content: Content, tab: str, number: int, now: datetime) -> dict[str, Any]:
    base = {name: getattr(content, name) for name in _BASE}
    return {
        "text": content.text,
        "fields": [list(pair) for pair in content.fields],
        "tab": tab,
        "number": number,
        "kept": now,
        **(base if content.base else {}),
    }


def _find(alias: str, whose: Whose, key: str, now: datetime) -> Draft | None:
    return next(map(_draft, _current(alias, whose, now).filter(key=key)), None)


def _about(alias: str, whose: Whose, subject: Subject, now: datetime) -> tuple[Draft, ...]:
    return tuple(map(_named, _same_subject(_current(alias, whose, now), subject).defer(*_TEXTS)))


def _all(alias: str, whose: Whose, now: datetime) -> tuple[Draft, ...]:
    return tuple(map(_named, _current(alias, whose, now).defer(*_TEXTS)))


def _count(alias: str, whose: Whose, now: datetime) -> int:
    return _current(alias, whose, now).count()


def _end(alias: str, whose: Whose, keys: tuple[str, ...]) -> None:
    _of(alias, whose).filter(key__in=keys).update(over=True, text="", base="", fields=[])


def _discard(alias: str, whose: Whose, subject: Subject, key: str, now: datetime) -> None:
    nothing = {"text": "", "base": "", "base_uid": "", "base_version": "", "tab": "", "number": 0}
    where = {"resource": subject.resource, "namespace": subject.namespace, "name": subject.name}
    whole = {"owner": whose.owner, "browser": whose.browser, "made": now, "kept": now, "over": True}
    with suppress(IntegrityError):  # it is kept already, or was while this looked
        KeptDraft.objects.using(alias).create(key=key, **where, **whole, **nothing)
    _end(alias, whose, (key,))


def _draft(row: KeptDraft) -> Draft:
    fields = tuple((str(name), str(value)) for name, value in row.fields)
    return replace(_named(row), content=Content(row.text, fields, row.base_uid, row.base_version, row.base))


def _named(row: KeptDraft) -> Draft:
    """Without the texts, which may be long."""
    subject = Subject(row.resource, row.namespace, row.name)
    return Draft(row.key, subject, Content("", base_uid=row.base_uid), row.number, row.made, row.kept)
