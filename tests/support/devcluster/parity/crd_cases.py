"""CustomResourceDefinitions, good and bad, whose responses are compared with the real API server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.http_client import MERGE, Json
from tests.support.devcluster.parity.case import CRDS, DRY, Case, each


def _thing(version: Json | None = None, **spec: Any) -> Json:
    schema = {"type": "object", "properties": {part: {"type": "object"} for part in ("spec", "status")}}
    first = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **(version or {})}
    names = {"plural": "things", "kind": "Thing"}
    whole = {"group": "edge.example", "scope": "Namespaced", "names": names, "versions": [first], **spec}
    return {"metadata": {"name": "things.edge.example"}, "spec": whole}


def _scales_and_conversions() -> Iterator[Case]:
    good = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    for scale in each(
        {}, {"specReplicasPath": ".spec.replicas"},
        {**good, "specReplicasPath": ".status.replicas"}, {**good, "statusReplicasPath": ".spec.replicas"},
        {**good, "specReplicasPath": "spec.replicas"},
        {**good, "specReplicasPath": ".spec"},
        {**good, "labelSelectorPath": ".metadata.labels"},
        {**good, "labelSelectorPath": "x"},
        {**good, "statusReplicasPath": ".status['replicas']"}, {**good, "statusReplicasPath": ""},
    ):  # fmt: skip
        body = _thing({"subresources": {"scale": scale}})
        yield Case(f"a definition with the scale {scale}", "POST", CRDS + DRY, body)
    client = {"url": "https://edge.example/convert"}
    service = {"namespace": "n", "name": "s"}
    for conversion in each(
        {"strategy": "Webhook"}, {"strategy": "Webhook", "webhook": {}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": []}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v2"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1", "v1"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["V 1"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": {}, "conversionReviewVersions": ["v1"]}},
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "http://a"}, "conversionReviewVersions": ["v1"]}},
        {"strategy": "Webhook", "webhook": {"clientConfig": {**client, "service": service},
                                            "conversionReviewVersions": ["v1"]}},
        {"strategy": "None", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}},
        {"strategy": "X", "webhook": {}}, {},
    ):  # fmt: skip
        yield Case(f"a definition with {conversion}", "POST", CRDS + DRY, _thing(conversion=conversion))


def _with_schema(schema: Any, **version: Any) -> Json:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}]
    spec = {"group": "a.io", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}, "versions": versions}
    return {"metadata": {"name": "foos.a.io"}, "spec": spec}


def _refused_definitions() -> Iterator[Case]:
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
            f"a schema of {field}", "POST", CRDS + DRY, _with_schema({"type": "object", "properties": {"a": field}})
        )
    labels = {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": fields}}}}
    yield Case("a schema of metadata", "POST", CRDS + DRY, _with_schema(labels))
    for column in (
        {"name": "A", "type": "foo", "jsonPath": ".a"}, {"name": "A", "type": "string", "jsonPath": "a"},
        {"name": "A", "type": "string"}, {"name": "A", "type": "integer", "format": "foo", "jsonPath": ".a"},
    ):  # fmt: skip
        body = _with_schema({"type": "object"}, additionalPrinterColumns=[column])
        yield Case(f"a column {column}", "POST", CRDS + DRY, body)
    plain = _with_schema({"type": "object"})
    for more in (
        {"preserveUnknownFields": True}, {"conversion": {"strategy": "Foo"}}, {"scope": "Foo"},
        {"names": {"plural": "foos", "kind": "Foo", "shortNames": ["F_"]}},
        {"names": {"plural": "foos", "kind": "Foo", "categories": ["A B"]}},
        {"names": {"plural": "foos", "kind": "Foo", "listKind": "foo list"}},
    ):  # fmt: skip
        yield Case(f"a definition with {more}", "POST", CRDS + DRY, {**plain, "spec": {**plain["spec"], **more}})
    for change in ({"names": {"kind": "Other"}}, {"scope": "Cluster"}):
        yield Case(f"change {change}", "PATCH", f"{CRDS}/gadgets.devcluster.example{DRY}", {"spec": change}, MERGE)


def _names_and_groups() -> Iterator[Case]:
    def crd(name: str, group: str, schema: Json) -> Json:
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        names = {"plural": "foos", "kind": "Foo"}
        spec = {"group": group, "names": names, "scope": "Namespaced", "versions": [version]}
        return {"metadata": {"name": name}, "spec": spec}

    yield Case("a definition with another name", "POST", CRDS + DRY, crd("x", "a.b", {"type": "object"}))
    yield Case("a protected group", "POST", CRDS + DRY, crd("foos.a.k8s.io", "a.k8s.io", {"type": "object"}))
    loose = {"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}
    yield Case("a schema without types", "POST", CRDS + DRY, crd("foos.a.io", "a.io", loose))
    yield Case("an empty definition", "POST", CRDS + DRY, {"metadata": {"name": "foos.a.io"}})
    yield Case("a definition whose spec is a number", "POST", CRDS + DRY, {"metadata": {"name": "x"}, "spec": 5})


CRD_CASES: tuple[Case, ...] = (*_names_and_groups(), *_refused_definitions(), *_scales_and_conversions())
