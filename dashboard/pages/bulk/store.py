"""Bulk run store in Django's database. The start of a phase is one statement, so that two processes
never run the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from django.db import transaction
from django.db.models import Q, QuerySet

from dashboard.access.identity import Identity
from dashboard.pages.bulk.models import BulkBlock, BulkRun
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import (
    ACTIVE_STATES,
    ENDED_STATES,
    HEARTBEAT_TIMEOUT,
    UNBEGUN_STATES,
    ChangeGroup,
    Item,
    Run,
    RunState,
    count_by_state,
)
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.resource import Resource

RETENTION_SECONDS = 7 * 24 * 3600.0
"""Seconds for which a run is kept after its last beat."""
UNBEGUN_RETENTION_SECONDS = 24 * 3600.0
"""The same of a run that was never begun: its dry runs are out of date."""
ABANDONED_SECONDS = 3600.0
"""Seconds since the last beat of a run that was never begun, after which it makes room for others first."""
MOST_RUNS = 30
"""Most runs of one browser; beyond it the oldest abandoned one is deleted, or else the oldest inactive one."""
MOST_RUNS_OF_OTHERS = 300
"""Most runs of others that `written_by_others` returns."""
MOST_RUNS_PER_PERSON = 300
"""The same for all browsers of a user, since browser ids are free; without a sign-in all users count as one."""
BLOCK_SIZE = 100
"""Objects of a block."""

Items = tuple[Item, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Progress of a run. `blocks` are the changed ones; `groups` only where they changed."""

    state: RunState
    acknowledged_wish: str
    words: str
    rate: float
    counts: Mapping[str, int]
    blocks: Mapping[int, Sequence[Item]]
    groups: Sequence[ChangeGroup] | None
    now: float


@dataclass(frozen=True, slots=True)
class NewRun:
    """Initial data of a run."""

    resource: Resource
    items: Items
    back: str
    """Address of the list in which it started."""
    is_over_all_matches: bool
    """Whether these are all matches of the filter."""
    undone: str = ""
    """Key of the run that it undoes, which does not make room for it; empty where it undoes none."""


class NewerVersion(Exception):
    """A newer version stored the run, with words that this one does not know."""


class RunStore:
    """Every method raises Unavailable where the database cannot be used. Times are Unix seconds.

    `find`, `find_written`, `items` and `groups` raise NewerVersion; `runs` and `written_by_others` mark such a run.
    """

    def __init__(self, database: DatabaseExecutor) -> None:
        self._database = database

    async def create(self, identity: Identity, server: str, new_run: NewRun, now: float) -> str:
        """Store a new run, with its objects only; returns its unguessable key."""
        return await self._database.ask(_create, identity, server, new_run, now)

    async def runs(self, identity: Identity, server: str) -> tuple[Run, ...]:
        """All runs of the user, in all browsers where they are signed in, the newest first."""
        return await self._database.ask(_runs, identity, server)

    async def written_by_others(self, identity: Identity, server: str) -> tuple[Run, ...]:
        """Runs of others that have ended and written something, the newest MOST_RUNS_OF_OTHERS."""
        return await self._database.ask(_written_by_others, identity, server)

    async def find(self, identity: Identity, key: str, server: str) -> Run | None:
        """The run of that user; None where it does not exist or has another owner."""
        return await self._database.ask(_find, identity, key, server)

    async def find_written(self, key: str, server: str) -> Run | None:
        """The run of anybody; None where it does not exist, has not ended, or has written nothing."""
        return await self._database.ask(_find_written, key, server)

    async def discard(self, run: Run) -> None:
        """Delete a run that has written nothing; nothing happens where somebody started a phase since it was read."""
        await self._database.ask(_discard, run)

    async def items(self, key: str) -> Items:
        return await self._database.ask(_items, key)

    async def groups(self, key: str) -> tuple[ChangeGroup, ...]:
        return await self._database.ask(_groups, key)

    async def set_wish(self, key: str, wish: str) -> None:
        """Store the user's request: pause, go or cancel."""
        await self._database.ask(_set_wish, key, wish)

    async def claim(
        self, expected: Run, state: RunState, operation: BulkOperation | None, runner: str, now: float
    ) -> bool:
        """Start a phase in this process; False where another process started one since `expected` was read, or its
        process is alive.
        """
        return await self._database.ask(_claim, expected, state, operation, runner, now)

    async def count_other_runners(self, runner: str, server: str, now: float) -> int:
        """Number of other processes with an active, not paused run on this cluster."""
        return await self._database.ask(_count_other_runners, runner, server, now)

    async def save_checkpoint(self, key: str, runner: str, checkpoint: Checkpoint) -> str | None:
        """Store the progress; returns the requested action. None where another process runs it now."""
        return await self._database.ask(_save_checkpoint, key, runner, checkpoint)


