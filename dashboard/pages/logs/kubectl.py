"""kubectl commands that print the same logs as a page."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.pages.details.node_pods import PODS
from dashboard.pages.feed.time_range import duration_param, iso
from dashboard.pages.logs.log_subject import LogSubject
from dashboard.pages.logs.query import LogsQuery

MAX_COMMANDS = 10
PODS_FOUND_BY_KUBECTL = frozenset(
    {"deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "jobs.batch"}
)
"""Kinds of which kubectl finds the pods by itself."""


def logs_commands(subject: LogSubject, query: LogsQuery, pods: Sequence[tuple[str, str]]) -> str:
    """What follows ``kubectl``, a line each; `pods` are namespaces and names of those that are shown."""
    options = _options(query)
    if subject.kind is not None and subject.kind.key in PODS_FOUND_BY_KUBECTL and not query.pods:
        name = f"{subject.kind.resource.singular or subject.kind.resource.plural}/{subject.name}"
        return kubectl_arguments(
            "logs", names=[name], namespace=subject.namespace, options=["--all-pods", "--prefix", *options]
        )
    lines = [
        kubectl_arguments("logs", names=[name], namespace=namespace, options=options)
        for namespace, name in pods[:MAX_COMMANDS]
    ]
    if subject.kind is not None and subject.kind.key == PODS and not lines:
        lines = [kubectl_arguments("logs", names=[subject.name], namespace=subject.namespace, options=options)]
    return "\n".join(lines)


def _options(query: LogsQuery) -> list[str]:
    options = ["-c", query.containers[0]] if len(query.containers) == 1 else ["--all-containers"]
    options += ["--timestamps"]
    if query.span.last is not None:
        options += [f"--since={duration_param(query.span.last)}"]
    elif query.span.begin is not None:
        options += [f"--since-time={iso(query.span.begin)}"]
    elif not query.filter and not query.previous:
        options += ["--tail=1000"]
    if query.previous:
        options += ["--previous"]
    elif query.is_live:
        options += ["-f"]
    return options
