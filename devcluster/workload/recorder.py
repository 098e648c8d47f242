"""Kubernetes Events: what controllers say about objects. A repeated one counts up, as client-go's recorder has it."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass

from devcluster.workload.building import Json, stamp
from informerd.clock import Clock
from informerd.errors import InformerdError, NotFound
from informerd.resource import Resource
from informerd.rest.client import Client

EVENTS = Resource(version="v1", plural="events", kind="Event")
REMEMBERED = 2000
_log = logging.getLogger(__name__)


@dataclass
class _Said:
    name: str
    count: int


class Recorder:
    """Writes Events; one that cannot be written is let go. Remembers the last ones to count repetitions."""

    def __init__(self, client: Client, *, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._clock = clock
        self._rng = rng
        self._said: dict[tuple[str, ...], _Said] = {}

    async def normal(self, obj: Json, source: str, reason: str, message: str, *, host: str = "") -> None:
        """Something went as it should."""
        await self._say(obj, "Normal", source, reason, message, host)

    async def warning(self, obj: Json, source: str, reason: str, message: str, *, host: str = "") -> None:
        """Something did not."""
        await self._say(obj, "Warning", source, reason, message, host)

    async def _say(self, obj: Json, kind: str, source: str, reason: str, message: str, host: str) -> None:
        key = (obj["metadata"]["uid"], source, reason, message)
        said = self._said.get(key)
        try:
            if said is not None and await self._repeated(obj, said):
                return
            number = f"{self._rng.getrandbits(64):016x}"
            event = self.event_body(obj, kind, source, reason, message, host, self._clock.time(), number)
            await self._client.create(EVENTS, event, event["metadata"]["namespace"], field_validation="Ignore")
        except InformerdError as error:
            _log.debug("event %s about %s: %s", reason, obj["metadata"]["name"], error)
            return
        self._said[key] = _Said(event["metadata"]["name"], 1)
        if len(self._said) > REMEMBERED:
            del self._said[next(iter(self._said))]

    async def _repeated(self, obj: Json, said: _Said) -> bool:
        """Count one up; False where it is gone."""
        patch = {"count": said.count + 1, "lastTimestamp": stamp(self._clock.time())}
        namespace = obj["metadata"].get("namespace") or "default"
        try:
            await self._client.patch(EVENTS, said.name, namespace, patch, field_validation="Ignore")
        except NotFound:
            return False
        said.count += 1
        return True

    @staticmethod
    def event_body(
        obj: Json, kind: str, source: str, reason: str, message: str, host: str, now: float, number: str, count: int = 1
    ) -> Json:
        """The Event object; its name is the object's and `number`."""
        meta, when = obj["metadata"], stamp(now)
        about = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "name": meta["name"], "uid": meta["uid"]}
        about |= {"resourceVersion": meta["resourceVersion"]} if meta.get("resourceVersion") else {}
        about |= {"namespace": meta["namespace"]} if meta.get("namespace") else {}
        if source == "kubelet" and obj["kind"] == "Pod":
            about["fieldPath"] = f"spec.containers{{{obj['spec']['containers'][0]['name']}}}"
        name = f"{meta['name']}.{number}"
        return {
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": name, "namespace": meta.get("namespace") or "default"},
            "involvedObject": about, "reason": reason, "message": message, "type": kind, "count": count,
            "source": {"component": source} | ({"host": host} if host else {}),
            "firstTimestamp": when, "lastTimestamp": when, "eventTime": None,
            "reportingComponent": source, "reportingInstance": host,
        }  # fmt: skip
