"""Responses to requests for a container's log (GET pods/NAME/log), followed ones too.

Source: Kubernetes' pkg/registry/core/pod/strategy.go, pkg/apis/core/validation and pkg/kubelet/kuberuntime/logs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from devcluster.server import request_options as options
from devcluster.server.api_errors import FieldError, bad_request, invalid_as, invalid_value
from devcluster.server.api_server_core import ApiServer
from devcluster.server.kinds import PODS
from devcluster.server.logs.container_log import ContainerLog, LogLine, NoLog, container_names, find_log
from devcluster.server.storage import object_codec

POLL_SECONDS = 0.25
"""Seconds between two looks for new lines of a followed log."""
NANOSECONDS = 10**9
_ONE_START = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"


@dataclass(frozen=True)
class LogOptions:
    """Checked parameters of a request."""

    container: str
    follow: bool
    previous: bool
    timestamps: bool
    begin: float
    """Unix seconds from which on lines are wanted."""
    tail: int | None
    limit: int | None
    """Bytes."""


async def send_log(core: ApiServer, request: web.BaseRequest, namespace: str, name: str) -> web.StreamResponse:
    """Answer with the log; a followed one until the container ends. Raises Failure."""
    pod = read_pod(core, namespace, name)
    wanted = _options(request.query, pod, core.now())
    try:
        log = find_log(pod, wanted.container, previous=wanted.previous)
    except NoLog as error:
        raise bad_request(str(error)) from None
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    response.enable_chunked_encoding()
    with contextlib.suppress(ConnectionResetError):
        await response.prepare(request)
        await _write(core, response, log, wanted, lambda: pod_or_none(core, namespace, name))
        await response.write_eof()
    return response


async def _write(
    core: ApiServer, response: web.StreamResponse, log: ContainerLog, wanted: LogOptions, pod: Any
) -> None:
    now = core.now()
    left = wanted.limit
    lines: Iterable[LogLine] = log.lines(wanted.begin, now)
    if wanted.tail is not None:
        lines = deque(lines, maxlen=wanted.tail)
    left = await _send(response, lines, wanted, left)
    while wanted.follow and not wanted.previous and left != 0:
        finished = log.finished
        if finished is not None and finished <= now:
            return
        await asyncio.sleep(POLL_SECONDS)
        begin, now = now, core.now()
        current = pod()
        if current is None:
            return
        with contextlib.suppress(NoLog):
            newest = find_log(current, wanted.container, previous=False)
            if newest.is_run_of(log):
                log = newest
            else:
                with contextlib.suppress(NoLog):  # it has ended and begun again since the last look
                    left = await _send(response, _rest_of(current, wanted, log, begin), wanted, left)
                return
        left = await _send(response, log.lines(begin, now), wanted, left)


def _rest_of(pod: Mapping[str, Any], wanted: LogOptions, log: ContainerLog, begin: float) -> Iterable[LogLine]:
    before = find_log(pod, wanted.container, previous=True)
    return before.lines(begin, before.finished or begin) if before.is_run_of(log) else ()


async def _send(
    response: web.StreamResponse, lines: Iterable[LogLine], wanted: LogOptions, left: int | None
) -> int | None:
    """Send lines; returns how many bytes are left."""
    content = "".join(_text(line, timestamps=wanted.timestamps) for line in lines).encode()
    if left is not None:
        content = content[:left]
        left -= len(content)
    if content:
        await response.write(content)
    return left


def _text(line: LogLine, *, timestamps: bool) -> str:
    if not timestamps:
        return f"{line.text}\n"
    seconds, rest = divmod(line.nanoseconds, NANOSECONDS)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z {line.text}\n"


def read_pod(core: ApiServer, namespace: str, name: str) -> dict[str, Any]:
    """The pod. Raises Failure (404)."""
    pod: dict[str, Any] = json.loads(core.verbs.get(PODS, *core.verbs.key(PODS, namespace, name)).raw)
    return pod


def pod_or_none(core: ApiServer, namespace: str, name: str) -> dict[str, Any] | None:
    """The pod; None where there is none."""
    record = core.store.get(PODS.key, (namespace, name))
    return object_codec.decode(record) if record is not None else None


def _options(query: Mapping[str, str], pod: Mapping[str, Any], now: float) -> LogOptions:
    problems: list[FieldError] = []
    tail = _number(query, "tailLines", 0, problems)
    limit = _number(query, "limitBytes", 1, problems)
    seconds = _number(query, "sinceSeconds", 1, problems)
    if seconds is not None and query.get("sinceTime"):
        problems.append(FieldError("", "FieldValueForbidden", _ONE_START))
    if problems:
        raise invalid_as("PodLogOptions", pod["metadata"]["name"], problems, {})
    return LogOptions(
        container=chosen_container(query.get("container", ""), pod),
        follow=options.parse_boolean(query, "follow"),
        previous=options.parse_boolean(query, "previous"),
        timestamps=options.parse_boolean(query, "timestamps"),
        begin=now - seconds if seconds is not None else _since(query.get("sinceTime", "")),
        tail=tail,
        limit=limit,
    )


def _number(query: Mapping[str, str], name: str, least: int, problems: list[FieldError]) -> int | None:
    if not query.get(name):
        return None
    number = options.parse_integer(query, name)
    if number < least:
        why = "must be greater than or equal to 0" if least == 0 else "must be greater than 0"
        problems.append(invalid_value(name, number, why))
    return number


def _since(text: str) -> float:
    if not text:
        return 0.0
    try:
        return float(int(datetime.fromisoformat(text).timestamp()))
    except ValueError:
        raise bad_request(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}"') from None


def chosen_container(name: str, pod: Mapping[str, Any]) -> str:
    """The container of a request; the only one where it names none. Raises Failure (400)."""
    names, pod_name = container_names(pod), pod["metadata"]["name"]
    if name:
        if name not in names:
            raise bad_request(f"container {name} is not valid for pod {pod_name}")
        return name
    if len(names) != 1:
        raise bad_request(f"a container name must be specified for pod {pod_name}, choose one of: [{' '.join(names)}]")
    return names[0]
