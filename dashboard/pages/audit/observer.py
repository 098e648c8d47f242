"""Observer of a client that records writes, and reads of Secrets: the one place that all requests of pages pass."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import msgspec

from dashboard.pages.audit.entry import Actor, Changes, Operation, Outcome
from dashboard.pages.audit.field_values import changes_between, changes_of_creation, changes_of_patch
from dashboard.pages.audit.recorder import AuditRecorder, wait_for_outcome
from dashboard.pages.audit.request_info import RequestInfo, request_info
from dashboard.runtime.request_retry import is_unanswered
from dashboard.runtime.thread_pools import run_in_thread_if_large
from informerd.errors import ApiError, InformerdError, InvalidCall
from informerd.rest.client import Client
from informerd.rest.request import RestRequest
from informerd.rest.response import Response

T = TypeVar("T")

MAX_STATES = 4
"""Most objects that were read and are remembered as what a write begins with."""
READ_TIMEOUT = 5.0
"""Seconds after which a write is recorded without the values before it."""
ReadPath = Callable[[str], Awaitable[Response]]
"""Reads an object by its path. Raises InformerdError."""


def recorded_client(recorder: AuditRecorder, client: Client, actor: Actor) -> Client:
    """A client whose writes, and reads of Secrets, are recorded as those of `actor`. For one request, or one run.

    Dry runs, questions about rights and other reads are not recorded. Where the audit log cannot be written, nothing is
    sent, and the call raises CallRefused. Without a record it is the client as it is.
    """
    if not recorder.is_on:
        return client
    read = partial(client.request, "GET", patient=False)
    return client.observed_by(RequestObserver(recorder, actor, client.config.server, read))


class RequestObserver:
    """Records the requests of one client. A write tells the values before it: the client has mostly read the object;
    where it has not, `read` does.
    """

    def __init__(self, recorder: AuditRecorder, actor: Actor, server: str, read: ReadPath) -> None:
        self._recorder = recorder
        self._actor = actor
        self._server = server
        self._read_path = read
        self._read: OrderedDict[str, bytes] = OrderedDict()

    async def __call__(self, call: RestRequest, send: Callable[[], Awaitable[T]]) -> T:
        """See CallObserver. Raises CallRefused where a record cannot be written."""
        info = request_info(call)
        if info.is_write:
            return await self._record_write(info, send)
        if info.reads_secret:
            return await self._record_read(info, send)
        answer = await send()
        self._remember(info, answer)
        return answer

    async def _record_read(self, info: RequestInfo, send: Callable[[], Awaitable[T]]) -> T:
        read = (self._actor.person.name, self._actor.run, info.namespace, info.name)
        if self._recorder.is_fresh_read(*read):
            answer = await send()
        else:
            operation = Operation(info.verb, info.key, info.namespace, info.name, info.subresource)
            answer = await self._recorded(info, operation, None, send)
            self._recorder.remember_read(*read)
        self._remember(info, answer)
        return answer

    async def _record_write(self, info: RequestInfo, send: Callable[[], Awaitable[T]]) -> T:
        before = self._read.get(info.path) or self._read.get(info.object_path) or await self._state_now(info)
        size = len(info.call.body or b"") + len(before or b"")
        asked = await run_in_thread_if_large(_asked, info, before, size=size)
        return await self._recorded(info, asked.operation, asked, send)

    async def _recorded(
        self, info: RequestInfo, operation: Operation, asked: _Asked | None, send: Callable[[], Awaitable[T]]
    ) -> T:
        pending = await self._recorder.begin(self._server, self._actor, operation)
        outcome, is_cancelled = Outcome("unknown", reason="Cancelled"), False
        try:
            answer = await send()
            outcome = Outcome("done")  # whatever becomes of reading the answer
            outcome = await _outcome_of(info, asked, answer)
        except asyncio.CancelledError:
            is_cancelled = True
            raise
        except InformerdError as error:
            outcome = _outcome_of_error(info, error)
            raise
        finally:
            stored = self._recorder.complete(pending, outcome)
            if not is_cancelled:
                await wait_for_outcome(stored)
        return answer

    async def _state_now(self, info: RequestInfo) -> bytes | None:
        """The object that a write with a precondition changes; None where it cannot be read, and for Secrets."""
        if not info.has_version or info.is_secret:
            return None
        try:
            async with asyncio.timeout(READ_TIMEOUT):
                return (await self._read_path(info.path)).body
        except (InformerdError, TimeoutError):
            return None  # the write says what is wrong

    def _remember(self, info: RequestInfo, answer: object) -> None:
        """Remember the state of one object; not of a list."""
        if isinstance(answer, Response) and info.name and info.call.method == "GET":
            self._read[info.path] = answer.body
            self._read.move_to_end(info.path)
            while len(self._read) > MAX_STATES:
                self._read.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A write, and the object before it where that is known."""

    operation: Operation
    before: Mapping[str, Any] | None


