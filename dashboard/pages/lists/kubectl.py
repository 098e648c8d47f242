"""kubectl command for a list, without ``kubectl`` itself, and the parts of the list that no command can express."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dashboard.cluster.kubectl_commands import kubectl_arguments, shell_line
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers import Column, default_sort
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import ColumnTerm, LabelTerm, PathTerm, Term

MAX_COMMANDS = 10
"""Commands for single namespaces."""
_FIELDS = {("pods", "node"): "spec.nodeName", ("pods", "name"): "metadata.name"}
"""Columns that kubectl's field selectors know under another name, by kind."""
_SELECTED = {
    "pods": frozenset({
        ".spec.nodeName", ".spec.restartPolicy", ".spec.schedulerName", ".spec.serviceAccountName", ".spec.hostNetwork",
        ".status.phase", ".status.podIP", ".status.nominatedNodeName",
    }),
}  # fmt: skip
"""Field paths that field selectors know, by kind, in addition to those of every kind."""
_SELECTED_ALWAYS = frozenset({".metadata.name", ".metadata.namespace"})
_PATHS = {"namespace": ".metadata.namespace", "name": ".metadata.name", "age": ".metadata.creationTimestamp"}
_PATHS_OF = {
    ("pods", "node"): ".spec.nodeName", ("pods", "ip"): ".status.podIP",
    ("mydemos.crddemo.k8s.io", "ip"): ".spec.ip", ("mydemos.crddemo.k8s.io", "port"): ".spec.port",
}  # fmt: skip
"""Columns that show a field unchanged, by kind: kubectl's custom columns can show them."""
_DOT = re.compile(r"(?<!\\)\.")
_HEADER = re.compile(r"[^A-Za-z0-9]+")
_CONDITION = re.compile(r"([=!]=)([^)\]]*)\)")
_SORTS = {("age", True): ".metadata.creationTimestamp"}
"""Orders that --sort-by supports, ascending only."""


@dataclass(frozen=True, slots=True)
class KubectlCommand:
    """What follows ``kubectl``, quoted for a POSIX shell; the call of kubectl itself depends on the cluster."""

    arguments: str
    omitted_parts: tuple[str, ...] = ()
    """Parts of the filter and the order that the command lacks: it lists more, or in another order."""
    further: tuple[str, ...] = ()
    """The same for the other namespaces, where the account may not list all at once."""
    omitted_namespaces: int = 0
    """Namespaces beyond MAX_COMMANDS, for which there is no command."""


def kubectl_command(kind: KindInfo, query: Query, listed: tuple[str, ...] = ()) -> KubectlCommand:
    """The command for all pages of the list that `query` shows. `listed` are the namespaces that may be listed, where
    these are not all: kubectl then takes a command for each.
    """
    names = [name for name in query.namespaces or listed if name in listed] if listed and kind.namespaced else []
    if not names:
        return _command(kind, query, _namespace_arguments(kind, query), is_each=False)
    first, *rest = [_command(kind, query, ["-n", name], is_each=True) for name in names[:MAX_COMMANDS]]
    further = tuple(command.arguments for command in rest)
    return replace(first, further=further, omitted_namespaces=len(names) - len(further) - 1)


def _command(kind: KindInfo, query: Query, where: list[str], *, is_each: bool) -> KubectlCommand:
    words = ["get", kind.key, *where]
    labels: list[str] = []
    fields: list[str] = []
    left_out: list[str] = []
    if len(query.namespaces) > 1 and not is_each:
        left_out.append(f"namespace={','.join(query.namespaces)}")
    for term in query.terms:
        if (label := _label_requirement(term)) is not None:
            labels.append(label)
        elif (field := _field_requirement(kind, term)) is not None:
            fields.append(field)
        else:
            left_out.append(str(term))
    words += ["-l", ",".join(labels)] if labels else []
    words += ["--field-selector", ",".join(fields)] if fields else []
    words += _custom_columns(kind, query, left_out)
    if path := _SORTS.get(query.sort):
        words.append(f"--sort-by={path}")
    elif query.sort_path is not None and not query.sort[1]:
        words.append(f"--sort-by={_json_path(query.sort_path)}")
    elif query.sort != default_sort(kind.key):
        left_out.append(f"sort={'-' if query.sort[1] else ''}{query.sort[0]}")
    return KubectlCommand(shell_line(words), tuple(left_out))


def object_commands(kind: KindInfo, rows: Iterable[Row]) -> list[str]:
    """Commands that list exactly these objects: one for each namespace, as kubectl needs for names."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row.namespace, []).append(row.name)
    return [
        kubectl_arguments("get", kind.key, names=objects, namespace=namespace) for namespace, objects in names.items()
    ]


def _custom_columns(kind: KindInfo, query: Query, left_out: list[str]) -> list[str]:
    """The custom columns, where the list has path columns; columns that show no plain field are left out."""
    columns = [column for _, column in query.visible_columns()]
    if not any(column.path is not None for column in columns):
        return []
    specs = []
    for column in columns:
        path = column.path or _path_of(kind, column)
        if path is None or {":", ","} & set(path.text):
            left_out.append(f"columns={column.id}")
        else:
            specs.append(f"{_header(column)}:{_json_path(path)}")
    return ["-o", f"custom-columns={','.join(specs)}"] if specs else []


def _path_of(kind: KindInfo, column: Column) -> FieldPath | None:
    text = _PATHS.get(column.id) or _PATHS_OF.get((kind.key, column.id))
    return FieldPath(text) if text is not None else None


def _header(column: Column) -> str:
    """A header as kubectl has it, in capitals; a path's header is its last name."""
    names = _DOT.split(column.path.text) if column.path is not None else [column.header]
    return _HEADER.sub("-", names[-1]).strip("-").upper() or "FIELD"


def _json_path(path: FieldPath) -> str:
    """A path in kubectl's syntax, which needs quotation marks around the value of a condition."""
    return _CONDITION.sub(r'\1"\2")', path.text)


def _namespace_arguments(kind: KindInfo, query: Query) -> list[str]:
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
    if not isinstance(term, ColumnTerm | PathTerm) or term.op != "=" or term.values is None:
        return None
    if len(term.values) != 1 or not term.values[0].is_literal:
        return None
    field = _selected(kind, term)
    return None if field is None else f"{field}{'!=' if term.negative else '='}{term.values[0].text}"


def _selected(kind: KindInfo, term: ColumnTerm | PathTerm) -> str | None:
    """The field's name in a field selector."""
    if isinstance(term, ColumnTerm):
        return _FIELDS.get((kind.key, term.column))
    path = term.path.text
    return path.removeprefix(".") if path in _SELECTED_ALWAYS | _SELECTED.get(kind.key, frozenset()) else None
