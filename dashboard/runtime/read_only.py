"""Read-only mode (DELTABOARD_READ_ONLY, and pages of the past): whether it is on, its sentences, and the error of a
refused request.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings

from informerd.errors import Forbidden
from informerd.errors.status import Status

READ_ONLY_TITLE = "This Deltaboard is read-only"
READ_ONLY_REASON = (
    "Nothing in the cluster can be changed through this Deltaboard: the setting DELTABOARD_READ_ONLY is on. "
    "Whoever runs it can change that."
)


PAST_TITLE = "This page shows the past"
PAST_REASON = "Nothing can be changed there. Go back to now to make changes."
_is_past: ContextVar[bool] = ContextVar("is_past", default=False)


@contextmanager
def past_is_shown() -> Iterator[None]:
    """What runs within, and tasks that are made there, show a moment of the past, where nothing can be written."""
    token = _is_past.set(True)
    try:
        yield
    finally:
        _is_past.reset(token)


def is_past_shown() -> bool:
    """Whether a moment of the past is shown."""
    return _is_past.get()


def read_only_sentences() -> tuple[str, str]:
    """That nothing can be written here, and why."""
    return (PAST_TITLE, PAST_REASON) if _is_past.get() else (READ_ONLY_TITLE, READ_ONLY_REASON)


class ReadOnlyMode(Forbidden):
    """The request could have changed the cluster and was not sent, because Deltaboard is read-only."""

    def __init__(self) -> None:
        super().__init__(Status(code=403, reason="Forbidden", message=f"{READ_ONLY_TITLE}. {READ_ONLY_REASON}"))


def is_read_only() -> bool:
    """Whether nothing may be written to the cluster: through this process, or where the past is shown."""
    return bool(settings.DELTABOARD_READ_ONLY) or _is_past.get()
