"""Events of a log that is followed: its lines, and marks between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MarkKind = Literal[
    "waiting",
    "interrupted",
    "resumed",
    "gap",
    "repeated",
    "restarted",
    "ended",
    "gone",
    "refused",
    "error",
    "failed",
]
"""waiting: the container does not run, and has no log yet ·
interrupted: the log cannot be read for the moment · resumed: it goes on · gap: lines may be
missing here · repeated: some of the next lines may have come before · restarted: a new run of the container begins ·
ended: the container's run is over · gone: the pod does not exist any more · refused: the API server does not give the
log · error: a sentence that came in place of a line ·
failed: for programs that follow a log, where their own following failed.
"""


@dataclass(frozen=True, slots=True)
class LogLines:
    """Lines of one container, each with its time before it, in their order."""

    container: str
    lines: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class LogMark:
    """Something between the lines of one container, as a sentence."""

    container: str
    kind: MarkKind
    words: str


LogEvent = LogLines | LogMark
