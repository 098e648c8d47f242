"""Log output: which records are worth a line, and lines that nobody else can forge."""

from __future__ import annotations

import logging

from dashboard.runtime.invisible_characters import escape_invisible

_STARTING = {("starting", "syncing"), ("starting", "live"), ("syncing", "live")}


class PlainFormatter(logging.Formatter):
    """Lines of text. Messages hold texts of others, such as an API server's: what a terminal may obey or nobody sees is
    escaped, and further lines of a message are indented, so that none looks like a record of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        return escape_invisible(super().format(record)).replace("\n", "\n    ")


class RoutineFilter(logging.Filter):
    """Drops what happens at every start and in every browser.

    A kind that goes from starting over syncing to live is normal, and so is a controller that starts or ends without a
    problem (problems are warnings). An unknown page, a form without token, and a readiness probe that is answered with
    503 are answers, not errors. The request lines of runserver are all dropped: an error has been logged before, with
    its traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.channels.server":
            return False
        if record.name.startswith("django.") and not record.exc_info:
            return getattr(record, "status_code", 500) == 500
        if record.name == "informerd.cache.health" and record.levelno == logging.INFO:
            return (getattr(record, "previous_state", ""), getattr(record, "state", "")) not in _STARTING
        return not (record.name == "informerd.controller.controller" and record.levelno == logging.INFO)
