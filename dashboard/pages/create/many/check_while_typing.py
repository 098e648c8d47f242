"""Check of a text of several objects while the user types: each document by the schema of its own kind.

The API server is only asked for its kinds and their schemas, which are cached for a while. Texts are parsed off the
event loop, and of a known text only the changes; long ones in a process of their own, for a limited time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from dashboard.objects.kinds.catalog import KindInfo, kind_of
from dashboard.objects.manifests.document import EMPTY, DocumentError
from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.cached_parse_results import (
    DocumentText,
    KindKey,
    ParseCache,
    ParsedObject,
    check_object,
    parse_object,
    split_documents,
)
from dashboard.pages.create.many.checks import not_stored_reason
from dashboard.pages.create.many.dependencies import DefinedKind
from dashboard.pages.create.many.manifests import MAX_OBJECTS, Manifest, manifests_in, too_many
from dashboard.pages.create.many.unknown_kind import unknown_kind_text
from dashboard.runtime.compute_process_pool import LONG_TEXT, WorkEnded, WorkProcesses
from dashboard.runtime.concurrency_limit import Owners
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import InformerdError, UnknownResource

MAX_PROBLEMS = 50
"""Most problems that are reported."""
_Parts = tuple[Manifest, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Problems of a text."""

    objects: int
    invalid: int
    """Number of objects that cannot be created as they are."""
    problems: tuple[Problem, ...]
    """The first problems, in the order of the text."""
    problem_count: int
    """Number of all problems."""
    defined_kinds: dict[str, str]
    """Kinds that the text defines (apiVersion, space, kind), with the key of the document that does."""


@dataclass(frozen=True, slots=True)
class _ResolvedKind:
    """A kind of the text: the API server's kind of that name, or why there is none."""

    info: KindInfo | None = None
    schema: Schema = UNKNOWN
    unknown: str = ""


