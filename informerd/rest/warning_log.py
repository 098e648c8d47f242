"""Default handler of the API server's warnings: one line in the log for each, once."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)

OnWarning = Callable[[str], None]
"""Called with each warning's text. It must not block."""

MAX_REMEMBERED = 1_000
"""Texts that are not logged again; beyond this number the oldest is dropped."""


class WarningLog:
    """Logs each warning the first time it comes, as kubectl does (client-go's rest.NewWarningWriter)."""

    def __init__(self, remembered: int = MAX_REMEMBERED) -> None:
        self._remembered = remembered
        self._logged: dict[str, None] = {}

    def __call__(self, text: str) -> None:
        if text in self._logged:
            return
        if len(self._logged) >= self._remembered:
            del self._logged[next(iter(self._logged))]
        self._logged[text] = None
        log.warning("the API server warns: %s", text, extra={"warning": text})


def pass_warnings(warnings: tuple[str, ...], on_warning: OnWarning) -> None:
    """Hand each warning to `on_warning`. What it raises is logged: a call that went well stays a success."""
    for text in warnings:
        try:
            on_warning(text)
        except Exception:
            log.exception("a function that was handed the warning %r failed", text, extra={"warning": text})
