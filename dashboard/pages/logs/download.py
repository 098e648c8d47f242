"""Download of logs: all lines that the kubelets have, merged by their times as they are read."""

from __future__ import annotations

import heapq
import json
from collections.abc import AsyncIterator, Mapping, Sequence

from dashboard.cluster.connection import CONNECTION
from dashboard.live.logs.container_stream import ContainerId
from dashboard.pages.logs.filtered_log_reader import LineSpan, ReadProgress, read_history
from dashboard.pages.logs.line_buffer import sort_key
from dashboard.pages.logs.line_formats import as_record
from dashboard.pages.logs.log_sources import pod_names
from dashboard.pages.logs.query import LogsQuery
from dashboard.runtime.app_state import CLOCK, AppState
from informerd.errors import BadRequest, InformerdError, NotFound

BATCH_LINES = 1000


async def download(
    state: AppState, denials: Mapping[ContainerId, str], query: LogsQuery, suffix: str
) -> AsyncIterator[bytes]:
    """The file, in parts: records of NDJSON, or text as ``kubectl logs --timestamps`` prints it (with ``--prefix`` of
    several containers). It ends with a record, or a comment, for each log that is not in it, or not to its end.
    `denials` are the containers, each with why its log may not be read.
    """
    client = state[CONNECTION].client
    if client is None:
        return
    span = LineSpan.of(query.span.since(state[CLOCK].time()), query.span.end)
    containers = [each for each, denial in denials.items() if not denial]
    readers = [
        LineReader(
            read_history(client, each, query.filter, span, ReadProgress(), previous=query.previous, with_previous=True)
        )
        for each in containers
    ]
    pods = dict(zip(denials, pod_names([*denials]), strict=True))
    prefixes = [f"[pod/{pods[each]}/{each.container}] ".encode() if len(denials) > 1 else b"" for each in containers]
    batch: list[bytes] = []
    async for number, line in _by_time(readers):
        batch.append(
            json.dumps(as_record(containers[number], line)).encode() if suffix == "ndjson" else prefixes[number] + line
        )
        if len(batch) >= BATCH_LINES:
            yield b"\n".join(batch) + b"\n"
            batch.clear()
    failed = {each: reader.problem for each, reader in zip(containers, readers, strict=True)}
    for each, problem in {**denials, **failed}.items():
        if not problem:
            continue
        record = {"namespace": each.namespace, "pod": each.pod, "container": each.container, "problem": problem}
        text = json.dumps(record) if suffix == "ndjson" else f"# {pods[each]}/{each.container}: {problem}"
        batch.append(text.encode())
    if batch:
        yield b"\n".join(batch) + b"\n"


async def _by_time(readers: Sequence[LineReader]) -> AsyncIterator[tuple[int, bytes]]:
    """The lines of all readers by their times, each with the number of its reader."""
    heap = [(sort_key(reader.line), number) for number, reader in enumerate(readers) if await reader.advance()]
    heapq.heapify(heap)
    while heap:
        _, number = heap[0]
        yield number, readers[number].line
        if await readers[number].advance():
            heapq.heapreplace(heap, (sort_key(readers[number].line), number))
        else:
            heapq.heappop(heap)


class LineReader:
    """The lines of one log one by one; the log is read as they are needed."""

    def __init__(self, batches: AsyncIterator[list[bytes]]) -> None:
        self.problem = ""
        """Why the rest could not be read, as a sentence."""
        self._batches = batches
        self._batch: list[bytes] = []
        self._at = -1

    @property
    def line(self) -> bytes:
        return self._batch[self._at]

    async def advance(self) -> bool:
        """Go to the next line; False where there is none."""
        self._at += 1
        while self._at >= len(self._batch):
            try:
                self._batch, self._at = await anext(self._batches), 0
            except StopAsyncIteration:
                return False
            except (BadRequest, NotFound) as error:  # there is no such log, or not yet
                self.problem = str(error)
                return False
            except InformerdError as error:
                self.problem = f"The log could not be read to its end: {error}"
                return False
        return True
