"""Requests whose responses are compared between the demo cluster and the real API server, word for word.

Each case is one request on a namespace that holds what SETUP of all_cases.py makes. ``{ns}`` stands for it. Writes are
dry runs where they would succeed, so that the cases do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.http_client import JSON_PATCH, MERGE, STRATEGIC, Json
from tests.support.devcluster.parity.case import APPS, CORE, DRY, MAPS, PODS, Case, G, deployment, pod

VALUES: tuple[tuple[str, Any], ...] = (
    *((key, value) for key in ("ip", "port", "i32", "on", "ratio", "ios", "when", "name", "nul", "tags", "map")
      for value in (None, True, 1, 1.5, "x", [], {}, [None], {"a": None})),
    ("ip", "10.0.0.256"), ("ip6", "1.2.3.4"), ("ip6", "fe80::1%eth0"), ("port", 0), ("port", 70000), ("port", "80"),
    ("mode", "mid"), ("mode", None), ("mode", 5), ("name", "ABC"), ("name", "abcdefgh"), ("tags", ["a", "b", "c"]),
    ("tags", [1]), ("set", ["a", "a"]), ("entries", [{"name": "a"}, {"name": "a"}]), ("entries", [{"value": 1}]),
    ("ratio", 0), ("ratio", 0.7), ("map", {"a": 1, "b": 2, "c": 3}), ("map", {"a": "x"}),
    ("ios", "25%"), ("host", "-bad-"), ("u", "zzz"), ("i32", 3_000_000_000), ("any", {}), ("any", {"a": 1, "b": 2}),
    ("any", {"b": 2}), ("free", {"q": [1, {"z": 2}]}), ("free", [1]), ("when", "2026-01-01T00:00:00Z"),
)  # fmt: skip
"""Fields of a gadget's spec and values to try there."""


def _named(**meta: Any) -> Json:
    return {**gadget(), "metadata": {"name": "x", **meta}}


def _gadget_bodies() -> Iterator[tuple[str, Any]]:
    yield "no spec", {key: value for key, value in gadget().items() if key != "spec"}
    yield "empty spec", {**gadget(), "spec": {}}
    yield "spec is text", {**gadget(), "spec": "x"}
    yield "many errors", gadget(ip="x", port=0, mode="q")
    yield "no kind", {"metadata": {"name": "x"}}
    yield "wrong kind", {**gadget(), "kind": "Other"}
    yield "wrong version", {"apiVersion": "devcluster.example/v2", "kind": "Gadget", "metadata": {"name": "x"}}
    yield "wrong group", {**gadget(), "apiVersion": "v1"}
    yield "no name", {**gadget(), "metadata": {}}
    yield "bad name", gadget("A_b")
    yield "long name", gadget("a" * 254)
    yield "another namespace", _named(namespace="default")
    yield "a version", _named(resourceVersion="5")
    yield "a bad label", _named(labels={"a b": "c"})
    yield "a bad label value", _named(labels={"a": "sp ace"})
    yield "a long label value", _named(labels={"a": "x" * 64})
    yield "a label without prefix", _named(labels={"/z": "x"})
    yield "a label with two slashes", _named(labels={"a/b/c": "x"})
    yield "a label that is a number", _named(labels={"a": 5})
    yield "labels that are a list", _named(labels=[])
    yield "a bad annotation", _named(annotations={"a b": "x"})
    yield "an owner without a name", _named(ownerReferences=[{"kind": "Pod"}])
    yield "finalizers that are numbers", _named(finalizers=[1])
    yield "a finalizer without domain", _named(finalizers=["zz"])
    yield "metadata that is a list", {**gadget(), "metadata": []}
    yield "an unknown field in metadata", _named(foo=1)
    yield "no body", ""
    yield "half a body", '{"a":'
    yield "a list", []


