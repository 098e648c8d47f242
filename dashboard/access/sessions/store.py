"""Store of sessions in Django's database, shared by all web processes. Its functions block: see DatabaseExecutor."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from dashboard.access.oidc.tokens import LogoutToken
from dashboard.access.person import PersonRefused, checked_person
from dashboard.access.sessions import models
from dashboard.access.sessions.session import TOUCH_SECONDS, Lifetime, Session

MAX_PER_PERSON = 100
"""Most sessions of one person; a new one ends the one that was not used for longest."""
CHUNK = 500
"""Sessions in one statement."""


def add(alias: str, session: Session, lifetime: Lifetime) -> tuple[str, ...]:
    """Store a new session, and delete those that are over. Returns the ids of what it ended of the same person."""
    with transaction.atomic(using=alias):
        rows = models.Session.objects.using(alias)
        rows.filter(expires__lte=session.created).delete()
        rows.filter(last_used__lte=session.created - lifetime.idle - TOUCH_SECONDS).delete()
        theirs = rows.filter(person=session.person.name).order_by("-last_used", "pk")
        surplus = tuple(theirs.values_list("pk", flat=True)[MAX_PER_PERSON - 1 :])
        rows.filter(pk__in=surplus[:CHUNK]).delete()
        rows.create(
            key_hash=session.id,
            person=session.person.name,
            groups=list(session.person.groups),
            uid=session.person.uid,
            issuer=session.issuer,
            subject=session.subject,
            sid=session.sid,
            device=session.device,
            created=session.created,
            last_used=session.last_used,
            expires=session.expires,
        )
    return surplus


def find(alias: str, key: str, now: float, lifetime: Lifetime) -> Session | None:
    """The session, unless it has ended. A use of it is written where the last one is a minute old."""
    row = models.Session.objects.using(alias).filter(pk=key).first()
    session = _session(row) if row is not None else None
    if session is None or session.has_ended(now, lifetime):
        return None
    if now - session.last_used >= TOUCH_SECONDS:
        models.Session.objects.using(alias).filter(pk=key, last_used__lt=now).update(last_used=now)
    return session


def use(alias: str, keys: Iterable[str], now: float, lifetime: Lifetime) -> frozenset[str]:
    """Which of these have not ended; they are in use now."""
    alive: set[str] = set()
    wanted = list(keys)
    for begin in range(0, len(wanted), CHUNK):
        rows = models.Session.objects.using(alias).filter(pk__in=wanted[begin : begin + CHUNK])
        current = rows.filter(expires__gt=now, last_used__gt=now - lifetime.idle - TOUCH_SECONDS)
        found = dict(current.values_list("pk", "last_used"))
        alive.update(found)
        if old := [key for key, last_used in found.items() if now - last_used >= TOUCH_SECONDS]:
            rows.filter(pk__in=old).update(last_used=now)
    return frozenset(alive)


def of_person(alias: str, name: str, now: float, lifetime: Lifetime) -> tuple[Session, ...]:
    """Somebody's sessions, the one used last first."""
    return _current(models.Session.objects.using(alias).filter(person=name), now, lifetime)


def all_sessions(alias: str, now: float, lifetime: Lifetime) -> tuple[Session, ...]:
    """Everybody's sessions, the one used last first."""
    return _current(models.Session.objects.using(alias).all(), now, lifetime)


def end(alias: str, name: str, keys: Iterable[str]) -> tuple[str, ...]:
    """End these sessions of somebody. Returns the ids of those that it ended."""
    return _delete(alias, models.Session.objects.using(alias).filter(person=name, pk__in=list(keys)[:CHUNK]))


def end_of_person(alias: str, name: str, keep: str = "") -> tuple[str, ...]:
    """End all sessions of somebody but `keep`. Returns the ids of those that it ended."""
    return _delete(alias, models.Session.objects.using(alias).filter(person=name).exclude(pk=keep))


def end_all(alias: str) -> int:
    """End everybody's sessions. Returns how many."""
    return models.Session.objects.using(alias).all().delete()[0]


def end_by_token(alias: str, issuer: str, token: LogoutToken, now: float) -> tuple[str, ...] | None:
    """End what a logout token asks for. Returns the ids; None where the token was used before."""
    used = models.UsedLogoutToken.objects.using(alias)
    used.filter(expires__lte=now).delete()
    try:
        with transaction.atomic(using=alias):
            used.create(issuer=issuer, token=hashlib.sha256(token.id.encode()).hexdigest(), expires=token.expires_at)
            rows = models.Session.objects.using(alias).filter(issuer=issuer)
            if token.subject:
                rows = rows.filter(subject=token.subject)
            if token.sid and token.subject:  # a session whose ID token had no sid may be the one that is meant
                rows = rows.filter(sid__in=("", token.sid))
            elif token.sid:
                rows = rows.filter(sid=token.sid)
            return _delete(alias, rows)
    except IntegrityError:
        return None


def _delete(alias: str, rows: QuerySet[models.Session]) -> tuple[str, ...]:
    keys = tuple(rows.values_list("pk", flat=True))
    for begin in range(0, len(keys), CHUNK):
        models.Session.objects.using(alias).filter(pk__in=keys[begin : begin + CHUNK]).delete()
    return keys


def _current(rows: QuerySet[models.Session], now: float, lifetime: Lifetime) -> tuple[Session, ...]:
    found = (_session(row) for row in rows.order_by("-last_used", "pk"))
    return tuple(session for session in found if session is not None and not session.has_ended(now, lifetime))


def _session(row: models.Session) -> Session | None:
    """The session of a row; None where nobody may have that name any more."""
    try:
        person = checked_person(row.person, row.groups, row.uid)
    except PersonRefused:
        return None
    return Session(
        row.pk, person, row.issuer, row.subject, row.sid, row.device, row.created, row.last_used, row.expires
    )
