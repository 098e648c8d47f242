"""Request, user and cluster that log lines name: a context variable, and a filter that adds them to records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


def _no_cluster() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class LogContext:
    """What a line says beside its message, where it is known."""

    cluster: Callable[[], str] = _no_cluster
    """Gives the cluster's name at the moment of the line."""
    request_id: str = ""
    user: str = ""
    """The person's name, as the API server knows them."""


_NONE = LogContext()
_CONTEXT: ContextVar[LogContext] = ContextVar("context of log lines", default=_NONE)


def set_log_context(context: LogContext) -> None:
    """Lines of the running task, and of tasks that it creates from now on, belong to this."""
    _CONTEXT.set(context)


@contextmanager
def log_context(context: LogContext) -> Iterator[None]:
    """Lines that are written in the block belong to this, and those of tasks that are created there."""
    token = _CONTEXT.set(context)
    try:
        yield
    finally:
        _CONTEXT.reset(token)


class ContextFilter(logging.Filter):
    """Adds `request_id`, `user` and `cluster` to records; a field that a record has of its own stays."""

    def filter(self, record: logging.LogRecord) -> bool:
        context = _CONTEXT.get()
        fields = {"request_id": context.request_id, "user": context.user, "cluster": context.cluster()}
        for name, value in fields.items():
            if value and not hasattr(record, name):
                setattr(record, name, value)
        return True