def _creates() -> Iterator[Case]:
    for key, value in VALUES:
        yield Case(f"spec.{key}={value!r}", "POST", G + DRY, gadget(**{key: value}))
    for name, body in _gadget_bodies():
        yield Case(f"create with {name}", "POST", G + DRY, body)
        yield Case(f"create with {name}, strict", "POST", f"{G}{DRY}&fieldValidation=Strict", body)
    for validation in ("Strict", "Warn", "Ignore", "", "Odd"):
        path = f"{G}{DRY}&fieldValidation={validation}"
        yield Case(f"unknown fields, {validation}", "POST", path, {**gadget(zz=1, yy={"a": 1}), "extra": 1})
    double = '{"apiVersion":"devcluster.example/v1","kind":"Gadget","metadata":{"name":"x"},'
    double += '"spec":{"ip":"1.1.1.1","port":1,"port":2}}'
    yield Case("a field twice, strict", "POST", f"{G}{DRY}&fieldValidation=Strict", double)
    yield Case("a field twice", "POST", G + DRY, double)
    yield Case("exists", "POST", G + DRY, gadget("a1"))
    yield Case("a bad dry run", "POST", f"{G}?dryRun=Some", gadget())
    yield Case("no such namespace", "POST", G.replace("{ns}", "nonsuch"), gadget())
    yield Case("text", "POST", G, "x", "text/plain")
    yield Case("in no namespace", "POST", "/apis/devcluster.example/v1/gadgets", gadget())


def _meta(**changes: Any) -> Callable[[Json], Json]:
    """The gadget with metadata fields changed; None takes one away."""

    def change(obj: Json) -> Json:
        meta = {**obj["metadata"], **changes}
        return {**obj, "metadata": {key: value for key, value in meta.items() if value is not None}}

    return change


def _updates() -> Iterator[Case]:
    for name, changes in (
        ("nothing changed", {}), ("a stale version", {"resourceVersion": "1"}),
        ("no version", {"resourceVersion": None}),
        ("a version that is no number", {"resourceVersion": "abc"}), ("another uid", {"uid": "abc"}),
        ("another name", {"name": "other"}), ("no name", {"name": None}),
        ("another namespace", {"namespace": "default"}),
        ("no namespace", {"namespace": None}),
        ("a creation time", {"creationTimestamp": "2020-01-01T00:00:00Z"}),
        ("a generation", {"generation": 77}), ("a bad label", {"labels": {"a b": "c"}}),
    ):  # fmt: skip
        yield Case(f"update with {name}", "PUT", f"{G}/a1{DRY}", _meta(**changes))
    yield Case("update the spec", "PUT", f"{G}/a1{DRY}", lambda obj: {**obj, "spec": {**obj["spec"], "port": 99}})
    yield Case("update a bad spec", "PUT", f"{G}/a1{DRY}", lambda obj: {**obj, "spec": {"ip": "1.1.1.1"}})
    yield Case("status through the object", "PUT", f"{G}/a1{DRY}", lambda obj: {**obj, "status": {"phase": "Z"}})
    status: Callable[[Json], Json] = lambda obj: {**obj, "spec": {"ip": "x"}, "status": {"phase": "Z"}}  # noqa: E731
    yield Case("status", "PUT", f"{G}/a1/status{DRY}", status)
    yield Case("a bad status", "PUT", f"{G}/a1/status{DRY}", lambda obj: {**obj, "status": {"phase": 5}})
    yield Case("update what is not there", "PUT", f"{G}/none", _meta(name="none"))
    yield Case("update a configmap without version", "PUT", f"{MAPS}/c1{DRY}", {"metadata": {"name": "c1"}})
    stale = {"metadata": {"name": "c1", "resourceVersion": "1"}}
    yield Case("update a configmap with a stale version", "PUT", f"{MAPS}/c1{DRY}", stale)
    yield Case("update a configmap that is not there", "PUT", f"{MAPS}/none", {"metadata": {"name": "none"}})


