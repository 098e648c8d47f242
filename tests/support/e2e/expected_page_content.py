"""Expected content of pages, computed from the API server's objects by code independent of theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.support.e2e.cluster_history import Json, Objects, is_leaving, uid, version
from tests.support.e2e.page_recording_check import Subject
from tests.support.e2e.random_changes import MYDEMOS, PODS

WINDOW = 100


def pods_with_restarts(namespace: str) -> tuple[str, Subject]:
    """The address of a filtered and sorted list, and the subject: pods that restarted, most often first."""
    path = f"/resources/pods/?namespace={namespace}&q=restarts%3E1&sort=-restarts"
    return path, Subject("pods by restarts", PODS, _list_part, partial(_list, keep=_restarted, order=_most_restarts))


def all_pods(namespace: str) -> tuple[str, Subject]:
    """A list that does not fit into one page."""
    return f"/resources/pods/?namespace={namespace}", Subject("pods", PODS, _list_part, _list)


def all_mydemos(namespace: str) -> tuple[str, Subject]:
    """The custom resources."""
    path = f"/resources/{MYDEMOS}/?namespace={namespace}"
    return path, Subject("mydemos", MYDEMOS, _list_part, _list)


def details(namespace: str, name: str) -> tuple[str, Subject]:
    """One pod's page."""

    def of(objects: Objects) -> Any:
        found = objects.get(name)
        return None if found is None else [uid(found), version(found)]

    return f"/resources/pods/{namespace}/{name}/", Subject(
        f"details of {name}", PODS, lambda parts: parts["detail"], of
    )


def overview() -> tuple[str, list[Subject]]:
    """Its tiles, and the counts beside every page. There are no pods and mydemos but those of the history."""
    tiles = [
        Subject(f"tile of {kind}", kind, partial(_number, "tiles", kind.replace(".", "-")), len)
        for kind in (PODS, MYDEMOS)
    ]
    return "/", tiles + [counts(kind) for kind in (PODS, MYDEMOS)]


def counts(kind: str) -> Subject:
    """The number of a kind in the navigation."""
    return Subject(f"count of {kind}", kind, partial(_number, "counts", kind), len)


def _number(part: str, key: str, parts: dict[str, Any]) -> Any:
    return parts[part].get(key)


def _list_part(parts: dict[str, Any]) -> Any:
    return parts["list"]


def _list(
    objects: Objects,
    *,
    keep: Callable[[Json], bool] = lambda obj: True,
    order: Callable[[Json], Any] = lambda obj: 0,
) -> Any:
    kept = sorted(filter(keep, objects.values()), key=lambda obj: (order(obj), obj["metadata"]["name"]))
    statuses = Counter(_status(obj) for obj in kept)
    return {
        "rows": [_row(obj) for obj in kept[:WINDOW]],
        "total": len(kept),
        "facets": [[status, count] for status, count in sorted(statuses.items(), key=lambda pair: (-pair[1], pair[0]))],
    }


def _row(obj: Json) -> list[Any]:
    pod = "containers" in obj["spec"]
    last = _restarts(obj) if pod else obj["spec"]["port"]
    return [uid(obj), version(obj), obj["metadata"]["name"], _status(obj), str(last)]


def _containers(obj: Json) -> list[Json]:
    return list(obj.get("status", {}).get("containerStatuses", []))


def _restarts(obj: Json) -> int:
    return sum(int(container["restartCount"]) for container in _containers(obj))


def _restarted(obj: Json) -> bool:
    return _restarts(obj) > 1


def _most_restarts(obj: Json) -> int:
    return -_restarts(obj)


def _status(obj: Json) -> str:
    """As kubectl prints it, of the pods that there are here; of what has no status, that it is as it was last asked."""
    if is_leaving(obj):
        return "Terminating"
    if "status" not in obj:
        return "Not reported"
    waiting = [container["state"].get("waiting", {}).get("reason") for container in _containers(obj)]
    return str(next((reason for reason in waiting if reason), obj["status"]["phase"]))
