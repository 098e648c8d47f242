"""Checks of single field values: numbers, percentages, fixed sets, strategies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from devcluster.server.api_errors import FieldError, invalid_value, not_supported

_SHARE = re.compile("[0-9]+%")
_NO_SHARE = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)
UPDATE_STRATEGIES = ("RollingUpdate", "OnDelete")
"""Of StatefulSets and DaemonSets."""


def shown_strategy(strategy: dict[str, Any]) -> dict[str, Any]:
    """A strategy as the API server's messages show it."""
    return {"Type": strategy["type"], "RollingUpdate": strategy.get("rollingUpdate")}


def check_int_or_percent(value: int | str, path: str) -> list[FieldError]:
    """The errors in a number or a percentage."""
    if isinstance(value, str):
        return [] if _is_share(value) else [invalid_value(path, value, _NO_SHARE)]
    return [invalid_value(path, value, "must be greater than or equal to 0")] if value < 0 else []


def check_at_most_100_percent(value: int | str, path: str) -> list[FieldError]:
    """The errors in a percentage with a maximum of 100."""
    too_much = _is_share(value) and int_or_percent_value(value) > 100
    return [invalid_value(path, value, "must not be greater than 100%")] if too_much else []


def _is_share(value: int | str) -> bool:
    return isinstance(value, str) and _SHARE.fullmatch(value) is not None


def int_or_percent_value(value: int | str) -> int:
    """The number of a percentage or of a plain number; 0 for other text."""
    text = str(value).removesuffix("%") if _is_share(value) else str(value)
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else 0


def check_supported(value: Any, known: tuple[str, ...], path: str) -> list[FieldError]:
    """The errors in a field with a fixed set of values."""
    return [] if value in known else [not_supported(path, value, known)]


def check_not_negative(values: Mapping[str, Any], path: str, *names: str) -> list[FieldError]:
    """The errors in numbers that must not be negative, where they are set."""
    return [
        invalid_value(f"{path}.{name}", values[name], "must be greater than or equal to 0")
        for name in names
        if (values.get(name) or 0) < 0
    ]


def check_range(value: int | None, low: int, high: int, path: str) -> list[FieldError]:
    """The errors in a number with a range, where it is set."""
    if value is None or low <= value <= high:
        return []
    return [invalid_value(path, value, f"must be between {low} and {high}, inclusive")]
