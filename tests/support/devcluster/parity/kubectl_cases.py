"""kubectl commands whose output is compared between the demo cluster and the real API server.

Cases that write have a namespace of their own, those that read share one; it holds what `MANIFEST` says. ``{ns}``
stands for it, ``{node}`` for a node of its own and ``{file}`` for the manifest. Neither server has running controllers,
so their results (pods of a Deployment) are written by the setup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: "{ns}", labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: c, image: "nginx:1", ports: [{containerPort: 80}], resources: {requests: {cpu: "0.1", memory: 128Mi}}}
---
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata: {name: one, namespace: "{ns}", labels: {tier: front}}
spec: {ip: 10.0.0.1, port: 80}
---
apiVersion: crddemo.k8s.io/v1
kind: Mydemo
metadata: {name: two, namespace: "{ns}"}
spec: {ip: 10.0.0.2, port: 8}
---
apiVersion: v1
kind: Service
metadata: {name: s1, namespace: "{ns}"}
spec: {selector: {app: web}, clusterIP: None, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c1, namespace: "{ns}"}
data: {a: "1", b: "two\\nlines\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: s1, namespace: "{ns}"}
stringData: {a: "1"}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: sa1, namespace: "{ns}"}
---
apiVersion: v1
kind: Node
metadata: {name: "{node}", labels: {kubernetes.io/hostname: "{node}"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p1, namespace: "{ns}", labels: {app: x}}
spec: {nodeName: "{node}", containers: [{name: c, image: "nginx:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p2, namespace: "{ns}", labels: {app: other}}
spec: {containers: [{name: c, image: nginx}], initContainers: [{name: i, image: "b:2"}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: r1, namespace: "{ns}"}
spec:
  selector: {matchLabels: {app: r}}
  template: {metadata: {labels: {app: r}}, spec: {containers: [{name: c, image: "nginx:1"}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j1, namespace: "{ns}"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "nginx:1"}]}}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: l1, namespace: "{ns}"}
spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z"}
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: "{ns}"}
involvedObject: {kind: Pod, name: p1, namespace: "{ns}"}
reason: Scheduled
message: Successfully assigned
type: Normal
count: 3
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: {component: default-scheduler}
"""


@dataclass(frozen=True)
class KubectlCase:
    """Commands of one case, in order, and the text `says` that their output must contain."""

    name: str
    commands: tuple[str, ...]
    says: str
    editor: str = ""
    """The command that stands for the person at the editor."""
    finds_all: bool = False
    """Whether no command may end with an error."""


_KINDS = "pods,deploy,rs,job,svc,cm,secret,sa,lease,mydemos,events.v1."
_NAMES = "pod/p1 deploy/web rs/r1 job/j1 svc/s1 cm/c1 secret/s1 sa/sa1 lease/l1 mydemo/one events.v1./e1 node/{node}"
_STATUS = '{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2}}'


def _reading() -> Iterator[KubectlCase]:
    yield KubectlCase("get several kinds", (f"get {_KINDS}",), "mydemo.crddemo.k8s.io/one")
    yield KubectlCase("get all", ("get all", "get all --show-labels"), "deployment.apps/web")
    yield KubectlCase("get wide", (f"get {_KINDS} -o wide", "get node {node} -o wide"), "nginx:1")
    yield KubectlCase("get as names", (f"get {_KINDS} -o name",), "lease.coordination.k8s.io/l1")
    for names in ("pod/p1", f"{_NAMES} pod/p2 ns/{{ns}}"):
        plain = f"get {names} -o yaml", f"get {names} -o json"
        yield KubectlCase(f"get {names} as YAML and JSON", plain, "resourceVersion", finds_all=True)
    conditions = "NamesAccepted", "Established", "KubernetesAPIApprovalPolicyConformant"  # the order is left to chance
    shown = "{.spec}{.status.acceptedNames}" + "".join(f'{{.status.conditions[?(@.type=="{c}")]}}' for c in conditions)
    yield KubectlCase("a definition", (f"get crd mydemos.crddemo.k8s.io -o 'jsonpath={shown}'",), "not approved")
    yield KubectlCase("get of all namespaces", ("get pods -A --field-selector metadata.namespace={ns}",), "NAMESPACE")
    for path in (".metadata.name", ".spec.nodeName", ".metadata.labels.app", "{.spec.containers[0].image}"):
        yield KubectlCase(f"sorted by {path}", (f"get pods --sort-by={path}",), "p2")
    yield KubectlCase("sorted as wide", ("get mydemos --sort-by=.spec.port -o wide",), "two")
    for selector in ("app=x", "app!=x", "app in (x,y)", "app notin (x)", "app", "!app", "app=x,other", "app=none"):
        yield KubectlCase(f"by label {selector}", (f"get pods -o wide -l '{selector}'",), "")
    for selector in ("status.phase=Pending", "spec.nodeName={node}", "metadata.name!=p1", "foo=x", "status.phase=Gone"):
        yield KubectlCase(f"by field {selector}", (f"get pods --field-selector {selector}",), "")
    columns = "N:.metadata.name,P:.status.phase,L:.metadata.labels.app"
    yield KubectlCase("columns of one's own", (f"get pods -o custom-columns={columns}", "get pods -L app"), "Pending")
    yield KubectlCase("jsonpath", ("get mydemos -o 'jsonpath={.items[*].spec.port}'",), "80 8")
    yield KubectlCase(
        "what is not there", ("get pod none", "get nosuch", "get mydemo none", "describe cm no"), "nosuch"
    )
    yield KubectlCase("describe", (f"describe {_NAMES}",), "Name:", finds_all=True)
    for path in ("mydemos.spec", "mydemos.spec.ip", "mydemos.spec --recursive", "mydemos.nosuch", "nosuch"):
        yield KubectlCase(f"explain {path}", (f"explain {path}",), "")


