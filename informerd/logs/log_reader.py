"""Reads one container's log once, from its beginning or a moment on, as chunks of whole lines."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from informerd.errors import BadRequest, NoContent, Status
from informerd.logs.log_lines import MAX_LINE_BYTES, omission
from informerd.logs.log_streams import LogClient, log_path


async def read_log(
    client: LogClient,
    namespace: str,
    pod: str,
    container: str,
    *,
    previous: bool = False,
    since: str = "",
    tail: int | None = None,
) -> AsyncGenerator[bytes, None]:
    """What the kubelet has of a log now, oldest first. Each line has its time before it, and ends with ``\\n``.

    `previous` reads the run before the last restart, `since` (RFC 3339) leaves out what is older than that second, and
    `tail` begins with so many of the newest lines. Only the file that is written now is read: what was rotated away is
    not. Raises as Client.get; BadRequest where there is no such run, or it has not begun.
    """
    params: dict[str, str | int | bool] = {"container": container, "timestamps": True}
    params |= {"previous": True} if previous else {}
    params |= {"sinceTime": since} if since else {}
    params |= {"tailLines": tail} if tail is not None else {}
    cutter = ChunkCutter()
    try:
        async with client.stream(log_path(pod, namespace), params) as stream:
            while part := await stream.read():
                if chunk := cutter.cut(part):
                    yield chunk
    except NoContent as error:
        raise BadRequest(Status(message=f"pod {pod} is on no node yet, so it has no log")) from error
    if rest := cutter.rest():
        yield rest


class ChunkCutter:
    """Cuts bytes as they come into chunks that end with whole lines. Of a line that is too long the end is left out."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._begun: list[bytes] = []
        """Parts of a line whose end has not come."""
        self._size = 0
        """Bytes of these parts."""
        self._omitted = 0

    def cut(self, part: bytes) -> bytes:
        """The lines that the part completes; empty where it completes none."""
        end = part.rfind(b"\n") + 1
        if not end:
            self._begin(part)
            return b""
        if not self._begun:
            chunk = part[:end]
        else:
            first_end = part.find(b"\n") + 1
            self._begin(part[: first_end - 1])
            chunk = self.rest() + part[first_end:end]
        if end < len(part):
            self._begin(part[end:])
        return chunk

    def rest(self) -> bytes:
        """The line that has begun, with an end; it is forgotten."""
        if not self._begun:
            return b""
        line = b"".join(self._begun) + (omission(self._omitted) if self._omitted else b"") + b"\n"
        self._begun, self._size, self._omitted = [], 0, 0
        return line

    def _begin(self, part: bytes) -> None:
        room = max(0, self._max_bytes - self._size)
        self._begun.append(part[:room])
        self._size += min(room, len(part))
        self._omitted += max(0, len(part) - room)
