"""Follows one container's log for as long as its pod exists, through broken connections, rotations and restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from informerd.clock import Clock, SystemClock, within
from informerd.errors import BadRequest, Forbidden, InformerdError, NotFound, Unauthorized, Unreachable
from informerd.logs.container_runs import ContainerRun, ContainerRuns, runs_of
from informerd.logs.line_deduplicator import LineDeduplicator
from informerd.logs.log_events import LogEvent, LogLines, LogMark, MarkKind
from informerd.logs.log_lines import LogLineCutter, split_time, without_time
from informerd.logs.log_streams import ByteStream, LogClient, log_path

FIRST_RETRY, LAST_RETRY = 0.5, 10.0
"""Seconds between tries while a log cannot be read; each is twice the one before."""
FIRST_SILENCE, LAST_SILENCE = 15.0, 120.0
"""Seconds without a line after which a running container's log is read again: where the kubelet has rotated the file,
it goes on with the old one, and says nothing. Each silence in a row lasts twice as long.
"""
DRAIN = 1.0
"""Seconds in which the last lines of a run come, after its end is known."""
RUN_WAIT = 5.0
"""Seconds that the pod's status has to name a new run, after the log has shown lines that may be of one. The kubelet
serves the log of a run before its status reaches the API server.
"""
PREVIOUS_TRIES = 10
"""Tries to read the rest of the run before a restart; then the new run is followed without it."""
TAIL = 1000
"""Lines with which a log begins."""


class PodSource(Protocol):
    """Where the state of a pod comes from: an informer's store, or a client."""

    async def pod(self) -> Mapping[str, Any] | None:
        """The pod as JSON; None where it does not exist any more, or another one has its name."""

    async def wait(self, seconds: float) -> None:
        """Wait until the pod has changed, at most so long."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """Where to begin: with the newest `tail` lines (None: all that there are), not older than `since` (RFC 3339)."""

    tail: int | None = TAIL
    since: str = ""


BEGINNING = LogPosition(tail=None)
NEWEST = LogPosition()


async def _do_nothing() -> None: ...


class _MaybeAnotherRun(Exception):
    """The log does not go on after the lines that were had: it was rotated, or it is the log of a new run."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__()
        self.lines = lines
        """The first that do not follow."""


