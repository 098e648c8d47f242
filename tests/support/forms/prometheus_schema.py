"""Schema of the Prometheus operator's Prometheus, the largest one, with more than 1,500 fields."""

from __future__ import annotations

from tests.support.forms.pod_schema import container, pod_spec
from tests.support.forms.schema_builders import (
    BOOLEAN,
    DURATION,
    INT,
    INT_OR_STRING,
    QUANTITY,
    SECRET_KEY,
    SELECTOR,
    STRING,
    Json,
    array,
    fields,
    group,
    mapping,
)


def prometheus() -> Json:
    """Prometheus operator: the largest, with pods' fields, storage, remote endpoints and their authentication."""
    tls = group(
        {
            **fields("caFile certFile keyFile serverName", STRING),
            "insecureSkipVerify": BOOLEAN,
            "ca": group({"secret": SECRET_KEY, "configMap": SECRET_KEY}),
            "keySecret": SECRET_KEY,
        }
    )
    access = {
        "basicAuth": group({"username": SECRET_KEY, "password": SECRET_KEY}),
        "tlsConfig": tls,
        "bearerToken": STRING,
        "oauth2": group(
            {
                "clientId": SECRET_KEY,
                "clientSecret": SECRET_KEY,
                "scopes": array(STRING),
                "tokenUrl": {"type": "string", "minLength": 1},
            },
            "clientId",
            "clientSecret",
            "tokenUrl",
        ),
        "sigv4": group({"accessKey": SECRET_KEY, "secretKey": SECRET_KEY, "region": STRING, "roleArn": STRING}),
    }
    relabel = group(
        {
            **fields("regex replacement separator targetLabel", STRING),
            "sourceLabels": array(STRING),
            "modulus": INT,
            "action": {
                "type": "string",
                "enum": ["replace", "keep", "drop", "hashmod", "labelmap"],
                "default": "replace",
            },
        }
    )
    queue = group(fields("capacity maxShards minShards maxSamplesPerSend maxRetries", INT))
    write = group(
        {
            "url": {"type": "string", "format": "uri"},
            "name": STRING,
            "remoteTimeout": DURATION,
            "headers": mapping(STRING),
            "writeRelabelConfigs": array(relabel),
            "queueConfig": queue,
            **access,
        },
        "url",
    )
    read = group(
        {
            "url": {"type": "string", "format": "uri"},
            "name": STRING,
            "readRecent": BOOLEAN,
            "requiredMatchers": mapping(STRING),
            **access,
        },
        "url",
    )
    alerting = group(
        {
            "alertmanagers": array(
                group(
                    {
                        **fields("name namespace scheme pathPrefix", STRING),
                        "port": INT_OR_STRING,
                        "timeout": DURATION,
                        "relabelings": array(relabel),
                        **access,
                    },
                    "name",
                    "port",
                )
            )
        },
        "alertmanagers",
    )
    claim = group(
        {
            "metadata": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-embedded-resource": False,
            },
            "spec": group(
                {
                    "accessModes": array(STRING),
                    "storageClassName": STRING,
                    "resources": group({"requests": mapping(QUANTITY)}),
                    "selector": SELECTOR,
                    "volumeName": STRING,
                }
            ),
        }
    )
    claim["properties"]["metadata"].pop("x-kubernetes-embedded-resource")
    selectors = {
        f"{name}{what}Selector": SELECTOR
        for name in ("serviceMonitor", "podMonitor", "probe", "rule", "scrapeConfig")
        for what in ("", "Namespace")
    }
    limits = (
        "enforcedBodySizeLimit enforcedKeepDroppedTargets enforcedLabelLimit "
        "enforcedLabelNameLengthLimit enforcedLabelValueLengthLimit enforcedSampleLimit "
        "enforcedTargetLimit keepDroppedTargets labelLimit sampleLimit targetLimit"
    )
    return group(
        {
            **pod_spec(),
            "sidecar": container(),
            "reloader": container(),
            **selectors,
            **fields(limits, {"type": "integer", "format": "int64"}),
            **fields(
                (
                    "image baseImage externalUrl routePrefix version tag sha logFormat "
                    "prometheusExternalLabelName replicaExternalLabelName"
                ),
                STRING,
            ),
            **fields("scrapeInterval scrapeTimeout evaluationInterval retention", {**DURATION, "default": "30s"}),
            "logLevel": {"type": "string", "enum": ["", "debug", "info", "warn", "error"]},
            "replicas": INT,
            "shards": INT,
            "paused": BOOLEAN,
            "enableAdminAPI": BOOLEAN,
            "retentionSize": QUANTITY,
            "externalLabels": mapping(STRING),
            "remoteWrite": array(write),
            "remoteRead": array(read),
            "alerting": alerting,
            "resources": group({"limits": mapping(QUANTITY), "requests": mapping(QUANTITY)}),
            "storage": group(
                {
                    "disableMountSubPath": BOOLEAN,
                    "emptyDir": group({"sizeLimit": QUANTITY}),
                    "ephemeral": group({"volumeClaimTemplate": claim}),
                    "volumeClaimTemplate": claim,
                }
            ),
            "web": group(
                {
                    "maxConnections": {**INT, "minimum": 0},
                    "pageTitle": STRING,
                    "tlsConfig": tls,
                    "httpConfig": group(
                        {
                            "http2": BOOLEAN,
                            "headers": group(fields("contentSecurityPolicy strictTransportSecurity", STRING)),
                        }
                    ),
                }
            ),
            "thanos": group(
                {
                    **fields("image version listenLocal logLevel", STRING),
                    "resources": group({"limits": mapping(QUANTITY)}),
                    "objectStorageConfig": SECRET_KEY,
                    "grpcServerTlsConfig": tls,
                }
            ),
            "additionalScrapeConfigs": SECRET_KEY,
            "apiserverConfig": group({"host": STRING, **access}, "host"),
            "topologySpreadConstraints": array(
                group(
                    {"maxSkew": INT, "topologyKey": STRING, "whenUnsatisfiable": STRING, "labelSelector": SELECTOR},
                    "maxSkew",
                    "topologyKey",
                    "whenUnsatisfiable",
                )
            ),
        }
    )
