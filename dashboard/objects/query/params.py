"""Parameters of a list's address, each parsed on its own; invalid parts are reported and left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from django.http import QueryDict

from dashboard.objects.paths.field_path import EXAMPLE_PATHS, FieldPath, InvalidPath, looks_like_path
from dashboard.objects.printers import Column, default_sort, list_columns
from dashboard.objects.query.tokenizer import QueryProblem
from informerd.suggest import suggest_names

Params = QueryDict | Mapping[str, list[str]]

_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NAMESPACES = "Such a name has small letters, digits and dashes, 63 characters at most."
_DIRECTIONS = {"desc": "-", "descending": "-", "asc": "", "ascending": ""}
"""Words for an order in other query languages, and the prefix that is written here."""
_LAST_PAGE = 10**9
_LONGEST_NAME = 253


def param_values(params: Params, name: str) -> list[str]:
    """All values of a parameter."""
    return params.getlist(name) if isinstance(params, QueryDict) else list(params.get(name, ()))


def split_values(params: Params, name: str) -> list[str]:
    """The non-empty values of a parameter that may be repeated and contain commas."""
    return [part.strip() for value in param_values(params, name) for part in value.split(",") if part.strip()]


def read_namespaces(params: Params, problems: list[QueryProblem]) -> tuple[str, ...]:
    """The names of ``namespace=a,b`` or, as in filters, ``ns=a,b``, without invalid ones."""
    names = []
    for name in (*split_values(params, "namespace"), *split_values(params, "ns")):
        if _NAMESPACE.fullmatch(name):
            names.append(name)
        else:
            plain = name.lower()
            suggestion = f"Did you mean {plain}? " if _NAMESPACE.fullmatch(plain) else ""
            message = f"{name[:70]!r} cannot be the name of a namespace. {suggestion}{_NAMESPACES}"
            problems.append(QueryProblem("namespace", 0, len(name), message))
    return tuple(names)


def read_sort(params: Params, key: str, title: str, problems: list[QueryProblem]) -> tuple[str, bool]:
    """Column id or path and whether it is descending, of ``sort=-restarts`` or ``sort=-.spec.priority``."""
    text = next((value.strip() for value in param_values(params, "sort") if value.strip()), "")
    if not text:
        return default_sort(key)
    name = text.removeprefix("-").lower()
    known = [column.id for _, column in list_columns(key)]
    if name in known:
        return name, text.startswith("-")
    sign = text.startswith("-")
    if looks_like_path(name):
        path = _read_path("sort", text.removeprefix("-"), text, int(sign), problems)
        return (path.text, sign) if path is not None else default_sort(key)
    expected = f"Write {', '.join(known)} or a field's path, with - before it for the descending order."
    message = f"{title} cannot be sorted by {name[:70]!r}. {_sort_meant(name, sign, known)}{expected}"
    problems.append(QueryProblem("sort", int(sign), len(text), message, text))
    return default_sort(key)


def _sort_meant(name: str, descending: bool, known: list[str]) -> str:
    word, _, rest = name.replace(":", " ").replace(",", " ").strip().partition(" ")
    near = suggest_names(word, known)
    sign = _DIRECTIONS.get(rest.strip(), "-" if descending else "")
    return f"Did you mean {sign}{near[0]}? " if near else ""


def read_page(params: Params, problems: list[QueryProblem]) -> int:
    """The number of ``page=3``."""
    text = next((value.strip() for value in param_values(params, "page") if value.strip()), "1")
    if text.isascii() and text.isdecimal() and len(text) < 12 and 1 <= int(text) <= _LAST_PAGE:
        return int(text)
    problems.append(QueryProblem("page", 0, len(text), f"{text[:20]!r} is not a page. Write a number of 1 or more."))
    return 1


def read_open(params: Params, namespaced: bool, title: str, problems: list[QueryProblem]) -> tuple[str, str] | None:
    """Namespace and name of ``open=namespace/name``, the object shown beside the list; None where there is none.

    The namespace of an object that has none is written as a dash, as in the addresses of details.
    """
    text = next((value.strip() for value in param_values(params, "open") if value.strip()), "")
    if not text:
        return None
    namespace, slash, name = text.partition("/")
    right = _NAMESPACE.fullmatch(namespace) is not None if namespaced else namespace == "-"
    if slash and right and name and "/" not in name and len(name) <= _LONGEST_NAME:
        return ("" if namespace == "-" else namespace), name
    form = "namespace/name" if namespaced else f"-/name, because {title} belong to no namespace"
    problems.append(QueryProblem("open", 0, len(text), f"{text[:60]!r} cannot be opened. Write {form}."))
    return None


def read_columns(
    params: Params, columns: Iterable[Column], title: str, problems: list[QueryProblem]
) -> tuple[str, ...]:
    """The ids and paths of ``columns=name,.spec.nodeName``; none where they are the usual columns."""
    known = [column.id for column in columns]
    text = ",".join(value for value in param_values(params, "columns") if value.strip())
    chosen: dict[str, None] = {}
    at = 0
    for part in text.split(","):
        name, start = part.strip(), at + len(part) - len(part.lstrip())
        at += len(part) + 1
        if name.lower() in known:
            chosen[name.lower()] = None
        elif looks_like_path(name):
            path = _read_path("columns", name, text, start, problems)
            chosen |= {path.text: None} if path is not None else {}
        elif name:
            near = suggest_names(name, known)
            suggestion = f"Did you mean {near[0]}? " if near else ""
            expected = f"Write {', '.join(known)} or a path such as {EXAMPLE_PATHS}."
            message = f"{title} have no column {name[:70]!r}. {suggestion}{expected}"
            problems.append(QueryProblem("columns", start, start + len(name), message, text))
    usual = tuple(column.id for column in columns if column.priority < 2)
    return () if tuple(chosen) == usual else tuple(chosen)


def _read_path(param: str, name: str, text: str, start: int, problems: list[QueryProblem]) -> FieldPath | None:
    """The path at `start` in a parameter's text; None where there is none, with a problem."""
    try:
        return FieldPath(name)
    except InvalidPath as wrong:
        problems.append(QueryProblem(param, start + wrong.start, start + wrong.end, wrong.message, text))
        return None
