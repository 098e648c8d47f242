"""References in an object's spec to other objects: the claims, ConfigMaps, Secrets and accounts of pods, roles of
bindings…

Only fields of the API server's own kinds with a known meaning count: an address in an argument does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.objects.fields.unstructured import as_map, as_maps, as_text

Reference = tuple[str, str, str]
"""Key of a kind, namespace (empty for cluster-scoped objects) and name."""
Object = Mapping[str, Any]
References = Iterator[Reference]

CLAIMS, CONFIG_MAPS, SECRETS, ACCOUNTS = "persistentvolumeclaims", "configmaps", "secrets", "serviceaccounts"
SERVICES, PODS, VOLUMES, NODES = "services", "pods", "persistentvolumes", "nodes"
DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS = (
    f"{name}.apps" for name in ("deployments", "replicasets", "statefulsets", "daemonsets")
)
CONTROLLERS, JOBS, CRON_JOBS = "replicationcontrollers", "jobs.batch", "cronjobs.batch"
INGRESSES, INGRESS_CLASSES = "ingresses.networking.k8s.io", "ingressclasses.networking.k8s.io"
ROLES, CLUSTER_ROLES, BINDINGS, CLUSTER_BINDINGS = (
    f"{name}.rbac.authorization.k8s.io" for name in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
)
STORAGE_CLASSES, ATTACHMENTS = "storageclasses.storage.k8s.io", "volumeattachments.storage.k8s.io"
PRIORITY_CLASSES, RUNTIME_CLASSES = "priorityclasses.scheduling.k8s.io", "runtimeclasses.node.k8s.io"
VALIDATING, MUTATING = (
    f"{name}webhookconfigurations.admissionregistration.k8s.io" for name in ("validating", "mutating")
)
API_SERVICES, DEFINITIONS = "apiservices.apiregistration.k8s.io", "customresourcedefinitions.apiextensions.k8s.io"

DEFAULT_ACCOUNT = "default"
"""The service account of pods that name none."""


def references(key: str, obj: Object) -> References:
    """References of an object of the kind `key`; one may come twice. Never raises, whatever the object contains."""
    teller = _OF.get(key)
    if teller is None:
        return
    namespace = as_text(as_map(obj.get("metadata")).get("namespace"))
    yield from ((kind, where, name) for kind, where, name in teller(obj, namespace) if name)


# --- pods, and what makes them


def _pod(obj: Object, namespace: str) -> References:
    spec, name = as_map(obj.get("spec")), as_text(as_map(obj.get("metadata")).get("name"))
    yield from ((CLAIMS, namespace, f"{name}-{each}") for each in _ephemeral(spec))
    yield NODES, "", as_text(spec.get("nodeName"))
    phase = as_map(obj.get("status")).get("phase")
    for reference in _pod_spec(spec, namespace):
        # a claim is protected from what has ended, too
        if phase not in ("Succeeded", "Failed") or reference[0] == CLAIMS:
            yield reference


def _ephemeral(spec: Object) -> Iterator[str]:
    return (as_text(each.get("name")) for each in as_maps(spec.get("volumes")) if "ephemeral" in each)


def _template(obj: Object, namespace: str) -> References:
    spec = as_map(as_map(as_map(obj.get("spec")).get("template")).get("spec"))
    if not as_text(spec.get("serviceAccountName")):
        yield ACCOUNTS, namespace, as_text(spec.get("serviceAccount")) or DEFAULT_ACCOUNT
    yield from _pod_spec(spec, namespace)


def _job(obj: Object, namespace: str) -> References:
    conditions = as_maps(as_map(obj.get("status")).get("conditions"))
    over = any(each.get("type") in ("Complete", "Failed") and each.get("status") == "True" for each in conditions)
    return iter(()) if over else _template(obj, namespace)


def _cron_job(obj: Object, namespace: str) -> References:
    return _template(as_map(as_map(obj.get("spec")).get("jobTemplate")), namespace)


def _stateful_set(obj: Object, namespace: str) -> References:
    yield SERVICES, namespace, as_text(as_map(obj.get("spec")).get("serviceName"))
    yield from _template(obj, namespace)


def _pod_spec(spec: Object, namespace: str) -> References:
    yield ACCOUNTS, namespace, as_text(spec.get("serviceAccountName"))
    yield PRIORITY_CLASSES, "", as_text(spec.get("priorityClassName"))
    yield RUNTIME_CLASSES, "", as_text(spec.get("runtimeClassName"))
    yield from ((SECRETS, namespace, _name(each)) for each in as_maps(spec.get("imagePullSecrets")))
    for volume in as_maps(spec.get("volumes")):
        yield from _volume(volume, namespace)
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for container in as_maps(spec.get(field)):
            yield from _environment(container, namespace)


def _volume(volume: Object, namespace: str) -> References:
    yield CLAIMS, namespace, as_text(as_map(volume.get("persistentVolumeClaim")).get("claimName"))
    yield CONFIG_MAPS, namespace, _name(volume.get("configMap"))
    yield SECRETS, namespace, as_text(as_map(volume.get("secret")).get("secretName"))
    for source in as_maps(as_map(volume.get("projected")).get("sources")):
        yield CONFIG_MAPS, namespace, _name(source.get("configMap"))
        yield SECRETS, namespace, _name(source.get("secret"))
    for source in volume.values():  # the drivers that log in to a storage
        yield SECRETS, namespace, _name(as_map(source).get("secretRef"))
        yield SECRETS, namespace, _name(as_map(source).get("nodePublishSecretRef"))
    yield SECRETS, namespace, as_text(as_map(volume.get("azureFile")).get("secretName"))


def _environment(container: Object, namespace: str) -> References:
    for each in as_maps(container.get("envFrom")):
        yield CONFIG_MAPS, namespace, _name(each.get("configMapRef"))
        yield SECRETS, namespace, _name(each.get("secretRef"))
    for each in as_maps(container.get("env")):
        source = as_map(each.get("valueFrom"))
        yield CONFIG_MAPS, namespace, _name(source.get("configMapKeyRef"))
        yield SECRETS, namespace, _name(source.get("secretKeyRef"))


# --- the others


def _claim(obj: Object, namespace: str) -> References:  # noqa: ARG001 - as any other
    spec = as_map(obj.get("spec"))
    yield VOLUMES, "", as_text(spec.get("volumeName"))
    if as_map(obj.get("status")).get("phase") != "Bound":  # one that has its volume needs the class no more
        yield STORAGE_CLASSES, "", as_text(spec.get("storageClassName"))


def _persistent_volume(obj: Object, namespace: str) -> References:  # noqa: ARG001
    """References of a volume; a Secret without a namespace is in the claim's."""
    spec = as_map(obj.get("spec"))
    space = as_text(as_map(spec.get("claimRef")).get("namespace"))
    azure = as_map(spec.get("azureFile"))
    yield SECRETS, as_text(azure.get("secretNamespace")) or space, as_text(azure.get("secretName"))
    for source in spec.values():
        for field, value in as_map(source).items():
            if field.lower().endswith("secretref"):
                yield SECRETS, as_text(as_map(value).get("namespace")) or space, _name(value)


