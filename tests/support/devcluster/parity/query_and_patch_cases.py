"""Query parameters and patches, good and bad, whose responses are compared with the real API server's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.http_client import JSON_PATCH, MERGE, STRATEGIC, Json
from tests.support.devcluster.parity.case import APPS, CORE, CRDS, DRY, MAPS, Case, G

_D1 = f"{APPS}/deployments/d1{DRY}"
_TOKENS = (
    "e30", "%00", "eyJ2IjoiYmFkIiwicnYiOjEsInN0YXJ0IjoiYSJ9", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0", "abc&resourceVersion=5",
)  # fmt: skip
"""Continue tokens without a version, in no base64, of another, at no revision, out of the way, and with a version."""


def _queries() -> Iterator[Case]:
    lists = (
        *(f"limit=1&continue={token}" for token in _TOKENS), "limit=-1", "limit=99999999999999999999",
        "timeoutSeconds=x",
        "resourceVersion=99999999999999999999999", "resourceVersion=-1", "resourceVersion=1.5", "timeoutSeconds=1.5",
        "labelSelector=,", "labelSelector=%3D", "labelSelector=(", "labelSelector=%22a%22", "labelSelector=a+in+()",
        "labelSelector=!!a", "labelSelector=in+in+(in)", "labelSelector=a,,b", "labelSelector=a!b",
        "labelSelector=notin",
        "fieldSelector=,", "fieldSelector=metadata.name", "fieldSelector=metadata.name!%3Da1", "watch=0&foo=bar",
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "sendInitialEvents=false",
        "resourceVersionMatch=NotOlderThan&continue=x", "resourceVersionMatch=Foo",
    )  # fmt: skip
    for query in lists:
        yield Case(f"gadgets {query}", "GET", f"{G}?{query}")
        yield Case(f"configmaps {query}", "GET", f"{MAPS}?{query}")
    for query in (
        "continue=a", "limit=x", "resourceVersionMatch=Exact", "resourceVersion=99999999999999999999",
        "resourceVersionMatch=Exact&resourceVersion=1", "sendInitialEvents=true", "fieldSelector=foo",
        "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&continue=x", "labelSelector=!!",
    ):  # fmt: skip
        yield Case(f"watch {query}", "GET", f"{G}?watch=1&timeoutSeconds=1&{query}")
    for plural, field in (
        ("pods", "spec.hostNetwork%3Dfalse"), ("pods", "status.podIPs%3Dx"), ("pods", "spec.nodeName%3D"),
        ("configmaps", "data.a%3D1"), ("secrets", "type%3DOpaque"), ("services", "spec.type%3DClusterIP"),
        ("serviceaccounts", "metadata.name%3Dnone"), ("pods", "metadata.uid%3D1"), ("events", "reason%3Dx"),
    ):  # fmt: skip
        yield Case(f"{plural} by {field}", "GET", f"{CORE}/{plural}?fieldSelector={field}")
    for path, field in (
        (f"{APPS}/replicasets", "status.replicas%3D0"), ("/api/v1/namespaces", "name%3Dx"), (CRDS, "spec.group%3Dx"),
    ):  # fmt: skip
        yield Case(f"{path} by {field}", "GET", f"{path}?fieldSelector={field}")


def _options() -> Iterator[Case]:
    for query in (
        "dryRun=", "dryRun=all", f"fieldManager={'a' * 129}", f"fieldManager={'a' * 128}", "fieldManager=a%0Ab",
        "fieldManager=%C3%A4", "fieldValidation=strict", "force=true", "pretty=true",
    ):  # fmt: skip
        whole = query if query.startswith("dryRun") else f"dryRun=All&{query}"
        yield Case(f"patch ?{query[:12]} of {len(query)}", "PATCH", f"{MAPS}/c1?{whole}", {"data": {"a": "1"}}, MERGE)
        yield Case(f"create ?{query[:12]} of {len(query)}", "POST", f"{MAPS}?{whole}", {"metadata": {"name": "c1"}})
        yield Case(
            f"update ?{query[:12]} of {len(query)}", "PUT", f"{MAPS}/none?{whole}", {"metadata": {"name": "none"}}
        )
        yield Case(f"delete ?{query[:12]} of {len(query)}", "DELETE", f"{MAPS}/none?{whole}")


def _template(**spec: Any) -> Json:
    return {"spec": {"template": {"spec": spec}}}


def _strategic() -> Iterator[Case]:
    order = "$setElementOrder/containers"
    patches: tuple[Any, ...] = (
        _template(containers=[{"name": "c", "ports": [{"containerPort": 8}, {"containerPort": 8, "protocol": "UDP"}]}]),
        _template(containers=[{"name": "c", "$patch": "delete"}]), _template(containers=[{"$patch": "replace"}]),
        _template(containers=[{"name": "x", "image": "y"}, {"$patch": "replace"}]),
        _template(containers=[{"image": "y"}]),
        _template(containers={}), _template(containers="x"), _template(containers=[5]), _template(containers=[None]),
        _template(containers=[{"name": "c", "$patch": "frob"}]), _template(containers=None), _template(nodeSelector={}),
        _template(**{order: [{"name": "b"}, {"name": "c"}], "containers": [{"name": "b", "image": "z"}]}),
        _template(**{order: [{"name": "b"}], "containers": [{"name": "q", "image": "z"}]}),
        {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
        {"spec": {"strategy": {"$patch": "delete"}}},
        {"spec": {"strategy": {"$retainKeys": ["rollingUpdate"], "type": "Recreate"}}},
        {"metadata": {"$retainKeys": 5}},
        {"spec": {"strategy": {"type": "Recreate"}}}, {"spec": {"strategy": {"$patch": "merge"}}}, {"kind": "Pod"},
        {"metadata": {"$setElementOrder/finalizers": ["a/y", "a/x"], "finalizers": ["a/x", "a/y"]}},
        {"apiVersion": "v2"},
        {"metadata": {"labels": {"$patch": "replace", "z": "1"}}}, {"metadata": {"ownerReferences": [{"name": "n"}]}},
        _template(volumes=[{"name": "v", "emptyDir": {}, "$retainKeys": ["name"]}]), {"spec": {"replicas": "x"}},
        {"spec": {"replicas": 1.5}}, {"spec": 5}, {"$setElementOrder/foo": [1]}, {"spec": {"$unknown": 1}}, 5, "x", [],
        None,
        {"metadata": {"labels": {"a": 1}}}, {"metadata": {"finalizers": "x"}}, {"metadata": {"labels": {"a": True}}},
        {"metadata": 5}, {"metadata": {"generation": "1"}}, {"metadata": {"creationTimestamp": "x"}},
        {"$patch": "delete"},
    )  # fmt: skip
    for patch in patches:
        yield Case(f"strategic {patch}", "PATCH", _D1, json.dumps(patch), STRATEGIC)
    merges: tuple[Any, ...] = (5, None, {"kind": "Pod"}, {"data": {"a": 1}}, {"data": []}, {"immutable": "x"})
    for patch in merges:
        yield Case(f"configmap merge {patch}", "PATCH", f"{MAPS}/c1{DRY}", json.dumps(patch), MERGE, exact=False)


def _json_patches() -> Iterator[Case]:
    place, new = "/spec/template/spec/containers", {"name": "q", "image": "i"}
    patches: tuple[Any, ...] = (
        [{"op": "test", "path": "/spec/replicas", "value": 1.0}], [{"op": "test", "path": "/nope", "value": None}],
        [{"op": "test", "path": "/metadata/labels", "value": None}], [{"op": "remove", "path": f"{place}/-1"}],
        *([{"op": "add", "path": f"{place}/{index}", "value": new}] for index in ("-", "0", "1", "2", "-1", "01", "a")),
        [{"op": "replace", "path": f"{place}/-1/image", "value": "q"}], [{"op": "remove", "path": ""}], [None], None,
        [{}],
        [{"op": "add", "path": 5, "value": 1}], [{"op": 5, "path": "/x"}], [{"op": "add", "path": "/spec/replicas"}],
        [{"op": "replace", "path": "/spec/replicas"}], [{"op": "ADD", "path": "/spec/replicas", "value": 2}], 5, [[]],
        "x",
        [{"op": "add", "path": "/metadata/annotations", "value": {"a/b": "x"}}],
    )  # fmt: skip
    for operations in patches:
        yield Case(f"json patch {operations}", "PATCH", _D1, json.dumps(operations), JSON_PATCH)


QUERY_AND_PATCH_CASES: tuple[Case, ...] = (*_queries(), *_options(), *_strategic(), *_json_patches())
