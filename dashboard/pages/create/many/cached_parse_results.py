"""Parse results of documents, which are cached so that only changed documents are parsed again while somebody types."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from dashboard.objects.problems.write_refusal import Problem
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.create.many.checks import identity_refusal, manifest_schema_refusal, refusal_at
from dashboard.pages.create.many.dependencies import DefinedKind, kinds_defined_by
from dashboard.pages.create.many.manifests import Manifest, split_text
from dashboard.pages.writes.editable_part import editable_part
from dashboard.runtime.app_state import Key
from informerd.lru_cache import LruCache

KindKey = tuple[str, str]
"""apiVersion and kind."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """One document of a text."""

    offset: int
    """Lines before it."""
    text: str
    key: str
    """Digest that identifies the document without revealing it."""


@dataclass(frozen=True, slots=True)
class ParsedObject:
    """One object of a document, without its value. Lines count from the start of the document."""

    line: int
    kind: KindKey | None
    """None where it is missing or unreadable."""
    namespace: str
    name: str
    kind_position: Problem
    """Without words: the line of its kind."""
    name_position: Problem
    problems: tuple[Problem, ...]
    defined_kinds: tuple[DefinedKind, ...] = ()
    schema: Schema | None = None
    """Schema by which it was checked; None: not yet."""


MAX_CHARACTERS = 12 * 1024 * 1024
"""Maximum total size of the documents, in characters."""

ParseCache = LruCache[str, tuple[ParsedObject, ...]]
PARSE_CACHE: Key[ParseCache] = Key("cache of parsed documents")
"""Parsed objects by document key, shared by all users; values are never stored."""


def split_documents(text: str) -> tuple[DocumentText, ...]:
    """The documents of a text. Raises DocumentError where it is too long."""
    return tuple(
        DocumentText(offset, chunk, hashlib.sha256(chunk.encode(errors="surrogatepass")).hexdigest())
        for offset, chunk in split_text(text)
    )


def parse_object(part: Manifest) -> ParsedObject:
    """Identity of the object, and its problems before its schema is known."""
    refusal = part.refusal or identity_refusal(part)
    api_version, kind = part.value.get("apiVersion"), part.value.get("kind")
    known = isinstance(api_version, str) and isinstance(kind, str) and bool(api_version and kind)
    metadata = part.value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    defines = tuple(kinds_defined_by(part.value))
    for each in defines:
        each.schema  # noqa: B018 (worked out here, where nothing waits for it)
    return ParsedObject(
        part.line,
        (str(api_version), str(kind)) if known else None,
        str(named.get("namespace") or ""),
        str(named.get("name") or ""),
        _at(part, "kind"),
        _at(part, "metadata", "name"),
        refusal.problems if refusal is not None else (),
        defines,
    )


def check_object(part: Manifest, before: ParsedObject, schema: Schema) -> ParsedObject:
    """The same with the schema's problems."""
    refusal = manifest_schema_refusal(part, schema, editable_part(part.value)) if before.kind is not None else None
    shown_problems = refusal.problems if refusal is not None else ()
    own = {problem.path for problem in before.problems}
    problems = (*before.problems, *(each for each in shown_problems if each.path not in own))
    return replace(before, problems=problems, schema=schema)


def _at(part: Manifest, *path: str) -> Problem:
    return refusal_at(part, "", path).problems[0] if part.value else Problem("", line=part.line, column=1)