def blocks_of(items: Sequence[Item], positions: Iterable[int]) -> dict[int, Sequence[Item]]:
    """The blocks that contain the objects at these indexes."""
    numbers = sorted({place // BLOCK_SIZE for place in positions})
    return {number: items[number * BLOCK_SIZE : (number + 1) * BLOCK_SIZE] for number in numbers}


def _create(alias: str, identity: Identity, server: str, begin: NewRun, now: float) -> str:
    _make_room(alias, identity, now, begin.undone)
    with transaction.atomic(using=alias):
        run = BulkRun.objects.using(alias).create(
            key=secrets.token_hex(16),
            owner=identity.owner,
            browser=identity.browser,
            server=server,
            resource=msgspec.to_builtins(begin.resource),
            state="choosing",
            total=len(begin.items),
            counts=count_by_state(begin.items),
            back=begin.back,
            matching=begin.is_over_all_matches,
            made=now,
            beat=now,
        )
        _write(alias, run, blocks_of(begin.items, range(len(begin.items))))
    return run.key


def _make_room(alias: str, identity: Identity, now: float, kept: str) -> None:
    runs = BulkRun.objects.using(alias)
    runs.filter(beat__lt=now - RETENTION_SECONDS).delete()
    unbegun = {
        pk: beat
        for pk, counts, beat in runs.filter(state__in=UNBEGUN_STATES).values_list("pk", "counts", "beat")
        if not counts.get("done")
    }
    old = {pk for pk, beat in unbegun.items() if beat < now - UNBEGUN_RETENTION_SECONDS}
    theirs = runs.filter(owner=identity.owner).exclude(state__in=ACTIVE_STATES).exclude(pk__in=old)
    found = list(theirs.order_by("-made", "-pk").values_list("pk", "browser"))
    found.sort(key=lambda each: unbegun.get(each[0], now) < now - ABANDONED_SECONDS)
    old.update(pk for pk, _ in found[MOST_RUNS_PER_PERSON - 1 :])
    old.update([pk for pk, browser in found if browser == identity.browser][MOST_RUNS - 1 :])
    if old:
        runs.filter(pk__in=old).exclude(key=kept).delete()


def _own(identity: Identity) -> Q:
    """Runs of a person; without a sign-in, of a browser."""
    return Q(owner=identity.owner) if identity.owner else Q(owner="", browser=identity.browser)


def _written(alias: str, server: str) -> QuerySet[BulkRun]:
    return BulkRun.objects.using(alias).filter(server=server, state__in=ENDED_STATES, counts__done__gt=0)


def _find(alias: str, identity: Identity, key: str, server: str) -> Run | None:
    return _first(BulkRun.objects.using(alias).filter(_own(identity), server=server, key=key))


def _find_written(alias: str, key: str, server: str) -> Run | None:
    return _first(_written(alias, server).filter(key=key))


def _first(records: QuerySet[BulkRun]) -> Run | None:
    record = records.defer("groups").first()
    run = _run(record) if record is not None else None
    if run is not None and run.is_newer:
        raise NewerVersion(run.key)
    return run


def _runs(alias: str, identity: Identity, server: str) -> tuple[Run, ...]:
    return _newest_first(BulkRun.objects.using(alias).filter(_own(identity), server=server))


def _written_by_others(alias: str, identity: Identity, server: str) -> tuple[Run, ...]:
    return _newest_first(_written(alias, server).exclude(_own(identity)), MOST_RUNS_OF_OTHERS)


def _newest_first(records: QuerySet[BulkRun], most: int | None = None) -> tuple[Run, ...]:
    return tuple(_run(record) for record in records.defer("groups").order_by("-made", "-pk")[:most])


def _run(record: BulkRun) -> Run:
    values = {name: getattr(record, name) for name in Run.__struct_fields__ if name != "is_newer"}
    try:
        return msgspec.convert(values, Run)
    except msgspec.ValidationError:
        return msgspec.convert({**values, "order": None, "state": "done", "is_newer": True}, Run)


def _convert(stored: object, wanted: type[T]) -> T:
    try:
        return msgspec.convert(stored, wanted)
    except msgspec.ValidationError as error:
        raise NewerVersion(str(error)) from error


def _items(alias: str, key: str) -> Items:
    blocks = BulkBlock.objects.using(alias).filter(run__key=key).order_by("place")
    return tuple(item for block in blocks for item in _convert(block.items, Items))


def _groups(alias: str, key: str) -> tuple[ChangeGroup, ...]:
    groups: Any = BulkRun.objects.using(alias).values_list("groups", flat=True).get(key=key)
    return _convert(groups, tuple[ChangeGroup, ...])


def _discard(alias: str, expected: Run) -> None:
    same = BulkRun.objects.using(alias).filter(key=expected.key, state=expected.state, runner=expected.runner)
    same.filter(beat=expected.beat).delete()


def _set_wish(alias: str, key: str, wish: str) -> None:
    BulkRun.objects.using(alias).filter(key=key).update(wish=wish)


def _claim(
    alias: str,
    expected: Run,
    state: RunState,
    operation: BulkOperation | None,
    runner: str,
    now: float,
) -> bool:
    same = BulkRun.objects.using(alias).filter(
        key=expected.key, state=expected.state, runner=expected.runner, beat=expected.beat
    )
    builtins = msgspec.to_builtins(operation) if operation is not None else None
    begin = {"state": state, "order": builtins, "runner": runner}
    return bool(same.update(**begin, beat=now, wish="", heard="", words="", rate=0.0))


def _count_other_runners(alias: str, runner: str, server: str, now: float) -> int:
    moving = BulkRun.objects.using(alias).filter(
        server=server, state__in=ACTIVE_STATES, beat__gt=now - HEARTBEAT_TIMEOUT
    )
    others = moving.exclude(runner=runner).exclude(heard="pause")
    return others.values("runner").distinct().count()


def _save_checkpoint(alias: str, key: str, runner: str, checkpoint: Checkpoint) -> str | None:
    with transaction.atomic(using=alias):
        own = BulkRun.objects.using(alias).filter(key=key, runner=runner)
        values: dict[str, Any] = {
            "state": checkpoint.state,
            "heard": checkpoint.acknowledged_wish,
            "words": checkpoint.words,
            "rate": checkpoint.rate,
            "counts": dict(checkpoint.counts),
            "beat": checkpoint.now,
        }
        if checkpoint.groups is not None:
            values["groups"] = msgspec.to_builtins(tuple(checkpoint.groups))
        if not own.update(**values):
            return None
        run = own.only("pk", "wish").get()
        _write(alias, run, checkpoint.blocks)
    return run.wish


def _write(alias: str, run: BulkRun, blocks: Mapping[int, Sequence[Item]]) -> None:
    BulkBlock.objects.using(alias).bulk_create(
        [BulkBlock(run=run, place=place, items=msgspec.to_builtins(items)) for place, items in blocks.items()],
        update_conflicts=True,
        unique_fields=("run", "place"),
        update_fields=("items",),
        batch_size=50,
    )
