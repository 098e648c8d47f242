"""The parts of a list's address, each read on its own; what makes no sense is reported and left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from django.http import QueryDict

from dashboard.resources.rows import Column, columns_for, default_sort
from dashboard.resources.tokens import Problem

Params = QueryDict | Mapping[str, list[str]]

_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LAST_PAGE = 10**9
_LONGEST_NAME = 253


def values_of(params: Params, name: str) -> list[str]:
    """All values of a parameter."""
    return params.getlist(name) if isinstance(params, QueryDict) else list(params.get(name, ()))


def split_values(params: Params, name: str) -> list[str]:
    """The non-empty values of a parameter that may be repeated and hold commas."""
    return [part.strip() for value in values_of(params, name) for part in value.split(",") if part.strip()]


def read_namespaces(params: Params, problems: list[Problem]) -> tuple[str, ...]:
    """The names of ``namespace=a,b`` or, as in filters, ``ns=a,b``, without those that can be none."""
    found = []
    for name in (*split_values(params, "namespace"), *split_values(params, "ns")):
        if _NAMESPACE.fullmatch(name):
            found.append(name)
        else:
            problems.append(Problem("namespace", 0, len(name), f"{name!r} cannot be the name of a namespace"))
    return tuple(found)


def read_sort(params: Params, key: str, title: str, problems: list[Problem]) -> tuple[str, bool]:
    """Column id and whether it is descending, of ``sort=-restarts``."""
    text = next((value.strip() for value in values_of(params, "sort") if value.strip()), "")
    if not text:
        return default_sort(key)
    name = text.removeprefix("-").lower()
    known = [column.id for column in columns_for(key)]
    if name in known:
        return name, text.startswith("-")
    expected = f"one of {', '.join(known)}, with - before it for descending"
    message = f"{title} cannot be sorted by {name!r}: expected {expected}"
    problems.append(Problem("sort", 0, len(text), message))
    return default_sort(key)


def read_page(params: Params, problems: list[Problem]) -> int:
    """The number of ``page=3``."""
    text = next((value.strip() for value in values_of(params, "page") if value.strip()), "1")
    if text.isascii() and text.isdecimal() and len(text) < 12 and 1 <= int(text) <= _LAST_PAGE:
        return int(text)
    problems.append(Problem("page", 0, len(text), f"{text[:20]!r} is no page: expected a number from 1 on"))
    return 1


def read_open(params: Params, namespaced: bool, title: str, problems: list[Problem]) -> tuple[str, str] | None:
    """Namespace and name of ``open=namespace/name``, the object shown beside the list; None where there is none.

    The namespace of an object that has none is written as a dash, as in the addresses of details.
    """
    text = next((value.strip() for value in values_of(params, "open") if value.strip()), "")
    if not text:
        return None
    namespace, slash, name = text.partition("/")
    right = _NAMESPACE.fullmatch(namespace) is not None if namespaced else namespace == "-"
    if slash and right and name and "/" not in name and len(name) <= _LONGEST_NAME:
        return ("" if namespace == "-" else namespace), name
    form = "namespace/name" if namespaced else f"-/name, since {title} belong to no namespace"
    problems.append(Problem("open", 0, len(text), f"{text[:60]!r} cannot be opened: expected {form}"))
    return None


def read_columns(params: Params, columns: Iterable[Column], title: str, problems: list[Problem]) -> tuple[str, ...]:
    """The column ids of ``columns=name,status``; none where they are the usual ones."""
    known = [column.id for column in columns]
    wanted = list(dict.fromkeys(name.lower() for name in split_values(params, "columns")))
    for name in wanted:
        if name not in known:
            message = f"{title} have no column {name!r}: expected one of {', '.join(known)}"
            problems.append(Problem("columns", 0, len(name), message))
    chosen = tuple(name for name in wanted if name in known)
    usual = tuple(column.id for column in columns if column.priority < 2)
    return () if chosen == usual else chosen
