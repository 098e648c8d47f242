"""Seeded pods, with restarts and ages that differ."""

from __future__ import annotations

import msgspec

from devcluster.workload import images
from devcluster.workload import object_builders as objects
from devcluster.workload.api_types import Job, Pod, ReplicaSet
from devcluster.workload.demo_inventory import App
from devcluster.workload.kubelet import pod_status
from devcluster.workload.kubelet.pod_status import PodStatusBuilder
from devcluster.workload.object_builders import Json
from devcluster.workload.seed.writer import SeedWriter

FLAWED_RESTARTS = {"crash": 14, "memory": 6}
NODE_AFFINITY_MISMATCH = "node(s) didn't match Pod's node affinity/selector"


def put_pod(seed: SeedWriter, app: App, replica_set: ReplicaSet, number: int, rolled_out_at: float) -> None:
    """A pod of an application, made when it was rolled out or later."""
    meta = replica_set.metadata
    dice = seed.random_source.rng_for("seeded", meta.namespace, meta.name, number)
    created = rolled_out_at + dice.choice((0.0, 0.0, 0.5, 0.8)) * (seed.now - rolled_out_at) + dice.uniform(0, 30)
    name = f"{meta.name}-{seed.random_source.name_suffix('pod', meta.namespace, meta.name, -1 - number)}"
    body = objects.pod(replica_set, objects.controller_reference(replica_set), replica_set.spec.template, name)
    if app.flaw == "pending":
        _unschedulable(seed, body, created)
        return
    life = _life(seed, body, created, f"{dice.getrandbits(128):x}")
    life.started_at = created + dice.uniform(2, 6)
    body["status"] = _status(seed, life, app, dice.random(), dice.random())
    stored = seed.put("pods", body, created, check=number == 0)
    field_path = f"spec.containers{{{app.name}}}"
    if app.flaw == "crash":
        place = f"{name}_{app.namespace}({stored['metadata']['uid']})"
        words = f"Back-off restarting failed container {app.name} in pod {place}"
        seed.event(stored, "Warning", "kubelet", "BackOff", words, 140, count=31, field_path=field_path)
    elif app.flaw == "image":
        words = f'Failed to pull image "{app.image}": {images.not_found(app.image)}'
        seed.event(stored, "Warning", "kubelet", "Failed", words, 240, count=12, field_path=field_path)


def put_job_pod(seed: SeedWriter, job: Job, number: int, started_at: float, ended_at: float) -> None:
    """A pod of a job that has done its work."""
    meta = job.metadata
    name = f"{meta.name}-{seed.random_source.name_suffix('pod', meta.namespace, meta.name, -1 - number)}"
    body = objects.pod(job, objects.controller_reference(job), job.spec.template, name)
    life = _life(seed, body, started_at, f"{seed.random_source.rng_for('number', name).getrandbits(128):x}")
    life.started_at = started_at + 2
    body["status"] = life.mark_finished(ended_at, 0)
    seed.put("pods", body, started_at)


def _status(seed: SeedWriter, life: PodStatusBuilder, app: App, luck: float, cause: float) -> Json:
    if app.flaw == "image":
        words = f'Back-off pulling image "{app.image}": ErrImagePull: {images.not_found(app.image)}'
        return life.mark_waiting(life.created, "ImagePullBackOff", words)
    if app.flaw in FLAWED_RESTARTS or luck < 0.18:
        life.restarts = FLAWED_RESTARTS.get(app.flaw, 1 + round(luck * 10))
        killed = app.flaw == "memory" or (not app.flaw and cause < 0.4)
        ended = seed.now - (30 if app.flaw else (0.02 + 0.88 * cause) * (seed.now - life.created))
        code, reason = (137, "OOMKilled") if killed else (1, "Error")
        started = ended - 4 if app.flaw == "crash" else life.started_at
        life.last_state = pod_status.terminated_state(started, ended, code, reason, life.number)
        life.started_at = ended + 1
    if app.flaw == "crash":
        words = f"back-off 5m0s restarting failed container={app.name}"
        return life.mark_waiting(seed.now - 20, "CrashLoopBackOff", words)
    return life.mark_running(life.started_at + 3, ready=True)


def _unschedulable(seed: SeedWriter, body: Json, created: float) -> None:
    nodes, tainted = seed.node_count, seed.tainted_node_count
    why = f"{tainted} node(s) had untolerated taint(s), {nodes - tainted} {NODE_AFFINITY_MISMATCH}"
    words = f"0/{nodes} nodes are available: {why}"
    words += f". preemption: 0/{nodes} nodes are available: {nodes} Preemption is not helpful for scheduling."
    body["status"] = {**pod_status.unschedulable_status(created, words), "qosClass": "Burstable"}
    stored = seed.put("pods", body, created)
    seed.event(stored, "Warning", "default-scheduler", "FailedScheduling", words, 60, count=6)


def put_healthy_pod(
    seed: SeedWriter, body: Json, created: float, placement: tuple[str, str, str] | None = None
) -> None:
    """A pod that has been well ever since, on that node with that address and its own, or on any."""
    name = f"{body['metadata']['namespace']}/{body['metadata']['name']}"
    life = _life(seed, body, created, f"{seed.random_source.rng_for('number', name).getrandbits(128):x}", placement)
    life.started_at = created + 3
    body["status"] = life.mark_running(created + 6, ready=True)
    seed.put("pods", body, created)


def _life(
    seed: SeedWriter, body: Json, created: float, number: str, placed: tuple[str, str, str] | None = None
) -> PodStatusBuilder:
    node, host, address = placed or seed.pick_node()
    body["spec"]["nodeName"] = node
    pod = msgspec.convert(body, Pod)
    return PodStatusBuilder(pod, created=created, address=address, host=host, number=number)
