"""Tests that every kind that the API server updates is edited alike: reviewed, then saved over the reviewed version."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from dashboard.objects.printers.secret_redaction import MASK
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser
from tests.support.edit.workloads_and_budgets import workload

Json = dict[str, Any]


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def secret() -> Json:
    return {"metadata": {"name": "one"}, "data": {"password": coded("old")}}


@pytest.mark.parametrize(
    ("api", "plural", "key", "made", "old", "new", "words"),
    [
        (
            "apis/apps/v1", "deployments", "deployments.apps", workload("one", replicas=6), "nginx:1", "nginx:2",
            "Rolls out 6 pods, up to 3 at a time (maxSurge 2, maxUnavailable 1).",
        ),
        (
            "api/v1", "configmaps", "configmaps", {"metadata": {"name": "one"}, "data": {"mode": "old"}}, "mode: old",
            "mode: new", "No pod restarts by itself.",
        ),
        ("api/v1", "secrets", "secrets", secret(), coded("old"), coded("new"), "No pod restarts by itself."),
    ],
)  # fmt: skip
async def test_a_namespaced_kind_is_edited_and_its_review_says_what_will_happen(
    browser: Browser, cluster: ControlPlane, namespace: str,
    api: str, plural: str, key: str, made: Json, old: str, new: str, words: str,
) -> None:  # fmt: skip
    place = f"/{api}/namespaces/{namespace}/{plural}"
    before = cluster.create(place, made)
    page = await browser.open(f"/resources/{key}/{namespace}/one/edit/")
    assert old in page.yaml
    page = await browser.press(page, "review", yaml=page.yaml.replace(old, new))
    assert words in page.text
    assert (await browser.press(page, "save")).status == 302
    after = cluster.get(f"{place}/one")
    assert new.removeprefix("mode: ") in str(after)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


async def test_a_node_is_edited_though_it_is_in_no_namespace(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    name = f"node-{namespace}"
    cluster.create("/api/v1/nodes", {"metadata": {"name": name}})
    page = await browser.open(f"/resources/nodes/-/{name}/edit/")
    page = await browser.press(page, "review", yaml=f"{page.yaml.rstrip()}\n".replace("spec: {}\n", "") + CLOSED)
    assert "No new pods are scheduled on it" in page.text
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(f"/api/v1/nodes/{name}")["spec"]["unschedulable"] is True


CLOSED = "spec:\n  unschedulable: true\n"


async def test_the_dots_that_hide_a_secrets_values_never_become_values(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    place = f"/api/v1/namespaces/{namespace}/secrets"
    cluster.create(place, secret())
    page = await browser.open(f"/resources/secrets/{namespace}/one/edit/")
    text = f"{page.yaml}stringData:\n  password: {MASK}\n"
    page = await browser.press(page, "review", yaml=text)
    assert page.status == 422
    assert "stringData.password These dots stand for a value" in page.text
    assert page.yaml == text
    assert cluster.get(f"{place}/one")["data"] == {"password": coded("old")}


async def test_a_field_that_is_fixed_is_said_to_be_so_with_the_servers_words(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("one"))
    page = await browser.open(f"/resources/deployments.apps/{namespace}/one/edit/")
    text = page.yaml.replace("app: one", "app: two")
    page = await browser.press(page, "review", yaml=text)
    assert page.status == 422
    assert "spec.selector It cannot be changed any more" in page.text
    assert "field is immutable" in page.text
    assert page.yaml == text


async def test_an_autoscaler_that_sets_the_replicas_again_is_named_in_the_review(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", workload("one", replicas=2))
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "one"}
    scaler = {"metadata": {"name": "hpa"}, "spec": {"scaleTargetRef": about, "minReplicas": 2, "maxReplicas": 9}}
    cluster.create(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", scaler)
    page = await browser.open(f"/resources/deployments.apps/{namespace}/one/edit/")
    page = await browser.press(page, "review", yaml=page.yaml.replace("replicas: 2", "replicas: 5"))
    assert "Scales from 2 to 5 pods" in page.text
    assert "The HorizontalPodAutoscaler hpa (2 to 9 replicas) will set the number again" in page.text
