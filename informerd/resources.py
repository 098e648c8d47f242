"""Built-in kinds of Kubernetes 1.37, ready for informers and clients: no discovery is asked.

Made by tools/builtin_resources.py from an API server's discovery. Each is in the version that its group prefers, and is
served without feature gates. Events are those of the core group; events.k8s.io has the same objects.
"""

from __future__ import annotations

from informerd.resource import PODS, Resource

__all__ = [
    "API_SERVICES",
    "BINDINGS",
    "CERTIFICATE_SIGNING_REQUESTS",
    "CLUSTER_ROLES",
    "CLUSTER_ROLE_BINDINGS",
    "CLUSTER_TRUST_BUNDLES",
    "COMPONENT_STATUSES",
    "CONFIG_MAPS",
    "CONTROLLER_REVISIONS",
    "CRON_JOBS",
    "CSI_DRIVERS",
    "CSI_NODES",
    "CSI_STORAGE_CAPACITIES",
    "CUSTOM_RESOURCE_DEFINITIONS",
    "DAEMON_SETS",
    "DEPLOYMENTS",
    "DEVICE_CLASSES",
    "DEVICE_TAINT_RULES",
    "ENDPOINTS",
    "ENDPOINT_SLICES",
    "EVENTS",
    "FLOW_SCHEMAS",
    "HORIZONTAL_POD_AUTOSCALERS",
    "INGRESSES",
    "INGRESS_CLASSES",
    "IP_ADDRESSES",
    "JOBS",
    "LEASES",
    "LIMIT_RANGES",
    "LOCAL_SUBJECT_ACCESS_REVIEWS",
    "MUTATING_ADMISSION_POLICIES",
    "MUTATING_ADMISSION_POLICY_BINDINGS",
    "MUTATING_WEBHOOK_CONFIGURATIONS",
    "NAMESPACES",
    "NETWORK_POLICIES",
    "NODES",
    "PERSISTENT_VOLUMES",
    "PERSISTENT_VOLUME_CLAIMS",
    "PODS",
    "POD_CERTIFICATE_REQUESTS",
    "POD_DISRUPTION_BUDGETS",
    "POD_TEMPLATES",
    "PRIORITY_CLASSES",
    "PRIORITY_LEVEL_CONFIGURATIONS",
    "REPLICATION_CONTROLLERS",
    "REPLICA_SETS",
    "RESOURCE_CLAIMS",
    "RESOURCE_CLAIM_TEMPLATES",
    "RESOURCE_QUOTAS",
    "RESOURCE_SLICES",
    "ROLES",
    "ROLE_BINDINGS",
    "RUNTIME_CLASSES",
    "SECRETS",
    "SELF_SUBJECT_ACCESS_REVIEWS",
    "SELF_SUBJECT_REVIEWS",
    "SELF_SUBJECT_RULES_REVIEWS",
    "SERVICES",
    "SERVICE_ACCOUNTS",
    "SERVICE_CIDRS",
    "STATEFUL_SETS",
    "STORAGE_CLASSES",
    "STORAGE_VERSION_MIGRATIONS",
    "SUBJECT_ACCESS_REVIEWS",
    "TOKEN_REVIEWS",
    "VALIDATING_ADMISSION_POLICIES",
    "VALIDATING_ADMISSION_POLICY_BINDINGS",
    "VALIDATING_WEBHOOK_CONFIGURATIONS",
    "VOLUME_ATTACHMENTS",
    "VOLUME_ATTRIBUTES_CLASSES",
]

