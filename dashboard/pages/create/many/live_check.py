"""What is wrong in a text of several objects while somebody types: each document by the schema of its own kind.

Nothing is asked of the API server but which kinds it has and what their schemas are, which are kept for a while. Texts
are read off the event loop, some at a time, and of a text that was seen before only what has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.creating.definitions import Defined, unknown_kind
from dashboard.creating.judging import not_kept
from dashboard.creating.kitchen import Kitchen
from dashboard.creating.seen_texts import Kind, Seen, SeenTexts, Written, judged, seen, written_in
from dashboard.creating.texts import MOST, Part, objects_of, too_many
from dashboard.edits.document import EMPTY, DocumentError
from dashboard.edits.loop import off_loop
from dashboard.edits.problems import Problem
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.resources.kinds import KindInfo, kind_of
from informerd.errors import InformerdError, UnknownResource

AT_ONCE = 256 * 1024
"""Characters that are read in one go."""
TOLD = 50
"""Objections that are told."""
_Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong in a text."""

    objects: int
    wrong: int
    """Objects of these that cannot be made as they are."""
    problems: tuple[Problem, ...]
    """The first TOLD, in the order of the text."""
    count: int
    """All of them."""
    defined: dict[str, str]
    """Kinds that the text defines (apiVersion, space, kind), with the key of the document that does."""


@dataclass(frozen=True, slots=True)
class _Meant:
    """A kind that the text names: what the API server has of that name, or why there is none."""

    info: KindInfo | None = None
    schema: Schema = UNKNOWN
    unknown: str = ""


