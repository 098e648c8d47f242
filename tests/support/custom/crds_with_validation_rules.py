"""Definitions of kinds whose schemas ask for more than required fields: alternatives, counts, formats, bounds, rules.

They are written by hand after the public APIs of well-known projects, as far as a new object has to do with them. Their
groups end in example.com, so that they live beside the definitions of other tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.support.custom.project_crds import CustomKind, Json

_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY = rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$"
GO_DURATION = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"
PROMETHEUS_DURATION = r"^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"
DNS_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"


def obj(*required: str, **properties: Json) -> Json:
    """A map of fields."""
    node: Json = {"type": "object", "properties": properties}
    return {**node, "required": list(required)} if required else node


def all_required(**properties: Json) -> Json:
    """A map of fields that must all be there."""
    return obj(*properties, **properties)


def text(**more: Any) -> Json:
    return {"type": "string", **more}


def whole(**more: Any) -> Json:
    return {"type": "integer", **more}


def items(node: Json, **more: Any) -> Json:
    return {"type": "array", "items": node, **more}


def by_key(*keys: str) -> Json:
    """A list of the type map."""
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}


def rules(*pairs: tuple[str, str]) -> Json:
    """Rules in CEL with their messages."""
    return {"x-kubernetes-validations": [{"rule": rule, "message": message} for rule, message in pairs]}


def one_of(*names: str) -> list[Json]:
    return [{"required": [name]} for name in names]


SWITCH: Json = {"type": "boolean"}
WORDS = {"type": "object", "additionalProperties": {"type": "string"}}
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
NAME_REF = obj("name", name=text(minLength=1, maxLength=253))
INT_OR_TEXT = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
AMOUNT = {**INT_OR_TEXT, "pattern": QUANTITY}


HEADERS_ONLY_THERE = (
    "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
    "filter.requestHeaderModifier must be nil if the filter.type is not RequestHeaderModifier",
)
HEADERS_THERE = (
    "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
    "filter.requestHeaderModifier must be specified for RequestHeaderModifier filter.type",
)
NOT_BOTH = (
    "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
    "May specify either RequestRedirect or URLRewrite, but not both",
)
NO_BACKENDS = (
    (
        "(has(self.backendRefs) && size(self.backendRefs) > 0) ? "
        "(!has(self.filters) || self.filters.all(f, !has(f.requestRedirect))) : true"
    ),
    "RequestRedirect filter must not be used with backendRefs",
)
UNIQUE_LISTENERS = (
    (
        "self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && "
        "(has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))"
    ),
    "Combination of port, protocol and hostname must be unique for each listener",
)
REGION = (
    (
        "!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.region) || "
        "(has(self.initProvider) && has(self.initProvider.region))"
    ),
    "spec.forProvider.region is a required parameter",
)


@dataclass(frozen=True)
class ExampleKind(CustomKind):
    """A kind with the schema of its objects."""

    root: Json = field(default_factory=dict)
    rest: str = ""
    """Part of the rule's own words, for a kind whose example is left to the person."""

    def definition(self, **schema: Any) -> Json:
        made = super().definition(**schema)
        made["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", **self.root}
        return made


def kind(key: str, name: str, spec: Json, *, rest: str = "", namespaced: bool = True, **root: Any) -> ExampleKind:
    """A kind whose objects have this spec."""
    properties = {"spec": spec, "status": ANYTHING}
    whole_schema = {"properties": properties, "required": ["spec"], **root}
    return ExampleKind(f"{key}.example.com", name, (), {}, None, "v1", namespaced, whole_schema, rest)


