"""What an object names of others in its spec: the claims, ConfigMaps, Secrets and accounts of pods, roles of bindings…

Only what the API server's own kinds name in fields of a known meaning: an address in an argument is none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.resources.loose import mapping, mappings, text

Reference = tuple[str, str, str]
"""Key of a kind, namespace (empty for what has none) and name."""
Object = Mapping[str, Any]
Found = Iterator[Reference]

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

DEFAULT = "default"
"""The account of pods that name none."""


def references(key: str, whole: Object) -> Found:
    """Of an object of kind `key`; one may come twice. Never raises, whatever the object holds."""
    teller = _OF.get(key)
    if teller is None:
        return
    namespace = text(mapping(whole.get("metadata")).get("namespace"))
    yield from ((kind, where, name) for kind, where, name in teller(whole, namespace) if name)


# --- pods, and what makes them


def _pod(whole: Object, namespace: str) -> Found:
    spec, name = mapping(whole.get("spec")), text(mapping(whole.get("metadata")).get("name"))
    yield from ((CLAIMS, namespace, f"{name}-{each}") for each in _ephemeral(spec))
    yield NODES, "", text(spec.get("nodeName"))
    phase = mapping(whole.get("status")).get("phase")
    for found in _pod_spec(spec, namespace):
        if phase not in ("Succeeded", "Failed") or found[0] == CLAIMS:  # a claim is protected from what has ended, too
            yield found


def _ephemeral(spec: Object) -> Iterator[str]:
    return (text(each.get("name")) for each in mappings(spec.get("volumes")) if "ephemeral" in each)


def _template(whole: Object, namespace: str) -> Found:
    spec = mapping(mapping(mapping(whole.get("spec")).get("template")).get("spec"))
    if not text(spec.get("serviceAccountName")):
        yield ACCOUNTS, namespace, text(spec.get("serviceAccount")) or DEFAULT
    yield from _pod_spec(spec, namespace)


def _job(whole: Object, namespace: str) -> Found:
    conditions = mappings(mapping(whole.get("status")).get("conditions"))
    over = any(each.get("type") in ("Complete", "Failed") and each.get("status") == "True" for each in conditions)
    return iter(()) if over else _template(whole, namespace)


def _cron_job(whole: Object, namespace: str) -> Found:
    return _template(mapping(mapping(whole.get("spec")).get("jobTemplate")), namespace)


def _stateful_set(whole: Object, namespace: str) -> Found:
    yield SERVICES, namespace, text(mapping(whole.get("spec")).get("serviceName"))
    yield from _template(whole, namespace)


def _pod_spec(spec: Object, namespace: str) -> Found:
    yield ACCOUNTS, namespace, text(spec.get("serviceAccountName"))
    yield PRIORITY_CLASSES, "", text(spec.get("priorityClassName"))
    yield RUNTIME_CLASSES, "", text(spec.get("runtimeClassName"))
    yield from ((SECRETS, namespace, _name(each)) for each in mappings(spec.get("imagePullSecrets")))
    for volume in mappings(spec.get("volumes")):
        yield from _volume(volume, namespace)
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for container in mappings(spec.get(field)):
            yield from _environment(container, namespace)


def _volume(volume: Object, namespace: str) -> Found:
    yield CLAIMS, namespace, text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
    yield CONFIG_MAPS, namespace, _name(volume.get("configMap"))
    yield SECRETS, namespace, text(mapping(volume.get("secret")).get("secretName"))
    for source in mappings(mapping(volume.get("projected")).get("sources")):
        yield CONFIG_MAPS, namespace, _name(source.get("configMap"))
        yield SECRETS, namespace, _name(source.get("secret"))
    for source in volume.values():  # the drivers that log in to a storage
        yield SECRETS, namespace, _name(mapping(source).get("secretRef"))
        yield SECRETS, namespace, _name(mapping(source).get("nodePublishSecretRef"))
    yield SECRETS, namespace, text(mapping(volume.get("azureFile")).get("secretName"))


def _environment(container: Object, namespace: str) -> Found:
    for each in mappings(container.get("envFrom")):
        yield CONFIG_MAPS, namespace, _name(each.get("configMapRef"))
        yield SECRETS, namespace, _name(each.get("secretRef"))
    for each in mappings(container.get("env")):
        source = mapping(each.get("valueFrom"))
        yield CONFIG_MAPS, namespace, _name(source.get("configMapKeyRef"))
        yield SECRETS, namespace, _name(source.get("secretKeyRef"))


# --- the others


def _claim(whole: Object, namespace: str) -> Found:  # noqa: ARG001 - as any other
    spec = mapping(whole.get("spec"))
    yield VOLUMES, "", text(spec.get("volumeName"))
    if mapping(whole.get("status")).get("phase") != "Bound":  # one that has its volume needs the class no more
        yield STORAGE_CLASSES, "", text(spec.get("storageClassName"))


def _persistent_volume(whole: Object, namespace: str) -> Found:  # noqa: ARG001
    """A Secret without a namespace is one of its claim's."""
    spec = mapping(whole.get("spec"))
    space = text(mapping(spec.get("claimRef")).get("namespace"))
    azure = mapping(spec.get("azureFile"))
    yield SECRETS, text(azure.get("secretNamespace")) or space, text(azure.get("secretName"))
    for source in spec.values():
        for field, value in mapping(source).items():
            if field.lower().endswith("secretref"):
                yield SECRETS, text(mapping(value).get("namespace")) or space, _name(value)


