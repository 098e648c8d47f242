"""Tests of quick actions on the real API server, each written over the value shown only."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from dashboard.pages.quick_actions.action import FieldState
from dashboard.pages.quick_actions.toggles import SuspendJob
from informerd.errors import ServerError, Status, TooManyRequests, Unreachable
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.response import Response
from tests.support.controlplane import ControlPlane
from tests.support.edit.lost_answers import LostAnswers
from tests.support.edit.no_script_browser import Browser, Page
from tests.support.edit.workloads_and_budgets import cron_job, workload

COMPLETE = {"type": "Complete", "status": "True"}


class Deployed:
    """Deployment ``web`` of three, and where its pages are."""

    def __init__(self, cluster: ControlPlane, namespace: str) -> None:
        collection = f"/apis/apps/v1/namespaces/{namespace}/deployments"
        cluster.create(collection, workload("web", replicas=3))
        self.api = f"{collection}/web"
        self.do = f"/resources/deployments.apps/{namespace}/web/do"
        self.cluster = cluster

    @property
    def spec(self) -> Any:
        return self.cluster.get(self.api)["spec"]


@pytest.fixture
def web(cluster: ControlPlane, namespace: str) -> Deployed:
    return Deployed(cluster, namespace)


async def test_scale_says_what_is_writes_what_was_typed_and_can_be_undone(
    browser: Browser, web: Deployed, namespace: str
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    assert "It asks for 3 and has 0." in page.text
    assert re.search(
        r"kubectl scale deployments.apps/web -n \S+ --replicas=3 --current-replicas=3 --resource-version=", page.text
    )
    page = await browser.press(page, "do", wanted="5")
    assert "Scaled 3 → 5." in page.text
    assert "Its controller has not seen the change yet." in page.text
    assert web.spec["replicas"] == 5
    page = await browser.press(page, "undo")
    assert "Scaled 5 → 3." in page.text
    assert web.spec["replicas"] == 3


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("-1", "“-1” is not a number of replicas"),
        ("ten", "“ten” is not a number"),
        ("٣", "“٣” is not a number"),
        ("", "The number is empty"),
        ("1000000000000", "are too many"),
    ],
)
async def test_what_is_no_number_of_replicas_is_said_kept_and_not_sent(
    browser: Browser, web: Deployed, typed: str, said: str
) -> None:
    page = await browser.press(await browser.open(f"{web.do}/scale/"), "do", wanted=typed)
    assert page.status == 422
    assert said in page.text
    assert page.form.values["wanted"] == typed
    assert web.spec["replicas"] == 3


async def test_to_stop_everything_has_to_be_agreed_to(browser: Browser, web: Deployed) -> None:
    page = await browser.press(await browser.open(f"{web.do}/scale/"), "do", wanted="0")
    assert "All 3 replicas are to be stopped." in page.text
    assert web.spec["replicas"] == 3
    assert "spec.replicas 3 → 0" in page.text
    page = await browser.press(page, "do", sure="yes")
    assert "Scaled 3 → 0." in page.text
    assert web.spec["replicas"] == 0


async def test_a_second_writer_is_not_overwritten_and_theirs_is_shown(browser: Browser, web: Deployed) -> None:
    page = await browser.open(f"{web.do}/scale/")
    web.cluster.patch(web.api, {"spec": {"replicas": 7}})
    page = await browser.press(page, "do", wanted="5")
    assert page.status == 409
    assert "changed spec.replicas meanwhile" in page.text
    assert "it is 7 now" in page.text
    assert page.form.values["wanted"] == "5"
    assert web.spec["replicas"] == 7
    page = await browser.press(page, "do")
    assert "Scaled 7 → 5." in page.text


async def test_a_change_elsewhere_in_the_object_is_no_conflict(browser: Browser, web: Deployed) -> None:
    page = await browser.open(f"{web.do}/scale/")
    web.cluster.patch(web.api, {"metadata": {"labels": {"racing": "writer"}}})
    page = await browser.press(page, "do", wanted="5")
    assert "Scaled 3 → 5." in page.text
    assert web.cluster.get(web.api)["metadata"]["labels"] == {"racing": "writer"}


async def test_an_object_that_is_gone_or_made_again_is_said_and_nothing_is_sent(
    browser: Browser, web: Deployed
) -> None:
    shown = await browser.open(f"{web.do}/scale/")
    web.cluster.delete(web.api)
    collection, _, _ = web.api.rpartition("/")
    page = await browser.press(shown, "do", wanted="5")
    assert page.status == 409
    assert "was deleted meanwhile. Nothing was sent" in page.text
    assert 'id="quick"' in page.main
    web.cluster.create(collection, workload("web", replicas=2))
    page = await browser.press(shown, "do", wanted="5")
    assert page.status == 409
    assert "another one has its name now" in page.text
    assert web.spec["replicas"] == 2


async def test_an_autoscaler_that_will_fight_it_is_named(browser: Browser, web: Deployed, namespace: str) -> None:
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = {"metadata": {"name": "web-hpa"}, "spec": {"scaleTargetRef": about, "minReplicas": 2, "maxReplicas": 9}}
    web.cluster.create(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", scaler)
    page = await browser.open(f"{web.do}/scale/")
    assert "The HorizontalPodAutoscaler web-hpa (2 to 9 replicas) will set the number again" in page.text


@pytest.mark.parametrize("typed", ["010", " 10 "])
async def test_the_command_has_the_number_that_is_written(browser: Browser, web: Deployed, typed: str) -> None:
    page = await browser.open(f"{web.do}/scale/?wanted={typed}")
    assert "--replicas=10 " in page.text
    await browser.press(page, "do")
    assert web.spec["replicas"] == 10


async def test_whose_object_it_is_that_is_scaled_is_said(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "1", "controller": True}
    made = workload("web-1", replicas=1)
    made["metadata"]["ownerReferences"] = [owner]
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/replicasets", made)
    page = await browser.open(f"/resources/replicasets.apps/{namespace}/web-1/do/scale/")
    assert "It belongs to the Deployment web, which overwrites the number" in page.text


async def test_restart_writes_what_kubectl_writes(browser: Browser, web: Deployed) -> None:
    page = await browser.open(f"{web.do}/restart/")
    assert "rollout restart deployments.apps/web" in page.text
    assert "rollout undo deployments.apps/web" in page.text
    page = await browser.press(page, "do")
    assert "The rollout is restarted" in page.text
    assert "undo" not in page.form.buttons
    assert "kubectl.kubernetes.io/restartedAt" in web.spec["template"]["metadata"]["annotations"]


async def test_a_rollout_is_followed_until_it_is_over(
    browser: Browser, web: Deployed, cluster: ControlPlane, namespace: str
) -> None:
    progress = f"{web.do}/restart/?progress"
    page = await browser.open(progress)
    assert "Its controller has not seen the change yet." in page.text
    assert '<meta http-equiv="refresh"' in page.body
    metadata = cluster.get(web.api)["metadata"]
    seen = {"observedGeneration": metadata["generation"], "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3}
    cluster.patch(f"{web.api}/status", {"status": {**seen, "readyReplicas": 3}})
    page = await browser.open(progress)
    assert "Done: all 3 pods are new and available." in page.text
    assert '<meta http-equiv="refresh"' not in page.body


async def test_a_rollout_that_cannot_be_read_says_why(
    browser: Browser, parts: SimpleNamespace, web: Deployed, cluster: ControlPlane
) -> None:
    request, link = parts.client.request, Down(parts.client)
    parts.client.request = link.request
    page = await browser.open(f"{web.do}/restart/?progress")
    assert "No answer came from the API server." in page.text
    assert '<meta http-equiv="refresh"' in page.body, "it is asked again"
    parts.client.request = request
    cluster.delete(web.api)
    page = await browser.open(f"{web.do}/restart/?progress")
    assert "It does not exist." in page.text
    assert '<meta http-equiv="refresh"' not in page.body


async def test_a_kind_without_rollouts_leads_back_to_the_object(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/apis/batch/v1/namespaces/{namespace}/cronjobs", cron_job("nightly"))
    nightly = f"/resources/cronjobs.batch/{namespace}/nightly/"
    page = await browser.open(f"{nightly}do/suspend/?progress")
    assert (page.status, page.location) == (302, nightly)


async def test_a_paused_rollout_is_not_restarted_but_resumed(browser: Browser, web: Deployed) -> None:
    page = await browser.open(f"{web.do}/pause/")
    assert "rollout pause deployments.apps/web" in page.text
    page = await browser.press(page, "do")
    assert "The rollout is paused." in page.text
    assert web.spec["paused"] is True
    restart = await browser.open(f"{web.do}/restart/")
    assert "resume it first" in restart.text
    assert (await browser.press(restart, "do")).status == 409
    assert "annotations" not in web.spec["template"]["metadata"]
    page = await browser.open(f"{web.do}/pause/")
    assert "rollout resume" in page.text
    await browser.press(page, "do")
    assert not web.spec.get("paused")


async def test_a_cron_job_is_suspended_and_resumed(browser: Browser, cluster: ControlPlane, namespace: str) -> None:
    collection = f"/apis/batch/v1/namespaces/{namespace}/cronjobs"
    cluster.create(collection, cron_job("nightly"))
    do = f"/resources/cronjobs.batch/{namespace}/nightly/do/suspend/"
    page = await browser.open(do)
    assert f"Suspend {namespace}/nightly" in page.text
    page = await browser.press(page, "do")
    assert f"Suspend {namespace}/nightly It is suspended." in page.text
    assert cluster.get(f"{collection}/nightly")["spec"]["suspend"] is True
    page = await browser.press(page, "undo")
    assert f"Resume {namespace}/nightly" in page.text
    assert cluster.get(f"{collection}/nightly")["spec"]["suspend"] is False


def test_of_a_job_that_is_over_no_pods_are_said_to_be_deleted() -> None:
    suspend = SuspendJob()
    running, over = ({"spec": {}, "status": {"conditions": conditions}} for conditions in ([], [COMPLETE]))
    said = [
        suspend.facts(suspend.switch_on, FieldState(job, suspend.path, unset_value=False)) for job in (running, over)
    ]
    assert [fact.words for fact in said[0]] == [suspend.switch_on.meaning]
    assert [fact.words for fact in said[1]] == ["It is over already (Complete): this changes nothing of its pods."]


async def test_a_node_is_cordoned_and_uncordoned(browser: Browser, cluster: ControlPlane, namespace: str) -> None:
    name = f"node-of-{namespace}"
    cluster.create("/api/v1/nodes", {"metadata": {"name": name}})
    try:
        page = await browser.open(f"/resources/nodes/-/{name}/do/cordon/")
        assert f"cordon {name}" in page.text
        assert "What the API server would store spec.unschedulable false → true" in page.text
        page = await browser.press(page, "do")
        assert "The node is cordoned" in page.text
        assert cluster.get(f"/api/v1/nodes/{name}")["spec"]["unschedulable"] is True
        await browser.press(page, "undo")
        assert not cluster.get(f"/api/v1/nodes/{name}").get("spec", {}).get("unschedulable")
    finally:
        cluster.delete(f"/api/v1/nodes/{name}")


async def test_custom_resources_with_a_scale_scale_alike(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", GADGETS)
    collection = f"/apis/quick.example.com/v1/namespaces/{namespace}/gadgets"
    await served(parts, "gadgets.quick.example.com")
    cluster.create(
        collection,
        {"apiVersion": "quick.example.com/v1", "kind": "Gadget", "metadata": {"name": "one"}, "spec": {"size": 2}},
    )
    page = await browser.open(f"/resources/gadgets.quick.example.com/{namespace}/one/do/scale/")
    page = await browser.press(page, "do", wanted="4")
    assert "Scaled 2 → 4." in page.text
    assert cluster.get(f"{collection}/one")["spec"]["size"] == 4


GADGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.quick.example.com"},
    "spec": {
        "group": "quick.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


async def served(parts: SimpleNamespace, name: str) -> None:
    """Wait until discovery has the kind with its subresources."""
    parts.discovery = Discovery(parts.client)
    for _ in range(200):
        found = [each for each in await parts.discovery.resources() if each.key == name]
        if found and "scale" in found[0].subresources:
            return
        parts.discovery.invalidate()
        await parts.clock.sleep(0.1)
    raise AssertionError(f"{name} is not served")


async def test_other_kinds_have_no_such_action(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"/resources/pods/{namespace}/web/do/scale/")
    assert page.status == 404
    assert "Pods have no such action" in page.text


async def test_who_may_not_is_told_by_the_cluster_before_and_nothing_is_sent(
    bob: Browser, cluster: ControlPlane, web: Deployed, namespace: str
) -> None:
    rules = [{"apiGroups": ["apps"], "resources": ["deployments", "deployments/scale"], "verbs": ["get"]}]
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    cluster.create(f"{rbac}/roles", {"metadata": {"name": "reader"}, "rules": rules})
    who = [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]
    role = {"kind": "Role", "name": "reader", "apiGroup": "rbac.authorization.k8s.io"}
    cluster.create(f"{rbac}/rolebindings", {"metadata": {"name": "bob"}, "subjects": who, "roleRef": role})
    page = await bob.open(f"{web.do}/scale/")
    assert f"do not let Deltaboard's account patch deployments.apps/scale in namespace {namespace}" in page.text
    page = await bob.press(page, "do", wanted="5")
    assert page.status == 403
    assert web.spec["replicas"] == 3


class LossyClient:
    """Loses the answer to a PATCH that is no dry run; it arrives or not."""

    def __init__(self, client: Client, *, arrives: bool) -> None:
        self._request = client.request
        self._arrives = arrives

    async def request(self, method: str, path: str, **options: Any) -> Response:
        if method == "PATCH" and not (options.get("params") or {}).get("dryRun"):
            if self._arrives:
                await self._request(method, path, **options)
            raise Unreachable("connection reset")
        return await self._request(method, path, **options)


@pytest.mark.parametrize("arrives", [True, False], ids=["stored", "lost"])
async def test_a_write_without_an_answer_is_found_out_by_reading(
    browser: Browser, parts: SimpleNamespace, web: Deployed, arrives: bool
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    parts.client.request = LossyClient(parts.client, arrives=arrives).request
    page = await browser.press(page, "do", wanted="5")
    if arrives:
        assert "Scaled 3 → 5: no answer came when it was sent, but it was stored" in page.text
    else:
        assert page.status == 503
        assert "It was not done." in page.text
        assert "The object was read again: nothing has changed" in page.text
        assert "Sending again in 5 s (try 1 of 10)" in page.text
    assert web.spec["replicas"] == (5 if arrives else 3)


async def test_a_busy_api_server_is_tried_again_with_a_countdown(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    patch, busy = parts.client.patch, TooManyRequests(Status(code=429, message="too many"), retry_after=7)
    parts.client.patch = AsyncMock(side_effect=busy)
    page = await browser.press(page, "do", wanted="5")
    assert page.status == 429
    assert "in 7 s (try 1 of 10)" in page.text
    assert 'data-repeat="7"' in page.body
    parts.client.patch = patch
    page = await browser.press(page, "do")
    assert "Scaled 3 → 5." in page.text


async def test_a_refusal_that_does_not_pass_is_not_tried_again(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    parts.client.patch = AsyncMock(side_effect=ServerError(Status(code=500, message="broken")))
    for number in range(10):
        page = await browser.press(page, "do", wanted="5")
        assert f"(try {number + 1} of 10)" in page.text
    page = await browser.press(page, "do", wanted="5")
    assert page.status == 503
    assert "Sending again" not in page.text


class Down:
    """Answers nothing while it is down."""

    def __init__(self, client: Client) -> None:
        self._request = client.request
        self.down = True

    async def request(self, method: str, path: str, **options: Any) -> Response:
        if self.down:
            raise Unreachable("connection refused")
        return await self._request(method, path, **options)


async def test_pressed_while_the_api_server_is_down_it_is_sent_again_until_that_is_over(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    link = Down(parts.client)
    parts.client.request = link.request
    for number in (1, 2):
        page = await browser.press(page, "do", wanted="5")
        assert page.status == 503
        assert f"Sending again in 5 s (try {number} of 10)" in page.text
        assert 'id="quick"' in page.main
    given_up = await browser.send(page.form.action, {**page.form.values, "tries": "10"})
    assert "The API server is unreachable" in given_up.text
    assert 'id="quick"' in given_up.main
    link.down = False
    page = await browser.press(page, "do")
    assert "Scaled 3 → 5." in page.text


async def test_while_a_lost_write_cannot_be_read_it_is_asked_again_without_end(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await browser.open(f"{web.do}/scale/")
    link = Down(parts.client)
    parts.client.request = link.request
    page = await browser.send(page.form.action, {**page.form.values, "wanted": "5", "lost": "yes", "tries": "10"})
    assert "It may or may not be done." in page.text
    assert "Asking again in 5 s (try 11)" in page.text


async def lose(browser: Browser, parts: SimpleNamespace, do: str, *, arrives: bool = True, **typed: str) -> Page:
    """The page of what was pressed at `do`: whether it was stored is not known."""
    page = await browser.open(do)
    request = parts.client.request
    parts.client.request = LostAnswers(parts.client, arrives=arrives).request
    page = await browser.press(page, "do", **typed)
    assert "It may or may not be done." in page.text
    parts.client.request = request
    return page


async def test_a_restart_whose_answer_was_lost_is_known_for_its_own(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await lose(browser, parts, f"{web.do}/restart/")
    first = web.spec["template"]["metadata"]["annotations"]
    parts.clock.time = lambda: 2_000_000_000.0
    page = await browser.press(page, "do")
    assert "The rollout is restarted: its pods are being replaced: no answer came when it was sent" in page.text
    assert web.spec["template"]["metadata"]["annotations"] == first


async def test_a_value_that_a_rule_changed_on_its_way_is_known_for_what_was_sent(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await lose(browser, parts, f"{web.do}/scale/", wanted="5")
    web.cluster.patch(web.api, {"spec": {"replicas": 4}})
    kept = {**page.form.values, "do": ""}
    theirs = await browser.send(page.form.action, kept)
    assert (theirs.status, "it is 4 now" in theirs.text) == (409, True)
    assert "it may have been stored before that" in theirs.text
    assert "Nothing was" not in theirs.text
    ours = await browser.send(page.form.action, {**kept, "to_be": "4"})
    assert "Scaled 3 → 4: no answer came when it was sent, but it was stored" in ours.text


@pytest.mark.parametrize("arrives", [True, False], ids=["stored and set back", "never stored"])
async def test_after_a_lost_answer_nothing_is_written_by_itself_over_a_change_that_nobody_saw(
    browser: Browser, parts: SimpleNamespace, web: Deployed, arrives: bool
) -> None:
    page = await lose(browser, parts, f"{web.do}/scale/", wanted="5", arrives=arrives)
    if arrives:
        web.cluster.patch(web.api, {"spec": {"replicas": 3}})
        page = await browser.press(page, "do")
        assert page.status == 409
        assert "as it was, but the object has changed since" in page.text
        assert "Nothing was" not in page.text
        assert web.spec["replicas"] == 3
        assert (page.form.values["wanted"], "lost" in page.form.values) == ("5", False)
    page = await browser.press(page, "do")
    assert "Scaled 3 → 5." in page.text


async def test_an_object_that_is_gone_after_a_lost_answer_may_have_had_it(
    browser: Browser, parts: SimpleNamespace, web: Deployed
) -> None:
    page = await lose(browser, parts, f"{web.do}/scale/", wanted="5")
    web.cluster.delete(web.api)
    page = await browser.press(page, "do")
    assert "it may have been stored before that" in page.text
    assert "Nothing was" not in page.text
