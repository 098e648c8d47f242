"""Objects nested so deep that nothing here could follow: API servers store them, where a schema lets in anything."""

from __future__ import annotations

from typing import Any

DEEPEST = 200
"""Levels that are shown, as many as the editor reads."""
TOO_DEEP = f"… nested more than {DEEPEST} levels deep: kubectl get -o json has all of it"
"""Stands for what is deeper."""


def cut_deeper(obj: dict[str, Any]) -> dict[str, Any]:
    """`obj` itself, in which everything deeper than DEEPEST levels has been replaced by TOO_DEEP."""
    level: list[Any] = [obj]
    for _ in range(DEEPEST - 1):
        level = [
            each
            for inside in level
            for each in (inside.values() if type(inside) is dict else inside)
            if type(each) is dict or type(each) is list
        ]
        if not level:
            return obj
    for inside in level:
        for place, each in list(inside.items() if type(inside) is dict else enumerate(inside)):
            if isinstance(each, dict | list) and each:
                inside[place] = TOO_DEEP
    return obj