def _creating() -> Iterator[KubectlCase]:
    for what, name in (
        ("namespace {ns}-2", "ns {ns}-2"),
        ("deployment w3 --image=nginx --replicas=2 --port=80", "deploy w3"),
        ("deployment w0 --image=nginx --replicas=0", "deploy w0"),
        ("configmap c9 --from-literal=a=b", "cm c9"),
        ("secret generic s9 --from-literal=a=b", "secret s9"),
        ("service clusterip svc9 --clusterip=None --tcp=80:8080", "svc svc9"),
        ("job j9 --image=busybox -- date", "job j9"),
        ("serviceaccount sa9", "sa sa9"),
    ):  # fmt: skip
        yield KubectlCase(f"create {what}", (f"create {what}", f"get {name} -o yaml", f"create {what}"), "exists")
    yield KubectlCase("create as a dry run", ("create cm x --dry-run=server -o name", "get cm x"), "NotFound")
    yield KubectlCase("create from a file", ("create -f {file}",), "AlreadyExists")
    yield KubectlCase("run", ("run r9 --image=nginx --labels=a=b", "get pod r9 -o yaml"), "pod/r9 created")
    yield KubectlCase("expose", ("expose deploy web --port=80 --cluster-ip=None", "get svc web -o yaml"), "exposed")
    yield KubectlCase("apply twice", ("apply -f {file}", "apply -f {file}"), "unchanged")
    yield KubectlCase("apply as a dry run", ("apply -f {file} --dry-run=server",), "(server dry run)")


def _changing() -> Iterator[KubectlCase]:
    ip = "sed -i s/10.0.0.1/10.0.0.9/"
    yield KubectlCase("edit", ("edit mydemo one", "get mydemo one -o yaml"), "edited", ip)
    image = ("edit deploy web", "get deploy web -o yaml")
    yield KubectlCase("edit a deployment", image, "nginx:9", "sed -i s/nginx:1/nginx:9/")
    yield KubectlCase("edit nothing", ("edit deploy web",), "no changes", "true")
    yield KubectlCase("edit badly", ("edit mydemo one",), "is invalid", "sed -i s/10.0.0.1/bad/")
    yield KubectlCase("edit the status", ("edit deploy web --subresource=status",), "no changes", "true")
    for what, patch in (
        ("deploy web --type=strategic", '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"e"}]}}}}'),
        ("deploy web", '{"spec":{"template":{"spec":{"containers":[{"name":"c","$patch":"delete"}]}}}}'),
        ("deploy web --type=merge", '{"metadata":{"labels":{"m":"1","app":null}}}'),
        ("deploy web --type=json", '[{"op":"replace","path":"/spec/replicas","value":4}]'),
        ("deploy web --type=json", '[{"op":"test","path":"/spec/replicas","value":3}]'),
        ("deploy web --type=json", '[{"op":"replace","path":"/nope/x","value":4}]'),
        ("mydemo one --type=merge", '{"spec":{"port":1}}'), ("mydemo one --type=strategic", '{"spec":{"port":1}}'),
        ("mydemo one --type=merge", '{"spec":{"port":0}}'), ("mydemo one --type=merge", '{"metadata":{"labels":null}}'),
        ("deploy web --subresource=status --type=merge", _STATUS),
        ("deploy web --subresource=scale --type=merge", '{"spec":{"replicas":3}}'),
        ("deploy web --subresource=scale --type=merge", '{"spec":{"replicas":-3}}'),
        ("deploy web --subresource=scale --type=json", '[{"op":"replace","path":"/spec/replicas","value":5}]'),
    ):  # fmt: skip
        kind = what.split(" --")[0]
        yield KubectlCase(f"patch {what} {patch}", (f"patch {what} -p '{patch}'", f"get {kind} -o yaml"), "kind")
    yield KubectlCase(
        "label", ("label pod p1 c=red", "label pod p1 c=blue", "label pod p1 c=blue --overwrite", "label pods --all c-",
                  "label pods -l app=x a=b", "label pod p1 a=b/c", "label pod p2 --list"), "overwrite",
    )  # fmt: skip
    notes = ("annotate mydemo one note=x", "annotate mydemo one note=y", "get mydemo one -o yaml")
    yield KubectlCase("annotate", (*notes, "annotate mydemo one note-"), "annotated")
    scaled = (
        "scale deploy web --replicas=5",
        "scale deploy web --replicas=6 --current-replicas=1",
        "scale rs r1 --replicas=2",
    )
    refused = ("scale mydemo one --replicas=2", "scale deploy none --replicas=2", "get deploy web -o yaml")
    yield KubectlCase("scale", (*scaled, *refused), "scaled")
    yield KubectlCase(
        "the scale", ("get deploy web --subresource=scale -o yaml", "get rs r1 --subresource=scale -o yaml"), "Scale"
    )
    yield KubectlCase(
        "set", ("set image deploy/web c=nginx:7", "set env deploy/web A=b", "get deploy web -o yaml"), "nginx:7"
    )
    yield KubectlCase(
        "set resources", ("set resources deploy/web --limits=cpu=1,memory=0.5Gi", "get deploy web -o yaml"), "512Mi"
    )


