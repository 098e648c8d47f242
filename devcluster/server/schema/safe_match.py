"""Matching texts against the patterns of schemas, which anybody can send, without the server ever hanging on one.

The real server's regular expressions take linear time; Python's can take for ever, so that a match is interrupted.
"""

from __future__ import annotations

import re
import signal
import threading
from types import FrameType

_SHORT = 12
"""Letters in which no pattern loses much time."""
_SECONDS = 0.1


class _TooLong(Exception):
    """The match was interrupted."""


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text. One that Python cannot read is; one that takes too long is not."""
    try:
        if len(text) <= _SHORT or threading.current_thread() is not threading.main_thread():
            return re.search(pattern, text) is not None
        return _interrupted(pattern, text)
    except (re.error, RecursionError, OverflowError):
        return True


def _interrupted(pattern: str, text: str) -> bool:
    """Python looks for signals while it matches: an alarm ends it. Whoever had set one gets theirs back."""
    handler = signal.signal(signal.SIGALRM, _ring)
    seconds, interval = signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return re.search(pattern, text) is not None
    except _TooLong:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, seconds, interval)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise _TooLong
