"""Read-only mode (DELTABOARD_READ_ONLY): whether it is on, its sentences, and the error of a refused request."""

from __future__ import annotations

from django.conf import settings

from informerd.errors import Forbidden
from informerd.errors.status import Status

READ_ONLY_TITLE = "This Deltaboard is read-only"
READ_ONLY_REASON = (
    "Nothing in the cluster can be changed through this Deltaboard: the setting DELTABOARD_READ_ONLY is on. "
    "Whoever runs it can change that."
)


class ReadOnlyMode(Forbidden):
    """The request could have changed the cluster and was not sent, because Deltaboard is read-only."""

    def __init__(self) -> None:
        super().__init__(Status(code=403, reason="Forbidden", message=f"{READ_ONLY_TITLE}. {READ_ONLY_REASON}"))


def is_read_only() -> bool:
    """Whether nothing may be written to the cluster through this process."""
    return bool(settings.DELTABOARD_READ_ONLY)