def _attachment(obj: Object, namespace: str) -> References:  # noqa: ARG001
    spec = as_map(obj.get("spec"))
    yield VOLUMES, "", as_text(as_map(spec.get("source")).get("persistentVolumeName"))
    yield NODES, "", as_text(spec.get("nodeName"))


def _account(obj: Object, namespace: str) -> References:
    for field in ("secrets", "imagePullSecrets"):
        yield from ((SECRETS, namespace, _name(each)) for each in as_maps(obj.get(field)))


def _ingress(obj: Object, namespace: str) -> References:
    spec = as_map(obj.get("spec"))
    yield INGRESS_CLASSES, "", as_text(spec.get("ingressClassName"))
    yield from ((SECRETS, namespace, as_text(each.get("secretName"))) for each in as_maps(spec.get("tls")))
    backends = [spec.get("defaultBackend")]
    for rule in as_maps(spec.get("rules")):
        backends += [each.get("backend") for each in as_maps(as_map(rule.get("http")).get("paths"))]
    yield from ((SERVICES, namespace, _name(as_map(each).get("service"))) for each in backends)


def _binding(obj: Object, namespace: str) -> References:
    role = as_map(obj.get("roleRef"))
    if role.get("kind") == "ClusterRole":
        yield CLUSTER_ROLES, "", _name(role)
    elif namespace:
        yield ROLES, namespace, _name(role)
    for each in as_maps(obj.get("subjects")):
        if each.get("kind") == "ServiceAccount":
            yield ACCOUNTS, as_text(each.get("namespace")) or namespace, _name(each)


def _webhooks(obj: Object, namespace: str) -> References:  # noqa: ARG001
    for each in as_maps(obj.get("webhooks")):
        yield _served_by(each.get("clientConfig"))


def _api_service(obj: Object, namespace: str) -> References:  # noqa: ARG001
    yield _served_by(obj.get("spec"))


def _definition(obj: Object, namespace: str) -> References:  # noqa: ARG001
    conversion = as_map(as_map(obj.get("spec")).get("conversion"))
    yield _served_by(as_map(conversion.get("webhook")).get("clientConfig"))


def _served_by(holder: Any) -> Reference:
    service = as_map(as_map(holder).get("service"))
    return SERVICES, as_text(service.get("namespace")), _name(service)


def _name(value: Any) -> str:
    return as_text(as_map(value).get("name"))


_OF: Mapping[str, Callable[[Object, str], References]] = MappingProxyType({
    PODS: _pod,
    DEPLOYMENTS: _template, REPLICA_SETS: _template, DAEMON_SETS: _template, CONTROLLERS: _template,
    STATEFUL_SETS: _stateful_set, JOBS: _job, CRON_JOBS: _cron_job,
    CLAIMS: _claim, VOLUMES: _persistent_volume, ATTACHMENTS: _attachment, ACCOUNTS: _account, INGRESSES: _ingress,
    BINDINGS: _binding, CLUSTER_BINDINGS: _binding,
    VALIDATING: _webhooks, MUTATING: _webhooks, API_SERVICES: _api_service, DEFINITIONS: _definition,
})  # fmt: skip
