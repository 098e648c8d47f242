"""Where runs are kept: Django's database. Who begins a phase is one statement, so that two processes never run one."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import transaction

from dashboard.bulk.models import BulkBlock, BulkRun
from dashboard.bulk.order import Order
from dashboard.bulk.run import DEAD_AFTER, MOVING, Group, Item, Run, State, counted
from dashboard.drafts.database import Database
from dashboard.drafts.draft import Whose
from informerd.resource import Resource

KEPT_FOR = 7 * 24 * 3600.0
"""Seconds after its last beat that a run is kept."""
MOST_RUNS = 30
"""Runs of one browser that are kept; the oldest that do not run make room."""
BLOCK = 100
"""Objects in a block."""

Items = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """How far a run is. `blocks` are those that changed; `groups` only where they did."""

    state: State
    heard: str
    words: str
    rate: float
    counts: Mapping[str, int]
    blocks: Mapping[int, Sequence[Item]]
    groups: Sequence[Group] | None
    now: float


@dataclass(frozen=True, slots=True)
class Begin:
    """What a run begins with."""

    resource: Resource
    items: Items
    back: str
    """Address of the list that it began in."""
    matching: bool
    """Whether these are all that matched there."""


class Records:
    """Every method raises Unavailable where the database cannot be used. Times are Unix seconds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, whose: Whose, server: str, begin: Begin, now: float) -> str:
        """Keep a new run, of which nothing is known but its objects; its key, which nobody guesses."""
        return await self._database.ask(_begin, whose, server, begin, now)

    async def runs(self, whose: Whose, server: str) -> tuple[Run, ...]:
        """All of theirs, the newest first."""
        return await self._database.ask(_runs, whose, server)

    async def find(self, whose: Whose, key: str, server: str) -> Run | None:
        """The run; None where there is none, or none of theirs."""
        return await self._database.ask(_find, whose, key, server)

    async def items(self, key: str) -> Items:
        return await self._database.ask(_items, key)

    async def groups(self, key: str) -> tuple[Group, ...]:
        return await self._database.ask(_groups, key)

    async def wish(self, key: str, wish: str) -> None:
        """What a person wants of it: pause, go or cancel."""
        await self._database.ask(_wish, key, wish)

    async def take(self, seen: Run, state: State, order: Order | None, runner: str, now: float) -> bool:
        """Begin a phase here; False where somebody else began one since `seen`, or its process lives."""
        return await self._database.ask(_take, seen, state, order, runner, now)

    async def others(self, runner: str, server: str, now: float) -> int:
        """How many other processes run something on this cluster, and are not asked to pause it."""
        return await self._database.ask(_others, runner, server, now)

    async def beat(self, key: str, runner: str, beat: Beat) -> str | None:
        """Keep how far it is. What is wished of it; None where another process runs it by now."""
        return await self._database.ask(_beat, key, runner, beat)


def blocks_of(items: Sequence[Item], places: Iterable[int]) -> dict[int, Sequence[Item]]:
    """The blocks in which the objects at these places are."""
    numbers = sorted({place // BLOCK for place in places})
    return {number: items[number * BLOCK : (number + 1) * BLOCK] for number in numbers}


def _begin(alias: str, whose: Whose, server: str, begin: Begin, now: float) -> str:
    _make_room(alias, whose, now)
    with transaction.atomic(using=alias):
        run = BulkRun.objects.using(alias).create(
            key=secrets.token_hex(16),
            owner=whose.owner,
            browser=whose.browser,
            server=server,
            resource=msgspec.to_builtins(begin.resource),
            state="choosing",
            total=len(begin.items),
            counts=counted(begin.items),
            back=begin.back,
            matching=begin.matching,
            made=now,
            beat=now,
        )
        _write(alias, run, blocks_of(begin.items, range(len(begin.items))))
    return run.key


def _make_room(alias: str, whose: Whose, now: float) -> None:
    runs = BulkRun.objects.using(alias)
    runs.filter(beat__lt=now - KEPT_FOR).delete()
    theirs = runs.filter(owner=whose.owner, browser=whose.browser).exclude(state__in=MOVING)
    old = list(theirs.order_by("-made", "-pk").values_list("pk", flat=True)[MOST_RUNS - 1 :])
    if old:
        runs.filter(pk__in=old).delete()


def _find(alias: str, whose: Whose, key: str, server: str) -> Run | None:
    theirs = BulkRun.objects.using(alias).filter(owner=whose.owner, browser=whose.browser, server=server)
    record = theirs.filter(key=key).defer("groups").first()
    return _run(record) if record is not None else None


def _runs(alias: str, whose: Whose, server: str) -> tuple[Run, ...]:
    theirs = BulkRun.objects.using(alias).filter(owner=whose.owner, browser=whose.browser, server=server)
    return tuple(_run(record) for record in theirs.defer("groups").order_by("-made", "-pk"))


def _run(record: BulkRun) -> Run:
    kept = {name: getattr(record, name) for name in Run.__struct_fields__}
    return msgspec.convert(kept, Run)


def _items(alias: str, key: str) -> Items:
    blocks = BulkBlock.objects.using(alias).filter(run__key=key).order_by("place")
    return tuple(item for block in blocks for item in msgspec.convert(block.items, Items))


def _groups(alias: str, key: str) -> tuple[Group, ...]:
    kept: Any = BulkRun.objects.using(alias).values_list("groups", flat=True).get(key=key)
    return msgspec.convert(kept, tuple[Group, ...])


def _wish(alias: str, key: str, wish: str) -> None:
    BulkRun.objects.using(alias).filter(key=key).update(wish=wish)


def _take(alias: str, seen: Run, state: State, order: Order | None, runner: str, now: float) -> bool:
    same = BulkRun.objects.using(alias).filter(key=seen.key, state=seen.state, runner=seen.runner, beat=seen.beat)
    kept = msgspec.to_builtins(order) if order is not None else None
    return bool(same.update(state=state, order=kept, runner=runner, beat=now, wish="", heard="", words="", rate=0.0))


def _others(alias: str, runner: str, server: str, now: float) -> int:
    moving = BulkRun.objects.using(alias).filter(server=server, state__in=MOVING, beat__gt=now - DEAD_AFTER)
    others = moving.exclude(runner=runner).exclude(heard="pause")
    return others.values("runner").distinct().count()


def _beat(alias: str, key: str, runner: str, beat: Beat) -> str | None:
    with transaction.atomic(using=alias):
        own = BulkRun.objects.using(alias).filter(key=key, runner=runner)
        kept: dict[str, Any] = {
            "state": beat.state,
            "heard": beat.heard,
            "words": beat.words,
            "rate": beat.rate,
            "counts": dict(beat.counts),
            "beat": beat.now,
        }
        if beat.groups is not None:
            kept["groups"] = msgspec.to_builtins(tuple(beat.groups))
        if not own.update(**kept):
            return None
        run = own.only("pk", "wish").get()
        _write(alias, run, beat.blocks)
    return run.wish


def _write(alias: str, run: BulkRun, blocks: Mapping[int, Sequence[Item]]) -> None:
    BulkBlock.objects.using(alias).bulk_create(
        [BulkBlock(run=run, place=place, items=msgspec.to_builtins(items)) for place, items in blocks.items()],
        update_conflicts=True,
        unique_fields=("run", "place"),
        update_fields=("items",),
        batch_size=50,
    )