class TextCheck:
    """One check of one text. `kitchen`: None while there is no cluster, and then only the YAML is checked."""

    def __init__(self, kitchen: Kitchen | None, texts: SeenTexts) -> None:
        self._kitchen, self._texts = kitchen, texts
        self._meant: dict[Kind, _Meant] = {}
        self._defined: dict[Kind, tuple[int, Defined]] = {}
        self._keys: dict[str, str] = {}
        self._found: list[tuple[Written, Seen]] = []

    async def of(self, text: str) -> Checked:
        """Raises DocumentError where the text is too long, or empty."""
        documents = await off_loop(written_in, text, size=len(text))
        if not documents:
            raise DocumentError(EMPTY)
        for batch in _batches(documents):
            await self._look(batch)
            if len(self._found) > MOST:
                break
        problems = list(self._problems())
        wrong = len({number for number, _ in problems})
        told = tuple(problem for _, problem in problems[:TOLD])
        return Checked(min(len(self._found), MOST), wrong, told, len(problems), self._keys)

    async def _look(self, batch: Sequence[Written]) -> None:
        """Read and judge what is new of some documents, and add all that is in them to what is found."""
        known = {each.key: self._texts.of(each.key) for each in batch}
        new = [each for each in batch if known[each.key] is None]
        parts = await off_loop(_read, new, size=_size(new))
        first = len(self._found)
        for written in batch:
            for each in known[written.key] or tuple(map(seen, parts[written.key])):
                self._learn(written, each, len(self._found))
                self._found.append((written, each))
        added = self._found[first:]
        await self._ask({each.kind for _, each in added if each.kind is not None})
        await self._judge(first, added, parts)

    def _learn(self, written: Written, each: Seen, number: int) -> None:
        for defined in each.defines:
            self._defined.setdefault((defined.api_version, defined.kind), (number, defined))
            self._keys.setdefault(f"{defined.api_version} {defined.kind}", written.key)

    async def _ask(self, kinds: set[Kind]) -> None:
        new = sorted(kinds - self._meant.keys())
        if self._kitchen is None or not new:
            return
        found = await asyncio.gather(*(_meant(self._kitchen, *kind) for kind in new))
        self._meant.update(zip(new, found, strict=True))

    async def _judge(self, first: int, added: Sequence[tuple[Written, Seen]], parts: dict[str, _Parts]) -> None:
        """By their schemas, unless they were judged by the very same before."""
        schemas = [self._schema(each, first + index) for index, (_, each) in enumerate(added)]
        todo: dict[int, tuple[Written, list[Schema]]] = {}
        for (written, _), schema in zip(added, schemas, strict=True):
            todo.setdefault(written.offset, (written, []))[1].append(schema)
        stale = {written.offset for (written, each), by in zip(added, schemas, strict=True) if each.schema is not by}
        again = [each for offset, each in todo.items() if offset in stale]
        if not again:
            return
        size = _size([written for written, _ in again])
        results = await off_loop(_judged, again, parts, size=size)
        for (written, _), objects in zip(again, results, strict=True):
            self._texts.keep(written.key, len(written.text), objects)
            start = next(at for at in range(first, len(self._found)) if self._found[at][0] is written)
            self._found[start : start + len(objects)] = [(written, each) for each in objects]

    def _schema(self, each: Seen, number: int) -> Schema:
        if each.kind is None:
            return UNKNOWN
        defined = self._defining(each.kind, number)
        return defined.schema if defined is not None else self._meant.get(each.kind, _Meant()).schema

    def _defining(self, kind: Kind, number: int) -> Defined | None:
        """What of the text before object `number` defines its kind."""
        found = self._defined.get(kind)
        return found[1] if found is not None and found[0] < number else None

    def _problems(self) -> Iterator[tuple[int, Problem]]:
        """With the number of the object."""
        first: dict[tuple[str, ...], int] = {}
        for number, (written, each) in enumerate(self._found):
            line = each.line + written.offset
            if number == MOST:
                yield number, Problem(too_many(line).message, line=line, column=1)
                return
            own = [*self._of_kind(each, number), *each.problems]
            if each.name and (twice := first.setdefault(self._identity(each, number), line)) != line:
                words = f"It stands in this text twice; the first is in line {twice}."
                own.append(replace(each.name_at, words=words))
            yield from ((number, replace(problem, line=problem.line + written.offset)) for problem in own)

    def _of_kind(self, each: Seen, number: int) -> Iterator[Problem]:
        if each.kind is None or self._defining(each.kind, number) is not None:
            return
        meant = self._meant.get(each.kind, _Meant())
        if meant.unknown:
            yield replace(each.kind_at, words=meant.unknown)
        elif meant.info is not None and (words := not_kept(meant.info)):
            yield replace(each.kind_at, words=words)

    def _identity(self, each: Seen, number: int) -> tuple[str, ...]:
        """Which object it is."""
        kind = each.kind or ("", "")
        meant, defined = self._meant.get(kind, _Meant()), self._defining(kind, number)
        namespaced = defined.namespaced if defined is not None else meant.info is None or meant.info.namespaced
        default = self._kitchen.namespace if self._kitchen is not None else ""
        key = (meant.info.key,) if meant.info is not None else kind
        return (*key, (each.namespace or default) if namespaced else "", each.name)


async def _meant(kitchen: Kitchen, api_version: str, kind: str) -> _Meant:
    """Where the API server does not answer nothing is said of the kind."""
    try:
        resource = await kitchen.discovery.resource_of(api_version, kind)
        async with kitchen.slots:
            return _Meant(kind_of(resource), await kitchen.schemas.schema_of(kitchen.client, resource))
    except UnknownResource as error:
        return _Meant(unknown=await unknown_kind(kitchen.discovery, api_version, kind, error))
    except InformerdError:
        return _Meant()


def _batches(documents: Sequence[Written]) -> Iterator[list[Written]]:
    batch, size = list[Written](), 0
    for each in documents:
        if batch and size + len(each.text) > AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += len(each.text)
    yield batch


def _size(documents: Sequence[Written]) -> int:
    return sum(len(each.text) for each in documents)


def _read(documents: Sequence[Written]) -> dict[str, _Parts]:
    return {each.key: _objects(each) for each in documents}


def _objects(written: Written) -> _Parts:
    return tuple(islice(objects_of(written.text), MOST + 1))


def _judged(todo: Sequence[tuple[Written, list[Schema]]], parts: Mapping[str, _Parts]) -> list[tuple[Seen, ...]]:
    """`parts`: what was read just before."""
    return [
        tuple(
            judged(part, seen(part), schema)
            for part, schema in zip(parts.get(written.key) or _objects(written), schemas, strict=True)
        )
        for written, schemas in todo
    ]
