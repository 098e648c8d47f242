"""Which rule of the cluster refused something is said in plain words, whoever's words the API server passes on."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.edits.problems import refusal_of
from informerd.errors import Status
from informerd.errors.api import error_from_status
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser
from tests.wait import eventually

MYDEMO = "mydemos.crddemo.k8s.io"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{ADMISSION}/validatingadmissionpolicies", f"{ADMISSION}/validatingadmissionpolicybindings"


@pytest.mark.parametrize(
    ("code", "message", "title", "words", "field"),
    [
        (403, 'x is forbidden: User "bob" cannot create resource "mydemos" in API group "g" in the namespace "n"',
         "You may not create mydemos.g", "bob has no right to create mydemos.g in namespace n;", ""),
        (403, 'x is forbidden: User "bob" cannot create resource "pods/eviction" in API group "" at the cluster scope',
         "You may not create pods/eviction", "bob has no right to create pods/eviction in the whole cluster;", ""),
        (403, 'x is forbidden: User "" cannot create resource "pods" in API group "" in the namespace "n"',
         "You may not create pods", "The account has no right to create pods in namespace n;", ""),
        (403, 'roles "r" is forbidden: user "bob" (groups=["b"]) is attempting to grant RBAC permissions not held',
         "You may not do this", "The cluster's access rules refused it.", ""),
        (403, 'pods "p" is forbidden: violates PodSecurity "restricted:latest": privileged',
         "The API server refused it", "The namespace's Pod Security standard (restricted:latest) forbids it.", ""),
        (403, 'x is forbidden: unable to create new content in namespace n because it is being terminated',
         "The API server refused it", "The namespace is being deleted:", ""),
        (403, 'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c',
         "The API server refused it", "The quota q of the namespace wants more said.", ""),
        (403, 'pods "p" is forbidden: no PriorityClass with name high was found',
         "The API server refused it", "There is no PriorityClass high.", "spec.priorityClassName"),
        (403, 'pods "p" is forbidden: error looking up service account n/robot: serviceaccount "robot" not found',
         "The API server refused it", "There is no ServiceAccount robot in the namespace n.",
         "spec.serviceAccountName"),
        (403, 'pods "p" is forbidden: pod rejected: RuntimeClass "runsc" not found',
         "The API server refused it", "There is no RuntimeClass runsc.", "spec.runtimeClassName"),
        (403, 'pods "p" is forbidden: PodNodeSelector: conflict', "The API server refused it",
         "A rule of the cluster (admission) refused it.", ""),
        (400, 'admission webhook "w.example.com" denied the request: spec.containers[0].image must not be latest',
         "The API server refused it", "A rule of the cluster (admission) refused it.", "spec.containers[0].image"),
        (500, 'Internal error occurred: failed calling webhook "w.example.com": context deadline exceeded',
         "The API server failed", "The cluster has to ask w.example.com (an admission webhook) first,", ""),
        (404, 'namespaces "n" not found', "The API server refused it", "There is no namespace “n”.",
         "metadata.namespace"),
        (405, "the server does not allow this method on the requested resource", "The API server refused it",
         "The API server does not do this with such objects.", ""),
        (413, "HTTP 413 Request Entity Too Large", "The API server refused it",
         "It is too large for the API server, or for a proxy in front of it.", ""),
        (403, "HTTP 403 Forbidden", "The API server refused it",
         "No API server of Kubernetes gives such an answer", ""),
        (401, "HTTP 401 Unauthorized", "The API server refused it",
         "The API server did not accept the credentials.", ""),
    ],
)  # fmt: skip
def test_a_refusal_says_which_rule_it_was_and_who_may_help(
    code: int, message: str, title: str, words: str, field: str
) -> None:
    refusal = refusal_of(error_from_status(Status(code=code, message=message)))
    [problem] = refusal.problems
    assert refusal.title == title
    assert problem.words.startswith(words)
    assert (problem.field, problem.said) == (field, message)


def test_a_word_that_yaml_takes_for_true_is_asked_to_stand_in_quotes() -> None:
    said = "json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string"
    [problem] = refusal_of(error_from_status(Status(code=400, message=said))).problems
    assert (problem.field, problem.words) == (
        "metadata.name", "True or false cannot stand here. A text like this stands in quotes."
    )  # fmt: skip


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