_ALL = frozenset(("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"))
API_SERVICES = Resource(
    group="apiregistration.k8s.io",
    version="v1",
    plural="apiservices",
    kind="APIService",
    singular="apiservice",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
BINDINGS = Resource(version="v1", plural="bindings", kind="Binding", singular="binding", verbs=frozenset(["create"]))
CERTIFICATE_SIGNING_REQUESTS = Resource(
    group="certificates.k8s.io",
    version="v1",
    plural="certificatesigningrequests",
    kind="CertificateSigningRequest",
    singular="certificatesigningrequest",
    namespaced=False,
    short_names=("csr",),
    verbs=_ALL,
    subresources=frozenset(["approval", "status"]),
)
CLUSTER_ROLES = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    plural="clusterroles",
    kind="ClusterRole",
    singular="clusterrole",
    namespaced=False,
    verbs=_ALL,
)
CLUSTER_ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    plural="clusterrolebindings",
    kind="ClusterRoleBinding",
    singular="clusterrolebinding",
    namespaced=False,
    verbs=_ALL,
)
CLUSTER_TRUST_BUNDLES = Resource(
    group="certificates.k8s.io",
    version="v1",
    plural="clustertrustbundles",
    kind="ClusterTrustBundle",
    singular="clustertrustbundle",
    namespaced=False,
    verbs=_ALL,
)
COMPONENT_STATUSES = Resource(
    version="v1",
    plural="componentstatuses",
    kind="ComponentStatus",
    singular="componentstatus",
    namespaced=False,
    short_names=("cs",),
    verbs=frozenset(["get", "list"]),
)
CONFIG_MAPS = Resource(
    version="v1", plural="configmaps", kind="ConfigMap", singular="configmap", short_names=("cm",), verbs=_ALL
)
CONTROLLER_REVISIONS = Resource(
    group="apps",
    version="v1",
    plural="controllerrevisions",
    kind="ControllerRevision",
    singular="controllerrevision",
    verbs=_ALL,
)
CRON_JOBS = Resource(
    group="batch",
    version="v1",
    plural="cronjobs",
    kind="CronJob",
    singular="cronjob",
    short_names=("cj",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
CSI_DRIVERS = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="csidrivers",
    kind="CSIDriver",
    singular="csidriver",
    namespaced=False,
    verbs=_ALL,
)
CSI_NODES = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="csinodes",
    kind="CSINode",
    singular="csinode",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
CSI_STORAGE_CAPACITIES = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="csistoragecapacities",
    kind="CSIStorageCapacity",
    singular="csistoragecapacity",
    verbs=_ALL,
)
CUSTOM_RESOURCE_DEFINITIONS = Resource(
    group="apiextensions.k8s.io",
    version="v1",
    plural="customresourcedefinitions",
    kind="CustomResourceDefinition",
    singular="customresourcedefinition",
    namespaced=False,
    short_names=("crd", "crds"),
    categories=("api-extensions",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
DAEMON_SETS = Resource(
    group="apps",
    version="v1",
    plural="daemonsets",
    kind="DaemonSet",
    singular="daemonset",
    short_names=("ds",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
DEPLOYMENTS = Resource(
    group="apps",
    version="v1",
    plural="deployments",
    kind="Deployment",
    singular="deployment",
    short_names=("deploy",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["scale", "status"]),
)
DEVICE_CLASSES = Resource(
    group="resource.k8s.io",
    version="v1",
    plural="deviceclasses",
    kind="DeviceClass",
    singular="deviceclass",
    namespaced=False,
    verbs=_ALL,
)
DEVICE_TAINT_RULES = Resource(
    group="resource.k8s.io",
    version="v1",
    plural="devicetaintrules",
    kind="DeviceTaintRule",
    singular="devicetaintrule",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
ENDPOINTS = Resource(
    version="v1", plural="endpoints", kind="Endpoints", singular="endpoints", short_names=("ep",), verbs=_ALL
)
ENDPOINT_SLICES = Resource(
    group="discovery.k8s.io",
    version="v1",
    plural="endpointslices",
    kind="EndpointSlice",
    singular="endpointslice",
    verbs=_ALL,
)
EVENTS = Resource(version="v1", plural="events", kind="Event", singular="event", short_names=("ev",), verbs=_ALL)
FLOW_SCHEMAS = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    plural="flowschemas",
    kind="FlowSchema",
    singular="flowschema",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
HORIZONTAL_POD_AUTOSCALERS = Resource(
    group="autoscaling",
    version="v2",
    plural="horizontalpodautoscalers",
    kind="HorizontalPodAutoscaler",
    singular="horizontalpodautoscaler",
    short_names=("hpa",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
INGRESSES = Resource(
    group="networking.k8s.io",
    version="v1",
    plural="ingresses",
    kind="Ingress",
    singular="ingress",
    short_names=("ing",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
INGRESS_CLASSES = Resource(
    group="networking.k8s.io",
    version="v1",
    plural="ingressclasses",
    kind="IngressClass",
    singular="ingressclass",
    namespaced=False,
    verbs=_ALL,
)
IP_ADDRESSES = Resource(
    group="networking.k8s.io",
    version="v1",
    plural="ipaddresses",
    kind="IPAddress",
    singular="ipaddress",
    namespaced=False,
    short_names=("ip",),
    verbs=_ALL,
)
JOBS = Resource(
    group="batch",
    version="v1",
    plural="jobs",
    kind="Job",
    singular="job",
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
LEASES = Resource(
    group="coordination.k8s.io", version="v1", plural="leases", kind="Lease", singular="lease", verbs=_ALL
)
LIMIT_RANGES = Resource(
    version="v1", plural="limitranges", kind="LimitRange", singular="limitrange", short_names=("limits",), verbs=_ALL
)
LOCAL_SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="localsubjectaccessreviews",
    kind="LocalSubjectAccessReview",
    singular="localsubjectaccessreview",
    verbs=frozenset(["create"]),
)
MUTATING_ADMISSION_POLICIES = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="mutatingadmissionpolicies",
    kind="MutatingAdmissionPolicy",
    singular="mutatingadmissionpolicy",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
)
MUTATING_ADMISSION_POLICY_BINDINGS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="mutatingadmissionpolicybindings",
    kind="MutatingAdmissionPolicyBinding",
    singular="mutatingadmissionpolicybinding",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
)
MUTATING_WEBHOOK_CONFIGURATIONS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="mutatingwebhookconfigurations",
    kind="MutatingWebhookConfiguration",
    singular="mutatingwebhookconfiguration",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
)
NAMESPACES = Resource(
    version="v1",
    plural="namespaces",
    kind="Namespace",
    singular="namespace",
    namespaced=False,
    short_names=("ns",),
    verbs=frozenset(["create", "delete", "get", "list", "patch", "update", "watch"]),
    subresources=frozenset(["finalize", "status"]),
)
NETWORK_POLICIES = Resource(
    group="networking.k8s.io",
    version="v1",
    plural="networkpolicies",
    kind="NetworkPolicy",
    singular="networkpolicy",
    short_names=("netpol",),
    verbs=_ALL,
)
NODES = Resource(
    version="v1",
    plural="nodes",
    kind="Node",
    singular="node",
    namespaced=False,
    short_names=("no",),
    verbs=_ALL,
    subresources=frozenset(["proxy", "status"]),
)
PERSISTENT_VOLUMES = Resource(
    version="v1",
    plural="persistentvolumes",
    kind="PersistentVolume",
    singular="persistentvolume",
    namespaced=False,
    short_names=("pv",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
PERSISTENT_VOLUME_CLAIMS = Resource(
    version="v1",
    plural="persistentvolumeclaims",
    kind="PersistentVolumeClaim",
    singular="persistentvolumeclaim",
    short_names=("pvc",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
POD_CERTIFICATE_REQUESTS = Resource(
    group="certificates.k8s.io",
    version="v1",
    plural="podcertificaterequests",
    kind="PodCertificateRequest",
    singular="podcertificaterequest",
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
POD_DISRUPTION_BUDGETS = Resource(
    group="policy",
    version="v1",
    plural="poddisruptionbudgets",
    kind="PodDisruptionBudget",
    singular="poddisruptionbudget",
    short_names=("pdb",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
POD_TEMPLATES = Resource(version="v1", plural="podtemplates", kind="PodTemplate", singular="podtemplate", verbs=_ALL)
PRIORITY_CLASSES = Resource(
    group="scheduling.k8s.io",
    version="v1",
    plural="priorityclasses",
    kind="PriorityClass",
    singular="priorityclass",
    namespaced=False,
    short_names=("pc",),
    verbs=_ALL,
)
PRIORITY_LEVEL_CONFIGURATIONS = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    plural="prioritylevelconfigurations",
    kind="PriorityLevelConfiguration",
    singular="prioritylevelconfiguration",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
REPLICATION_CONTROLLERS = Resource(
    version="v1",
    plural="replicationcontrollers",
    kind="ReplicationController",
    singular="replicationcontroller",
    short_names=("rc",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["scale", "status"]),
)
REPLICA_SETS = Resource(
    group="apps",
    version="v1",
    plural="replicasets",
    kind="ReplicaSet",
    singular="replicaset",
    short_names=("rs",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["scale", "status"]),
)
RESOURCE_CLAIMS = Resource(
    group="resource.k8s.io",
    version="v1",
    plural="resourceclaims",
    kind="ResourceClaim",
    singular="resourceclaim",
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
RESOURCE_CLAIM_TEMPLATES = Resource(
    group="resource.k8s.io",
    version="v1",
    plural="resourceclaimtemplates",
    kind="ResourceClaimTemplate",
    singular="resourceclaimtemplate",
    verbs=_ALL,
)
RESOURCE_QUOTAS = Resource(
    version="v1",
    plural="resourcequotas",
    kind="ResourceQuota",
    singular="resourcequota",
    short_names=("quota",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
RESOURCE_SLICES = Resource(
    group="resource.k8s.io",
    version="v1",
    plural="resourceslices",
    kind="ResourceSlice",
    singular="resourceslice",
    namespaced=False,
    verbs=_ALL,
)
ROLES = Resource(
    group="rbac.authorization.k8s.io", version="v1", plural="roles", kind="Role", singular="role", verbs=_ALL
)
ROLE_BINDINGS = Resource(
    group="rbac.authorization.k8s.io",
    version="v1",
    plural="rolebindings",
    kind="RoleBinding",
    singular="rolebinding",
    verbs=_ALL,
)
RUNTIME_CLASSES = Resource(
    group="node.k8s.io",
    version="v1",
    plural="runtimeclasses",
    kind="RuntimeClass",
    singular="runtimeclass",
    namespaced=False,
    verbs=_ALL,
)
SECRETS = Resource(version="v1", plural="secrets", kind="Secret", singular="secret", verbs=_ALL)
SELF_SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectaccessreviews",
    kind="SelfSubjectAccessReview",
    singular="selfsubjectaccessreview",
    namespaced=False,
    verbs=frozenset(["create"]),
)
SELF_SUBJECT_REVIEWS = Resource(
    group="authentication.k8s.io",
    version="v1",
    plural="selfsubjectreviews",
    kind="SelfSubjectReview",
    singular="selfsubjectreview",
    namespaced=False,
    verbs=frozenset(["create"]),
)
SELF_SUBJECT_RULES_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="selfsubjectrulesreviews",
    kind="SelfSubjectRulesReview",
    singular="selfsubjectrulesreview",
    namespaced=False,
    verbs=frozenset(["create"]),
)
SERVICES = Resource(
    version="v1",
    plural="services",
    kind="Service",
    singular="service",
    short_names=("svc",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["proxy", "status"]),
)
SERVICE_ACCOUNTS = Resource(
    version="v1",
    plural="serviceaccounts",
    kind="ServiceAccount",
    singular="serviceaccount",
    short_names=("sa",),
    verbs=_ALL,
    subresources=frozenset(["token"]),
)
SERVICE_CIDRS = Resource(
    group="networking.k8s.io",
    version="v1",
    plural="servicecidrs",
    kind="ServiceCIDR",
    singular="servicecidr",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
STATEFUL_SETS = Resource(
    group="apps",
    version="v1",
    plural="statefulsets",
    kind="StatefulSet",
    singular="statefulset",
    short_names=("sts",),
    categories=("all",),
    verbs=_ALL,
    subresources=frozenset(["scale", "status"]),
)
STORAGE_CLASSES = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="storageclasses",
    kind="StorageClass",
    singular="storageclass",
    namespaced=False,
    short_names=("sc",),
    verbs=_ALL,
)
STORAGE_VERSION_MIGRATIONS = Resource(
    group="storagemigration.k8s.io",
    version="v1",
    plural="storageversionmigrations",
    kind="StorageVersionMigration",
    singular="storageversionmigration",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
SUBJECT_ACCESS_REVIEWS = Resource(
    group="authorization.k8s.io",
    version="v1",
    plural="subjectaccessreviews",
    kind="SubjectAccessReview",
    singular="subjectaccessreview",
    namespaced=False,
    verbs=frozenset(["create"]),
)
TOKEN_REVIEWS = Resource(
    group="authentication.k8s.io",
    version="v1",
    plural="tokenreviews",
    kind="TokenReview",
    singular="tokenreview",
    namespaced=False,
    verbs=frozenset(["create"]),
)
VALIDATING_ADMISSION_POLICIES = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="validatingadmissionpolicies",
    kind="ValidatingAdmissionPolicy",
    singular="validatingadmissionpolicy",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
VALIDATING_ADMISSION_POLICY_BINDINGS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="validatingadmissionpolicybindings",
    kind="ValidatingAdmissionPolicyBinding",
    singular="validatingadmissionpolicybinding",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
)
VALIDATING_WEBHOOK_CONFIGURATIONS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    plural="validatingwebhookconfigurations",
    kind="ValidatingWebhookConfiguration",
    singular="validatingwebhookconfiguration",
    namespaced=False,
    categories=("api-extensions",),
    verbs=_ALL,
)
VOLUME_ATTACHMENTS = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="volumeattachments",
    kind="VolumeAttachment",
    singular="volumeattachment",
    namespaced=False,
    verbs=_ALL,
    subresources=frozenset(["status"]),
)
VOLUME_ATTRIBUTES_CLASSES = Resource(
    group="storage.k8s.io",
    version="v1",
    plural="volumeattributesclasses",
    kind="VolumeAttributesClass",
    singular="volumeattributesclass",
    namespaced=False,
    short_names=("vac",),
    verbs=_ALL,
)
