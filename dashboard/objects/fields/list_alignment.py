"""Alignment of two versions of a list: which items stayed, changed, were removed and added."""

from __future__ import annotations

import json
from collections.abc import Callable

from dashboard.objects.fields.field_access import ABSENT, Value, same
from dashboard.runtime.bounded_diff import bounded_opcodes

_NAMES = ("name", "type", "key", "port", "containerPort", "mountPath", "uid", "ip")
"""Fields that usually identify the items of lists (the merge keys of the API server's own kinds)."""
_ALIGN_AT_MOST = 400
"""Maximum number of items that are aligned one by one; longer runs of changed items are replaced."""


def alignment(old: list[Value], new: list[Value]) -> list[tuple[str, int, int, int, int]]:
    """How `old` becomes `new`, as difflib's opcodes; where items have names, an item is "equal" to what it became."""
    start = _common(old, new, lambda items: items)
    rest_old, rest_new = old[start:], new[start:]
    tail = _common(rest_old, rest_new, lambda items: items[::-1])
    middle_old, middle_new = rest_old[: len(rest_old) - tail], rest_new[: len(rest_new) - tail]
    if max(len(middle_old), len(middle_new)) > _ALIGN_AT_MOST:
        return [("replace", start, start + len(middle_old), start, start + len(middle_new))]
    before, after = _item_names(middle_old, middle_new) or (_texts(middle_old), _texts(middle_new))
    return [
        (operation, i1 + start, i2 + start, j1 + start, j2 + start)
        for operation, i1, i2, j1, j2 in bounded_opcodes(before, after)
    ]


def _common(old: list[Value], new: list[Value], turned: Callable[[list[Value]], list[Value]]) -> int:
    count = 0
    for one, other in zip(turned(old), turned(new), strict=False):
        if not same(one, other):
            break
        count += 1
    return count


def _item_names(old: list[Value], new: list[Value]) -> tuple[list[str], list[str]] | None:
    """The items' names, where one field is unique on both sides."""
    for field in _NAMES:
        names = [[item.get(field) if isinstance(item, dict) else None for item in items] for items in (old, new)]
        if all(isinstance(name, str | int) for side in names for name in side):
            before, after = ([json.dumps(name) for name in side] for side in names)
            if len(set(before)) == len(before) and len(set(after)) == len(after):
                return before, after
    return None


def _texts(values: list[Value]) -> list[str]:
    return ["" if value is ABSENT else json.dumps(value, sort_keys=True) for value in values]
