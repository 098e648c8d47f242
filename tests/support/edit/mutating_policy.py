"""Cluster policy that changes a write but not its dry run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, reviewed
from tests.support.wait import eventually

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{ADMISSION}/mutatingadmissionpolicies", f"{ADMISSION}/mutatingadmissionpolicybindings"
STAMP = 'Object{metadata: Object.metadata{annotations: {"stamp": request.dryRun ? "tried" : "written"}}}'
LATE = 'request.dryRun ? Object{} : Object{metadata: Object.metadata{labels: {"late": "yes"}}}'


@pytest.fixture
async def stamped(browser: Browser, cluster: ControlPlane, namespace: str, one: str, path: str) -> AsyncIterator[None]:
    """Mydemos get a stamp with each write, another one in a dry run; a label only where it is none."""
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    rule = {"apiGroups": ["crddemo.k8s.io"], "apiVersions": ["*"], "operations": ["*"], "resources": ["mydemos"]}
    mutations = [
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": each}} for each in (STAMP, LATE)
    ]
    policy: Any = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": mutations,
        "reinvocationPolicy": "Never",
        "failurePolicy": "Fail",
    }
    cluster.create(POLICIES, {"metadata": {"name": namespace}, "spec": policy})
    cluster.create(
        BINDINGS, {"metadata": {"name": namespace}, "spec": {"policyName": namespace, "matchResources": here}}
    )

    async def works() -> bool:
        return "metadata.annotations.stamp" in (await reviewed(browser, path, "port: 8080", "port: 9090")).text

    try:
        await eventually(works, within=60.0)
        yield
    finally:
        cluster.delete(f"{BINDINGS}/{namespace}")
        cluster.delete(f"{POLICIES}/{namespace}")
