"""Drain store in Django's database. Each change is one statement, so that two processes never run the same drain."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from dashboard.access.person import Person
from dashboard.pages.drains.models import DrainRecord
from dashboard.pages.drains.state import HEARTBEAT_TIMEOUT, Drain, DrainedPod, DrainState, decode_pods
from dashboard.runtime.database_executor import DatabaseExecutor

RETENTION_SECONDS = 30 * 24 * 3600.0
"""Seconds for which a drain is kept."""


@dataclass(frozen=True, slots=True)
class NewDrain:
    """Initial data of a drain."""

    server: str
    node: str
    uid: str
    person: Person
    grace: int | None
    pods: tuple[DrainedPod, ...]


class DrainStore:
    """Every method raises Unavailable where the database cannot be used. Times are Unix seconds."""

    def __init__(self, database: DatabaseExecutor) -> None:
        self._database = database

    async def create(self, new_drain: NewDrain, runner: str, now: float) -> tuple[Drain, bool]:
        """A new drain and True; or the running drain of the node and False: a node has at most one.

        A drain whose process has ended is ended for the new one.
        """
        return await self._database.ask(_create, new_drain, runner, now)

    async def find(self, key: str, server: str) -> Drain | None:
        return await self._database.ask(_find, key, server)

    async def newest(self, uid: str, server: str) -> Drain | None:
        """The last drain of a node."""
        return await self._database.ask(_newest, uid, server)

    async def set_wish(self, key: str, wish: str, by: str) -> None:
        """Store a user's request: pause, go or cancel; and the user."""
        await self._database.ask(_wish, key, wish, by)

    async def take_over(self, drain: Drain, runner: str, now: float, person: Person) -> bool:
        """Run the drain in this process, with the rights of `person`; False where another process was faster, or the
        old one is alive.
        """
        return await self._database.ask(_take_over, drain, runner, now, person)

    async def save_checkpoint(
        self, key: str, runner: str, pods: tuple[DrainedPod, ...], state: DrainState, words: str, now: float
    ) -> str | None:
        """Store the progress; returns the requested action. None where another process runs it now."""
        return await self._database.ask(_save_checkpoint, key, runner, pods, state, words, now)


def _create(alias: str, begin: NewDrain, runner: str, now: float) -> tuple[Drain, bool]:
    DrainRecord.objects.using(alias).filter(beat__lt=now - RETENTION_SECONDS).delete()
    try:
        with transaction.atomic(using=alias):
            _remove_runner(alias, begin, now)
            return _created(alias, begin, runner, now), True
    except IntegrityError:
        faster = _newest(alias, begin.uid, begin.server)
        if faster is None:
            raise
        return faster, False


def _remove_runner(alias: str, begin: NewDrain, now: float) -> None:
    """Remove the runner, so that its process stops if it is alive after all."""
    lost = DrainRecord.objects.using(alias).filter(server=begin.server, uid=begin.uid, beat__lt=now - HEARTBEAT_TIMEOUT)
    lost.filter(state__in=("running", "paused")).update(
        state="cancelled", runner="", words="The process that ran it ended, and another drain was started."
    )


def _created(alias: str, begin: NewDrain, runner: str, now: float) -> Drain:
    record = DrainRecord.objects.using(alias).create(
        key=secrets.token_hex(16),
        server=begin.server,
        node=begin.node,
        uid=begin.uid,
        by=begin.person.name,
        acts_for=msgspec.to_builtins(begin.person),
        grace=begin.grace,
        pods=_encode(begin.pods),
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


def _take_over(alias: str, drain: Drain, runner: str, now: float, person: Person) -> bool:
    same = DrainRecord.objects.using(alias).filter(key=drain.key, runner=drain.runner, beat=drain.beat)
    begin = {"runner": runner, "acts_for": msgspec.to_builtins(person), "wished_by": person.name}
    return bool(same.update(**begin, beat=now, state="running", wish="", words=""))


def _save_checkpoint(
    alias: str, key: str, runner: str, pods: tuple[DrainedPod, ...], state: DrainState, words: str, now: float
) -> str | None:
    own = DrainRecord.objects.using(alias).filter(key=key, runner=runner)
    if not own.update(pods=_encode(pods), state=state, words=words, beat=now):
        return None
    return own.values_list("wish", flat=True).first()


def _encode(pods: tuple[DrainedPod, ...]) -> Any:
    return msgspec.to_builtins(pods)


def _drain(record: DrainRecord) -> Drain:
    names = [name for name in Drain.__struct_fields__ if name not in ("pods", "acts_for")]
    acts_for = msgspec.convert(record.acts_for, Person | None)
    return Drain(pods=decode_pods(record.pods), acts_for=acts_for, **{name: getattr(record, name) for name in names})