def _asked(info: RequestInfo, read: bytes | None) -> _Asked:
    body = info.body if isinstance(info.body, Mapping) else {}
    method = info.call.method
    options: dict[str, str] = {}
    if method == "DELETE" or info.subresource == "eviction":
        found = body.get("deleteOptions") if info.subresource == "eviction" else body
        found = found if isinstance(found, Mapping) else {}
        conditions = found.get("preconditions") or {}
        options = {
            name: str(found[name])
            for name in ("propagationPolicy", "gracePeriodSeconds")
            if found.get(name) is not None
        }
        metadata: Mapping[str, Any] = {**conditions}
    else:
        metadata = body.get("metadata") if isinstance(body.get("metadata"), Mapping) else {}  # type: ignore[assignment]
    version = str(metadata.get("resourceVersion") or "")
    before = _state(read, version)
    operation = Operation(
        info.verb,
        info.key,
        info.namespace,
        info.name or (str(metadata.get("name") or "") if method == "POST" else ""),
        info.subresource,
        str(metadata.get("uid") or ((before or {}).get("metadata") or {}).get("uid") or ""),
        version,
        _changes_or_none(info, before),
        options,
    )
    return _Asked(operation, before)


def _changes_or_none(info: RequestInfo, before: Mapping[str, Any] | None) -> Changes:
    """The fields that change; none, and that there are some, where they are nested too deep to be compared."""
    try:
        return _changes(info, before)
    except RecursionError:
        return Changes((), 1)


def _changes(info: RequestInfo, before: Mapping[str, Any] | None) -> Changes:
    method, body = info.call.method, info.body
    if method == "PATCH":
        kind = next((value for name, value in info.call.headers if name.lower() == "content-type"), "")
        return changes_of_patch(body, before, kind, is_secret=info.is_secret)
    if not isinstance(body, Mapping) or method == "DELETE" or info.subresource == "eviction":
        return Changes()
    if method == "PUT" and before is not None:
        return changes_between(before, body, is_secret=info.is_secret)
    return changes_of_creation(body, is_secret=info.is_secret)


def _state(read: bytes | None, version: str) -> Mapping[str, Any] | None:
    """The object that was read, where it is the one that a write is based on."""
    if read is None or not version:
        return None
    try:
        state = msgspec.json.decode(read, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None
    return state if (state.get("metadata") or {}).get("resourceVersion") == version else None


async def _outcome_of(info: RequestInfo, asked: _Asked | None, answer: object) -> Outcome:
    if not isinstance(answer, Response):
        return Outcome("done", 200)
    if asked is None:
        return Outcome("done", answer.status)
    return await run_in_thread_if_large(_outcome_of_response, info, asked, answer, size=len(answer.body))


def _outcome_of_response(info: RequestInfo, asked: _Asked, answer: Response) -> Outcome:
    done = Outcome("done", answer.status)
    try:
        stored = msgspec.json.decode(answer.body, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return done
    metadata = stored.get("metadata") or {}
    if stored.get("kind") == "Status":  # the answer to a deletion names the object in its details
        return replace(done, uid=str((stored.get("details") or {}).get("uid") or ""))
    done = replace(
        done, name=str(metadata.get("name") or ""), uid=str(metadata.get("uid") or ""),
        version=str(metadata.get("resourceVersion") or ""),
    )  # fmt: skip
    if asked.before is None or info.call.method == "DELETE":
        return done
    really = changes_between(asked.before, stored, is_secret=info.is_secret)
    return done if really == asked.operation.changes else replace(done, changes=really)


def _outcome_of_error(info: RequestInfo, error: InformerdError) -> Outcome:
    message = "" if info.is_secret else str(error)
    if isinstance(error, ApiError):
        reason = error.status.reason or type(error).__name__
        return Outcome("unknown" if is_unanswered(error) else "refused", error.code, reason, message)
    return Outcome("not sent" if isinstance(error, InvalidCall) else "unknown", 0, type(error).__name__, message)