def _rolling() -> Iterator[KubectlCase]:
    rolled = f"patch deploy web --subresource=status --type=merge -p '{_STATUS}'"
    yield KubectlCase("rollout status", (rolled, "rollout status deploy web --timeout=5s"), "successfully rolled out")
    yield KubectlCase("rollout status of none", ("rollout status deploy web --timeout=1s",), "Waiting for deployment")
    waits = ("rollout restart deploy web", "get deploy web -o yaml", "rollout status deploy web --watch=false")
    yield KubectlCase("rollout restart", waits, "restartedAt")
    yield KubectlCase(
        "rollout pause", ("rollout pause deploy web", "rollout pause deploy web", "rollout resume deploy web"), "paused"
    )
    made = "create pdb b1 --selector=app=web --min-available=50%"
    yield KubectlCase("budget", (made, "get pdb", "get pdb b1 -o yaml", "describe pdb b1"), "b1")
    yield KubectlCase("drain", ("drain {node} --dry-run=server --force", "drain {node}"), "drained")
    yield KubectlCase("rollout history", ("rollout history deploy web",), "No rollout history")
    yield KubectlCase(
        "wait for a condition", ("wait --for=condition=Established crd/mydemos.crddemo.k8s.io --timeout=5s",), "met"
    )
    yield KubectlCase("wait for a value", ("wait --for=jsonpath={.spec.port}=80 mydemo/one --timeout=5s",), "met")
    yield KubectlCase("wait in vain", ("wait --for=condition=Ready pod/p1 --timeout=1s",), "timed out")
    yield KubectlCase("wait for a creation", ("wait --for=create cm/c1 --timeout=5s",), "met")


def _deleting() -> Iterator[KubectlCase]:
    yield KubectlCase("delete", ("delete mydemo one", "delete mydemo one", "get mydemos -o name"), "deleted")
    yield KubectlCase(
        "delete without waiting", ("delete pod p1 --wait=false", "get pod p1 -o yaml"), "deletionTimestamp"
    )
    yield KubectlCase(
        "delete at once", ("delete pod p1 --now=false --grace-period=0 --force", "get pod p1"), "NotFound"
    )
    yield KubectlCase("delete by label", ("delete pods -l app=other", "get pods -o name"), "p1")
    yield KubectlCase("delete all", ("delete cm,secret --all", "get cm,secret -o name"), "deleted")
    yield KubectlCase(
        "delete and wait for it",
        ("delete mydemo one --wait=true", "wait --for=delete mydemo/one --timeout=5s"),
        "deleted",
    )
    yield KubectlCase("delete in the background", ("delete rs r1 --cascade=background", "get rs"), "deleted")
    yield KubectlCase(
        "delete as a dry run", ("delete mydemo one --dry-run=server", "get mydemo one -o name"), "dry run"
    )
    yield KubectlCase("delete a file", ("delete -f {file} --wait=false", "get mydemos"), "deleted")
    yield KubectlCase("delete what may not be", ("delete ns default",), "Forbidden")
    for policy in ("orphan", "foreground"):
        commands = (f"delete deploy web --cascade={policy} --wait=false",)
        yield KubectlCase(f"delete with --cascade={policy}", commands, "deleted")


READING_CASES: tuple[KubectlCase, ...] = (*_reading(),)
WRITING_CASES: tuple[KubectlCase, ...] = (*_creating(), *_changing(), *_rolling(), *_deleting())
