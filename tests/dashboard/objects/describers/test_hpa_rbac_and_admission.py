"""Tests of the describers of policy objects: autoscalers, quotas, access, admission, definitions."""

from __future__ import annotations

import pytest

from dashboard.objects.describers.registry import describe_facts
from dashboard.objects.kinds.row import Tone
from tests.dashboard.objects.describers.test_describers import links, said
from tests.support.objects.rows import Json, made

RBAC, ADMISSION = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"
CPU = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}
QUEUE = {"name": "ready", "selector": {"matchLabels": {"queue": "tasks"}}}
UP = [{"type": "Percent", "value": 100, "periodSeconds": 15}, {"type": "Pods", "value": 4, "periodSeconds": 60}]
CREATED = {"operations": ["CREATE"], "apiGroups": ["", "apps"], "apiVersions": ["v1"], "resources": ["pods"]}


@pytest.mark.parametrize(
    ("key", "obj", "expected"),
    [
        (
            "horizontalpodautoscalers.autoscaling",
            made(
                "HorizontalPodAutoscaler", "web",
                spec={
                    "metrics": [
                        {"type": "Resource", "resource": CPU},
                        {"type": "ContainerResource", "containerResource": {
                            "name": "memory", "container": "app", "target": {"averageValue": "500Mi"}}},
                        {"type": "Object", "object": {
                            "metric": {"name": "requests"}, "target": {"value": "2k"},
                            "describedObject": {"kind": "Ingress", "name": "main"}}},
                        {"type": "External", "external": {"metric": QUEUE, "target": {"averageValue": "30"}}},
                    ],
                    "behavior": {
                        "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Min", "policies": UP},
                        "scaleDown": {"stabilizationWindowSeconds": 300, "policies": UP[:1]},
                    },
                },
                status={
                    "currentReplicas": 2, "desiredReplicas": 3,
                    "currentMetrics": [{"type": "Resource", "resource": {"current": {"averageUtilization": 91}}}],
                },
            ),
            {
                "Pods": ["2 now, 3 wanted"],
                "cpu": ["of its pods: 70 % of what they ask for wanted, 91 % now"],
                "memory": ["of their container app: 500Mi each wanted, unknown now"],
                "requests": ["of Ingress main: 2k wanted, unknown now"],
                "ready": ["from outside the cluster, queue=tasks: 30 each wanted, unknown now"],
                "Up": ["by 100 % at most every 15 s or by 4 pods at most every 1 min, whichever is less", "at once"],
                "Down": ["by 100 % at most every 15 s", "uses the highest number wanted in the last 5 min"],
            },
        ),
        (
            "horizontalpodautoscalers.autoscaling",
            made("HorizontalPodAutoscaler", "x", spec={"behavior": {"scaleDown": {"selectPolicy": "Disabled"}}}),
            {"Down": ["never"]},
        ),
        (
            "resourcequotas",
            made(
                "ResourceQuota", "q",
                spec={
                    "hard": {"pods": "10", "requests.cpu": "4"}, "scopes": ["NotTerminating"],
                    "scopeSelector": {"matchExpressions": [
                        {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]},
                },
                status={"used": {"requests.cpu": "500m"}},
            ),
            {
                "Counts only": ["NotTerminating", "PriorityClass in high"],
                "pods": ["10 at most, not counted yet"],
                "requests.cpu": ["500m of 4 used"],
            },
        ),
        (
            "limitranges",
            made("LimitRange", "l", spec={"limits": [{
                "type": "Container", "min": {"cpu": "50m"}, "max": {"cpu": "2"}, "default": {"memory": "512Mi"},
                "defaultRequest": {"memory": "128Mi"}, "maxLimitRequestRatio": {"cpu": "10"}}]}),
            {"Container": [
                "cpu: at least 50m, at most 2, limit at most 10 times the request",
                "memory: requests 128Mi by default, limit 512Mi by default",
            ]},
        ),
        (
            f"roles.{RBAC}",
            made("Role", "r", rules=[
                {"apiGroups": ["", "apps"], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]},
                {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["web"], "verbs": ["get", "list"]},
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
                {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
            ]),
            {
                "get, list": [
                    "pods, pods/log of the core group and apps", "secrets of the core group, only those named web"],
                "everything": ["all kinds of all groups"],
                "get": ["the addresses /metrics"],
            },
        ),
        (
            f"clusterroles.{RBAC}",
            made("ClusterRole", "r", namespace="", rules=None,
                 aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"to": "me"}}]}),
            {"Gathers": ["what ClusterRoles with to=me allow"], "Nothing": ["it has no rules so far"]},
        ),
        (
            f"clusterrolebindings.{RBAC}",
            made("ClusterRoleBinding", "b", namespace="", roleRef={"kind": "ClusterRole", "name": "view"}),
            {"Allows": ["what ClusterRole view does"], "Where": ["in the whole cluster"], "For": ["nobody"]},
        ),
        (
            f"mutatingwebhookconfigurations.{ADMISSION}",
            made("MutatingWebhookConfiguration", "w", namespace="", webhooks=[{
                "name": "a.example.com", "rules": [{**CREATED, "scope": "Namespaced"}], "sideEffects": "Some",
                "clientConfig": {"service": {"namespace": "shop", "name": "hook", "port": 443, "path": "/m"}},
                "failurePolicy": "Ignore", "timeoutSeconds": 5, "reinvocationPolicy": "IfNeeded",
                "namespaceSelector": {}, "objectSelector": {"matchLabels": {"inject": "yes"}},
                "matchConditions": [{"name": "own", "expression": "true"}],
            }]),
            {
                "Asks": ["Service hook in shop, port 443, /m"],
                "About": ["create of pods of the core group and apps (v1), in namespaces"],
                "Objects": ["with inject=yes"],
                "Only if": ["own: true"],
                "Without an answer": ["the request is allowed, after 5 s"],
                "Again": ["where others changed the object after it"],
                "A dry run": ["is refused: it has side effects"],
            },
        ),
        (
            f"validatingadmissionpolicies.{ADMISSION}",
            made("ValidatingAdmissionPolicy", "p", namespace="", spec={
                "matchConstraints": {"resourceRules": [CREATED]},
                "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
                "validations": [{"expression": "object.spec.replicas <= 5", "message": "at most five"}],
            }),
            {
                "About": ["create of pods of the core group and apps (v1)"],
                "Parameters": ["ConfigMap (v1)"],
                "Must be true": ["object.spec.replicas <= 5, else: at most five"],
                "If evaluation fails": ["the request is refused"],
            },
        ),
        (
            f"mutatingadmissionpolicies.{ADMISSION}",
            made("MutatingAdmissionPolicy", "p", namespace="", spec={
                "failurePolicy": "Ignore",
                "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}],
            }),
            {"Changes": ["Object{}"], "If evaluation fails": ["the request is allowed"]},
        ),
        (
            f"validatingadmissionpolicybindings.{ADMISSION}",
            made("ValidatingAdmissionPolicyBinding", "b", namespace="", spec={
                "policyName": "p", "validationActions": ["Warn", "Audit"],
                "paramRef": {"name": "c", "namespace": "shop", "parameterNotFoundAction": "Allow"},
                "matchResources": {"namespaceSelector": {"matchLabels": {"env": "prod"}}},
            }),
            {
                "Policy": ["p"],
                "In namespaces": ["with env=prod"],
                "Parameters": ["c in shop, without them it allows the request"],
                "If denied": ["Warn: who asked is warned", "Audit: it is noted in the audit log"],
            },
        ),
        (
            "customresourcedefinitions.apiextensions.k8s.io",
            made("CustomResourceDefinition", "routes.gw.io", namespace="", spec={
                "group": "gw.io",
                "names": {"plural": "routes", "singular": "route", "shortNames": ["rt"], "categories": ["all"]},
                "versions": [
                    {"name": "v1", "served": True, "storage": True},
                    {"name": "v1beta1", "served": False, "deprecated": True, "deprecationWarning": "use v1"},
                ],
            }, status={"storedVersions": ["v1beta1", "v1"]}),
            {
                "Objects": ["list them"],
                "Called": ["routes, route, rt"],
                "In categories": ["all"],
                "v1": ["served, stored"],
                "v1beta1": ["not served, deprecated", "use v1"],
                "Stored as": ["v1beta1, v1: objects in all of these may exist"],
            },
        ),
    ],
)  # fmt: skip
def test_what_rules_over_others_is_said_in_words(key: str, obj: Json, expected: dict[str, list[str]]) -> None:
    assert said(describe_facts(key, obj)) == expected


