"""Past usage from a Prometheus that scrapes the kubelets' cAdvisor, for the time before the worker began to keep it.

Source: Prometheus' HTTP API (query_range), and the metrics of cAdvisor as kubelets serve them.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import aiohttp
import msgspec

from dashboard.live.usage.usage_history import COARSE
from dashboard.live.usage.usage_totals import NAMESPACES, NODES, PODS
from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.usage.past_usage import Sample
from informerd.rest.connection_socket import new_socket

TIMEOUT = 10.0
"""Seconds for one question."""
MAX_ANSWER = 2 * 2**20
"""Bytes of an answer; a day has some kilobytes."""
MAX_PODS = 500
"""Most pods whose sum is asked for."""
STEP = COARSE[0]
"""Seconds of a sample, as those that the worker keeps of a day."""
_CPU, _MEMORY = "container_cpu_usage_seconds_total", "container_memory_working_set_bytes"
_PATH = "/api/v1/query_range"


class PrometheusProblem(Exception):
    """The past could not be read; the message is a sentence that says what failed."""


class Prometheus:
    """One Prometheus at `address`, without a slash at its end. `token` is sent as a bearer token where there is one."""

    def __init__(self, address: str, token: str = "") -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._has_token = bool(token)

    async def samples(self, selector: str, begin: float, end: float) -> list[Sample]:
        """The most of each STEP seconds between two moments (Unix seconds), oldest first; empty where it knows nothing.

        `selector` is one of `selector_of`. Raises PrometheusProblem.
        """
        first = math.ceil(begin / STEP) * STEP
        if first + STEP > end:
            return []
        cpu, memory = await asyncio.gather(
            self._ask(_most(f"rate({_CPU}{selector}[5m])"), first + STEP, end),
            self._ask(_most(f"{_MEMORY}{selector}"), first + STEP, end),
        )
        return [Sample(at - STEP, STEP, cpu[at], memory[at]) for at in sorted(cpu.keys() & memory.keys())]

    async def _ask(self, query: str, begin: float, end: float) -> dict[float, float]:
        """The values of the one series that a query has, by the moment at the end of their step."""
        form = {"query": query, "start": str(begin), "end": str(end), "step": str(STEP)}
        limits = aiohttp.ClientTimeout(total=TIMEOUT)
        try:
            async with (
                aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(socket_factory=new_socket),
                    headers=self._headers,
                    timeout=limits,
                    trust_env=False,
                ) as session,
                session.post(f"{self._address}{_PATH}", data=form, allow_redirects=False) as response,
            ):
                body = bytearray()
                async for chunk in response.content.iter_chunked(2**16):
                    body += chunk
                    if len(body) > MAX_ANSWER:
                        raise PrometheusProblem(f"{self.name} answers more than {MAX_ANSWER // 2**20} MiB.")
                return self._values(response.status, bytes(body))
        except TimeoutError:
            raise PrometheusProblem(f"{self.name} did not answer within {TIMEOUT:g} s.") from None
        except (aiohttp.ClientError, OSError) as error:
            raise PrometheusProblem(f"{self.name} cannot be reached: {error}.") from error

    @property
    def name(self) -> str:
        """As sentences name it."""
        return f"Prometheus at {self._address}"

    def _values(self, status: int, body: bytes) -> dict[float, float]:
        try:
            answer = msgspec.json.decode(body)
        except msgspec.DecodeError:
            answer = None
        said = answer.get("error") if isinstance(answer, dict) else None
        if status in (401, 403):
            hint = "Its token (DELTABOARD_PROMETHEUS_TOKEN)" if self._has_token else "It wants a token"
            what = f"{hint} is refused." if self._has_token else f"{hint}: set DELTABOARD_PROMETHEUS_TOKEN."
            raise PrometheusProblem(f"{self.name} answers {status}. {what}")
        if said:
            raise PrometheusProblem(f"{self.name} refuses the question: {limit_text(str(said), 300)}.")
        if status != 200 or not isinstance(answer, dict):
            raise PrometheusProblem(f"{self.name} is no Prometheus: it answers {status} at {_PATH}.")
        try:
            return _read(answer)
        except (KeyError, TypeError, ValueError, IndexError):
            raise PrometheusProblem(f"{self.name} answers what Deltaboard does not understand.") from None


def _most(series: str) -> str:
    """The most of a sum in each step. A container that was started again, or that two scrape, has two series for a
    while: it counts once.
    """
    return f"max_over_time(sum(max by (namespace, pod, container) ({series}))[{STEP}s:1m])"


def _read(answer: dict[str, Any]) -> dict[float, float]:
    series = answer["data"]["result"]
    values = {float(at): float(value) for at, value in series[0]["values"]} if series else {}
    return {at: value for at, value in values.items() if math.isfinite(value)}


def selector_of(kind: str, key: str, pods: Sequence[str] = ()) -> str:
    """The labels of an object's containers, as PromQL has them; empty where none are known.

    `key` is ``namespace/name``, or the name. What owns pods is the sum of `pods`, names in its namespace.
    """
    namespace, _, name = key.rpartition("/")
    if kind == NODES:
        return f'{{id="/",node={_quoted(name)}}}'
    if kind == NAMESPACES:
        return f'{{container!="",namespace={_quoted(name)}}}'
    if kind == PODS:
        return f'{{container!="",namespace={_quoted(namespace)},pod={_quoted(name)}}}'
    if not 0 < len(pods) <= MAX_PODS:
        return ""
    names = "|".join(pod.replace(".", "\\.") for pod in sorted(pods))
    return f'{{container!="",namespace={_quoted(namespace)},pod=~{_quoted(names)}}}'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
