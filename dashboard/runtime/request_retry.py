"""Automatic retries of a request to the API server: when, and how often.

They are for requests that cannot take effect twice: a review, which writes nothing; a write on top of a uid and
resourceVersion that a person saw; the creation of an object whose name is given. After a lost answer an edit is
repeated only on top of the very state that it was sent to, and an object is created only where there was none right
after the loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from informerd.errors import (
    CredentialsError,
    InformerdError,
    ServerError,
    ServerTimeout,
    TooManyRequests,
    Unreachable,
)

DEFAULT_RETRY_AFTER = 5.0
"""Seconds until the next attempt where the API server does not say how long."""
MAX_RETRY_AFTER = 60.0
"""Maximum of seconds; after a longer Retry-After the person decides."""
MAX_TRIES = 10
"""Maximum number of automatic attempts."""
TRIES_INPUT, LOST_INPUT = "tries", "lost"
"""Inputs of a page that retries: the number of attempts; and, where one of them got no clear answer, what is known of
it: `LOST_UNREAD`, `LOST_NONE`, or the resourceVersion on top of which it was sent.
"""
LOST_UNREAD, LOST_NONE = "yes", "none"
"""The object could not be read afterwards; it was read afterwards and did not exist."""

STORED_AFTER_ALL = "no answer came when it was sent, but it was stored, as reading it shows"
"""Message for a write that turned out to be stored."""


@dataclass(frozen=True, slots=True)
class Retry:
    """The next of several attempts."""

    delay: int
    """Seconds."""
    attempt: int
    """Its number, counted from 1."""
    max_attempts: int
    """Maximum number of attempts; 0 for any number: only the result of the last one is being read."""


def is_unanswered(error: InformerdError) -> bool:
    """Whether a write that ended so may have taken effect: etcd's time-outs come as 500 after it stored."""
    is_lost = isinstance(error, Unreachable) and not isinstance(error, CredentialsError)
    return is_lost or isinstance(error, ServerError | ServerTimeout)


def retry_delay(error: InformerdError) -> float | None:
    """Seconds until an automatic retry; None where a retry would change nothing."""
    if not isinstance(error, TooManyRequests) and not is_unanswered(error):
        return None
    retry_after = error.retry_after if isinstance(error, TooManyRequests | ServerError | ServerTimeout) else None
    wait = max(retry_after, 1.0) if retry_after is not None else DEFAULT_RETRY_AFTER
    return wait if wait <= MAX_RETRY_AFTER else None


def next_retry(post: Mapping[str, str], after: float | None, *, endless: bool = False) -> Retry | None:
    """The next automatic attempt, `after` seconds from now; `post` has the number of the last. None: there is none."""
    text = post.get(TRIES_INPUT, "")
    tries = int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0
    if after is None or (tries >= MAX_TRIES and not endless):
        return None
    return Retry(round(after), tries + 1, 0 if endless else MAX_TRIES)
