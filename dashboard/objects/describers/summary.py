"""The first sentence of a details page: how the object is, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.live.messages import Row
from dashboard.resources.deletion import Deletion, deletion_of
from dashboard.resources.loose import mapping, mappings, text
from dashboard.resources.rows import columns_for
from dashboard.resources.words import Sentence, Words, age, duration, moment_of, pods, times

Teller = Callable[[Row, Mapping[str, Any]], list[Words]]


def sentence_of(key: str, row: Row, obj: Mapping[str, Any], now: float) -> Sentence:  # noqa: ARG001 - ages are written by the browser
    """How the object is. What is wrong with it is `row.reason`, which is not repeated here."""
    if row.deleting is not None:
        asked = deletion_of(obj) or Deletion(row.deleting, 0, row.finalizers)
        status = f"{row.status}, " if row.status not in ("", "Current", "Terminating") else ""
        return (
            Words(f"{status}being deleted for " if status else "Being deleted for "),
            age(asked.asked),
            Words(f"{asked.held}."),
        )
    told = _TELLERS.get(key, _tell_other)(row, obj)
    return (*told, Words("."))


def _tell_pod(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    node, status = text(mapping(obj.get("spec")).get("nodeName")), mapping(obj.get("status"))
    started = moment_of(status.get("startTime")) or row.created
    if row.tone == "bad":
        started = row.since or started  # of what the status says, which is younger than the pod
    state = row.status or "Without a status"
    words = [Words(f"{state} on {node}" if node else f"{state}, on no node yet"), *_for(started)]
    restarts = _cell("pods", row, "restarts")
    if isinstance(restarts, int) and restarts > 0:
        words.append(Words(f", restarted {times(restarts)}"))
        words += _last_exit(status)
    return words


def _last_exit(status: Mapping[str, Any]) -> list[Words]:
    """How the container that ended last did so."""
    ends = [
        mapping(mapping(container.get(field)).get("terminated"))
        for container in mappings(status.get("containerStatuses"))
        for field in ("lastState", "state")
    ]
    ended = [(moment, end) for end in ends if (moment := moment_of(end.get("finishedAt"))) is not None]
    if not ended:
        return []
    moment, last = max(ended, key=lambda pair: pair[0])
    reason = text(last.get("reason"))
    words = f", last exit {last.get('exitCode', 0)}" + (
        f" {reason}" if reason not in ("", "Error", "Completed") else ""
    )
    return [Words(f"{words}, "), age(moment), Words(" ago")]


def _tell_deployment(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    spec, key = mapping(obj.get("spec")), "deployments.apps"
    desired, available, fresh = spec.get("replicas", 1), _cell(key, row, "available"), _cell(key, row, "up-to-date")
    strategy = text(mapping(spec.get("strategy")).get("type"))
    if desired == 0:
        return [Words("Scaled down to no pods"), *_created(row)]
    said = f"{available} of {pods(desired)} available, {fresh} up to date"
    said += f", strategy {strategy}" if strategy else ""
    return [Words(said + (", its rollout is paused" if spec.get("paused") is True else "")), *_created(row)]


def _tell_replicaset(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    desired, ready = mapping(obj.get("spec")).get("replicas", 1), _cell("replicasets.apps", row, "ready")
    if desired == 0:
        return [Words("Scaled down to no pods"), *_created(row)]
    return [Words(f"{ready} of {pods(desired)} ready"), *_created(row)]


def _tell_job(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    status = mapping(obj.get("status"))
    words = [Words(f"{row.status}, {_cell('jobs.batch', row, 'completions')} completions")]
    failed = status.get("failed")
    if isinstance(failed, int) and failed > 0:
        words.append(Words(f", {pods(failed)} failed"))
    started, ended = moment_of(status.get("startTime")), moment_of(status.get("completionTime"))
    failed_at = _since(status, "Failed")
    if started is not None and ended is not None:
        return [*words, Words(f", took {duration(ended - started)}, done "), age(ended), Words(" ago")]
    if started is not None and failed_at is not None:
        gave_up = Words(f", gave up after {duration(failed_at - started)}, ")
        return [*words, gave_up, age(failed_at), Words(" ago")]
    if mapping(obj.get("spec")).get("suspend") is True:  # of one that is done that says nothing any more
        return [*words, Words(", suspended: it starts no pods")]
    return [*words, *_for(started)] if started is not None else [*words, Words(", not started yet")]


def _since(status: Mapping[str, Any], condition: str) -> float | None:
    """When the condition came true; None where it is not."""
    found = (each for each in mappings(status.get("conditions")) if each.get("type") == condition)
    return next((moment_of(each.get("lastTransitionTime")) for each in found if each.get("status") == "True"), None)


def _tell_node(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    status = mapping(obj.get("status"))
    info, room = mapping(status.get("nodeInfo")), mapping(status.get("allocatable"))
    ready = next((c for c in mappings(status.get("conditions")) if c.get("type") == "Ready"), {})
    words = [Words(row.status), *_for(moment_of(ready.get("lastTransitionTime")))]
    if info.get("kubeletVersion"):
        words.append(Words(f", kubelet {info['kubeletVersion']}"))
    if room:
        amounts = (
            f", room for {room.get('pods', '?')} pods, {room.get('cpu', '?')} CPU, {room.get('memory', '?')} memory"
        )
        words.append(Words(amounts))
    if mapping(obj.get("spec")).get("unschedulable"):
        words.append(Words(", takes no new pods"))
    return words


def _tell_mydemo(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    spec = mapping(obj.get("spec"))
    said = f"Points to {text(spec.get('ip')) or 'no address'}, port {text(spec.get('port')) or 'not set'}"
    known = "" if row.status == "Current" else f", {row.status}"
    return [Words(said + known), *_created(row)]


def _tell_event(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    count, last = _cell("events", row, "count"), _cell("events", row, "last-seen")
    about = mapping(obj.get("involvedObject"))
    said = f"{row.status} about {text(about.get('kind'))} {text(about.get('name'))}"
    if not isinstance(last, float | int):
        return [Words(said)]
    often = isinstance(count, int) and count > 1
    return [Words(f"{said}, seen {times(count)}, last " if often else f"{said}, seen "), age(last), Words(" ago")]


def _tell_claim(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    spec, key = mapping(obj.get("spec")), "persistentvolumeclaims"
    wanted = text(mapping(mapping(spec.get("resources")).get("requests")).get("storage"))
    volume, room, group = (_cell(key, row, name) for name in ("volume", "capacity", "storageclass"))
    said = f"{row.status} to {volume}, {room}" if volume and room else f"{row.status}, wants {wanted or 'no size'}"
    return [Words(said + (f", class {group}" if group else "")), *_created(row)]


def _tell_ingress(row: Row, obj: Mapping[str, Any]) -> list[Words]:  # noqa: ARG001 - every teller gets both
    hosts, address, group = (_cell("ingresses.networking.k8s.io", row, name) for name in ("hosts", "address", "class"))
    served = "all hosts" if hosts in (None, "*") else hosts
    said = f"Serves {served} at {address}" if address else f"Serves {served}, at no address yet"
    return [Words(said + (f", class {group}" if group else "")), *_created(row)]


def _tell_autoscaler(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    names = ("reference", "targets", "min-pods", "max-pods", "replicas")
    about, targets, least, most, now = (_cell("horizontalpodautoscalers.autoscaling", row, name) for name in names)
    words = [Words(f"{row.status}: {about} has {pods(now)} of {least or 1} to {most}, {targets or 'no metrics'}")]
    last = moment_of(mapping(obj.get("status")).get("lastScaleTime"))
    return words if last is None else [*words, Words(", scaled last "), age(last), Words(" ago")]


def _tell_budget(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    status = mapping(obj.get("status"))
    allowed = _cell("poddisruptionbudgets.policy", row, "allowed")
    said = f"{row.status}: {pods(allowed)} may be evicted now"
    healthy, expected, needed = (status.get(name) for name in ("currentHealthy", "expectedPods", "desiredHealthy"))
    if healthy is None or not expected:
        return [Words(said), *_created(row)]
    return [Words(f"{said}, {healthy} of {pods(expected)} healthy, {needed} needed"), *_created(row)]


def _tell_definition(row: Row, obj: Mapping[str, Any]) -> list[Words]:
    spec, key = mapping(obj.get("spec")), "customresourcedefinitions.apiextensions.k8s.io"
    kind, versions = text(mapping(spec.get("names")).get("kind")), _cell(key, row, "versions")
    said = f"{row.status}: {kind or 'a kind'} of {text(spec.get('group')) or 'no group'}, {versions or 'no versions'}"
    return [Words(said), *_created(row)]


def _tell_other(row: Row, obj: Mapping[str, Any]) -> list[Words]:  # noqa: ARG001 - every teller gets both
    if row.status not in ("", "Current"):
        return [Words(row.status), *_created(row)]
    return [Words("Created"), *([Words(" "), age(row.created), Words(" ago")] if row.created is not None else [])]


_TELLERS: Mapping[str, Teller] = MappingProxyType({
    "pods": _tell_pod,
    "deployments.apps": _tell_deployment,
    "replicasets.apps": _tell_replicaset,
    "jobs.batch": _tell_job,
    "nodes": _tell_node,
    "mydemos.crddemo.k8s.io": _tell_mydemo,
    "events": _tell_event,
    "persistentvolumeclaims": _tell_claim,
    "ingresses.networking.k8s.io": _tell_ingress,
    "horizontalpodautoscalers.autoscaling": _tell_autoscaler,
    "poddisruptionbudgets.policy": _tell_budget,
    "customresourcedefinitions.apiextensions.k8s.io": _tell_definition,
})  # fmt: skip


def _for(moment: float | None) -> list[Words]:
    return [] if moment is None else [Words(" for "), age(moment)]


def _created(row: Row) -> list[Words]:
    return [] if row.created is None else [Words(", created "), age(row.created), Words(" ago")]


def _cell(key: str, row: Row, column: str) -> Any:
    for definition, cell in zip(columns_for(key), row.cells, strict=False):
        if definition.id == column:
            return cell
    return None
