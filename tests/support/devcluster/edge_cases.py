"""Rare requests whose responses are compared with the real API server's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.http_client import MERGE, Json
from tests.support.devcluster.parity.case import APPS, CORE, CRDS, DRY, MAPS, PODS, Case, G, deployment, each
from tests.support.devcluster.parity.validation_cases import JOBS, job


def _rolling_updates() -> Iterator[Case]:
    for surge, unavailable in each(
        ("25%", "25%"), ("0%", 0), (0, "0%"), ("0%", "0%"), ("150%", 0), (0, "150%"), (0, "100%"), ("a", 1), (1, "a"),
        (1, "25"), ("25", 1), (-1, 1), (1, -1), ("-5%", 1), (1, "-5%"), ("1.5%", 1), (1, ""), ("", 1), ("%", 1),
        (1, "101%"), (0, "00%"), (2, 9),
    ):  # fmt: skip
        rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
        body = deployment(strategy={"rollingUpdate": rolling})
        yield Case(f"a rolling update by {surge!r} and {unavailable!r}", "POST", f"{APPS}/deployments{DRY}", body)


def _services() -> Iterator[Case]:
    web, dns = {"name": "web", "port": 80}, {"name": "dns", "port": 53}
    for ports in each(
        [web, web], [web, {**web, "port": 81}], [web, {**web, "name": "too"}], [dns, {**dns, "protocol": "UDP"}],
        [dns, {"name": "udp", "port": 53, "protocol": "UDP"}], [{**web, "nodePort": 30080}, {**dns, "nodePort": 30080}],
        [{"name": "A", "port": 80}], [{"name": "a" * 64, "port": 80}], [{"port": 80, "targetPort": 0}],
        [{"port": 80, "targetPort": "A_B"}], [{"port": 80, "targetPort": 70000}], [{"port": 80, "targetPort": "80"}],
        [{"port": 80, "targetPort": "a" * 16}], [{"port": 80, "targetPort": ""}],
    ):  # fmt: skip
        body = {"metadata": {"name": "s"}, "spec": {"ports": ports}}
        yield Case(f"a service with {ports}", "POST", f"{CORE}/services{DRY}", body)


def _metadata() -> Iterator[Case]:
    for generation in (-1, 0, 7):
        meta = {"generation": generation}
        named = {"metadata": {"name": "m", **meta}}
        yield Case(f"a configmap of generation {generation}", "POST", MAPS + DRY, named)
        yield Case(f"a gadget of generation {generation}", "POST", G + DRY, {**gadget(), **named})
        yield Case(f"c1 to generation {generation}", "PATCH", f"{MAPS}/c1{DRY}", {"metadata": meta}, MERGE)
        yield Case(f"a1 to generation {generation}", "PATCH", f"{G}/a1{DRY}", {"metadata": meta}, MERGE)
        body = deployment("d1")
        body["metadata"] |= meta
        yield Case(f"d1 to generation {generation}", "PUT", f"{APPS}/deployments/d1{DRY}", body)
    for quality in ("Guaranteed", "BestEffort", "x", None):
        status = {"status": {"qosClass": quality}}
        yield Case(f"p1 of the quality {quality}", "PATCH", f"{PODS}/p1/status{DRY}", status, MERGE)
    for length in (62, 63, 64, 100):
        body = {**job(), "metadata": {"name": "j" * length}}
        yield Case(f"a job whose name has {length} letters", "POST", JOBS + DRY, body)
        indexed = {**job(completionMode="Indexed", completions=3), "metadata": {"name": "j" * length}}
        yield Case(f"an indexed job whose name has {length} letters", "POST", JOBS + DRY, indexed)


def _definition(version: Json | None = None, **spec: Any) -> Json:
    schema = {"type": "object", "properties": {part: {"type": "object"} for part in ("spec", "status")}}
    first = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **(version or {})}
    names = {"plural": "things", "kind": "Thing"}
    whole = {"group": "edge.example", "scope": "Namespaced", "names": names, "versions": [first], **spec}
    return {"metadata": {"name": "things.edge.example"}, "spec": whole}


def _definitions() -> Iterator[Case]:
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
        body = _definition({"subresources": {"scale": scale}})
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
        yield Case(f"a definition with {conversion}", "POST", CRDS + DRY, _definition(conversion=conversion))


EDGE_CASES: tuple[Case, ...] = (*_rolling_updates(), *_services(), *_metadata(), *_definitions())
