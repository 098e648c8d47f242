"""The documents of texts as they were read last, so that while somebody types only what changed is read anew."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from dashboard.creating.definitions import Defined, defined_by
from dashboard.creating.judging import by_schema, objection, refused
from dashboard.creating.texts import Part, documents_of
from dashboard.edits.editable import editable
from dashboard.edits.problems import Problem
from dashboard.edits.remembered import Remembered
from dashboard.edits.schema import Schema

Kind = tuple[str, str]
"""apiVersion and kind."""


@dataclass(frozen=True, slots=True)
class Written:
    """One document of a text."""

    offset: int
    """Lines before it."""
    text: str
    key: str
    """Tells it from all others, and tells nothing of it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One object of a document, without its value. Lines count from the document's beginning."""

    line: int
    kind: Kind | None
    """None where it does not say, or cannot be read."""
    namespace: str
    name: str
    kind_at: Problem
    """Without words: where its kind stands."""
    name_at: Problem
    problems: tuple[Problem, ...]
    defines: tuple[Defined, ...] = ()
    schema: Schema | None = None
    """By which it was judged; None: not yet."""


SeenTexts = Remembered[tuple[Seen, ...]]
"""The objects of documents by their keys, whoever wrote them: never what they hold."""


def written_in(text: str) -> tuple[Written, ...]:
    """The documents of a text. Raises DocumentError where it is too long."""
    return tuple(
        Written(offset, chunk, hashlib.sha256(chunk.encode(errors="surrogatepass")).hexdigest())
        for offset, chunk in documents_of(text)
    )


def seen(part: Part) -> Seen:
    """What it says that it is, and what is wrong with it before its schema is asked."""
    wrong = part.refusal or objection(part)
    api_version, kind = part.value.get("apiVersion"), part.value.get("kind")
    known = isinstance(api_version, str) and isinstance(kind, str) and bool(api_version and kind)
    metadata = part.value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    defines = tuple(defined_by(part.value))
    for each in defines:
        each.schema  # noqa: B018 (worked out here, where nothing waits for it)
    return Seen(
        part.line,
        (str(api_version), str(kind)) if known else None,
        str(named.get("namespace") or ""),
        str(named.get("name") or ""),
        _at(part, "kind"),
        _at(part, "metadata", "name"),
        wrong.problems if wrong is not None else (),
        defines,
    )


def judged(part: Part, before: Seen, schema: Schema) -> Seen:
    """The same with what its schema says."""
    refusal = by_schema(part, schema, editable(part.value)) if before.kind is not None else None
    found = refusal.problems if refusal is not None else ()
    own = {problem.path for problem in before.problems}
    problems = (*before.problems, *(each for each in found if each.path not in own))
    return replace(before, problems=problems, schema=schema)


def _at(part: Part, *path: str) -> Problem:
    return refused(part, "", path).problems[0] if part.value else Problem("", line=part.line, column=1)
