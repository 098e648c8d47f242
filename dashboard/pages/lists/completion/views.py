"""Suggestions for a filter or a path: columns, their values, labels and fields, from this process's cache.

`/resources/<kind>/complete?q=…&caret=…` completes a filter, `?path=…` a path alone. The page only offers the
suggestions: the typed text stands until a line is picked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.live.index.searchable_text_counts import MAX_VALUES, TextCount, count_path_values, without_counts
from dashboard.live.index.value_counts import ColumnSource, LabelSource
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.paths.field_path import MAX_LENGTH as LONGEST_PATH
from dashboard.objects.paths.field_path import FieldPath, InvalidPath
from dashboard.objects.paths.path_suggestions import sample_objects
from dashboard.objects.printers import Column, list_columns
from dashboard.objects.query.terms import VIRTUAL_COLUMNS
from dashboard.objects.query.wildcard import Pattern
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.pages.layout.namespaces import namespace_names
from dashboard.pages.layout.not_found import kind_not_found
from dashboard.pages.layout.requested_kind import UnavailableKind, open_kind
from dashboard.pages.lists.completion.cursor import Cursor, cursor_at
from dashboard.pages.lists.completion.paths import PathCompletion, complete_path
from dashboard.runtime.app_state import AppState, state_of

MAX_FILTER_LENGTH = 2000
"""Longest filter that is read, in characters."""
_SIGNS = {"age": "<", "number": ">", "fraction": "<"}
"""Operator that follows a column's name, by the column's order; = for any other."""
_ABOUT = {"age": "a time ago: < <= > >=", "number": "a number: = != < <= > >=", "fraction": "a part: = != < <= > >="}


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """A suggestion: its label, and the text that it inserts. `can_continue`: more can follow immediately."""

    text: str
    insert: str
    description: str = ""
    can_continue: bool = False


@require_safe
async def complete_filter(request: HttpRequest, resource: str) -> HttpResponse:
    """The suggestions for the typed text, for list/completion.js."""
    state = state_of(request)
    kind = await open_kind(request, resource)
    if isinstance(kind, UnavailableKind):
        return kind_not_found(request, resource, kind)
    if "path" in request.GET:
        part = request.GET["path"][:LONGEST_PATH]
        start, items = (
            0,
            [_path_alone(step) for step in await _steps(state, kind, part if part[:1] == "." else f".{part}")],
        )
    else:
        text = request.GET.get("q", "")[:MAX_FILTER_LENGTH]
        typed = cursor_at(text, min(_number(request.GET.get("caret", "")), len(text)))
        start, items = typed.start, await _options(state, kind, typed)
    response = render(
        request,
        "lists/_completions.html",
        {"options": items[:MAX_VALUES], "start": start, "more": len(items) > MAX_VALUES},
    )
    response["Cache-Control"] = "no-store"
    return response


async def _options(state: AppState, kind: KindInfo, typed: Cursor) -> list[CompletionItem]:
    match typed.wanted:
        case "name":
            return _names(kind, typed.part)
        case "value":
            return _items(await _column_values(state, kind, typed.key, typed.part))
        case "label":
            return [
                CompletionItem(item.text, f"{item.insert}=", item.description, can_continue=True)
                for item in _items(await state[HUB].most_common_values(kind, LabelSource(), typed.part))
            ]
        case "label value":
            return _items(await state[HUB].most_common_values(kind, LabelSource(typed.key), typed.part))
        case "path":
            return [_path_in_filter(step) for step in await _steps(state, kind, typed.part)]
        case "path value":
            return _items(_path_values(state, kind, typed.key, typed.part)) if typed.operator in {"=", "!="} else []
    return []


def _names(kind: KindInfo, part: str) -> list[CompletionItem]:
    """Columns whose name or header starts with the text, or contains it; then the other ways to start a filter."""
    wanted = part.casefold()
    offered = [_column(column) for _, column in list_columns(kind.key)]
    known = {option.text for option in offered}
    offered += [
        CompletionItem(name, f"{name}=", "= !=", can_continue=True) for name in VIRTUAL_COLUMNS if name not in known
    ]
    offered.append(CompletionItem("label:", "label:", "a label", can_continue=True))
    offered.append(CompletionItem(".", ".", "any field by its path", can_continue=True))
    begins = [option for option in offered if option.text.startswith(wanted)]
    return begins + [option for option in offered if wanted in option.text and option not in begins]


def _column(column: Column) -> CompletionItem:
    if column.id == "namespace":
        return CompletionItem("ns", "ns=", "namespace", can_continue=True)
    sign = _SIGNS.get(column.order, "=")
    return CompletionItem(column.id, f"{column.id}{sign}", _ABOUT.get(column.order, "= !="), can_continue=sign == "=")


def _items(counts: list[TextCount]) -> list[CompletionItem]:
    return [CompletionItem(each.value, Pattern((each.value,)).written(), each.words) for each in counts]


async def _column_values(state: AppState, kind: KindInfo, name: str, part: str) -> list[TextCount]:
    column_id = "namespace" if name.casefold() == "ns" else name.casefold()
    if column_id == "namespace" and (names := namespace_names(state)):
        return without_counts(names, part)
    place = next((i for i, c in list_columns(kind.key) if c.id == column_id and c.order not in _SIGNS), None)
    index = VIRTUAL_COLUMNS[column_id][0] if place is None and column_id in VIRTUAL_COLUMNS else place
    if index is None:
        return []
    return await state[HUB].most_common_values(kind, ColumnSource(index), part)


def _path_values(state: AppState, kind: KindInfo, text: str, part: str) -> list[TextCount]:
    try:
        path = FieldPath(text)
    except InvalidPath:
        return []
    return count_path_values(path, state[REPLICAS].get(kind.key).rows, part)


async def _steps(state: AppState, kind: KindInfo, part: str) -> list[PathCompletion]:
    objects: list[dict[str, Any]] = sample_objects(state[REPLICAS].get(kind.key).rows.values())
    client = state[CONNECTION].client
    schema = None if client is None else await state[SCHEMAS].schema_if_ready(client, kind.resource)
    return complete_path(part, schema, objects)


def _path_in_filter(step: PathCompletion) -> CompletionItem:
    return CompletionItem(
        step.path, step.path + ("." if step.can_continue else "="), step.description, can_continue=True
    )


def _path_alone(step: PathCompletion) -> CompletionItem:
    return CompletionItem(
        step.path, step.path + ("." if step.can_continue else ""), step.description, can_continue=step.can_continue
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else MAX_FILTER_LENGTH
