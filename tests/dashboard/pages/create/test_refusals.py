"""Tests of refusals of a real API server, explained at the field that they name."""

from __future__ import annotations

from typing import Any

from tests.dashboard.objects.problems.test_api_error_explanations import BINDINGS, MYDEMO, POLICIES
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser
from tests.support.wait import eventually


async def test_quotas_and_limits_of_a_real_cluster_are_named(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    core = f"/api/v1/namespaces/{namespace}"
    limits: Any = {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}
    cluster.create(f"{core}/limitranges", {"metadata": {"name": "small"}, "spec": limits})
    cluster.create(f"{core}/resourcequotas", {"metadata": {"name": "none"}, "spec": {"hard": {"services": "0"}}})
    cluster.patch(
        f"{core}/resourcequotas/none/status", {"status": {"hard": {"services": "0"}, "used": {"services": "0"}}}
    )
    pod = "spec: {containers: [{name: c, image: x, resources: {limits: {cpu: 4}}}]}\n"
    limited = await tried(browser, "pods", namespace, f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\n{pod}")
    assert "The API server refused it." in limited
    assert 'A limit of the namespace (LimitRange) forbids it. pods "p" is forbidden: maximum cpu usage' in limited
    full = await tried(
        browser,
        "services",
        namespace,
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n",
    )
    assert "The quota none of the namespace leaves no room for it." in full


async def test_what_a_policy_says_stands_beside_the_field_that_it_names(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    rule = {"apiGroups": ["crddemo.k8s.io"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["mydemos"]}
    wrong = {"expression": "object.spec.port != 6666", "message": "spec.port: <i>6666</i> is not for us"}
    policy: Any = {"matchConstraints": {"resourceRules": [rule]}, "validations": [wrong]}
    binding: Any = {"policyName": namespace, "validationActions": ["Deny"], "matchResources": here}
    cluster.create(POLICIES, {"metadata": {"name": namespace}, "spec": policy})
    cluster.create(BINDINGS, {"metadata": {"name": namespace}, "spec": binding})
    text = "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {name: x}\nspec:\n  ip: 10.0.0.1\n  port: 6666\n"
    said: list[str] = []

    async def refused() -> bool:
        said.append(await tried(browser, MYDEMO, namespace, text))
        return "denied request" in said[-1]

    try:
        await eventually(refused, within=60.0)
    finally:
        cluster.delete(f"{BINDINGS}/{namespace}")
        cluster.delete(f"{POLICIES}/{namespace}")
    assert "line 6, column 3 spec.port A rule of the cluster (admission) refused it." in said[-1]
    assert "spec.port: <i>6666</i> is not for us" in said[-1]


async def tried(browser: Browser, key: str, namespace: str, text: str) -> str:
    """What the page says that reviews a new object."""
    page = await browser.open(f"/resources/{key}/new/?namespace={namespace}")
    return (await browser.press(page, "review", yaml=text)).text
