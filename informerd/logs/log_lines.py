"""Cuts a container's log into lines, and a line into its time and its text.

With ``timestamps=true`` the kubelet writes an RFC 3339 time and a blank before each line. (Source: Kubernetes'
pkg/kubelet/kuberuntime/logs/logs.go.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

MAX_LINE_BYTES = 2**20
"""Bytes of a line that are kept; of a longer one its end is left out."""
PREFIX = len("2026-11-28T07:09:06")
"""Characters of a time to the second."""
_TIME = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)(?: |$)")
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class LogLineCutter:
    """Cuts chunks into lines without their ends. A line that is too long ends with how many bytes it lacks."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._begun = bytearray()
        """The beginning of a line whose end has not come."""
        self._omitted = 0
        """Bytes of it that are left out."""

    def cut(self, chunk: bytes) -> list[bytes]:
        """The lines that the chunk completes."""
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines and self._begun:
            self._begin(lines[0])
            lines[0] = self._ended()
        if rest:
            self._begin(rest)
        if len(chunk) > self._max_bytes:
            lines = [self._shortened(line) for line in lines]
        return lines

    def rest(self) -> bytes:
        """What came after the end of the last line; it is forgotten."""
        return self._ended()

    def _begin(self, part: bytes) -> None:
        room = self._max_bytes - len(self._begun)
        self._begun += part[:room] if room > 0 else b""
        self._omitted += max(0, len(part) - max(0, room))

    def _ended(self) -> bytes:
        line = bytes(self._begun)
        if self._omitted:
            line += omission(self._omitted)
        self._begun, self._omitted = bytearray(), 0
        return line

    def _shortened(self, line: bytes) -> bytes:
        omitted = len(line) - self._max_bytes
        if omitted <= 0 or line.endswith(b" bytes more)"):
            return line
        return line[: self._max_bytes] + omission(omitted)


def omission(omitted: int) -> bytes:
    """What stands at the end of a line of which so many bytes are left out."""
    return f"… ({omitted:,} bytes more)".encode()


def split_time(line: bytes) -> tuple[int | None, bytes]:
    """Nanoseconds since 1970, and the text; None and the whole line where no time stands before it."""
    found = _TIME.match(line)
    if found is None:
        return None, line
    try:
        seconds = _seconds(found[1], found[3])
    except ValueError:
        return None, line
    return seconds * 10**9 + int((found[2] or b"").ljust(9, b"0")), line[found.end() :]


def without_time(lines: Sequence[bytes]) -> list[bytes]:
    """Those of the lines before which no time stands: an answer that fails on its way ends with a sentence.

    What begins with the date of the first line, which is looked at in full, has a time.
    """
    date = lines[0][: len("2026-11-28T")] if lines and _TIME.match(lines[0]) else None
    return [line for line in lines if (date is None or not line.startswith(date)) and _TIME.match(line) is None]


def second_before(line: bytes, seconds: float) -> tuple[str, bytes]:
    """The second in which a moment is, so many seconds before a line's time: as a query parameter in UTC, and as lines
    of the same zone begin. Raises ValueError for a line without a time.
    """
    found = _TIME.match(line)
    if found is None:
        raise ValueError("the line has no time")
    fraction = float(b"0." + (found[2] or b"0"))
    local = datetime.fromisoformat(found[1].decode()) + timedelta(seconds=fraction - seconds)
    moment = datetime.fromisoformat(f"{local:%Y-%m-%dT%H:%M:%S}{_zone(found[3])}")
    utc = _EPOCH + (moment - _EPOCH)
    return f"{utc:%Y-%m-%dT%H:%M:%SZ}", f"{local:%Y-%m-%dT%H:%M:%S}".encode()


def _seconds(local: bytes, zone: bytes) -> int:
    moment = datetime.fromisoformat(f"{local.decode()}{_zone(zone)}")
    difference = moment - _EPOCH
    return difference.days * 86_400 + difference.seconds


def _zone(zone: bytes) -> str:
    return "+00:00" if zone == b"Z" else zone.decode()
