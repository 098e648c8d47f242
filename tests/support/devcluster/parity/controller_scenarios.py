"""Scenarios that are played and recorded with the real controllers once, and with the demo's in each test run.

    python -m tests.support.devcluster.parity.controller_scenarios KUBECONFIG >
    tests/support/devcluster/parity/controller_recordings.json

KUBECONFIG is of an empty cluster with kube-controller-manager, kube-scheduler and kwok's nodes. The comparison covers
the conditions and numbers after each step, and all events, with the names of pods and hashes made equal.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

from tests.support.devcluster.http_client import Api
from tests.support.devcluster.workload_cluster import DEPLOYMENTS, JOBS, Json, deployment

PATHS = {
    DEPLOYMENTS: "/apis/apps/v1/namespaces/default/deployments",
    "replicasets.apps": "/apis/apps/v1/namespaces/default/replicasets",
    JOBS: "/apis/batch/v1/namespaces/default/jobs",
    "pods": "/api/v1/namespaces/default/pods",
    "events": "/api/v1/namespaces/default/events",
}
REVISION = "deployment.kubernetes.io/revision"
KEPT_ANNOTATIONS = "deployment.kubernetes.io/"


class Side(Protocol):
    """One of the two clusters. Everything is in the namespace default."""

    async def create(self, key: str, obj: Json) -> None: ...

    async def replace(self, key: str, name: str, path: str, value: object) -> None: ...

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None: ...

    async def pause(self, seconds: float) -> None: ...

    async def all(self, key: str) -> list[Json]: ...


Scenario = Callable[[Side], Awaitable[list[Any]]]


async def rollouts(side: Side) -> list[Any]:
    """A Deployment: made, rolled out, stuck, rolled back, paused and scaled, resumed, scaled down."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    spec: Json = {"strategy": strategy, "progressDeadlineSeconds": 5}
    await side.create(DEPLOYMENTS, deployment("mine", 2, **spec))
    seen = [await _settled(side)]
    await side.replace(DEPLOYMENTS, "mine", "/spec/template/spec/containers/0/image", "nginx:1.29.2")
    seen.append(await _settled(side))
    (good,) = [each["spec"]["template"] for each in await side.all(DEPLOYMENTS)]
    await side.replace(DEPLOYMENTS, "mine", "/spec/template/spec/nodeSelector", {"disk": "none"})
    await side.until(lambda: _has_reason(side, "ProgressDeadlineExceeded"))
    await side.pause(2)
    seen.append(await _observed(side))
    await side.replace(DEPLOYMENTS, "mine", "/spec/template", good)
    seen.append(await _settled(side))
    await side.replace(DEPLOYMENTS, "mine", "/spec/paused", value=True)
    await side.until(lambda: _has_reason(side, "DeploymentPaused"))
    await side.replace(DEPLOYMENTS, "mine", "/spec/replicas", 3)
    seen.append(await _settled(side))
    await side.replace(DEPLOYMENTS, "mine", "/spec/paused", value=False)
    await side.until(lambda: _has_reason(side, "NewReplicaSetAvailable"))
    await side.replace(DEPLOYMENTS, "mine", "/spec/replicas", 1)
    seen.append(await _settled(side))
    return [*seen, await _said(side)]


async def recreated(side: Side) -> list[Any]:
    """A Deployment whose old pods go before new ones come."""
    await side.create(DEPLOYMENTS, deployment("mine", 2, strategy={"type": "Recreate"}))
    seen = [await _settled(side)]
    await side.replace(DEPLOYMENTS, "mine", "/spec/template/spec/containers/0/image", "nginx:1.29.2")
    return [*seen, await _settled(side), await _said(side)]


async def jobs(side: Side) -> list[Any]:
    """Two Jobs: one reaches its completions, one exceeds its deadline."""
    await side.create(JOBS, _job("whole", completions=3, parallelism=3))
    await side.create(JOBS, _job("late", {"disk": "none"}, activeDeadlineSeconds=2))
    await side.until(lambda: _ended(side, 2))
    await side.pause(3)
    seen = {each["metadata"]["name"]: _job_status(each) for each in await side.all(JOBS)}
    return [dict(sorted(seen.items())), await _said(side)]


SCENARIOS: dict[str, Scenario] = {"rollouts": rollouts, "recreated": recreated, "jobs": jobs}


def _job(name: str, where: Json | None = None, **spec: Any) -> Json:
    pod: Json = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    pod |= {"nodeSelector": where} if where else {}
    return {"metadata": {"name": name}, "spec": {"template": {"spec": pod}, **spec}}


