"""Where drains are kept: Django's database. Each change is one statement, so that two processes never both run one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from dashboard.drafts.database import Database
from dashboard.drains.drain import DEAD_AFTER, Drain, DrainedPod, State, read_pods
from dashboard.drains.models import DrainRecord

KEPT_FOR = 30 * 24 * 3600.0
"""Seconds that a drain is kept."""


@dataclass(frozen=True, slots=True)
class Begin:
    """What a drain begins with."""

    server: str
    node: str
    uid: str
    by: str
    grace: int | None
    pods: tuple[DrainedPod, ...]


class Records:
    """Every method raises Unavailable where the database cannot be used. Times are Unix seconds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, begin: Begin, runner: str, now: float) -> tuple[Drain, bool]:
        """A new drain and True; or the node's that runs already and False: there is never a second one.

        One whose process has ended is ended for the new one.
        """
        return await self._database.ask(_begin, begin, runner, now)

    async def find(self, key: str, server: str) -> Drain | None:
        return await self._database.ask(_find, key, server)

    async def newest(self, uid: str, server: str) -> Drain | None:
        """The last drain of a node."""
        return await self._database.ask(_newest, uid, server)

    async def wish(self, key: str, wish: str, by: str) -> None:
        """What a person wants of it: pause, go or cancel; and who that is."""
        await self._database.ask(_wish, key, wish, by)

    async def take_over(self, drain: Drain, runner: str, now: float, by: str) -> bool:
        """Run it from here; False where another process was faster, or the old one lives."""
        return await self._database.ask(_take_over, drain, runner, now, by)

    async def beat(
        self, key: str, runner: str, pods: tuple[DrainedPod, ...], state: State, words: str, now: float
    ) -> str | None:
        """Keep how far it is. What is wished of it; None where another process runs it by now."""
        return await self._database.ask(_beat, key, runner, pods, state, words, now)


def _begin(alias: str, begin: Begin, runner: str, now: float) -> tuple[Drain, bool]:
    DrainRecord.objects.using(alias).filter(beat__lt=now - KEPT_FOR).delete()
    try:
        with transaction.atomic(using=alias):
            _end_lost(alias, begin, now)
            return _created(alias, begin, runner, now), True
    except IntegrityError:
        faster = _newest(alias, begin.uid, begin.server)
        if faster is None:
            raise
        return faster, False


def _end_lost(alias: str, begin: Begin, now: float) -> None:
    """Without a runner, so that its process stops should it live after all."""
    lost = DrainRecord.objects.using(alias).filter(server=begin.server, uid=begin.uid, beat__lt=now - DEAD_AFTER)
    lost.filter(state__in=("running", "paused")).update(
        state="cancelled", runner="", words="The process that ran it ended, and another drain was begun."
    )


def _created(alias: str, begin: Begin, runner: str, now: float) -> Drain:
    record = DrainRecord.objects.using(alias).create(
        key=secrets.token_hex(16),
        server=begin.server,
        node=begin.node,
        uid=begin.uid,
        by=begin.by,
        grace=begin.grace,
        pods=_kept(begin.pods),
        state="running",
        runner=runner,
        begun=now,
        beat=now,
    )
    return _drain(record)


def _find(alias: str, key: str, server: str) -> Drain | None:
    record = DrainRecord.objects.using(alias).filter(key=key, server=server).first()
    return _drain(record) if record is not None else None


def _newest(alias: str, uid: str, server: str) -> Drain | None:
    record = DrainRecord.objects.using(alias).filter(uid=uid, server=server).order_by("-begun", "-pk").first()
    return _drain(record) if record is not None else None


def _wish(alias: str, key: str, wish: str, by: str) -> None:
    DrainRecord.objects.using(alias).filter(key=key).update(wish=wish, wished_by=by)


def _take_over(alias: str, drain: Drain, runner: str, now: float, by: str) -> bool:
    same = DrainRecord.objects.using(alias).filter(key=drain.key, runner=drain.runner, beat=drain.beat)
    return bool(same.update(runner=runner, beat=now, state="running", wish="", wished_by=by, words=""))


def _beat(
    alias: str, key: str, runner: str, pods: tuple[DrainedPod, ...], state: State, words: str, now: float
) -> str | None:
    own = DrainRecord.objects.using(alias).filter(key=key, runner=runner)
    if not own.update(pods=_kept(pods), state=state, words=words, beat=now):
        return None
    return own.values_list("wish", flat=True).first()


def _kept(pods: tuple[DrainedPod, ...]) -> Any:
    return msgspec.to_builtins(pods)


def _drain(record: DrainRecord) -> Drain:
    names = [name for name in Drain.__struct_fields__ if name != "pods"]
    return Drain(pods=read_pods(record.pods), **{name: getattr(record, name) for name in names})
