"""What a filter, or a path, can go on with: columns, their values, labels and fields, of what this process has cached.

`/resources/<kind>/complete?q=…&at=…` answers for a filter, `?path=…` for a path alone. Nothing is chosen for anybody:
the page offers what comes, and what is typed counts until somebody picks a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.live.context import LiveParts, live_of
from dashboard.live.row_values import Cells, Labels
from dashboard.resources.kinds import KindInfo
from dashboard.resources.missing import missing_kind
from dashboard.resources.namespaces import namespace_names
from dashboard.resources.opened import Unopened, open_kind
from dashboard.resources.path_completion import Step, path_steps
from dashboard.resources.path_names import sample
from dashboard.resources.pattern import Pattern
from dashboard.resources.rows import Column, columns_for
from dashboard.resources.rows.field_path import LONGEST as LONGEST_PATH
from dashboard.resources.rows.field_path import FieldPath, WrongPath
from dashboard.resources.terms import VIRTUAL
from dashboard.resources.typed import Typed, typed_at
from dashboard.resources.values_there import MOST, Counted, uncounted, values_at

LONGEST = 2000
"""Characters of a filter that are read."""
_SIGNS = {"age": "<", "number": ">", "fraction": "<"}
"""The sign that is put behind a column's name, by its order; = for any other."""
_ABOUT = {"age": "a time ago: < <= > >=", "number": "a number: = != < <= > >=", "fraction": "a part: = != < <= > >="}


@dataclass(frozen=True, slots=True)
class Option:
    """A line: what it shows, and what it puts in place of what is typed. `goes_on`: more can follow at once."""

    text: str
    insert: str
    about: str = ""
    goes_on: bool = False


@require_safe
async def complete(request: HttpRequest, resource: str) -> HttpResponse:
    """The lines for what is typed, for complete.js."""
    live = live_of(request)
    kind = await open_kind(live, resource)
    if isinstance(kind, Unopened):
        return missing_kind(request, resource, kind)
    if "path" in request.GET:
        part = request.GET["path"][:LONGEST_PATH]
        start, found = (
            0,
            [_path_alone(step) for step in await _steps(live, kind, part if part[:1] == "." else f".{part}")],
        )
    else:
        text = request.GET.get("q", "")[:LONGEST]
        typed = typed_at(text, min(_number(request.GET.get("at", "")), len(text)))
        start, found = typed.start, await _options(live, kind, typed)
    response = render(
        request, "resources/_completions.html", {"options": found[:MOST], "start": start, "more": len(found) > MOST}
    )
    response["Cache-Control"] = "no-store"
    return response


async def _options(live: LiveParts, kind: KindInfo, typed: Typed) -> list[Option]:
    match typed.wanted:
        case "name":
            return _names(kind, typed.part)
        case "value":
            return _listed(await _column_values(live, kind, typed.of, typed.part))
        case "label":
            return [
                Option(found.text, f"{found.insert}=", found.about, goes_on=True)
                for found in _listed(await live.hub.commonest(kind, Labels(), typed.part))
            ]
        case "label value":
            return _listed(await live.hub.commonest(kind, Labels(typed.of), typed.part))
        case "path":
            return [_path_in_filter(step) for step in await _steps(live, kind, typed.part)]
        case "path value":
            return _listed(_path_values(live, kind, typed.of, typed.part)) if typed.operator in {"=", "!="} else []
    return []


def _names(kind: KindInfo, part: str) -> list[Option]:
    """Columns whose name or header begins with what is typed, or holds it; then what else a filter can begin with."""
    wanted = part.casefold()
    offered = [_column(column) for column in columns_for(kind.key)]
    known = {option.text for option in offered}
    offered += [Option(name, f"{name}=", "= !=", goes_on=True) for name in VIRTUAL if name not in known]
    offered.append(Option("label:", "label:", "a label", goes_on=True))
    offered.append(Option(".", ".", "any field by its path", goes_on=True))
    begins = [option for option in offered if option.text.startswith(wanted)]
    return begins + [option for option in offered if wanted in option.text and option not in begins]


def _column(column: Column) -> Option:
    if column.id == "namespace":
        return Option("ns", "ns=", "namespace", goes_on=True)
    sign = _SIGNS.get(column.order, "=")
    return Option(column.id, f"{column.id}{sign}", _ABOUT.get(column.order, "= !="), goes_on=sign == "=")


def _listed(found: list[Counted]) -> list[Option]:
    return [Option(each.value, Pattern((each.value,)).written(), each.words) for each in found]


async def _column_values(live: LiveParts, kind: KindInfo, name: str, part: str) -> list[Counted]:
    column_id = "namespace" if name.casefold() == "ns" else name.casefold()
    if column_id == "namespace" and (names := namespace_names(live)):
        return uncounted(names, part)
    place = next((i for i, c in enumerate(columns_for(kind.key)) if c.id == column_id and c.order not in _SIGNS), None)
    index = VIRTUAL[column_id][0] if place is None and column_id in VIRTUAL else place
    if index is None:
        return []
    return await live.hub.commonest(kind, Cells(index), part)


def _path_values(live: LiveParts, kind: KindInfo, text: str, part: str) -> list[Counted]:
    try:
        path = FieldPath(text)
    except WrongPath:
        return []
    return values_at(path, live.replicas.get(kind.key).rows, part)


async def _steps(live: LiveParts, kind: KindInfo, part: str) -> list[Step]:
    objects: list[dict[str, Any]] = sample(live.replicas.get(kind.key).rows.values())
    schema = await live.schemas.soon(live.client, kind.resource) if live.client is not None else None
    return path_steps(part, schema, objects)


def _path_in_filter(step: Step) -> Option:
    return Option(step.path, step.path + ("." if step.goes_on else "="), step.about, goes_on=True)


def _path_alone(step: Step) -> Option:
    return Option(step.path, step.path + ("." if step.goes_on else ""), step.about, goes_on=step.goes_on)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else LONGEST