def _patches() -> Iterator[Case]:
    merges: tuple[Any, ...] = (
        {"spec": {"port": 81, "mode": None}}, {"metadata": {"resourceVersion": "1"}}, {"metadata": {"uid": "1"}},
        {"metadata": {"name": "b"}}, {"spec": {"port": 0}}, {"spec": None}, {"metadata": None}, '{"spec":', "[]", '"x"',
    )  # fmt: skip
    for patch in merges:
        yield Case(f"merge {patch}", "PATCH", f"{G}/a1{DRY}", patch, MERGE)
    operations: tuple[Any, ...] = (
        [{"op": "test", "path": "/spec/port", "value": 80}, {"op": "replace", "path": "/spec/port", "value": 82}],
        [{"op": "test", "path": "/spec/port", "value": 81}], [{"op": "remove", "path": "/spec/zork"}],
        [{"op": "frob", "path": "/spec/zork"}], [{"op": "test", "path": "/spec/zork/x", "value": 81}],
        [{"op": "add", "path": "/spec/zork/x", "value": 81}], [{"op": "move", "from": "/spec/zork", "path": "/spec/x"}],
        [{"op": "add", "path": "/spec/tags", "value": ["a"]}, {"op": "add", "path": "/spec/tags/5", "value": "b"}],
        [{"op": "replace", "path": "/spec/port", "value": "x"}], {"op": "add"}, [1],
    )  # fmt: skip
    for patch in operations:
        yield Case(f"json patch {patch}", "PATCH", f"{G}/a1{DRY}", patch, JSON_PATCH)
    yield Case("merge what is not there", "PATCH", f"{G}/none", {"spec": {"port": 1}}, MERGE)
    yield Case("strategic on a custom resource", "PATCH", f"{G}/a1", {"spec": {"port": 83}}, STRATEGIC)
    yield Case("a patch that is no patch", "PATCH", f"{G}/a1", {"spec": {"port": 83}})
    yield Case("a configmap patch that is no patch", "PATCH", f"{MAPS}/c1", {"data": {"b": "2"}})
    yield Case("strategic on a configmap", "PATCH", f"{MAPS}/c1{DRY}", {"data": {"b": "2", "a": None}}, STRATEGIC)
    yield Case("an immutable configmap", "PATCH", f"{MAPS}/im{DRY}", {"data": {"a": "2"}}, MERGE)
    other = {"spec": {"selector": {"matchLabels": {"a": "z"}}}}
    yield Case("a deployment's selector", "PATCH", f"{APPS}/deployments/d1{DRY}", other, MERGE)
    node = {"spec": {"hostNetwork": True}}
    yield Case("a pod's spec", "PATCH", f"{PODS}/p1{DRY}", node, MERGE, exact=False)
    containers = {"spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}
    yield Case("a pod's image", "PATCH", f"{PODS}/p1{DRY}", containers, STRATEGIC)
    scaled = {"spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "d", "image": "j:1"}]}}}}
    yield Case("a deployment's containers", "PATCH", f"{APPS}/deployments/d1{DRY}", scaled, STRATEGIC)
    yield Case("a bad finalizer", "PATCH", f"{G}/a1{DRY}", {"metadata": {"finalizers": ["bad bad"]}}, MERGE)
    yield Case("more finalizers", "PATCH", f"{G}/held{DRY}", {"metadata": {"finalizers": ["d.e/f"]}}, MERGE)


def _reads() -> Iterator[Case]:
    for query in (
        "resourceVersion=abc", "resourceVersionMatch=Exact", "resourceVersion=5&resourceVersionMatch=Foo",
        "resourceVersion=0&resourceVersionMatch=Exact", "limit=abc", "limit=1&continue=abc",
        "labelSelector=a%3D%3D%3Db",
        "labelSelector=a+b", "labelSelector=a+in+(b", "labelSelector=-a%3D1", "labelSelector=a%3D-1",
        "labelSelector=a%3Ex", "labelSelector=a,", "labelSelector=app+in+(x,y),!foo,z!%3D1",
        "fieldSelector=spec.ip%3Dx",
        "fieldSelector=foo", "fieldSelector=metadata.name%3Dnone", "sendInitialEvents=true",
        "watch=1&sendInitialEvents=true", "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
        "watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1", "watch=1&resourceVersion=abc",
        "watch=1&timeoutSeconds=abc",
    ):  # fmt: skip
        yield Case(f"list {query}", "GET", f"{G}?{query}")
    for path in (
        "/nope", "/api/v1/nope", "/apis/nope/v1/things", "/apis/nope", f"{PODS}/none", f"{G}/none", f"{G}/a1/foo",
        "/apis/devcluster.example/v1/gadgets/a1", f"{CORE}/nodes", f"{PODS}?fieldSelector=spec.foo%3Dx",
    ):  # fmt: skip
        yield Case(f"get {path}", "GET", path)
    yield Case("a version to come", "GET", f"{G}?resourceVersion=999999999&resourceVersionMatch=NotOlderThan")


def _deletes() -> Iterator[Case]:
    yield Case("delete what is not there", "DELETE", f"{G}/none")
    for options in (
        {"preconditions": {"uid": "abc"}}, {"preconditions": {"resourceVersion": "1"}}, {"propagationPolicy": "Foo"},
        {"propagationPolicy": "Orphan", "orphanDependents": True}, {"gracePeriodSeconds": "x"}, {"preconditions": 5},
        {"dryRun": "All"}, {"dryRun": ["Some"]},
    ):  # fmt: skip
        yield Case(f"delete with {options}", "DELETE", f"{G}/a1", options)
    yield Case("delete with half a body", "DELETE", f"{G}/a1", "{")
    yield Case("delete dry", "DELETE", f"{G}/a1{DRY}")
    yield Case("delete a pod dry", "DELETE", f"{PODS}/p1{DRY}")
    yield Case("delete with finalizers dry", "DELETE", f"{G}/held{DRY}")
    yield Case("delete the default namespace", "DELETE", "/api/v1/namespaces/default")
    yield Case("delete all pods of all namespaces", "DELETE", "/api/v1/pods")


def _built_in() -> Iterator[Case]:
    for name, body in (
        ("a pod", pod()), ("no containers", pod(containers=[])), ("no image", pod(containers=[{"name": "c"}])),
        ("no spec", {"metadata": {"name": "q"}}), ("a restart policy", pod(restartPolicy="Sometimes")),
        ("containers that are text", pod(containers="x")), ("a null container", pod(containers=[None])),
        ("names twice", pod(containers=[{"name": "C"}, {"name": "a", "image": "x"}, {"name": "a", "image": "x"}])),
        ("a bad port", pod(containers=[{"name": "c", "image": "x", "ports": [{"containerPort": 70000}]}])),
    ):  # fmt: skip
        yield Case(f"pod with {name}", "POST", PODS + DRY, body)
    yield Case("pod with an unknown field", "POST", f"{PODS}{DRY}&fieldValidation=Strict", pod(foo=1))
    for body in (
        {"metadata": {"name": "c2"}, "data": {"a b": "1"}}, {"metadata": {"name": "c2"}, "data": {"a": 1}},
        {"metadata": {}, "data": {}}, {"metadata": {"name": "A"}}, {"kind": "Pod", "apiVersion": "v1"},
        {"metadata": {"name": "c2"}, "data": None}, {"metadata": "x"}, {"metadata": {"generateName": "UP"}},
    ):  # fmt: skip
        yield Case(f"configmap {body}", "POST", MAPS + DRY, body, exact="generateName" not in str(body))
    yield Case("a secret", "POST", f"{CORE}/secrets{DRY}", {"metadata": {"name": "s"}, "stringData": {"a": "1"}})
    yield Case("a bad secret", "POST", f"{CORE}/secrets{DRY}", {"metadata": {"name": "s"}, "data": {"a": "!!"}})
    yield Case("a service without ports", "POST", f"{CORE}/services{DRY}", {"metadata": {"name": "s"}, "spec": {}})
    yield Case("a dotted namespace", "POST", f"/api/v1/namespaces{DRY}", {"metadata": {"name": "a.b"}})
    about = {"kind": "Pod", "name": "p1", "namespace": "default"}
    event = {"metadata": {"name": "e"}, "involvedObject": about, "reason": "X", "message": "m", "type": "Normal"}
    yield Case("an event about another namespace", "POST", f"{CORE}/events{DRY}", event)
    for name, spec in (
        ("defaults", {}), ("another selector", {"selector": {"matchLabels": {"a": "c"}}}),
        ("an empty selector", {"selector": {}}), ("no template", {"template": None}),
        ("no selector", {"selector": None}), ("negative replicas", {"replicas": -1}),
    ):  # fmt: skip
        yield Case(f"deployment with {name}", "POST", f"{APPS}/deployments{DRY}", deployment(**spec))
    yield Case("a replicaset", "POST", f"{APPS}/replicasets{DRY}", deployment())
    job = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}
    yield Case("a job", "POST", f"/apis/batch/v1/namespaces/{{ns}}/jobs{DRY}", {"metadata": {"name": "j"}, "spec": job})
    lease = {"metadata": {"name": "l"}, "spec": {"renewTime": "x"}}
    yield Case("a lease", "POST", f"/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases{DRY}", lease)


def _scales() -> Iterator[Case]:
    d1 = f"{APPS}/deployments/d1/scale"
    yield Case("a scale", "GET", d1)
    yield Case("a scale of nothing", "GET", f"{APPS}/deployments/none/scale")
    yield Case("a scale of what has none", "GET", f"{G}/a1/scale")
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d1"}, "spec": {"replicas": 3}}
    yield Case("update a scale", "PUT", d1 + DRY, scale)
    yield Case("update a scale of another name", "PUT", d1 + DRY, {**scale, "metadata": {"name": "d2"}})
    yield Case("update a scale of another kind", "PUT", d1 + DRY, {**scale, "kind": "Deployment"})
    stale = {**scale, "metadata": {"name": "d1", "resourceVersion": "1"}}
    yield Case("update a stale scale", "PUT", d1 + DRY, stale)
    yield Case("update a scale to less than nothing", "PUT", d1 + DRY, {**scale, "spec": {"replicas": -1}})
    yield Case("update a scale to text", "PUT", d1 + DRY, {**scale, "spec": {"replicas": "x"}})
    for replicas in (3, -1, None):
        yield Case(f"patch a scale to {replicas}", "PATCH", d1 + DRY, {"spec": {"replicas": replicas}}, MERGE)
    yield Case("create a scale", "POST", d1, scale)
    yield Case("delete a scale", "DELETE", d1)
    yield Case("delete all namespaces", "DELETE", "/api/v1/namespaces")


def _quantities() -> Iterator[Case]:
    texts: tuple[Any, ...] = (
        "0.1", "100m", "1000m", "1", 1, 0.5, "0.5Gi", "1024Mi", "1e3", "1E", "12E3", "1.5k", "0", "0Gi", "1e-3",
        "100Ki", "1023Ki", "512", "x", "", "1 Gi", "1Xi", ".5", True, {}, None,
    )  # fmt: skip
    for text in texts:
        limited = {"name": "c", "image": "i", "resources": {"requests": {"cpu": text}}}
        yield Case(f"a quantity {text!r}", "POST", PODS + DRY, pod(containers=[limited]))


def _copies_and_booleans() -> Iterator[Case]:
    for place in ("/nope", "/nope/x", "/metadata/nope", "/metadata/name/x", "/spec/tags/7"):
        copy = [{"op": "copy", "from": place, "path": "/metadata/labels"}]
        yield Case(f"copy {place}", "PATCH", f"{G}/a1{DRY}", copy, JSON_PATCH)
        yield Case(f"copy {place} in a map", "PATCH", f"{MAPS}/c1{DRY}", copy, JSON_PATCH)
    for word in ("on", "yes", "y", "n", "off", "true", "'yes'", "1", "0x1", "~", "text"):
        body = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: yaml}}\ndata: {{a: {word}}}\n"
        yield Case(f"YAML with {word}", "POST", MAPS + DRY, body, "application/yaml")


