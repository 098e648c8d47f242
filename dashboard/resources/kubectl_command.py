"""The kubectl command that lists what a list shows, and what of the list no command can say."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from dashboard.resources.kinds import KindInfo
from dashboard.resources.query import Query
from dashboard.resources.rows import default_sort
from dashboard.resources.terms import ColumnTerm, LabelTerm, Term

_FIELDS = {("pods", "node"): "spec.nodeName", ("pods", "name"): "metadata.name"}
"""Columns that kubectl's field selectors know under another name, by kind."""
_SORTS = {("age", True): ".metadata.creationTimestamp"}
"""Orders that --sort-by has, which knows no other direction than upwards."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, quoted for a POSIX shell."""

    text: str
    leaves_out: tuple[str, ...] = ()
    """Parts of the filter and the order that it does not have: it lists more, or in another order."""


def kubectl_command(kind: KindInfo, query: Query) -> Command:
    """The command for all pages of the list that `query` shows."""
    words = ["kubectl", "get", kind.key, *_place(kind, query)]
    labels: list[str] = []
    fields: list[str] = []
    left_out: list[str] = [f"namespace={','.join(query.namespaces)}"] if len(query.namespaces) > 1 else []
    for term in query.terms:
        if (label := _label_requirement(term)) is not None:
            labels.append(label)
        elif (field := _field_requirement(kind, term)) is not None:
            fields.append(field)
        else:
            left_out.append(str(term))
    words += ["-l", ",".join(labels)] if labels else []
    words += ["--field-selector", ",".join(fields)] if fields else []
    if path := _SORTS.get(query.sort):
        words.append(f"--sort-by={path}")
    elif query.sort != default_sort(kind.key):
        left_out.append(f"sort={'-' if query.sort[1] else ''}{query.sort[0]}")
    return Command(shlex.join(words), tuple(left_out))


def _place(kind: KindInfo, query: Query) -> list[str]:
    if not kind.namespaced:
        return []
    return ["-n", query.namespaces[0]] if len(query.namespaces) == 1 else ["-A"]


def _label_requirement(term: Term) -> str | None:
    if not isinstance(term, LabelTerm):
        return None
    if term.values is None:
        return f"!{term.label}" if term.negative else term.label
    if not all(pattern.is_literal for pattern in term.values):
        return None
    values = [pattern.text for pattern in term.values]
    if len(values) == 1:
        return f"{term.label}{'!=' if term.negative else '='}{values[0]}"
    return f"{term.label} {'notin' if term.negative else 'in'} ({','.join(values)})"


def _field_requirement(kind: KindInfo, term: Term) -> str | None:
    if not isinstance(term, ColumnTerm) or term.op != "=" or len(term.values) != 1 or not term.values[0].is_literal:
        return None
    field = _FIELDS.get((kind.key, term.column))
    return None if field is None else f"{field}{'!=' if term.negative else '='}{term.values[0].text}"
