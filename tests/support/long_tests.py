"""Long tests: matrices and explorations of which `make test` runs a part; `LONG=1 make test` and `make soak` run all.

Mark a test ``long`` where it takes three seconds or more beside others, and other tests in `make test` run every branch
that it runs in its own process: one of its file is among them. Parameters are marked by `long_but`. Explorations take
`examples`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

LONG = os.environ.get("LONG", "") not in {"", "0"}
"""Whether this run has the long tests, too."""


def long_but(values: Iterable[Any], *short: Any) -> list[Any]:
    """Parameters for ``pytest.mark.parametrize``: `values`, all but `short` with the marker ``long``.

    Raises ValueError where one of `short` is none of the values.
    """
    values = [*values]
    if absent := [each for each in short if each not in values]:
        raise ValueError(f"{absent} are not among the parameters")
    return [each if each in short else pytest.param(each, marks=pytest.mark.long) for each in values]


def examples(whole: int) -> int:
    """Examples of an exploration: `whole` of them with LONG, a third without."""
    return whole if LONG else max(1, whole // 3)


def is_left_out(item: pytest.Item) -> bool:
    """Whether the test waits for a run of its own: ``make soak`` or ``LONG=1 make test``. One that was asked for by its
    name, or by a marker, is run.
    """
    config = item.config
    if any("::" in argument for argument in config.args):
        return False
    left_out = {"soak"} if LONG else {"soak", "long"}
    asked_for = {name for name in left_out if name in (config.getoption("markexpr") or "")}
    return any(item.get_closest_marker(name) is not None for name in left_out - asked_for)