class LogFollower:
    """`run` calls `emit` with each event, in order. Lines come once each, and in the order of the log's file; where
    some may be missing, or twice, there is a mark.
    """

    def __init__(
        self,
        client: LogClient,
        pods: PodSource,
        namespace: str,
        pod: str,
        container: str,
        emit: Callable[[LogEvent], None],
        *,
        position: LogPosition = NEWEST,
        clock: Clock | None = None,
        next_client: Callable[[], LogClient | None] = lambda: None,
        before_read: Callable[[], Awaitable[None]] = _do_nothing,
    ) -> None:
        """`next_client` returns another client, of somebody else who wants the log, once the one used so far may not
        read it any more; None where there is none. `before_read` may wait until events have been taken.
        """
        self._before_read = before_read
        self._client = client
        self._next_client = next_client
        self._pods = pods
        self._path = log_path(pod, namespace)
        self._container = container
        self._emit = emit
        self._position = position
        self._clock = clock or SystemClock()
        self._seen = LineDeduplicator()
        self._run: ContainerRun | None = None
        """The run whose log is read."""
        self._retry = FIRST_RETRY
        self._silence = FIRST_SILENCE
        self._is_interrupted = False
        self._accepts_gap = False
        """Whether a gap is shown at once: the pod's status was waited for already, and names no other run."""
        self._finished: tuple[str, str] | None = None
        """The key of the run whose end has been told."""
        self._has_ended = False
        """Whether that run is the container's present one, so that an outage hides nothing."""
        self._restarts = 0
        """Restarts of the container before `_run`."""
        self._said = ""
        """Words of the last mark, so that none comes twice in a row."""

    async def run(self) -> None:
        """Follow the log. Returns when the pod is gone, or the API server refuses the log."""
        while (runs := await self._runs()) is not None:
            try:
                await self._read(runs)
            except (Forbidden, Unauthorized) as error:
                client = self._next_client()
                if client is None:
                    self._mark("refused", str(error))
                    return
                self._client = client
            except NotFound:  # so is the pod, most likely
                await self._pause()
            except BadRequest as error:  # it has not begun, or the log is not kept
                self._mark("waiting", str(error))
                await self._pause()
            except InformerdError as error:
                await self._interrupted(error)

    async def _runs(self) -> ContainerRuns | None:
        """What is known of the container; None where it is gone."""
        while True:
            try:
                pod = await self._pods.pod()
                break
            except InformerdError as error:
                await self._interrupted(error)
        if pod is None:
            self._mark("gone", "The pod does not exist any more.")
            return None
        runs = runs_of(pod, self._container)
        if runs is None:
            self._mark("gone", f"The pod has no container {self._container!r}.")
        return runs

    async def _read(self, runs: ContainerRuns) -> None:
        """Read what is new of the present run, after the rest of the one before it."""
        if runs.run is None:
            self._mark("waiting", _waiting_words(runs))
            await self._pods.wait(LAST_RETRY)
            return
        self._has_ended = self._finished == runs.run.key
        is_new = self._run is not None and self._run.key != runs.run.key
        if self._run is not None and is_new and not await self._change_run(self._run, runs, runs.run):
            return
        self._run, self._restarts = runs.run, runs.restarts
        try:
            await self._read_log(follow=not runs.run.is_over)
        except _MaybeAnotherRun as stopped:
            await self._wait_for_new_run(runs.run, stopped.lines)
            return
        if not runs.run.is_over:  # its end is not in the pod's status yet, or the file was rotated
            await self._pause()
            return
        self._end(runs.run, runs.waiting)
        self._has_ended = True
        await self._pods.wait(LAST_RETRY)

    async def _change_run(self, before: ContainerRun, runs: ContainerRuns, run: ContainerRun) -> bool:
        """Read the rest of the run that was followed, and mark the new one. False where the pod's status has changed
        meanwhile.
        """
        if self._may_have_lines_of(run) and await self._continues():
            if self._finished != before.key:
                self._mark("gap", "What the run before wrote last may be missing: the container restarted meanwhile.")
            self._mark("restarted", f"The container restarted a while ago. Restarts: {runs.restarts}.")
            return True
        if self._finished != before.key and runs.before is not None and runs.before.key == before.key:
            if not await self._read_rest(run):
                return False
            self._end(runs.before, "")
        elif self._finished != before.key or runs.restarts > self._restarts + 1:
            self._mark("gap", "The container has restarted more than once: lines of the runs between may be missing.")
        self._seen.forget()
        self._accepts_gap = False
        self._position = BEGINNING
        self._mark("restarted", f"The container runs again. Restarts: {runs.restarts}.")
        return True

    def _may_have_lines_of(self, run: ContainerRun) -> bool:
        """Whether a line was had that is not older than the second in which this run started."""
        newest, started = self._seen.newest_time, split_time(run.started.encode())[0]
        return newest is not None and started is not None and newest >= started

    async def _continues(self) -> bool:
        """Read what is new of the present log, if the lines that were had last are in it; whether they are."""
        self._accepts_gap = False
        try:
            await self._read_log(follow=False)
        except _MaybeAnotherRun:
            return False
        return self._seen.is_continued

    async def _read_rest(self, run: ContainerRun) -> bool:
        """Read the rest of the run before this one. False where the pod's status has changed meanwhile."""
        for _ in range(PREVIOUS_TRIES):
            try:
                await self._read_log(follow=False, before=run)
            except (BadRequest, NotFound):
                self._mark("gap", "Lines may be missing here: the log before the restart is not kept any more.")
            except (Forbidden, Unauthorized):
                raise
            except _MaybeAnotherRun as stopped:  # it was rotated, or the container has restarted once more
                if await self._wait_for_new_run(run, stopped.lines):
                    return False
                continue
            except InformerdError as error:
                await self._interrupted(error)
                continue
            return True
        self._mark("gap", "Lines may be missing here: the log before the restart could not be read to its end.")
        return True

    async def _wait_for_new_run(self, run: ContainerRun, held: Sequence[bytes]) -> bool:
        """Wait until the pod's status names another run than this one, RUN_WAIT seconds at most; whether it does.

        Where the pod is gone, nothing can be read again: the lines that are held are told.
        """
        until = self._clock.now() + RUN_WAIT
        while (left := until - self._clock.now()) > 0:
            with contextlib.suppress(InformerdError):
                pod = await self._pods.pod()
                if pod is None:
                    self._mark("gap", "Lines may be missing before and after these: the pod was deleted meanwhile.")
                    self._emit(LogLines(self._container, held))
                    return True
                named = self._run_in(pod)
                if named is None or named.key != run.key:
                    return True
            await self._pods.wait(left)
        self._accepts_gap = True
        return False

    def _end(self, run: ContainerRun, waiting: str) -> None:
        """Tell the end of a run, once."""
        if self._finished != run.key:
            self._finished = run.key
            self._mark("ended", ended_words(run, waiting))

    async def _pause(self) -> None:
        """Wait before the log is read again: for a change of the pod, but never less than FIRST_RETRY seconds."""
        await self._clock.sleep(FIRST_RETRY)
        await self._pods.wait(self._next_retry())

    async def _read_log(self, *, follow: bool, before: ContainerRun | None = None) -> None:
        """Read one answer to its end; of a log that is followed, until it is silent for too long. With `before`, the
        log of the run before that one.

        Raises _MaybeAnotherRun at a gap that may be due to a new run, and Unreachable where an answer that should end
        by itself is silent.
        """
        cutter = LogLineCutter()
        self._seen.begin_again()
        silence = self._silence if follow else FIRST_SILENCE
        params = {"container": self._container, "timestamps": True, **self._from()}
        params |= {"follow": True} if follow else {}
        params |= {"previous": True} if before is not None else {}
        # after a gap, only the times tell whether a line is of the run before, or of this one
        limit = before.started.encode() if before is not None and self._accepts_gap else b""
        async with contextlib.AsyncExitStack() as stack:
            stream = await stack.enter_async_context(self._client.stream(self._path, params))
            if follow:
                self._resume(follow)
                await stack.enter_async_context(self._closed_with_run(stream))
            while True:
                await self._before_read()
                try:
                    async with within(silence, self._clock):
                        chunk = await stream.read()
                except TimeoutError:
                    if not follow:
                        raise Unreachable(f"the log stopped in the middle, for {silence:.0f} s") from None
                    self._silence = min(2 * silence, LAST_SILENCE)
                    return
                self._resume(follow)
                if not chunk:
                    rest = cutter.rest()
                    self._take(_older([rest] if rest else [], limit))
                    return
                self._take(_older(cutter.cut(chunk), limit))

    @contextlib.asynccontextmanager
    async def _closed_with_run(self, stream: ByteStream) -> AsyncIterator[None]:
        """Close the stream a moment after the end of the run: not every kubelet ends it."""
        closing = asyncio.create_task(self._close_with_run(stream), name="the end of a container")
        try:
            yield
        finally:
            closing.cancel()
            await asyncio.wait([closing])

    async def _close_with_run(self, stream: ByteStream) -> None:
        while True:
            await self._pods.wait(LAST_RETRY)
            with contextlib.suppress(InformerdError):
                pod = await self._pods.pod()
                run = self._run_in(pod) if pod is not None else None
                if run is None or run.is_over or self._run is None or run.key != self._run.key:
                    await self._clock.sleep(DRAIN)
                    stream.close()
                    return

    def _run_in(self, pod: Mapping[str, Any]) -> ContainerRun | None:
        runs = runs_of(pod, self._container)
        return runs.run if runs is not None else None

    def _take(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        if untimed := without_time(lines):
            self._mark("error", " ".join(line.decode(errors="replace") for line in untimed))
            left_out = set(untimed)
            lines = [line for line in lines if line not in left_out]
        new = self._seen.new_of(lines, stops_at_gap=not self._accepts_gap)
        if new.is_gap and not self._accepts_gap:
            raise _MaybeAnotherRun(lines)
        if new.is_gap:
            self._mark("gap", "Lines may be missing here: what was written meanwhile is not in the log any more.")
        if new.is_repeated:
            self._mark("repeated", "Some of the next lines may have come before.")
        if new.lines:
            self._accepts_gap = False
            self._retry, self._silence, self._said = FIRST_RETRY, FIRST_SILENCE, ""
            self._emit(LogLines(self._container, new.lines))

    def _from(self) -> dict[str, str | int | bool]:
        """The part of the query that says where to begin."""
        if self._seen.since:
            return {"sinceTime": self._seen.since}
        position: dict[str, str | int | bool] = {}
        if self._position.tail is not None:
            position["tailLines"] = self._position.tail
        if self._position.since:
            position["sinceTime"] = self._position.since
        return position

    def _resume(self, follow: bool) -> None:
        if self._is_interrupted:
            self._is_interrupted = False
            self._mark("resumed", "The log goes on." if follow else "The log can be read again.")

    async def _interrupted(self, error: InformerdError) -> None:
        self._accepts_gap = False
        if not self._is_interrupted and not self._has_ended:
            self._is_interrupted = True
            self._mark("interrupted", f"The log cannot be read now: {error}")
        await self._clock.sleep(self._next_retry())

    def _next_retry(self) -> float:
        retry, self._retry = self._retry, min(2 * self._retry, LAST_RETRY)
        return retry

    def _mark(self, kind: MarkKind, words: str) -> None:
        if words != self._said:
            self._said = words
            self._emit(LogMark(self._container, kind, words))


def ended_words(run: ContainerRun, waiting: str) -> str:
    """How a run ended, as a sentence."""
    reason = f" ({run.reason})" if run.reason and run.reason not in ("Completed", "Error") else ""
    then = f" Kubernetes will start it again: {waiting}." if waiting else ""
    return f"The container ended with exit code {run.exit_code}{reason}.{then}"


def _older(lines: Sequence[bytes], limit: bytes) -> Sequence[bytes]:
    """Those of the lines that are older than a time; all without one."""
    end = split_time(limit)[0]
    return lines if end is None else [line for line in lines if (split_time(line)[0] or 0) < end]


def _waiting_words(runs: ContainerRuns) -> str:
    why = f": {runs.waiting}" if runs.waiting else ""
    return f"The container does not run yet{why}."
