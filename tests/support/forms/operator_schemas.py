"""Schemas of the specs of well-known operators' kinds, in their size, and the CRD around one; written for these tests.

cert-manager's Issuer and Certificate, Argo's Rollout, Prometheus operator's Prometheus. Most of their size is the pod
schema that they share (pod_schema.py).
"""

from __future__ import annotations

from tests.support.forms.pod_schema import pod_spec
from tests.support.forms.prometheus_schema import prometheus
from tests.support.forms.schema_builders import (
    BOOLEAN,
    INT,
    INT_OR_STRING,
    SECRET_KEY,
    SELECTOR,
    STRING,
    Json,
    array,
    fields,
    group,
    mapping,
)

GROUP = "forms.example.com"


def certificate() -> Json:
    """cert-manager: enums, durations, required references, arrays of text."""
    store = group({"create": BOOLEAN, "alias": STRING, "passwordSecretRef": SECRET_KEY}, "create")
    return group(
        {
            "commonName": {"type": "string", "maxLength": 64, "description": "Requested common name."},
            "dnsNames": array(STRING),
            "ipAddresses": array(STRING),
            "uris": array(STRING),
            "emailAddresses": array(STRING),
            "duration": STRING,
            "renewBefore": STRING,
            "isCA": BOOLEAN,
            "encodeUsagesInRequest": BOOLEAN,
            "issuerRef": group(fields("group kind name", STRING), "name"),
            "secretName": {
                "type": "string",
                "minLength": 1,
                "description": "Name of the Secret that gets key and certificate.",
            },
            "secretTemplate": group({"annotations": mapping(STRING), "labels": mapping(STRING)}),
            "subject": group(
                {f"{name}": array(STRING) for name in ("organizations", "countries", "localities", "provinces")}
            ),
            "keystores": group({"jks": store, "pkcs12": store}),
            "privateKey": group(
                {
                    "algorithm": {"type": "string", "enum": ["RSA", "ECDSA", "Ed25519"]},
                    "encoding": {"type": "string", "enum": ["PKCS1", "PKCS8"]},
                    "rotationPolicy": {"type": "string", "enum": ["Never", "Always"], "default": "Always"},
                    "size": INT,
                }
            ),
            "revisionHistoryLimit": INT,
            "usages": {
                "type": "array",
                "items": {"type": "string", "enum": ["signing", "server auth", "client auth", "any"]},
            },
        },
        "issuerRef",
        "secretName",
    )


def issuer() -> Json:
    """cert-manager's union of issuers, as ``oneOf`` by required fields, with solvers below."""
    solver = group(
        {
            "selector": group({"dnsNames": array(STRING), "dnsZones": array(STRING), "matchLabels": mapping(STRING)}),
            "dns01": group(
                {
                    name: group({"region": STRING, "secretRef": SECRET_KEY})
                    for name in ("route53", "cloudflare", "azureDNS")
                },
                maxProperties=1,
            ),
            "http01": group(
                {
                    "ingress": group(
                        {"class": STRING, "podTemplate": group({"spec": group({"nodeSelector": mapping(STRING)})})}
                    )
                }
            ),
        }
    )
    acme = group(
        {
            "email": STRING,
            "server": {"type": "string", "format": "uri"},
            "privateKeySecretRef": SECRET_KEY,
            "solvers": array(solver),
        },
        "server",
        "privateKeySecretRef",
    )
    vault = group(
        {
            "server": STRING,
            "path": STRING,
            "caBundle": {"type": "string", "format": "byte"},
            "auth": group({"tokenSecretRef": SECRET_KEY}),
        },
        "server",
        "path",
        "auth",
    )
    kinds = {
        "acme": acme,
        "ca": group({"secretName": STRING, "crlDistributionPoints": array(STRING)}, "secretName"),
        "selfSigned": group({"crlDistributionPoints": array(STRING)}),
        "vault": vault,
    }
    return group(kinds, oneOf=[{"required": [name]} for name in kinds])


def rollout() -> Json:
    """Argo Rollouts: steps of many kinds, a pod template, int-or-string, fields of any shape."""
    analysis = group(
        {
            "templates": array(group({"templateName": STRING, "clusterScope": BOOLEAN})),
            "args": array(group({"name": STRING, "value": STRING}, "name")),
        }
    )
    pause = group({"duration": INT_OR_STRING})
    step = group(
        {
            "setWeight": INT,
            "pause": pause,
            "analysis": analysis,
            "setCanaryScale": group({"weight": INT, "replicas": INT}),
        }
    )
    surge = {"maxSurge": {**INT_OR_STRING, "default": "25%"}, "maxUnavailable": {**INT_OR_STRING, "default": "25%"}}
    return group(
        {
            "replicas": {**INT, "minimum": 0, "default": 1},
            "paused": BOOLEAN,
            "minReadySeconds": INT,
            "revisionHistoryLimit": {**INT, "default": 10},
            "restartAt": {"type": "string", "format": "date-time"},
            "selector": {
                **SELECTOR,
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "selector is immutable"}],
            },
            "strategy": group(
                {
                    "canary": group(
                        {
                            **surge,
                            "steps": array(step),
                            "analysis": analysis,
                            "stableService": STRING,
                            "canaryService": STRING,
                        }
                    ),
                    "blueGreen": group(
                        {
                            "activeService": STRING,
                            "previewService": STRING,
                            "autoPromotionEnabled": BOOLEAN,
                            "prePromotionAnalysis": analysis,
                        },
                        "activeService",
                    ),
                },
                maxProperties=1,
            ),
            "template": group(
                {
                    "metadata": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "spec": group(pod_spec(), "containers"),
                },
                "spec",
            ),
        }
    )


SPECS = {"Certificate": certificate, "Issuer": issuer, "Rollout": rollout, "Prometheus": prometheus}


def definition(kind: str, spec: Json, *, status: Json | None = None) -> Json:
    """The CustomResourceDefinition of a namespaced kind of ours."""
    plural = f"{kind.lower()}s" if not kind.endswith("s") else f"{kind.lower()}es"
    properties = {"spec": spec, **({"status": status} if status else {})}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        **({"subresources": {"status": {}}} if status else {}),
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "versions": [version],
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
        },
    }


def count(node: Json) -> int:
    """How many fields a schema has, those below lists and maps too."""
    below = [*node.get("properties", {}).values(), node.get("items"), node.get("additionalProperties")]
    return len(node.get("properties", ())) + sum(count(each) for each in below if isinstance(each, dict))
