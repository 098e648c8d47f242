"""Pods that live: each change is one of those that a pod really has, from one version to the next."""

from __future__ import annotations

import json
import random
from typing import Any

from benchmarks.support.load_server_pods import pod
from informerd.decoding.compressor import Compressor
from informerd.objects import Object, ObjectMeta


class ChangingPods:
    """Pods of 4.8 kB as an informer has them. The same seed gives the same changes."""

    def __init__(self, number: int, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._compressor = Compressor()
        self._version = 0
        self._bodies: list[dict[str, Any]] = []
        self.pods: list[Object] = []
        for place in range(number):
            self._version += 1
            body: dict[str, Any] = json.loads(pod(place, self._version))
            body["status"]["containerStatuses"][0]["containerID"] = self._container()
            self._bodies.append(body)
            self.pods.append(self._object(body))

    def change(self) -> tuple[Object, Object]:
        """Change one pod: the version before and after."""
        place = self._chance.randrange(len(self.pods))
        body, old = self._bodies[place], self.pods[place]
        self._version += 1
        body["metadata"]["resourceVersion"] = str(self._version)
        self._chance.choice((self._become_ready, self._become_unready, self._restart, self._annotate))(body)
        self.pods[place] = self._object(body)
        return old, self.pods[place]

    def _become_ready(self, body: dict[str, Any]) -> None:
        self._conditions(body, "True")

    def _become_unready(self, body: dict[str, Any]) -> None:
        self._conditions(body, "False")

    def _restart(self, body: dict[str, Any]) -> None:
        status = body["status"]["containerStatuses"][0]
        ended = {"exitCode": self._chance.randrange(256), "reason": "Error", "finishedAt": self._time()}
        status["lastState"] = {"terminated": {**ended, "startedAt": self._time(), "containerID": status["containerID"]}}
        status["containerID"], status["restartCount"] = self._container(), status["restartCount"] + 1
        status["state"] = {"running": {"startedAt": self._time()}}

    def _annotate(self, body: dict[str, Any]) -> None:
        body["metadata"].setdefault("annotations", {})["example.com/checked"] = self._time()

    def _conditions(self, body: dict[str, Any], value: str) -> None:
        time = self._time()
        for condition in body["status"]["conditions"]:
            if condition["type"] in ("Ready", "ContainersReady"):
                condition |= {"status": value, "lastTransitionTime": time}

    def _container(self) -> str:
        return f"containerd://{self._chance.getrandbits(256):064x}"

    def _time(self) -> str:
        return f"2026-11-{self._chance.randrange(1, 29):02}T{self._chance.randrange(24):02}:30:{self._version % 60:02}Z"

    def _object(self, body: dict[str, Any]) -> Object:
        meta = body["metadata"]
        raw = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        known = ObjectMeta(
            name=meta["name"],
            namespace=meta["namespace"],
            uid=meta["uid"],
            resource_version=meta["resourceVersion"],
        )
        return Object(metadata=known, blob=self._compressor.compress(raw))
