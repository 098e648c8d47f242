"""Fields of pods as operators' definitions repeat them, and the vocabulary of such schemas."""

from __future__ import annotations

from tests.support.forms.schema_builders import (
    BOOLEAN,
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


def _affinity() -> Json:
    term = group(
        {"labelSelector": SELECTOR, "namespaceSelector": SELECTOR, "namespaces": array(STRING), "topologyKey": STRING},
        "topologyKey",
    )
    weighted = group({"podAffinityTerm": term, "weight": INT}, "podAffinityTerm", "weight")
    pods = group(
        {
            "preferredDuringSchedulingIgnoredDuringExecution": array(weighted),
            "requiredDuringSchedulingIgnoredDuringExecution": array(term),
        }
    )
    node = group(
        {
            "matchExpressions": SELECTOR["properties"]["matchExpressions"],
            "matchFields": SELECTOR["properties"]["matchExpressions"],
        }
    )
    nodes = group(
        {
            "preferredDuringSchedulingIgnoredDuringExecution": array(
                group({"preference": node, "weight": INT}, "preference", "weight")
            ),
            "requiredDuringSchedulingIgnoredDuringExecution": group(
                {"nodeSelectorTerms": array(node)}, "nodeSelectorTerms"
            ),
        }
    )
    return group({"nodeAffinity": nodes, "podAffinity": pods, "podAntiAffinity": pods})


def _probe() -> Json:
    port = {**INT_OR_STRING, "description": "Name or number of the port."}
    header = group({"name": STRING, "value": STRING}, "name", "value")
    return group(
        {
            **fields("failureThreshold initialDelaySeconds periodSeconds successThreshold timeoutSeconds", INT),
            "exec": group({"command": array(STRING)}),
            "grpc": group({"port": INT, "service": {**STRING, "default": ""}}, "port"),
            "httpGet": group(
                {"host": STRING, "path": STRING, "scheme": STRING, "port": port, "httpHeaders": array(header)}, "port"
            ),
            "tcpSocket": group({"host": STRING, "port": port}, "port"),
        }
    )


def container() -> Json:
    """A container of a pod, as every operator's CRD has it once more."""
    source = group(
        {
            "configMapKeyRef": SECRET_KEY,
            "secretKeyRef": SECRET_KEY,
            "fieldRef": group(fields("apiVersion fieldPath", STRING), "fieldPath"),
            "resourceFieldRef": group({**fields("containerName resource", STRING), "divisor": QUANTITY}, "resource"),
        }
    )
    hook = {key: _probe()["properties"][key] for key in ("exec", "httpGet", "tcpSocket")}
    port = group(
        {
            **fields("hostIP name", STRING),
            "containerPort": {**INT, "minimum": 1, "maximum": 65535},
            "hostPort": INT,
            "protocol": {"type": "string", "enum": ["TCP", "UDP", "SCTP"], "default": "TCP"},
        },
        "containerPort",
    )
    security = group(
        {
            **fields("allowPrivilegeEscalation privileged readOnlyRootFilesystem runAsNonRoot", BOOLEAN),
            **fields("runAsUser runAsGroup", {"type": "integer", "format": "int64"}),
            "procMount": STRING,
            "capabilities": group({"add": array(STRING), "drop": array(STRING)}),
            "seLinuxOptions": group(fields("level role type user", STRING)),
            "seccompProfile": group(fields("localhostProfile type", STRING), "type"),
            "windowsOptions": group(fields("gmsaCredentialSpec runAsUserName", STRING)),
        }
    )
    return group(
        {
            **fields("image imagePullPolicy name workingDir terminationMessagePath terminationMessagePolicy", STRING),
            **fields("stdin stdinOnce tty", BOOLEAN),
            "args": array(STRING),
            "command": array(STRING),
            "env": array(group({"name": STRING, "value": STRING, "valueFrom": source}, "name"), "name"),
            "envFrom": array(
                group({"prefix": STRING, "configMapRef": group({"name": STRING}), "secretRef": group({"name": STRING})})
            ),
            "lifecycle": group({"postStart": group(hook), "preStop": group(hook)}),
            "livenessProbe": _probe(),
            "readinessProbe": _probe(),
            "startupProbe": _probe(),
            "ports": array(port, "containerPort", "protocol"),
            "resources": group({"limits": mapping(QUANTITY), "requests": mapping(QUANTITY)}),
            "securityContext": security,
            "volumeMounts": array(
                group(
                    {**fields("mountPath name subPath subPathExpr", STRING), "readOnly": BOOLEAN}, "mountPath", "name"
                ),
                "mountPath",
            ),
        },
        "name",
    )


def _volume() -> Json:
    kinds = (
        "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker "
        "gcePersistentDisk gitRepo glusterfs hostPath iscsi nfs portworxVolume quobyte rbd scaleIO "
        "storageos vsphereVolume"
    )
    one = group({**fields("fsType server path volumeID", STRING), "readOnly": BOOLEAN})
    items = array(group({**fields("key path", STRING), "mode": INT}, "key", "path"))
    return group(
        {
            "name": STRING,
            **dict.fromkeys(kinds.split(), one),
            "emptyDir": group({"medium": STRING, "sizeLimit": QUANTITY}),
            "configMap": group({"name": STRING, "optional": BOOLEAN, "defaultMode": INT, "items": items}),
            "secret": group({"secretName": STRING, "optional": BOOLEAN, "defaultMode": INT, "items": items}),
            "persistentVolumeClaim": group({"claimName": STRING, "readOnly": BOOLEAN}, "claimName"),
        },
        "name",
    )


def pod_spec() -> Json:
    toleration = group(
        {**fields("effect key operator value", STRING), "tolerationSeconds": {"type": "integer", "format": "int64"}}
    )
    return {
        **fields(
            "dnsPolicy hostname nodeName priorityClassName restartPolicy schedulerName serviceAccountName", STRING
        ),
        **fields("automountServiceAccountToken hostIPC hostNetwork hostPID shareProcessNamespace", BOOLEAN),
        "affinity": _affinity(),
        "containers": array(container(), "name"),
        "initContainers": array(container(), "name"),
        "ephemeralContainers": array(container(), "name"),
        "imagePullSecrets": array(group({"name": STRING}, "name"), "name"),
        "nodeSelector": mapping(STRING),
        "tolerations": array(toleration),
        "volumes": array(_volume(), "name"),
        "terminationGracePeriodSeconds": {"type": "integer", "format": "int64", "minimum": 0, "default": 30},
    }
