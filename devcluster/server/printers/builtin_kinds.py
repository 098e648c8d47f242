"""Printers of the built-in kinds that have no file of their own."""

from __future__ import annotations

from devcluster.server.printers.cell_text import NONE, UNKNOWN, Cell, age, age_of, labels_text, name_of
from devcluster.server.storage.object_codec import Object


def namespace(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), (obj.get("status") or {}).get("phase", ""), age_of(obj, now)]


def node(obj: Object, now: float) -> list[Cell]:
    status = obj.get("status") or {}
    info, addresses = status.get("nodeInfo") or {}, status.get("addresses") or []
    ready = next((c["status"] for c in status.get("conditions") or () if c["type"] == "Ready"), None)
    word = "Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"
    if (obj.get("spec") or {}).get("unschedulable"):
        word += ",SchedulingDisabled"
    prefix = "node-role.kubernetes.io/"
    roles = sorted(key[len(prefix) :] for key in obj["metadata"].get("labels") or {} if key.startswith(prefix))
    where = {a["type"]: a["address"] for a in addresses}
    about = [info.get(key) or UNKNOWN for key in ("osImage", "kernelVersion", "containerRuntimeVersion")]
    places = [where.get("InternalIP", NONE), where.get("ExternalIP", NONE)]
    return [
        name_of(obj),
        word,
        ",".join(roles) or NONE,
        age_of(obj, now),
        info.get("kubeletVersion", ""),
        *places,
        *about,
    ]


def event(obj: Object, now: float) -> list[Cell]:
    about, source, series = (obj.get(name) or {} for name in ("involvedObject", "source", "series"))
    first = obj.get("firstTimestamp") or obj.get("eventTime")
    last = series.get("lastObservedTime") or obj.get("lastTimestamp") or first
    target = f"{about.get('kind', '').lower()}/{about.get('name', '')}"
    component = source.get("component") or obj.get("reportingComponent")
    instance = source.get("host") or obj.get("reportingInstance")
    origin = ", ".join(filter(None, (component, instance)))
    cells = [obj.get("type", ""), obj.get("reason", ""), target, about.get("fieldPath", ""), origin]
    return [
        age(last, now),
        *cells,
        obj.get("message", "").strip(),
        age(first, now),
        series.get("count") or obj.get("count") or 1,
        name_of(obj),
    ]


def config_map(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), age_of(obj, now)]


def secret(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), obj.get("type", ""), len(obj.get("data") or ()), age_of(obj, now)]


def service(obj: Object, now: float) -> list[Cell]:
    spec = obj.get("spec") or {}
    ports = ",".join(f"{p['port']}/{p.get('protocol', 'TCP')}" for p in spec.get("ports") or ()) or NONE
    address = spec.get("clusterIP") or NONE
    external = spec.get("externalName") or (",".join(spec.get("externalIPs") or ()) or NONE)
    return [
        name_of(obj),
        spec.get("type", ""),
        address,
        external,
        ports,
        age_of(obj, now),
        labels_text(spec.get("selector")),
    ]


def account(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), age_of(obj, now)]


def lease(obj: Object, now: float) -> list[Cell]:
    return [name_of(obj), (obj.get("spec") or {}).get("holderIdentity", ""), age_of(obj, now)]


def budget(obj: Object, now: float) -> list[Cell]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    rules = [str(spec.get(name, "N/A")) for name in ("minAvailable", "maxUnavailable")]
    return [name_of(obj), *rules, status.get("disruptionsAllowed", 0), age_of(obj, now)]


def definition(obj: Object, _now: float) -> list[Cell]:
    spec, names = obj["spec"], obj["spec"]["names"]
    versions = ",".join(v["name"] + ("(storage)" if v.get("storage") else "") for v in spec["versions"])
    established = any(c["type"] == "Established" and c["status"] == "True" for c in obj["status"]["conditions"])
    created, short = obj["metadata"]["creationTimestamp"], ",".join(names.get("shortNames") or ())
    return [name_of(obj), spec["scope"], versions, created, spec["group"], names["kind"], short, established]
