"""Eviction subresource of pods, which deletes a pod if the PodDisruptionBudgets allow it.

The status of a budget is written by a controller (the workload's, or kube-controller-manager); this module trusts it
and counts it down. Source: Kubernetes' pkg/registry/core/pod/storage/eviction.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import msgspec

from devcluster.server.api_errors import bad_request, budget_holds, not_found, plain_error
from devcluster.server.kinds import BUDGETS, EVICTIONS, PODS
from devcluster.server.registry.deletion import Deletion
from devcluster.server.registry.verbs import VerbResult
from devcluster.server.registry.write_checks import check_request_namespace
from devcluster.server.request_options import DeleteOptions, WriteOptions, delete_options
from devcluster.server.storage import object_codec as objects
from devcluster.server.storage.object_codec import Object
from devcluster.server.storage.selectors import parse_labels, selector_text
from devcluster.server.storage.store import Store
from devcluster.server.times import timestamp

_FINISHED = ("Succeeded", "Failed")
_TWICE = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_TARGET = {"type": "DisruptionTarget", "status": "True", "lastProbeTime": None, "reason": "EvictionByEvictionAPI"}
_DONE = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


class Evictions:
    """Evicts pods of one store. `now` gives Unix seconds."""

    def __init__(self, store: Store, deletion: Deletion, *, now: Callable[[], float]) -> None:
        self._store = store
        self._deletion = deletion
        self._now = now

    def evict(self, namespace: str, name: str, eviction: Object, options: WriteOptions) -> VerbResult:
        """Raises Failure: 400, 404, 409, 422, 429 where a budget holds the pod, 500 where two budgets select it."""
        check_request_namespace(EVICTIONS, namespace, eviction)
        if eviction["metadata"].get("name", "") != name:
            raise bad_request("name in URL does not match name in Eviction object")
        wishes = _delete_options(eviction, options)
        record = self._store.get(PODS.key, (namespace, name))
        if record is None:
            raise not_found(PODS, name)
        pod = objects.decode(record)
        if not _needs_no_budget(pod):
            self._ask_budget(namespace, pod, dry_run=wishes.dry_run)
        if not wishes.dry_run and not wishes.uid and not wishes.version:
            self._mark(pod)
        self._deletion.delete(PODS, namespace, name, wishes)
        return VerbResult(201, msgspec.json.encode(_DONE))

    def _ask_budget(self, namespace: str, pod: Object, *, dry_run: bool) -> None:
        """Take one disruption from the budget that selects the pod. Raises Failure (429, 500)."""
        budgets = [budget for budget in self._budgets(namespace) if _selects(budget, pod)]
        if len(budgets) > 1:
            raise plain_error(_TWICE)
        if not budgets or (not _is_ready(pod) and _lets_unready_go(budgets[0])):
            return
        budget, status = budgets[0], budgets[0].get("status") or {}
        name = budget["metadata"]["name"]
        if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
            raise budget_holds(f"The disruption budget {name} is still being processed by the server.", seconds=10)
        if not status.get("disruptionsAllowed"):
            raise budget_holds(f"The disruption budget {name} {_why(status)}")
        if not dry_run:
            status["disruptionsAllowed"] -= 1
            disrupted_at = timestamp(self._now())
            status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod["metadata"]["name"]: disrupted_at}
            self._store.put(BUDGETS.key, objects.encode(budget, BUDGETS, self._store.next_revision))

    def _budgets(self, namespace: str) -> list[Object]:
        records = self._store.records(BUDGETS.key)
        return [objects.decode(record) for (place, _), record in records.items() if place == namespace]

    def _mark(self, pod: Object) -> None:
        """Set the condition DisruptionTarget."""
        status = pod.setdefault("status", {})
        others = [each for each in status.get("conditions") or () if each["type"] != _TARGET["type"]]
        condition = {**_TARGET, "lastTransitionTime": timestamp(self._now()), "message": "Eviction API: evicting"}
        status["conditions"] = [*others, condition]
        self._store.put(PODS.key, objects.encode(pod, PODS, self._store.next_revision))


def _delete_options(eviction: Object, options: WriteOptions) -> DeleteOptions:
    """The eviction's DeleteOptions, as a dry run where these or `options` ask for one. Raises Failure (500, 422)."""
    wanted = eviction.get("deleteOptions") or {}
    dry_run = wanted.get("dryRun") or []
    if options.dry_run and dry_run not in ([], ["All"]):
        raise plain_error(f"Non-matching dry-run options in request and content: [All] and [{' '.join(dry_run)}]")
    wishes = delete_options({}, wanted)
    return dataclasses.replace(wishes, dry_run=wishes.dry_run or options.dry_run)


def _needs_no_budget(pod: Object) -> bool:
    """Whether the eviction disrupts nothing: the pod has not started, has ended, or is being deleted."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Pending", *_FINISHED) or "deletionTimestamp" in pod["metadata"]


def _selects(budget: Object, pod: Object) -> bool:
    """An absent selector selects nothing, an empty one everything."""
    selector = (budget.get("spec") or {}).get("selector")
    labels = pod["metadata"].get("labels") or {}
    return selector is not None and all(term.matches(labels) for term in parse_labels(selector_text(selector)))


def _is_ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)


def _why(status: Object) -> str:
    """Why a budget with no disruption to give holds a pod."""
    failed = next((c for c in status.get("conditions") or () if c.get("reason") == "SyncFailed"), None)
    healthy, wanted = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
    if failed is not None:
        return f"does not allow evicting pods currently because it failed sync: {failed.get('message', '')}"
    if healthy > wanted:
        return "does not allow evicting pods currently"
    return f"needs {wanted} healthy pods and has {healthy} currently"


def _lets_unready_go(budget: Object) -> bool:
    status = budget.get("status") or {}
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    wanted: int = status.get("desiredHealthy", 0)
    return wanted > 0 and bool(status.get("currentHealthy", 0) >= wanted)
