"""Session of a terminal: a command in a container, its input and output, its end, and its record in the audit log."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from dashboard.pages.audit.entry import Actor, Operation, Outcome
from dashboard.pages.audit.recorder import AuditRecorder, OutcomeSlot
from dashboard.pages.terminal.recorded_contents import RecordedContents
from dashboard.runtime.background_tasks import cancel_all
from informerd.clock import Clock
from informerd.errors import ApiError, CallRefused, InformerdError, Unreachable
from informerd.remotecommand import ExecSession, open_exec
from informerd.rest.client import Client

logger = logging.getLogger(__name__)

WINDOW_BYTES = 512 * 1024
"""Bytes of output that the browser may still have to draw; then the container waits."""
MAX_WAITING_INPUT = 256 * 1024
"""Bytes of input that wait for a command that does not read it; then the session ends."""
NOT_READ = "The command does not read what is typed, so Deltaboard ended the session."
BROKEN = (
    "The connection to the container broke, and the session with it: the API server, the node or the network has "
    "failed. Start again once the cluster answers."
)
NOT_RECORDED = "The audit log cannot be written now, so Deltaboard ended the session."


@dataclass(frozen=True, slots=True)
class Command:
    """What is to be started, and where."""

    namespace: str
    pod: str
    uid: str
    """The pod's."""
    container: str
    arguments: tuple[str, ...]
    columns: int = 80
    rows: int = 24


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a session ended."""

    exit_code: int | None
    """None where the command did not end by itself."""
    reason: str = ""
    """Why there is no exit code, as a sentence."""


class TerminalSession:
    """One session; `run` it once.

    `send` takes output. The command is held up while the browser has WINDOW_BYTES that it has not drawn
    (`acknowledge`). It ends after `idle_seconds` in which nobody typed anything. `contents` keeps what is typed and
    shown, where that is recorded.
    """

    def __init__(
        self,
        client: Client,
        command: Command,
        send: Callable[[bytes], Awaitable[None]],
        *,
        clock: Clock,
        recorder: AuditRecorder,
        actor: Actor,
        idle_seconds: float,
        records_contents: bool = False,
    ) -> None:
        self._client = client
        self._command = command
        self._send = send
        self._clock = clock
        self._recorder = recorder
        self._actor = actor
        self._idle_seconds = idle_seconds
        self._contents = RecordedContents(self._record_contents, clock) if records_contents else None
        self._opened = asyncio.Event()
        self._input: asyncio.Queue[bytes | tuple[int, int]] = asyncio.Queue()
        """What was typed, and sizes of the window."""
        self._waiting_input = 0
        self._ended: asyncio.Future[SessionEnd] = asyncio.get_running_loop().create_future()
        self._room = asyncio.Event()
        self._room.set()
        self._typed_at = clock.now()
        self._unacknowledged = self._bytes_in = self._bytes_out = 0

    @property
    def opened(self) -> asyncio.Event:
        """Set once the command runs."""
        return self._opened

    async def run(self) -> SessionEnd:
        """Start the command and wait until it has ended. It ends, too, where this is cancelled."""
        command = self._command
        options = {"container": command.container, "command": shlex.join(command.arguments)}
        operation = Operation("create", "pods", command.namespace, command.pod, "exec", command.uid, options=options)
        try:
            async with self._recorder.recorded(self._client.config.server, self._actor, operation) as slot:
                return await self._run_recorded(slot)
        except CallRefused as error:  # the audit log cannot be written
            return SessionEnd(None, str(error))

    def type(self, content: bytes) -> None:
        """Pass input on, as soon as the command runs and reads it."""
        self._typed_at = self._clock.now()
        self._waiting_input += len(content)
        if self._waiting_input > MAX_WAITING_INPUT:
            self.end(NOT_READ)
        else:
            self._input.put_nowait(content)

    def resize(self, columns: int, rows: int) -> None:
        """Tell the command the size of the window."""
        self._input.put_nowait((columns, rows))

    def acknowledge(self, count: int) -> None:
        """The browser has drawn so many bytes."""
        self._unacknowledged = max(0, self._unacknowledged - count)
        if self._unacknowledged < WINDOW_BYTES:
            self._room.set()

    def end(self, reason: str) -> None:
        """End the session; `reason` is a sentence for whoever looks at it."""
        if not self._ended.done():
            self._ended.set_result(SessionEnd(None, reason))

    async def _run_recorded(self, slot: OutcomeSlot) -> SessionEnd:
        command, began, end = self._command, self._clock.now(), SessionEnd(None, "the browser left")
        try:
            async with open_exec(
                self._client, command.namespace, command.pod, command.arguments, container=command.container,
                tty=True, stdin=True,
            ) as session:  # fmt: skip
                self._typed_at = self._clock.now()
                with suppress(InformerdError):  # reading finds out, and says why
                    await session.resize(command.columns, command.rows)
                self._opened.set()
                end = await self._until_end(session)
        except ApiError as error:
            end = SessionEnd(None, str(error))
            slot.outcome = Outcome("refused", error.code, error.status.reason, str(error))
        except InformerdError as error:
            end = SessionEnd(None, str(error))
            slot.outcome = Outcome("unknown", reason=type(error).__name__, message=str(error))
        finally:
            if self._opened.is_set():
                slot.outcome = Outcome("done", message=self._summary(self._clock.now() - began, end))
        return end

    async def _until_end(self, session: ExecSession) -> SessionEnd:
        work = (self._read(session), self._write(session), self._wait_until_idle())
        tasks = [asyncio.create_task(each, name="terminal") for each in work]
        try:
            await asyncio.wait({*tasks, self._ended}, return_when=asyncio.FIRST_COMPLETED)
            end = next(ended.result() for ended in (*tasks, self._ended) if ended.done())
            await cancel_all(tasks)
            if self._contents is not None:
                await self._contents.close()
        except CallRefused as error:
            return SessionEnd(None, NOT_RECORDED if error.__cause__ is not None else str(error))
        finally:
            await cancel_all(tasks)
        return end

    async def _read(self, session: ExecSession) -> SessionEnd:
        """Pass output on until the command ends."""
        async for _, content in session:
            await self._room.wait()
            self._bytes_out += len(content)
            self._unacknowledged += len(content)
            if self._unacknowledged >= WINDOW_BYTES:
                self._room.clear()
            if self._contents is not None:
                await self._contents.shown(content)
            await self._send(content)
        status = session.status
        if status is not None and status.is_broken:
            logger.info("a terminal in %s/%s: %s", self._command.namespace, self._command.pod, status.message)
            return SessionEnd(None, BROKEN)
        return SessionEnd(status.code, status.message) if status is not None else SessionEnd(None)

    async def _write(self, session: ExecSession) -> SessionEnd:
        """Pass input on; never returns. Whoever types does not wait for a command that does not read."""
        while True:
            wanted = await self._input.get()
            with suppress(Unreachable):  # reading finds out, and says why
                if isinstance(wanted, tuple):
                    await session.resize(*wanted)
                    continue
                if self._contents is not None:
                    await self._contents.typed(wanted)
                await session.send(wanted)
                self._bytes_in += len(wanted)
                self._waiting_input -= len(wanted)

    async def _wait_until_idle(self) -> SessionEnd:
        while (left := self._typed_at + self._idle_seconds - self._clock.now()) > 0:
            await self._clock.sleep(left)
        return SessionEnd(
            None, f"Nothing was typed for {round(self._idle_seconds / 60):,} min, so Deltaboard ended the session."
        )

    async def _record_contents(self, options: dict[str, str]) -> None:
        """Store a piece of what was typed and shown. Raises CallRefused."""
        command = self._command
        operation = Operation("contents", "pods", command.namespace, command.pod, "exec", command.uid, options=options)
        async with self._recorder.recorded(self._client.config.server, self._actor, operation) as slot:
            slot.outcome = Outcome("done")

    def _summary(self, seconds: float, end: SessionEnd) -> str:
        how = f"exit code {end.exit_code}" if end.exit_code is not None else end.reason
        return f"ended after {seconds:,.0f} s, {self._bytes_in:,} bytes typed, {self._bytes_out:,} bytes shown: {how}"
