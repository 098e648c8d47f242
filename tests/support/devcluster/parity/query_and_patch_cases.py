"""Queries, methods, patches and definitions, good and bad, whose responses are compared with the real API server's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.http_client import JSON_PATCH, MERGE, STRATEGIC, Json
from tests.support.devcluster.parity.case import APPS, CORE, CRDS, DRY, MAPS, PODS, Case, G

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


def _methods() -> Iterator[Case]:
    every = "/apis/devcluster.example/v1/gadgets"
    for method in ("POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
        for path in ("/api", "/api/v1", "/version", f"{G}/a1/status", every, f"{MAPS}/none", f"{PODS}/p1/status"):
            if (method, path) in (("PATCH", f"{G}/a1/status"), ("HEAD", every)):
                continue
            given: Json | None = {} if method.startswith("P") else None
            media = MERGE if method == "PATCH" else "application/json"
            yield Case(f"{method} {path}", method, path, given, media)
    posts: tuple[tuple[str, Json], ...] = (
        ("zz", gadget("zz")), ("zz", gadget("yy")), ("a1", gadget("a1")), ("zz", {"metadata": {}}),
    )  # fmt: skip
    for name, body in posts:
        yield Case(f"post {body} to {name}", "POST", f"{G}/{name}{DRY}", body)


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


def _definition(schema: Any, **version: Any) -> Json:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}]
    spec = {"group": "a.io", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}, "versions": versions}
    return {"metadata": {"name": "foos.a.io"}, "spec": spec}


def _definitions() -> Iterator[Case]:
    """What is refused: what a definition is answered with otherwise is for its conditions, which come later."""
    text, fields = {"type": "string"}, {"type": "object", "properties": {"n": {"type": "string"}}}
    for field in (
        {"type": "foo"}, {}, {"type": "array", "items": {}}, {"type": "array"}, {"$ref": "#/x"},
        {"type": "object", "properties": {"x": text}, "additionalProperties": text},
        {"type": "integer", "default": "x"},
        {**fields, "default": {"c": 1}}, {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
        {"type": "array", "x-kubernetes-list-type": "map", "items": fields},
        {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["z"], "items": fields},
        {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "items": fields},
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
        {"type": "array", "x-kubernetes-list-type": "foo", "items": text},
        {"type": "array", "uniqueItems": True, "items": text},
        {"type": "object", "x-kubernetes-embedded-resource": True}, {"type": "integer", "anyOf": [{"type": "integer"}]},
    ):  # fmt: skip
        yield Case(
            f"a schema of {field}", "POST", CRDS + DRY, _definition({"type": "object", "properties": {"a": field}})
        )
    labels = {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": fields}}}}
    yield Case("a schema of metadata", "POST", CRDS + DRY, _definition(labels))
    for column in (
        {"name": "A", "type": "foo", "jsonPath": ".a"}, {"name": "A", "type": "string", "jsonPath": "a"},
        {"name": "A", "type": "string"}, {"name": "A", "type": "integer", "format": "foo", "jsonPath": ".a"},
    ):  # fmt: skip
        body = _definition({"type": "object"}, additionalPrinterColumns=[column])
        yield Case(f"a column {column}", "POST", CRDS + DRY, body)
    plain = _definition({"type": "object"})
    for more in (
        {"preserveUnknownFields": True}, {"conversion": {"strategy": "Foo"}}, {"scope": "Foo"},
        {"names": {"plural": "foos", "kind": "Foo", "shortNames": ["F_"]}},
        {"names": {"plural": "foos", "kind": "Foo", "categories": ["A B"]}},
        {"names": {"plural": "foos", "kind": "Foo", "listKind": "foo list"}},
    ):  # fmt: skip
        yield Case(f"a definition with {more}", "POST", CRDS + DRY, {**plain, "spec": {**plain["spec"], **more}})
    for change in ({"names": {"kind": "Other"}}, {"scope": "Cluster"}):
        yield Case(f"change {change}", "PATCH", f"{CRDS}/gadgets.devcluster.example{DRY}", {"spec": change}, MERGE)


def _sizes() -> Iterator[Case]:
    """One MiB of data, and a byte more; an object that etcd would not take."""
    just = {"a": "eHh4" * 349525 + "eA=="}
    for name, data in (("1 MiB", just), ("more than 1 MiB", {**just, "b": "eA=="})):
        yield Case(f"a secret of {name}", "POST", f"{CORE}/secrets{DRY}", {"metadata": {"name": "x"}, "data": data})
        yield Case(f"a map of {name}", "POST", MAPS + DRY, {"metadata": {"name": "x"}, "binaryData": data})
    large = gadget("large", free={"q": "x" * (3 << 19)})
    yield Case("more than etcd takes", "POST", G, large)
    yield Case("more than etcd takes, as a dry run", "POST", G + DRY, large)


def _updates_of_nothing() -> Iterator[Case]:
    """Some kinds are created by an update."""
    leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"

    def lease(name: str, **meta: Any) -> Json:
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, **meta}}
        return {**body, "spec": {"holderIdentity": "x"}}

    for name, meta in (("plain", {}), ("version", {"resourceVersion": "5"}), ("uid", {"uid": "abc"})):
        yield Case(f"update of no lease, {name}", "PUT", f"{leases}/{name}{DRY}", lease(name, **meta))
    yield Case("update of no lease, uid, for real", "PUT", f"{leases}/uid", lease("uid", uid="abc"))
    yield Case("update of no lease, bad name", "PUT", f"{leases}/A_b", lease("A_b"))
    yield Case("update of no lease in no namespace", "PUT", f"{leases}/a".replace("{ns}", "nonsuch"), lease("a"))
    service = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}
    yield Case("update of no service", "PUT", f"{CORE}/services/s{DRY}", service)
    yield Case("update of no map", "PUT", f"{MAPS}/nonsuch{DRY}", {"metadata": {"name": "nonsuch"}})


QUERY_AND_PATCH_CASES: tuple[Case, ...] = (
    *_queries(), *_options(), *_methods(), *_strategic(), *_json_patches(), *_definitions(), *_sizes(),
    *_updates_of_nothing(),
)  # fmt: skip
