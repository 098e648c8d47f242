"""Scenarios of releases: successful ones, canaries, and ones that are rolled back."""

from __future__ import annotations

from devcluster.workload.api_types import Deployment
from devcluster.workload.demo.scenario_context import ScenarioContext, image_of, next_version, version_of
from devcluster.workload.object_builders import Json
from devcluster.workload.pod_behaviour import BEHAVIOUR_ANNOTATION
from informerd.errors import InformerdError

ROLLBACK_AFTER_SECONDS = 120.0
"""Seconds after which a team looks at a release that does not come to its end."""


async def release(stage: ScenarioContext) -> None:
    """A new version is rolled out."""
    deployment = stage.deployment
    if deployment is not None:
        image = next_version(image_of(deployment))
        await stage.roll_out(image, f"release {version_of(image)}")
        await stage.wait_until_settled()


async def canary(stage: ScenarioContext) -> None:
    """One pod of the next version runs next to the others; it is healthy, so all get that version, and it goes."""
    deployment = stage.deployment
    if deployment is None:
        return
    image = next_version(image_of(deployment))
    made = await stage.cluster.deployments.create(
        _canary_of(deployment, image)
    )  # there already: somebody's own, no story
    if made is None:
        return
    try:
        await stage.wait_until(lambda: (now := stage.cluster.deployments.get(made.key)) is None or now.is_settled, 60)
        await stage.pause(20, 30)
        await stage.roll_out(image, f"release {version_of(image)}, tried as a canary")
        await stage.wait_until_settled()
    except InformerdError:
        await stage.cluster.deployments.delete(made)
        raise
    await stage.cluster.deployments.delete(made)


async def missing_image(stage: ScenarioContext) -> None:
    """A version that was never pushed: its pods cannot pull it, the rollout is stuck, and is rolled back."""
    deployment = stage.deployment
    if deployment is not None:
        image = f"{next_version(image_of(deployment))}-rc1"
        await stage.roll_out(image, f"release {version_of(image)}")
        await _roll_back(stage)


async def crashing_release(stage: ScenarioContext) -> None:
    """A version that ends soon after each start: crash loops, and a way back."""
    deployment = stage.deployment
    if deployment is not None:
        image = next_version(image_of(deployment))
        await stage.roll_out(image, f"release {version_of(image)}", behaviour={BEHAVIOUR_ANNOTATION: "crash"})
        await _roll_back(stage)


async def paused_release(stage: ScenarioContext) -> None:
    """A rollout that a person pauses halfway for a check, and resumes."""
    deployment = stage.deployment
    if deployment is None:
        return
    image = next_version(image_of(deployment))
    await stage.roll_out(image, f"release {version_of(image)}")
    half = deployment.spec.replicas // 2
    await stage.wait_until(lambda: (now := stage.deployment) is None or now.status.updated_replicas >= half, 60)
    for paused, pause in ((True, 20.0), (False, 0.0)):
        if stage.deployment is not None:
            await stage.change({"paused": paused or None})
            await stage.pause(pause, pause)
    await stage.wait_until_settled()


async def _roll_back(stage: ScenarioContext) -> None:
    await stage.wait_until(lambda: (now := stage.deployment) is None or _is_stuck(now), ROLLBACK_AFTER_SECONDS)
    await stage.pause(8, 15)
    await stage.undo()
    await stage.wait_until_settled()


def _is_stuck(deployment: Deployment) -> bool:
    return any(each.reason == "ProgressDeadlineExceeded" for each in deployment.status.conditions)


def _canary_of(deployment: Deployment, image: str) -> Json:
    meta, spec = deployment.metadata, deployment.spec
    name = f"{meta.name}-canary"
    labels = {**spec.template["metadata"]["labels"], "app": name, "track": "canary"}
    first, *rest = spec.template["spec"]["containers"]
    pod = {**spec.template["spec"], "containers": [{**first, "image": image}, *rest]}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": meta.namespace, "labels": {**meta.labels, "track": "canary"}},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }  # fmt: skip