def _attachment(whole: Object, namespace: str) -> Found:  # noqa: ARG001
    spec = mapping(whole.get("spec"))
    yield VOLUMES, "", text(mapping(spec.get("source")).get("persistentVolumeName"))
    yield NODES, "", text(spec.get("nodeName"))


def _account(whole: Object, namespace: str) -> Found:
    for field in ("secrets", "imagePullSecrets"):
        yield from ((SECRETS, namespace, _name(each)) for each in mappings(whole.get(field)))


def _ingress(whole: Object, namespace: str) -> Found:
    spec = mapping(whole.get("spec"))
    yield INGRESS_CLASSES, "", text(spec.get("ingressClassName"))
    yield from ((SECRETS, namespace, text(each.get("secretName"))) for each in mappings(spec.get("tls")))
    backends = [spec.get("defaultBackend")]
    for rule in mappings(spec.get("rules")):
        backends += [each.get("backend") for each in mappings(mapping(rule.get("http")).get("paths"))]
    yield from ((SERVICES, namespace, _name(mapping(each).get("service"))) for each in backends)


def _binding(whole: Object, namespace: str) -> Found:
    role = mapping(whole.get("roleRef"))
    if role.get("kind") == "ClusterRole":
        yield CLUSTER_ROLES, "", _name(role)
    elif namespace:
        yield ROLES, namespace, _name(role)
    for each in mappings(whole.get("subjects")):
        if each.get("kind") == "ServiceAccount":
            yield ACCOUNTS, text(each.get("namespace")) or namespace, _name(each)


def _webhooks(whole: Object, namespace: str) -> Found:  # noqa: ARG001
    for each in mappings(whole.get("webhooks")):
        yield _served_by(each.get("clientConfig"))


def _api_service(whole: Object, namespace: str) -> Found:  # noqa: ARG001
    yield _served_by(whole.get("spec"))


def _definition(whole: Object, namespace: str) -> Found:  # noqa: ARG001
    conversion = mapping(mapping(whole.get("spec")).get("conversion"))
    yield _served_by(mapping(conversion.get("webhook")).get("clientConfig"))


def _served_by(holder: Any) -> Reference:
    service = mapping(mapping(holder).get("service"))
    return SERVICES, text(service.get("namespace")), _name(service)


def _name(value: Any) -> str:
    return text(mapping(value).get("name"))


_OF: Mapping[str, Callable[[Object, str], Found]] = MappingProxyType({
    PODS: _pod,
    DEPLOYMENTS: _template, REPLICA_SETS: _template, DAEMON_SETS: _template, CONTROLLERS: _template,
    STATEFUL_SETS: _stateful_set, JOBS: _job, CRON_JOBS: _cron_job,
    CLAIMS: _claim, VOLUMES: _persistent_volume, ATTACHMENTS: _attachment, ACCOUNTS: _account, INGRESSES: _ingress,
    BINDINGS: _binding, CLUSTER_BINDINGS: _binding,
    VALIDATING: _webhooks, MUTATING: _webhooks, API_SERVICES: _api_service, DEFINITIONS: _definition,
})  # fmt: skip