def _protobuf() -> Iterator[Case]:
    head = "k8s\x00\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12"
    meta = "\x0a\x04\x0a\x02pb"
    for name, body in (
        ("a map", f"{head}\x0e{meta}\x12\x06\x0a\x01a\x12\x01b"), ("nothing", f"{head}\x00"),
        ("a number of no field", f"{head}\x08{meta}\x78\x01"), ("no magic", "abc"),
        ("half a length", f"{head}\x40{meta}"),
    ):  # fmt: skip
        yield Case(f"protobuf with {name}", "POST", MAPS + DRY, body, "application/vnd.kubernetes.protobuf")
    head = "k8s\x00\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12"
    dry = "\x2a\x03All"
    for name, body in (
        ("a dry run", f"{head}\x05{dry}"), ("another uid", f"{head}\x0e\x12\x07\x0a\x05other{dry}"),
        ("a policy that is none", f"{head}\x0a\x22\x03Now{dry}"), ("no magic", "abc"),
        ("half a length", f"{head}\x40{dry}"),
    ):  # fmt: skip
        yield Case(
            f"delete by protobuf with {name}", "DELETE", f"{MAPS}/c1", body, "application/vnd.kubernetes.protobuf"
        )


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


CRUD_CASES: tuple[Case, ...] = (
    *_creates(),
    *_updates(),
    *_patches(),
    *_reads(),
    *_deletes(),
    *_built_in(),
    *_scales(),
    *_quantities(),
    *_protobuf(),
    *_copies_and_booleans(),
    *_methods(),
    *_sizes(),
    *_updates_of_nothing(),
)