class TextCheck:
    """One check of one text. `context`: None while there is no cluster; then only the YAML is checked. Where a process
    is needed it is the turn of `owners`.
    """

    def __init__(
        self, context: ApplyContext | None, texts: ParseCache, processes: WorkProcesses, owners: Owners
    ) -> None:
        self._context, self._texts, self._processes, self._owners = context, texts, processes, owners
        self._resolved: dict[KindKey, _ResolvedKind] = {}
        self._defined: dict[KindKey, tuple[int, DefinedKind]] = {}
        self._keys: dict[str, str] = {}
        self._found: list[tuple[DocumentText, ParsedObject]] = []

    async def run(self, text: str) -> CheckResult:
        """Raises DocumentError where the text is empty, too long, or its check was ended."""
        documents = await run_in_thread_if_large(split_documents, text, size=len(text))
        if not documents:
            raise DocumentError(EMPTY)
        try:
            await self._check_documents(documents)
        except WorkEnded as error:
            raise DocumentError(str(error)) from None
        problems = list(self._problems())
        invalid_count = len({number for number, _ in problems})
        shown_problems = tuple(problem for _, problem in problems[:MAX_PROBLEMS])
        return CheckResult(min(len(self._found), MAX_OBJECTS), invalid_count, shown_problems, len(problems), self._keys)

    async def _check_documents(self, documents: Sequence[DocumentText]) -> None:
        """Parse and check the new documents, and keep the results of all of them."""
        known = {each.key: self._texts.get(each.key) for each in documents}
        new = [each for each in documents if known[each.key] is None]
        parts: dict[str, _Parts] = {}
        if _size(new) > LONG_TEXT:
            parsed = await self._processes.run(self._owners, _parse_documents, new)
        else:
            parts = await run_in_thread_if_large(_read_parts, new, size=_size(new))
            parsed = {key: tuple(map(parse_object, each)) for key, each in parts.items()}
        for written in documents:
            for each in known[written.key] or parsed.get(written.key, ()):
                self._learn(written, each, len(self._found))
                self._found.append((written, each))
        await self._ask({each.kind for _, each in self._found if each.kind is not None})
        await self._judge(parts)

    def _learn(self, written: DocumentText, each: ParsedObject, number: int) -> None:
        for defined in each.defined_kinds:
            self._defined.setdefault((defined.api_version, defined.kind), (number, defined))
            self._keys.setdefault(f"{defined.api_version} {defined.kind}", written.key)

    async def _ask(self, kinds: set[KindKey]) -> None:
        if self._context is None or not kinds:
            return
        asked = sorted(kinds)
        targets = await asyncio.gather(*(_resolve_kind(self._context, *kind) for kind in asked))
        self._resolved.update(zip(asked, targets, strict=True))

    async def _judge(self, parts: dict[str, _Parts]) -> None:
        """Check by the schemas, unless the same schemas have checked the document before."""
        found = self._found[:]
        schemas = [self._schema(each, number) for number, (_, each) in enumerate(found)]
        todo: dict[int, tuple[DocumentText, list[Schema]]] = {}
        for (written, _), schema in zip(found, schemas, strict=True):
            todo.setdefault(written.offset, (written, []))[1].append(schema)
        stale = {written.offset for (written, each), by in zip(found, schemas, strict=True) if each.schema is not by}
        again = [each for offset, each in todo.items() if offset in stale]
        if not again:
            return
        size = _size([written for written, _ in again])
        if size > LONG_TEXT:
            copies = await self._processes.run(self._owners, _check_parts, again, {})
            results = [  # with the very schemas, by which a later check sees that they judged it
                tuple(replace(each, schema=by) for each, by in zip(objects, schemas, strict=True))
                for objects, (_, schemas) in zip(copies, again, strict=True)
            ]
        else:
            results = await run_in_thread_if_large(_check_parts, again, parts, size=size)
        first_objects: dict[int, int] = {}
        for number, (written, _) in enumerate(found):
            first_objects.setdefault(written.offset, number)
        for (written, _), objects in zip(again, results, strict=True):
            self._texts.put(written.key, objects, len(written.text))
            start = first_objects[written.offset]
            self._found[start : start + len(objects)] = [(written, each) for each in objects]

    def _schema(self, each: ParsedObject, number: int) -> Schema:
        if each.kind is None:
            return UNKNOWN
        defined = self._defining(each.kind, number)
        return defined.schema if defined is not None else self._resolved.get(each.kind, _ResolvedKind()).schema

    def _defining(self, kind: KindKey, number: int) -> DefinedKind | None:
        """The earlier documents that define the kind of object `number`."""
        definition = self._defined.get(kind)
        return definition[1] if definition is not None and definition[0] < number else None

    def _problems(self) -> Iterator[tuple[int, Problem]]:
        """The problems, each with the number of its object."""
        first: dict[tuple[str, ...], int] = {}
        for number, (written, each) in enumerate(self._found):
            line = each.line + written.offset
            if number == MAX_OBJECTS:
                yield number, Problem(too_many(line).message, line=line, column=1)
                return
            own = [*self._of_kind(each, number), *each.problems]
            if each.name and (twice := first.setdefault(self._identity(each, number), line)) != line:
                words = f"The text has this object twice; the first is in line {twice}."
                own.append(replace(each.name_position, words=words))
            yield from ((number, replace(problem, line=problem.line + written.offset)) for problem in own)

    def _of_kind(self, each: ParsedObject, number: int) -> Iterator[Problem]:
        if each.kind is None or self._defining(each.kind, number) is not None:
            return
        meant = self._resolved.get(each.kind, _ResolvedKind())
        if meant.unknown:
            yield replace(each.kind_position, words=meant.unknown)
        elif meant.info is not None and (words := not_stored_reason(meant.info)):
            yield replace(each.kind_position, words=words)

    def _identity(self, each: ParsedObject, number: int) -> tuple[str, ...]:
        """Identity of the object, to find duplicates."""
        kind = each.kind or ("", "")
        meant, defined = self._resolved.get(kind, _ResolvedKind()), self._defining(kind, number)
        namespaced = defined.namespaced if defined is not None else meant.info is None or meant.info.namespaced
        default = self._context.namespace if self._context is not None else ""
        key = (meant.info.key,) if meant.info is not None else kind
        return (*key, (each.namespace or default) if namespaced else "", each.name)


async def _resolve_kind(context: ApplyContext, api_version: str, kind: str) -> _ResolvedKind:
    """The kind that a document names; where the API server does not answer, the kind is not judged."""
    try:
        resource = await context.discovery.resource_of(api_version, kind)
        async with context.slots:
            return _ResolvedKind(kind_of(resource), await context.schemas.schema_of(context.client, resource))
    except UnknownResource as error:
        return _ResolvedKind(unknown=await unknown_kind_text(context.discovery, api_version, kind, error))
    except InformerdError:
        return _ResolvedKind()


def _size(documents: Sequence[DocumentText]) -> int:
    return sum(len(each.text) for each in documents)


def _read_parts(documents: Sequence[DocumentText]) -> dict[str, _Parts]:
    return {each.key: _objects(each) for each in documents}


def _parse_documents(documents: Sequence[DocumentText]) -> dict[str, tuple[ParsedObject, ...]]:
    """The objects by the key of their document, up to the first document that has one too many."""
    found: dict[str, tuple[ParsedObject, ...]] = {}
    number = 0
    for each in documents:
        found[each.key] = tuple(map(parse_object, _objects(each)))
        number += len(found[each.key])
        if number > MAX_OBJECTS:
            break
    return found


def _objects(written: DocumentText) -> _Parts:
    return tuple(islice(manifests_in(written.text), MAX_OBJECTS + 1))


def _check_parts(
    todo: Sequence[tuple[DocumentText, list[Schema]]], parts: Mapping[str, _Parts]
) -> list[tuple[ParsedObject, ...]]:
    """The checked documents; `parts` have just been parsed."""
    return [
        tuple(
            check_object(part, parse_object(part), schema)
            for part, schema in zip(parts.get(written.key) or _objects(written), schemas, strict=True)
        )
        for written, schemas in todo
    ]