EXAMPLE_KINDS = (
    kind(
        "issuers.cert-manager",
        "Issuer",
        {
            **obj(
                acme=obj(
                    "server",
                    "privateKeySecretRef",
                    server=text(minLength=1),
                    email=text(format="email"),
                    privateKeySecretRef=NAME_REF,
                ),
                ca=obj("secretName", secretName=text(minLength=1)),
                selfSigned=obj(crlDistributionPoints=items(text())),
                vault=obj(
                    "server",
                    "path",
                    "auth",
                    server=text(),
                    path=text(),
                    auth={
                        **obj(tokenSecretRef=NAME_REF, appRole=NAME_REF),
                        "oneOf": one_of("tokenSecretRef", "appRole"),
                    },
                ),
            ),
            "oneOf": one_of("acme", "ca", "selfSigned", "vault"),
        },
    ),
    kind(
        "certificates.cert-manager",
        "Certificate",
        {
            **obj(
                "issuerRef",
                "secretName",
                issuerRef=NAME_REF,
                secretName=text(minLength=1),
                commonName=text(maxLength=64),
                dnsNames=items(text(pattern=DNS_NAME), minItems=1),
                duration=text(),
                ipAddresses=items(text(format="ipv4")),
                renewBeforePercentage=whole(minimum=1, maximum=99),
                privateKey={**obj(size=whole(enum=[2048, 4096, 8192])), "minProperties": 1},
            ),
            "anyOf": one_of("commonName", "dnsNames", "ipAddresses"),
            "minProperties": 4,
        },
    ),
    kind(
        "httproutes.gateway",
        "HTTPRoute",
        obj(
            "rules",
            parentRefs=items(obj("name", name=text(minLength=1), sectionName=text(minLength=1)), maxItems=32),
            hostnames=items(
                text(minLength=1, maxLength=253, pattern=r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]+)*$"),
                minItems=1,
                maxItems=16,
            ),
            rules=items(
                {
                    **obj(
                        "filters",
                        filters=items(
                            {
                                **obj(
                                    "type",
                                    type=text(enum=["RequestHeaderModifier", "RequestRedirect", "URLRewrite"]),
                                    requestHeaderModifier={
                                        **obj(
                                            set=items(
                                                obj("name", "value", name=text(minLength=1), value=text(minLength=1)),
                                                maxItems=16,
                                            )
                                        ),
                                        "minProperties": 1,
                                    },
                                    requestRedirect=obj(
                                        scheme=text(enum=["http", "https"]),
                                        statusCode=whole(enum=[301, 302], default=302),
                                    ),
                                    urlRewrite=obj(hostname=text(pattern=DNS_NAME)),
                                ),
                                **rules(
                                    HEADERS_ONLY_THERE,
                                    HEADERS_THERE,
                                    (
                                        "!(!has(self.requestRedirect) && self.type == 'RequestRedirect')",
                                        "filter.requestRedirect must be specified for RequestRedirect filter.type",
                                    ),
                                ),
                            },
                            minItems=1,
                            maxItems=16,
                            **rules(NOT_BOTH),
                        ),
                        backendRefs=items(obj("name", name=text(), port=whole(minimum=1, maximum=65535)), maxItems=16),
                    ),
                    **rules(NO_BACKENDS),
                },
                minItems=1,
                maxItems=16,
            ),
        ),
    ),
    kind(
        "gateways.gateway",
        "Gateway",
        obj(
            "gatewayClassName",
            "listeners",
            gatewayClassName=text(minLength=1, maxLength=253),
            listeners=items(
                obj(
                    "name",
                    "port",
                    "protocol",
                    name=text(minLength=1, maxLength=63, pattern=DNS_NAME),
                    port=whole(minimum=1, maximum=65535, format="int32"),
                    protocol=text(
                        minLength=1,
                        maxLength=255,
                        pattern=r"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z]+)*/[A-Za-z]+$",
                    ),
                    hostname=text(minLength=1, maxLength=253),
                    tls=obj(mode=text(enum=["Terminate", "Passthrough"])),
                ),
                minItems=2,
                maxItems=64,
                **by_key("name"),
                **rules(
                    (
                        "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
                        "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
                    ),
                    UNIQUE_LISTENERS,
                ),
            ),
        ),
    ),
    kind(
        "scaledobjects.keda",
        "ScaledObject",
        obj(
            "scaleTargetRef",
            "triggers",
            scaleTargetRef=NAME_REF,
            triggers=items(
                obj(
                    "type",
                    "metadata",
                    type=text(),
                    metadata={**WORDS, "minProperties": 2},
                    metricType=text(enum=["AverageValue", "Value"]),
                    name=text(),
                ),
                minItems=1,
            ),
            pollingInterval=whole(minimum=1),
            minReplicaCount=whole(minimum=0),
            maxReplicaCount=whole(),
        ),
    ),
    kind(
        "gitrepositories.source",
        "GitRepository",
        {
            **obj(
                "url",
                "interval",
                "secretRef",
                url=text(pattern=r"^(http|https|ssh)://.*$", **rules(("self == oldSelf", "url is immutable"))),
                interval=text(pattern=GO_DURATION),
                secretRef={**NAME_REF, **rules(("self == oldSelf", "the secret is immutable"))},
                ref=obj(branch=text(), tag=text()),
                provider=text(enum=["generic", "azure", "github"]),
            ),
            **rules(("has(self.ref)", "spec.ref is needed")),
        },
    ),
    kind(
        "buckets.source",
        "Bucket",
        {
            **obj(
                "bucketName",
                "endpoint",
                "interval",
                bucketName=text(),
                endpoint=text(),
                interval=text(pattern=GO_DURATION),
                provider=text(enum=["generic", "aws", "gcp", "azure"], default="generic"),
                region=text(),
                sts=obj(
                    "provider",
                    "endpoint",
                    provider=text(enum=["aws", "ldap"]),
                    endpoint=text(pattern="^(http|https)://.*$"),
                ),
                secretRef=NAME_REF,
                certSecretRef=NAME_REF,
            ),
            **rules(
                (
                    "self.provider == 'aws' || self.provider == 'generic' || !has(self.sts)",
                    "STS is only for aws and generic",
                ),
                ("self.provider != 'generic' || has(self.secretRef)", "a generic bucket needs secretRef"),
            ),
        },
    ),
    kind(
        "clusterpolicies.kyverno",
        "ClusterPolicy",
        obj(
            "rules",
            background=SWITCH,
            failurePolicy=text(enum=["Ignore", "Fail"]),
            rules=items(
                {
                    **obj(
                        "name",
                        "match",
                        name=text(maxLength=63),
                        match={
                            **obj(any=items(ANYTHING), all=items(ANYTHING)),
                            "not": {"required": ["any", "all"]},
                            "anyOf": one_of("any", "all"),
                        },
                        validate=ANYTHING,
                        mutate=ANYTHING,
                        generate=ANYTHING,
                    ),
                    "oneOf": one_of("validate", "mutate", "generate"),
                },
                minItems=1,
            ),
        ),
        namespaced=False,
    ),
    kind(
        "clusters.postgresql",
        "Cluster",
        {
            **obj(
                "instances",
                "storage",
                "bootstrap",
                instances=whole(minimum=1, default=1),
                storage={**obj(size=text(), storageClass=text(), pvcTemplate=ANYTHING), "minProperties": 1},
                bootstrap={
                    **obj(
                        initdb=obj(database=text(), owner=text()),
                        recovery=obj("source", source=text()),
                        pg_basebackup=obj("source", source=text(minLength=1)),
                    ),
                    "minProperties": 1,
                    "maxProperties": 1,
                },
                imageName=text(),
                imageCatalogRef=obj("name", "major", name=text(), major=whole(minimum=10)),
            ),
            **rules(
                ("!(has(self.imageCatalogRef) && has(self.imageName))", "imageName and imageCatalogRef are exclusive"),
                ("has(self.imageName) || has(self.imageCatalogRef)", "an image is needed"),
            ),
        },
    ),
    kind(
        "secretstores.external-secrets",
        "SecretStore",
        obj(
            "provider",
            provider={
                **obj(
                    vault=obj(
                        "server",
                        "auth",
                        server=text(),
                        auth={
                            **obj(tokenSecretRef=NAME_REF, kubernetes=obj("role", role=text())),
                            "minProperties": 1,
                            "maxProperties": 1,
                        },
                    ),
                    aws=obj(
                        "region", "service", region=text(), service=text(enum=["SecretsManager", "ParameterStore"])
                    ),
                    fake=obj("data", data=items(obj("key", key=text()), minItems=1)),
                ),
                "minProperties": 1,
                "maxProperties": 1,
            },
            refreshInterval=whole(),
            retrySettings=obj(maxRetries=whole(format="int32")),
        ),
    ),
    kind(
        "externalsecrets.external-secrets",
        "ExternalSecret",
        {
            **obj(
                "secretStoreRef",
                secretStoreRef={
                    **obj(
                        name=text(minLength=1, maxLength=253, pattern=DNS_NAME),
                        kind=text(enum=["SecretStore", "ClusterSecretStore"]),
                    ),
                    "minProperties": 2,
                },
                data=items(
                    obj(
                        "secretKey",
                        "remoteRef",
                        secretKey=text(minLength=1, maxLength=253, pattern="^[-._a-zA-Z0-9]+$"),
                        remoteRef=obj("key", key=text()),
                    )
                ),
                dataFrom=items(obj(extract=obj("key", key=text()), find=ANYTHING)),
            ),
            **rules(
                (
                    "(has(self.data) && size(self.data) > 0) || (has(self.dataFrom) && size(self.dataFrom) > 0)",
                    "either data or dataFrom should be specified",
                )
            ),
        },
    ),
    kind(
        "services.serving",
        "Service",
        obj(
            "template",
            "traffic",
            template=obj(
                metadata=ANYTHING,
                spec=obj(
                    "containers",
                    containers=items({**obj(image=text()), "x-kubernetes-preserve-unknown-fields": True}, minItems=1),
                ),
            ),
            traffic=items(
                obj(
                    percent=whole(minimum=0, maximum=100, format="int64"),
                    latestRevision=SWITCH,
                    revisionName=text(),
                    tag=text(),
                ),
                minItems=1,
                maxItems=20,
                **rules(
                    ("self.all(t, has(t.percent))", "each target needs a percent"),
                    ("self.map(t, t.percent).exists(p, p > 0)", "some traffic must go somewhere"),
                ),
            ),
        ),
    ),
    kind(
        "buckets.s3",
        "Bucket",
        {
            **obj(
                "forProvider",
                forProvider=obj(region=text(), tags=WORDS, forceDestroy=SWITCH),
                initProvider=obj(region=text()),
                deletionPolicy=text(enum=["Orphan", "Delete"], default="Delete"),
                managementPolicies=items(text(enum=["Observe", "Create", "Update", "Delete", "*"]), default=["*"]),
            ),
            **rules(REGION),
        },
        namespaced=False,
    ),
    kind(
        "compositions.apiextensions",
        "Composition",
        {
            **obj(
                "compositeTypeRef",
                compositeTypeRef=obj("apiVersion", "kind", apiVersion=text(), kind=text()),
                mode=text(enum=["Resources", "Pipeline"], default="Pipeline"),
                pipeline=items(
                    obj("step", "functionRef", step=text(), functionRef=NAME_REF),
                    minItems=1,
                    maxItems=99,
                    **by_key("step"),
                ),
            ),
            **rules(
                (
                    "self.mode == 'Pipeline' && has(self.pipeline) || self.mode != 'Pipeline' && !has(self.pipeline)",
                    "an array of pipeline steps is required in Pipeline mode",
                )
            ),
        },
        namespaced=False,
    ),
    kind(
        "virtualservices.networking",
        "VirtualService",
        obj(
            "hosts",
            "http",
            hosts=items(text(minLength=1), minItems=1),
            http=items(
                obj(
                    "match",
                    "route",
                    match=items(
                        obj(
                            "uri",
                            uri={
                                **obj(exact=text(), prefix=text(), regex=text()),
                                "oneOf": [
                                    {"not": {"anyOf": one_of("exact", "prefix", "regex")}},
                                    *one_of("exact", "prefix", "regex"),
                                ],
                            },
                        ),
                        minItems=1,
                    ),
                    route=items(
                        obj("destination", destination=obj("host", host=text()), weight=whole(format="int32")),
                        minItems=1,
                    ),
                    fault=obj(
                        delay={
                            **obj(fixedDelay=text(), exponentialDelay=text(), percent=whole()),
                            "oneOf": [
                                {"not": {"anyOf": one_of("fixedDelay", "exponentialDelay")}},
                                *one_of("fixedDelay", "exponentialDelay"),
                            ],
                        }
                    ),
                ),
                minItems=1,
            ),
        ),
    ),
    kind(
        "authorizationpolicies.security",
        "AuthorizationPolicy",
        {
            **obj(
                "action",
                action=text(enum=["ALLOW", "DENY", "AUDIT", "CUSTOM"]),
                provider=NAME_REF,
                selector=ANYTHING,
                targetRef=NAME_REF,
            ),
            "allOf": [
                {"oneOf": [{"not": {"required": ["provider"]}}, {"required": ["provider"]}]},
                {"anyOf": one_of("selector", "targetRef")},
            ],
            **rules(("self.action != 'ALLOW' || has(self.targetRef)", "ALLOW needs targetRef")),
        },
    ),
    kind(
        "kafkatopics.kafka",
        "KafkaTopic",
        obj(
            "partitions",
            "replicas",
            "config",
            partitions=whole(minimum=0, exclusiveMinimum=True, multipleOf=3),
            replicas=whole(minimum=1, maximum=32767),
            config={**WORDS, "minProperties": 1},
            topicName=text(),
        ),
    ),
    kind(
        "machines.cluster",
        "Machine",
        obj(
            "clusterName",
            "bootstrap",
            "infrastructureRef",
            "version",
            clusterName=text(minLength=1, maxLength=63),
            version=text(minLength=6, maxLength=256, pattern=r"^v(0|[1-9]\d*)\.\d+\.\d+$"),
            bootstrap={
                **obj(
                    configRef=obj(
                        "kind",
                        "name",
                        "apiGroup",
                        kind=text(minLength=1, maxLength=63, pattern="^[A-Z][A-Za-z]*$"),
                        name=text(minLength=1, pattern=DNS_NAME),
                        apiGroup=text(minLength=1, pattern=DNS_NAME),
                    ),
                    dataSecretName=text(minLength=0, maxLength=253),
                ),
                "minProperties": 1,
            },
            infrastructureRef=NAME_REF,
            deletion={**obj(nodeDrainTimeoutSeconds=whole(minimum=0)), "minProperties": 1},
        ),
    ),
    kind(
        "nodepools.karpenter",
        "NodePool",
        {
            **obj(
                "template",
                "disruption",
                template=obj(
                    "spec",
                    spec=obj(
                        "nodeClassRef",
                        "requirements",
                        nodeClassRef=obj(
                            "group",
                            "kind",
                            "name",
                            group=text(pattern="^[^/]*$", **rules(("self != ''", "group may not be empty"))),
                            kind=text(**rules(("self != ''", "kind may not be empty"))),
                            name=text(),
                        ),
                        requirements=items(
                            {
                                **obj(
                                    "key",
                                    "operator",
                                    key=text(maxLength=316, pattern=r"^([a-zA-Z0-9]([-a-zA-Z0-9.]*)?/)?[A-Za-z0-9]+$"),
                                    operator=text(enum=["In", "NotIn", "Exists", "Gt"]),
                                    values=items(text(), maxItems=50),
                                    minValues=whole(minimum=1, maximum=50),
                                ),
                            },
                            minItems=1,
                            maxItems=100,
                            **rules(
                                (
                                    "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
                                    "requirements with operator 'In' must have a value defined",
                                ),
                                (
                                    "self.all(x, x.operator == 'Gt' ? x.values.size() == 1 : true)",
                                    "'Gt' needs a single value",
                                ),
                            ),
                        ),
                    ),
                ),
                disruption=obj(
                    "consolidateAfter",
                    consolidateAfter=text(pattern=r"^(([0-9]+(s|m|h))+|Never)$"),
                    budgets=items(
                        obj(
                            "nodes",
                            nodes=text(pattern="^((100|[0-9]{1,2})%|[0-9]+)$"),
                            duration=text(),
                            schedule=text(),
                        ),
                        minItems=1,
                    ),
                ),
                weight=whole(minimum=1, maximum=100),
                limits={"type": "object", "additionalProperties": AMOUNT},
            ),
        },
        namespaced=False,
    ),
    kind(
        "nodeclasses.karpenter",
        "NodeClass",
        {
            **obj(
                "selectorTerms",
                selectorTerms=items(
                    obj(
                        tags={
                            "type": "object",
                            "additionalProperties": text(maxLength=64),
                            "maxProperties": 20,
                            **rules(("self.all(k, k != '' && self[k] != '')", "empty tag keys or values")),
                        },
                        id=text(pattern="^ami-[0-9a-z]+$"),
                        alias=text(maxLength=30, pattern="^[a-zA-Z0-9]+@.+$"),
                    ),
                    minItems=1,
                    maxItems=30,
                    **rules(
                        (
                            "self.all(x, has(x.tags) || has(x.id) || has(x.alias))",
                            "expected at least one, got none, ['tags', 'id', 'alias']",
                        ),
                        (
                            "!self.exists(x, has(x.alias) && (has(x.tags) || has(x.id)))",
                            "'alias' is mutually exclusive",
                        ),
                    ),
                ),
                role=text(),
                instanceProfile=text(),
                kubelet=obj(maxPods=whole(minimum=0)),
            ),
            **rules(
                (
                    "(has(self.role) && !has(self.instanceProfile)) || (!has(self.role) && has(self.instanceProfile))",
                    "must specify exactly one of ['role', 'instanceProfile']",
                ),
                ("!has(self.role) || self.role != ''", "role cannot be empty"),
            ),
        },
        namespaced=False,
    ),
    kind(
        "prometheusrules.monitoring",
        "PrometheusRule",
        obj(
            "groups",
            groups=items(
                obj(
                    "name",
                    "rules",
                    "interval",
                    name=text(minLength=1),
                    interval=text(pattern=PROMETHEUS_DURATION),
                    rules=items(
                        obj(
                            "expr",
                            expr=INT_OR_TEXT,
                            alert=text(),
                            record=text(),
                            **{"for": text(pattern=PROMETHEUS_DURATION)},
                        ),
                        minItems=1,
                    ),
                ),
                minItems=2,
                **by_key("name"),
            ),
        ),
    ),
    kind(
        "ipaddresspools.metallb",
        "IPAddressPool",
        obj(
            "addresses",
            "nets",
            addresses=items(text(), minItems=1),
            avoidBuggyIPs=SWITCH,
            nets=items(text(format="cidr"), minItems=2, **{"x-kubernetes-list-type": "set"}),
        ),
    ),
    kind(
        "networkpolicies.cilium",
        "NetworkPolicy",
        {
            **obj(
                "endpointSelector",
                endpointSelector=obj(matchLabels=WORDS),
                nodeSelector=obj(matchLabels=WORDS),
                egress=items(
                    {
                        **obj(
                            toCIDR=items(text(pattern=r"^(([0-9]{1,3}\.){3}[0-9]{1,3})/[0-9]{1,2}$")),
                            toPorts=items(
                                obj(
                                    "port",
                                    port=text(
                                        pattern=r"^(6553[0-5]|655[0-2][0-9]|[0-9]{1,4})|([a-z0-9]-?)*[a-z](-?[a-z0-9])*$"
                                    ),
                                ),
                                maxItems=40,
                            ),
                        ),
                        "minProperties": 1,
                    }
                ),
                ingress=items(ANYTHING),
            ),
            "anyOf": [
                {"properties": {"ingress": {"minItems": 1}}, "required": ["ingress"]},
                {"properties": {"egress": {"minItems": 1}}, "required": ["egress"]},
            ],
            "oneOf": [
                {"properties": {"endpointSelector": {}}, "required": ["endpointSelector"]},
                {"properties": {"nodeSelector": {}}, "required": ["nodeSelector"]},
            ],
        },
    ),
    kind(
        "clusterqueues.kueue",
        "ClusterQueue",
        {
            **obj(
                "resourceGroups",
                resourceGroups=items(
                    obj(
                        "coveredResources",
                        "flavors",
                        coveredResources=items(text(), minItems=1, maxItems=16),
                        flavors=items(
                            obj(
                                "name",
                                "resources",
                                name=text(pattern=DNS_NAME),
                                resources=items(
                                    obj("name", "nominalQuota", name=text(), nominalQuota=AMOUNT),
                                    minItems=1,
                                    **by_key("name"),
                                ),
                            ),
                            minItems=1,
                            maxItems=16,
                            **by_key("name"),
                        ),
                    ),
                    minItems=1,
                    maxItems=16,
                ),
                cohort=text(),
                preemption={
                    **obj(reclaimWithinCohort=text(enum=["Never", "Any"], default="Never"), borrow=ANYTHING),
                    **rules(
                        ("!(self.reclaimWithinCohort == 'Never' && has(self.borrow))", "reclaim must not be Never")
                    ),
                },
            ),
        },
        namespaced=False,
    ),
    kind(
        "clusterconfigs.operator",
        "ClusterConfig",
        obj(
            "managementState",
            "port",
            managementState=text(pattern="^(Managed|Unmanaged|Force|Removed)$"),
            port=obj(
                "range",
                range={
                    **obj(min=whole(minimum=30_000, maximum=32_767), max=whole(minimum=30_000, maximum=32_767)),
                    "minProperties": 2,
                },
            ),
        ),
        namespaced=False,
        **rules(("self.metadata.name == 'cluster'", "ClusterConfig is a singleton, .metadata.name must be 'cluster'")),
    ),
    kind(
        "scales.autoscaling",
        "Scale",
        {
            **obj(
                "min",
                "max",
                "target",
                min=whole(minimum=1),
                max=whole(minimum=1),
                target=obj(type=text(enum=["Utilization", "Value"]), utilization=whole(), value=AMOUNT),
            ),
            **rules(
                ("self.min < self.max", "min must be less than max"),
                (
                    "[has(self.target.utilization), has(self.target.value)].filter(x, x == true).size() == 1",
                    "exactly one of the fields in [utilization value] must be set",
                ),
                ("has(self.target.type) && (self.target.type == 'Value') == has(self.target.value)", "type says which"),
            ),
        },
    ),
    kind(
        "formats.traits",
        "Format",
        all_required(
            moment=text(format="date-time"),
            day=text(format="date"),
            length=text(format="duration"),
            four=text(format="ipv4"),
            six=text(format="ipv6"),
            net=text(format="cidr"),
            place=text(format="uri"),
            id=text(format="uuid"),
            bytes=text(format="byte"),
            amount=AMOUNT,
            either=INT_OR_TEXT,
            mail=text(format="email"),
            host=text(format="hostname"),
            card=text(format="mac"),
            secret=text(format="password"),
            color=text(format="hexcolor"),
            between={"type": "number", "minimum": 0, "maximum": 1, "exclusiveMinimum": True, "exclusiveMaximum": True},
            below=whole(maximum=-5, exclusiveMaximum=True),
            step=whole(minimum=100, multipleOf=64),
            quarter={"type": "number", "multipleOf": 0.25, "minimum": 0.3},
            short=text(maxLength=3),
            long=text(minLength=40),
            arn=text(pattern=r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$"),
            odd=text(pattern="^[QXZ]{2}-[0-9]{3}$"),
            other=text(**{"not": {"enum": ["example"]}}),
            choice=text(enum=["", "B"]),
            null=text(nullable=True, default="b"),
            object=obj(
                "template",
                template={
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                },
            ),
            link=text(**rules(("isURL(self) && url(self).getScheme() == 'https'", "it must be an https address"))),
            wait=text(**rules(("duration(self) >= duration('10s')", "at least ten seconds"))),
            free={**ANYTHING, "minProperties": 1},
        ),
    ),
    kind(
        "dashboards.observability",
        "Dashboard",
        {
            **obj(json=text(), url=text(), name=text(), mode=text(), tier=text(), plan=obj("name", name=text())),
            **rules(
                (
                    "[has(self.json) ? 1 : 0, has(self.url) ? 1 : 0].sum() == 1",
                    "exactly one of json or url must be set",
                ),
                ("has(self.mode) && self.mode.split('-').size() == 1", "spec.mode must be set"),
                (
                    "!has(self.plan) || self.plan.name.lowerAscii() == self.plan.name",
                    "the plan's name is in lower case",
                ),
            ),
        },
    ),
    kind(
        "licences.vendor",
        "Licence",
        obj(
            "key",
            key=text(
                **rules(
                    (
                        "self.split('-').size() == 4 && self.split('-')[3] == string(self.size() * 7)",
                        "the key is not one that the vendor gave out",
                    )
                )
            ),
        ),
        rest="the key is not one that the vendor gave out",
    ),
    kind(
        "tenants.vendor",
        "Tenant",
        {
            **obj("owners", owners=items(text(maxLength=40), maxItems=9)),
            **rules(("self.owners.isSorted() && self.owners.size() > 6", "each of the seven units has an owner")),
        },
        rest="each of the seven units has an owner",
    ),
)
"""Thirty kinds; `rest` marks those whose rules only a person can fulfil."""