def _job_status(job: Json) -> Json:
    status = {k: v for k, v in job["status"].items() if k not in ("startTime", "completionTime", "conditions")}
    return {**status, "conditions": [_condition(each) for each in job["status"]["conditions"]]}


def _condition(each: Json) -> list[str]:
    return [each["type"], each["status"], each["reason"], _plain(each["message"])]


async def _ended(side: Side, number: int) -> bool:
    ends = [c for job in await side.all(JOBS) for c in job["status"].get("conditions", ())]
    return sum(each["type"] in ("Complete", "Failed") for each in ends) == number


async def _has_reason(side: Side, reason: str) -> bool:
    conditions = [c for each in await side.all(DEPLOYMENTS) for c in each.get("status", {}).get("conditions", ())]
    return reason in {each["reason"] for each in conditions}


async def _settled(side: Side) -> Json:
    async def is_settled() -> bool:
        (found,) = await side.all(DEPLOYMENTS)
        status, wanted = found.get("status", {}), found["spec"]["replicas"]
        counts = {status.get(key, 0) for key in ("replicas", "updatedReplicas", "availableReplicas")}
        pods = [pod for pod in await side.all("pods") if "deletionTimestamp" not in pod["metadata"]]
        seen = status.get("observedGeneration") == found["metadata"]["generation"]
        return bool(seen and counts == {wanted} and len(pods) == len(await side.all("pods")) == wanted)

    await side.until(is_settled)
    await side.pause(2)
    return await _observed(side)


async def _observed(side: Side) -> Json:
    (found,) = await side.all(DEPLOYMENTS)
    status = {key: value for key, value in found["status"].items() if key != "conditions"}
    sets = sorted(await side.all("replicasets.apps"), key=lambda each: int(each["metadata"]["annotations"][REVISION]))
    return {
        "deployment": status,
        "conditions": sorted(_condition(each) for each in found["status"]["conditions"]),
        "sets": [[_ours(each), each["spec"]["replicas"], each["status"]] for each in sets],
        "revision": found["metadata"]["annotations"][REVISION],
    }


def _ours(replica_set: Json) -> Json:
    annotations = replica_set["metadata"]["annotations"].items()
    return {key.removeprefix(KEPT_ANNOTATIONS): value for key, value in annotations if key.startswith(KEPT_ANNOTATIONS)}


async def _said(side: Side) -> list[list[str]]:
    """What controllers said, sorted: kubelets and schedulers are another matter."""
    events = [each for each in await side.all("events") if each["source"].get("component", "").endswith("-controller")]
    return sorted(
        [e["source"]["component"], e["involvedObject"]["kind"], e["type"], e["reason"], _plain(e["message"])]
        for e in events
    )


def _plain(text: str) -> str:
    text = re.sub(r"\b(mine-[a-z0-9]{6,10})-[a-z0-9]{5}\b", "POD", text)
    text = re.sub(r"\b(whole|late)-[a-z0-9]{5}\b", r"\1-POD", text)
    return re.sub(r"\bmine-[a-z0-9]{6,10}\b", "SET", text)


class RealSide:
    """A real cluster."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def create(self, key: str, obj: Json) -> None:
        self._api.call("POST", PATHS[key], obj)

    async def replace(self, key: str, name: str, path: str, value: object) -> None:
        steps = [{"op": "add", "path": path, "value": value}]
        self._api.call("PATCH", f"{PATHS[key]}/{name}", steps, "application/json-patch+json")

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(120):
            while not await holds():  # noqa: ASYNC110 - a cluster that is not ours has no event of ours
                await asyncio.sleep(0.2)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def all(self, key: str) -> list[Json]:
        items: list[Json] = self._api.get(PATHS[key]).json["items"]
        return items

    async def clear(self) -> None:
        for key in (DEPLOYMENTS, JOBS):
            for each in await self.all(key):
                path = f"{PATHS[key]}/{each['metadata']['name']}?propagationPolicy=Background"
                self._api.call("DELETE", path)

        async def is_empty() -> bool:
            return not [each for key in PATHS if key != "events" for each in await self.all(key)]

        await self.until(is_empty)
        self._api.call("DELETE", PATHS["events"])


async def record(kubeconfig: Path) -> Json:
    """What a real cluster makes of all scenarios."""
    side, found = RealSide(Api.of(kubeconfig)), {}
    for name, scenario in SCENARIOS.items():
        await side.clear()
        found[name] = await scenario(side)
    await side.clear()
    return found


if __name__ == "__main__":
    json.dump(asyncio.run(record(Path(sys.argv[1]))), sys.stdout, indent=1)
    sys.stdout.write("\n")
