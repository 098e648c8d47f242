"""Comparison of a draft with what it was based on: by field and by line, or in a few words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dashboard.access.identity import Identity
from dashboard.objects.fields.field_access import ABSENT, Value
from dashboard.objects.fields.json_input import read_json
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.fields.unstructured import as_map, as_text
from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.objects.merge.diff import Change, Line, changes, diff_lines
from dashboard.pages.drafts.draft import Content, Draft
from dashboard.pages.drafts.store import DraftStore
from dashboard.runtime.thread_pools import run_in_thread_if_large

MAX_COMPARED = 100_000
"""Characters of a text that is told from others in words."""
MAX_NAMED = 3
"""Most changed fields, or new objects, that are named."""
MAX_VALUE = 40
"""Most characters of a value."""
_BORDER = re.compile(r"^---(?:\s.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference between a draft and its base."""

    changes: tuple[Change, ...]
    lines: tuple[Line, ...]
    problem: str = ""
    """Why its text cannot be compared field by field."""


async def compare(content: Content) -> Comparison:
    """The comparison by field where the text is YAML, and always by line."""
    return await run_in_thread_if_large(_compare, content, size=max(len(content.text), len(content.base)))


async def with_differences(store: DraftStore, identity: Identity, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """The same drafts; each that has its subject in common with another one has its `difference`. Raises as `store`
    does.
    """
    counts = Counter(draft.subject for draft in drafts)
    return tuple(
        [
            replace(draft, difference=await _difference(store, identity, draft)) if counts[draft.subject] > 1 else draft
            for draft in drafts
        ]
    )


async def _difference(store: DraftStore, identity: Identity, draft: Draft) -> str:
    whole = await store.find(identity, draft.key)
    if whole is None:
        return ""
    content = whole.content
    if max(len(content.text), len(content.base)) > MAX_COMPARED:
        return "too large to be compared here"
    if draft.subject.is_new:
        return _few(list(_object_names(content.text)), "no object with a name yet", "creates: ")
    compared = await compare(content)
    if compared.problem:
        return "changes: its text is not complete yet"
    return _few([_change_words(change) for change in compared.changes], "nothing", "changes: ")


def _few(words: Sequence[str], none: str, before: str) -> str:
    more = f" and {len(words) - MAX_NAMED:,} more" if len(words) > MAX_NAMED else ""
    return f"{before}{', '.join(words[:MAX_NAMED]) or none}{more}"


def _change_words(change: Change) -> str:
    """``spec.port to 9090``."""
    return f"{change.field} {'removed' if change.now is ABSENT else f'to {limit_text(change.now_text, MAX_VALUE)}'}"


def _object_names(text: str) -> Iterator[str]:
    """``ConfigMap shop/settings`` of each document that can be read so far."""
    for part in _BORDER.split(text):
        try:
            value = parse(part).value
        except DocumentError:
            continue
        metadata = as_map(value.get("metadata"))
        key = "/".join(filter(None, (as_text(metadata.get("namespace")), as_text(metadata.get("name")))))
        if as_text(metadata.get("name")) and as_text(value.get("kind")):
            yield limit_text(f"{as_text(value.get('kind'))} {key}", 2 * MAX_VALUE)


def _compare(content: Content) -> Comparison:
    base = _base_of(content)
    lines = diff_lines(to_yaml(base) if base else "", content.text)
    try:
        value = parse(content.text).value
    except DocumentError as error:
        return Comparison((), lines, error.message)
    return Comparison(changes(base, value), lines)


def _base_of(content: Content) -> dict[str, Value]:
    values = read_json(content.base)
    return values[0] if values is not None and isinstance(values[0], dict) else {}