def test_what_they_name_can_be_opened() -> None:
    subjects = [{"kind": "ServiceAccount", "name": "robot", "namespace": "ci"}, {"kind": "User", "name": "alice"}]
    binding = made("RoleBinding", "b", roleRef={"kind": "Role", "name": "reader"}, subjects=subjects)
    assert links(describe_facts(f"rolebindings.{RBAC}", binding)) == {
        "reader": f"/resources/roles.{RBAC}/shop/reader/",
        "robot": "/resources/serviceaccounts/ci/robot/",
    }
    account = made("ServiceAccount", "robot", imagePullSecrets=[{"name": "registry"}], secrets=[{"name": "token"}])
    assert links(describe_facts("serviceaccounts", account)) == {
        "list them": "/resources/pods/?namespace=shop&q=.spec.serviceAccountName%3Drobot",
        "registry": "/resources/secrets/shop/registry/",
        "token": "/resources/secrets/shop/token/",
    }


@pytest.mark.parametrize(("used", "tone"), [("0", ""), ("1900m", ""), ("2", "warn"), ("2500m", "warn")])
def test_a_quota_stands_out_where_nothing_is_left_of_it(used: str, tone: Tone) -> None:
    quota = made("ResourceQuota", "q", spec={"hard": {"cpu": "2"}}, status={"used": {"cpu": used}})
    ((fact,),) = (section.facts for section in describe_facts("resourcequotas", quota))
    assert fact.tone == tone
