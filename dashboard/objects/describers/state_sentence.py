"""First sentence of a details page, on the state of the object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dashboard.objects.describers.deletion import Deletion, deletion_of
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text
from dashboard.objects.health import WITHOUT_VERDICT
from dashboard.objects.kinds.row import Row
from dashboard.objects.printers import columns_for
from dashboard.runtime.counts_and_times import format_duration, format_pod_count, format_times, parse_timestamp
from dashboard.runtime.text_with_links import Sentence, TextPiece, age_piece

_RESTARTED = re.compile(r", restarted (?:once|\d+ times)$")

Summarizer = Callable[[Row, Mapping[str, Any]], list[TextPiece]]


def summarize(key: str, row: Row, obj: Mapping[str, Any], now: float) -> Sentence:  # noqa: ARG001 - ages are written by the browser
    """The state of the object. What is wrong with it is in `row.reason` (see `reason_beside`)."""
    if row.deleting is not None:
        deletion = deletion_of(obj) or Deletion(row.deleting, 0, row.finalizers)
        status = f"{row.status}, " if row.status not in ("", "Current", "Terminating") else ""
        return (
            TextPiece(f"{status}being deleted for " if status else "Being deleted for "),
            age_piece(deletion.requested_at),
            TextPiece(f"{deletion.wait_text}."),
        )
    pieces = _TELLERS.get(key, _tell_other)(row, obj)
    return (*pieces, TextPiece("."))


def reason_beside(summary: Sentence, reason: str) -> str:
    """`row.reason` for a page that shows the sentence before it: without the number of restarts that this says."""
    words, found = "".join(piece.text for piece in summary), _RESTARTED.search(reason)
    return reason[: found.start()] if found is not None and found[0] in words else reason


def _tell_pod(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    node, status = as_text(as_map(obj.get("spec")).get("nodeName")), as_map(obj.get("status"))
    started = parse_timestamp(status.get("startTime")) or row.created
    state, restarts = row.status or "Without a status", _cell("pods", row, "restarts")
    where = [TextPiece(f"{state} on {node}" if node else f"{state}, on no node yet")]
    since = (row.since or started) if row.tone == "bad" else started  # the status may be younger than the pod
    has_restarts = isinstance(restarts, int) and restarts > 0
    is_unknown = row.since is None and row.tone == "bad"  # of a crash loop it is not known since when
    words = [*where, *([] if has_restarts and is_unknown else _for(since))]
    if has_restarts:
        words.append(TextPiece(f", restarted {format_times(restarts)}"))
        if is_unknown and started is not None:
            words += [TextPiece(" since the pod started "), age_piece(started), TextPiece(" ago")]
        words += _last_exit(status)
    return words


def _last_exit(status: Mapping[str, Any]) -> list[TextPiece]:
    """How the container that ended last has ended."""
    ends = [
        as_map(as_map(container.get(field)).get("terminated"))
        for container in as_maps(status.get("containerStatuses"))
        for field in ("lastState", "state")
    ]
    ended = [(moment, end) for end in ends if (moment := parse_timestamp(end.get("finishedAt"))) is not None]
    if not ended:
        return []
    moment, last = max(ended, key=lambda pair: pair[0])
    reason = as_text(last.get("reason"))
    words = f", last exit {last.get('exitCode', 0)}" + (
        f" {reason}" if reason not in ("", "Error", "Completed") else ""
    )
    return [TextPiece(f"{words}, "), age_piece(moment), TextPiece(" ago")]


def _tell_deployment(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    spec, key = as_map(obj.get("spec")), "deployments.apps"
    desired, available, fresh = spec.get("replicas", 1), _cell(key, row, "available"), _cell(key, row, "up-to-date")
    strategy = as_text(as_map(spec.get("strategy")).get("type"))
    if desired == 0:
        return [TextPiece("Scaled down to no pods"), *_created(row)]
    words = f"{available} of {format_pod_count(desired)} available, {fresh} up to date"
    words += f", strategy {strategy}" if strategy else ""
    return [TextPiece(words + (", its rollout is paused" if spec.get("paused") is True else "")), *_created(row)]


def _tell_replicaset(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    desired, ready = as_map(obj.get("spec")).get("replicas", 1), _cell("replicasets.apps", row, "ready")
    if desired == 0:
        return [TextPiece("Scaled down to no pods"), *_created(row)]
    return [TextPiece(f"{ready} of {format_pod_count(desired)} ready"), *_created(row)]


def _tell_job(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    status = as_map(obj.get("status"))
    words = [TextPiece(f"{row.status}, {_cell('jobs.batch', row, 'completions')} completions")]
    failed = status.get("failed")
    if isinstance(failed, int) and failed > 0:
        words.append(TextPiece(f", {format_pod_count(failed)} failed"))
    started, ended = parse_timestamp(status.get("startTime")), parse_timestamp(status.get("completionTime"))
    failed_at = _since(status, "Failed")
    if started is not None and ended is not None:
        return [
            *words,
            TextPiece(f", took {format_duration(ended - started)}, done "),
            age_piece(ended),
            TextPiece(" ago"),
        ]
    if started is not None and failed_at is not None:
        gave_up = TextPiece(f", gave up after {format_duration(failed_at - started)}, ")
        return [*words, gave_up, age_piece(failed_at), TextPiece(" ago")]
    if as_map(obj.get("spec")).get("suspend") is True:  # of one that is done that says nothing any more
        return [*words, TextPiece(", suspended: it starts no pods")]
    return [*words, *_for(started)] if started is not None else [*words, TextPiece(", not started yet")]


def _since(status: Mapping[str, Any], condition: str) -> float | None:
    """When the condition came true; None where it is not."""
    matching = (each for each in as_maps(status.get("conditions")) if each.get("type") == condition)
    return next(
        (parse_timestamp(each.get("lastTransitionTime")) for each in matching if each.get("status") == "True"), None
    )


def _tell_node(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    status = as_map(obj.get("status"))
    info, room = as_map(status.get("nodeInfo")), as_map(status.get("allocatable"))
    ready = next((c for c in as_maps(status.get("conditions")) if c.get("type") == "Ready"), {})
    words = [TextPiece(row.status), *_for(parse_timestamp(ready.get("lastTransitionTime")))]
    if info.get("kubeletVersion"):
        words.append(TextPiece(f", kubelet {info['kubeletVersion']}"))
    if room:
        amounts = (
            f", room for {room.get('pods', '?')} pods, {room.get('cpu', '?')} CPU, {room.get('memory', '?')} memory"
        )
        words.append(TextPiece(amounts))
    if as_map(obj.get("spec")).get("unschedulable"):
        words.append(TextPiece(", takes no new pods"))
    return words


def _tell_mydemo(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    spec = as_map(obj.get("spec"))
    words = f"Points to {as_text(spec.get('ip')) or 'no address'}, port {as_text(spec.get('port')) or 'not set'}"
    known = "" if row.status in WITHOUT_VERDICT else f", {row.status}"
    return [TextPiece(words + known), *_created(row)]


def _tell_event(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    count, last = _cell("events", row, "count"), _cell("events", row, "last-seen")
    about = as_map(obj.get("involvedObject"))
    words = f"{row.status} about {as_text(about.get('kind'))} {as_text(about.get('name'))}"
    if not isinstance(last, float | int):
        return [TextPiece(words)]
    often = isinstance(count, int) and count > 1
    return [
        TextPiece(f"{words}, seen {format_times(count)}, last " if often else f"{words}, seen "),
        age_piece(last),
        TextPiece(" ago"),
    ]


def _tell_claim(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    spec, key = as_map(obj.get("spec")), "persistentvolumeclaims"
    wanted = as_text(as_map(as_map(spec.get("resources")).get("requests")).get("storage"))
    volume, room, group = (_cell(key, row, name) for name in ("volume", "capacity", "storageclass"))
    words = f"{row.status} to {volume}, {room}" if volume and room else f"{row.status}, wants {wanted or 'no size'}"
    return [TextPiece(words + (f", class {group}" if group else "")), *_created(row)]


def _tell_ingress(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:  # noqa: ARG001 - every teller gets both
    hosts, address, group = (_cell("ingresses.networking.k8s.io", row, name) for name in ("hosts", "address", "class"))
    served = "all hosts" if hosts in (None, "*") else hosts
    words = f"Serves {served} at {address}" if address else f"Serves {served}, at no address yet"
    return [TextPiece(words + (f", class {group}" if group else "")), *_created(row)]


def _tell_autoscaler(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    names = ("reference", "targets", "min-pods", "max-pods", "replicas")
    about, targets, least, most, now = (_cell("horizontalpodautoscalers.autoscaling", row, name) for name in names)
    words = [
        TextPiece(
            f"{row.status}: {about} has {format_pod_count(now)} of {least or 1} to {most}, {targets or 'no metrics'}"
        )
    ]
    last = parse_timestamp(as_map(obj.get("status")).get("lastScaleTime"))
    return words if last is None else [*words, TextPiece(", scaled last "), age_piece(last), TextPiece(" ago")]


def _tell_budget(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    status = as_map(obj.get("status"))
    allowed = _cell("poddisruptionbudgets.policy", row, "allowed")
    words = f"{row.status}: {format_pod_count(allowed)} may be evicted now"
    healthy, expected, needed = (status.get(name) for name in ("currentHealthy", "expectedPods", "desiredHealthy"))
    if healthy is None or not expected:
        return [TextPiece(words), *_created(row)]
    return [TextPiece(f"{words}, {healthy} of {format_pod_count(expected)} healthy, {needed} needed"), *_created(row)]


def _tell_definition(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:
    spec, key = as_map(obj.get("spec")), "customresourcedefinitions.apiextensions.k8s.io"
    kind, versions = as_text(as_map(spec.get("names")).get("kind")), _cell(key, row, "versions")
    words = (
        f"{row.status}: {kind or 'a kind'} of {as_text(spec.get('group')) or 'no group'}, {versions or 'no versions'}"
    )
    return [TextPiece(words), *_created(row)]


def _tell_other(row: Row, obj: Mapping[str, Any]) -> list[TextPiece]:  # noqa: ARG001 - every teller gets both
    if row.status not in {"", "Current"} | WITHOUT_VERDICT:
        return [TextPiece(row.status), *_created(row)]
    return [
        TextPiece("Created"),
        *([TextPiece(" "), age_piece(row.created), TextPiece(" ago")] if row.created is not None else []),
    ]


_TELLERS: Mapping[str, Summarizer] = MappingProxyType({
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


def _for(moment: float | None) -> list[TextPiece]:
    return [] if moment is None else [TextPiece(" for "), age_piece(moment)]


def _created(row: Row) -> list[TextPiece]:
    return [] if row.created is None else [TextPiece(", created "), age_piece(row.created), TextPiece(" ago")]


def _cell(key: str, row: Row, column: str) -> Any:
    for definition, cell in zip(columns_for(key), row.cells, strict=False):
        if definition.id == column:
            return cell
    return None
