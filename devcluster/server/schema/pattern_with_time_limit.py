"""Regular-expression matching with a time limit, for patterns that clients send in schemas.

The real server's regular expressions take linear time; Python's can run almost for ever, so a match is interrupted.
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
    """Whether the pattern is found in the text; true for an unreadable pattern, false for one that takes too long."""
    try:
        if len(text) <= _SHORT or threading.current_thread() is not threading.main_thread():
            return re.search(pattern, text) is not None
        return _interrupted(pattern, text)
    except (re.error, RecursionError, OverflowError):
        return True


def _interrupted(pattern: str, text: str) -> bool:
    """Interrupt the match with an alarm, because Python checks signals while it matches.

    An alarm that was set before is restored.
    """
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
