"""What is worth a line in the log: a change of state that somebody may have to look at, and our own faults."""

from __future__ import annotations

import logging

_STARTING = {("starting", "syncing"), ("starting", "live"), ("syncing", "live")}


class WorthALine(logging.Filter):
    """Leaves out what happens at every start and in every browser.

    A kind that goes from starting over syncing to live is as it should be, and so is a controller that begins or ends
    where nothing is amiss (what is, is a warning); a page that does not exist, a form without
    token, and a readiness probe that is answered with 503 are answers, not faults. What runserver says of each request
    is left out whole: a fault of ours has been told before, with its trace.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.channels.server":
            return False
        if record.name.startswith("django.") and not record.exc_info:
            return getattr(record, "status_code", 500) == 500
        if record.name == "informerd.cache.health" and record.levelno == logging.INFO:
            return (getattr(record, "previous_state", ""), getattr(record, "state", "")) not in _STARTING
        return not (record.name == "informerd.controller.controller" and record.levelno == logging.INFO)
