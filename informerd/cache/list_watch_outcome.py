"""Outcome of a list or a watch, as one word of a short, closed list, so that outcomes can be counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from informerd.cache.watch_session import HistoryLost, ShortWatch
from informerd.clock import Clock
from informerd.errors import (
    ApiError,
    CredentialsError,
    Expired,
    Forbidden,
    MalformedStream,
    NotFound,
    ResourceVersionTooLarge,
    ServerError,
    ServerTimeout,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

_OUTCOMES: tuple[tuple[type[Exception], str], ...] = (
    (Expired, "expired"),
    (ResourceVersionTooLarge, "too_large"),
    (TooManyRequests, "too_many_requests"),
    (Forbidden, "forbidden"),
    (Unauthorized, "unauthorized"),
    (NotFound, "absent"),
    (ServerTimeout, "server_error"),
    (ServerError, "server_error"),
    (ApiError, "refused"),
    (CredentialsError, "no_credentials"),
    (Unreachable, "unreachable"),
    (ShortWatch, "short"),
    (HistoryLost, "history_lost"),
    (MalformedStream, "malformed"),
)

OUTCOMES = ("ok", "cut_off", "overtime", *dict.fromkeys(word for _, word in _OUTCOMES), "error")
"""ok: it came whole, or the API server ended it in time · cut_off: the connection broke after it had begun ·
overtime: it was ended from this side because the API server had not · refused: any other error response · absent:
404 · no_credentials: none could be had · short: a watch that ended at once without an event · history_lost: the API
server went back in its versions · malformed: not what the API promises · error: a fault of this library."""


def outcome_of(error: Exception) -> str:
    """The word for a failure, one of OUTCOMES."""
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "error")


class CountedAttempt:
    """A list or watch under way; `outcome` is what it is counted as unless it raises, "" for not at all."""

    def __init__(self) -> None:
        self.outcome = "ok"


@contextmanager
def count_attempt(clock: Clock, count: Callable[[str, float], None]) -> Iterator[CountedAttempt]:
    """Call `count` with the outcome of the block and its seconds, unless it is cancelled."""
    attempt = CountedAttempt()
    began = clock.now()
    try:
        yield attempt
    except Exception as error:
        count(outcome_of(error), clock.now() - began)
        raise
    if attempt.outcome:
        count(attempt.outcome, clock.now() - began)
