"""When the very same may be sent to the API server again by itself: after how long, and how often.

It is for what cannot be done twice: a review, which writes nothing; a write on top of a uid and resourceVersion that a
person saw; the making of an object whose name is given. After a lost answer an edit goes only on top of the very state
that it was sent to, and an object is made only where it was seen right after the loss that there is none.
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

AGAIN_AFTER = 5.0
"""Seconds until another try where the API server does not say how long."""
LONGEST_WAIT = 60.0
"""Seconds; told to come later than that, it is the person who decides."""
MOST_TRIES = 10
"""How often it is sent again by itself."""
TRIES, LOST = "tries", "lost"
"""Inputs of a page that sends again: how often it has; and, where no clear answer came to one of those sent before,
what is known of that: `UNREAD`, `NONE`, or the resourceVersion on top of which it was sent."""
UNREAD, NONE = "yes", "none"
"""It could not be asked for; it was asked for afterwards, and there was no such object."""

STORED = "no answer came when it was sent, but it was stored, as reading it shows"
"""Said of a write where that was found out."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """The next of several tries."""

    after: int
    """Seconds."""
    tries: int
    """Which it is, counted from 1."""
    most: int
    """0 for any number: it is only asked what became of the last one."""


def is_unanswered(error: InformerdError) -> bool:
    """Whether a write that ended so may have been done all the same: etcd's time-outs come as 500 after it stored."""
    lost = isinstance(error, Unreachable) and not isinstance(error, CredentialsError)
    return lost or isinstance(error, ServerError | ServerTimeout)


def pause(error: InformerdError) -> float | None:
    """Seconds until the same may be sent again by itself; None where that would change nothing."""
    if not isinstance(error, TooManyRequests) and not is_unanswered(error):
        return None
    asked = error.retry_after if isinstance(error, TooManyRequests | ServerError | ServerTimeout) else None
    wait = max(asked, 1.0) if asked is not None else AGAIN_AFTER
    return wait if wait <= LONGEST_WAIT else None


def repeat_of(post: Mapping[str, str], after: float | None, *, endless: bool = False) -> Repeat | None:
    """The try that follows the one that came with `post`; None where it is not made by itself."""
    text = post.get(TRIES, "")
    tries = int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0
    if after is None or (tries >= MOST_TRIES and not endless):
        return None
    return Repeat(round(after), tries + 1, 0 if endless else MOST_TRIES)
