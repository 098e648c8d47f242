"""controller-runtime's first example: a controller that gives every ReplicaSet the label hello=world.

ReplicaSets and the Pods that they own feed one controller: an event of either makes a request for the ReplicaSet.
"""

from __future__ import annotations

import logging
import sys

import msgspec

from informerd import PODS, Controller, Manager, Object, Request, Resource, Result
from informerd.controllers.manager_program import make_manager_parser, run_manager

log = logging.getLogger("replicaset-controller")

REPLICA_SETS = Resource(group="apps", version="v1", plural="replicasets", kind="ReplicaSet")


class Container(msgspec.Struct, frozen=True):
    name: str = ""


class PodSpec(msgspec.Struct, frozen=True):
    containers: tuple[Container, ...] = ()


class Template(msgspec.Struct, frozen=True):
    spec: PodSpec = PodSpec()


class Spec(msgspec.Struct, frozen=True):
    template: Template = Template()


class ReplicaSet(Object, frozen=True):
    """Fields of a ReplicaSet that this controller reads."""

    spec: Spec = Spec()


def add_replica_sets(manager: Manager) -> Controller:
    """Add the controller to a manager, and give it."""
    sets = manager.kind(REPLICA_SETS, ReplicaSet)
    pods = manager.kind(PODS)

    @manager.controller("replicaset-controller", sets, owns=[pods])
    async def reconcile(request: Request) -> Result | None:
        found = sets.get(request)
        if found is None:
            log.info("Could not find ReplicaSet %s", request)
            return None
        names = [container.name for container in found.spec.template.spec.containers]
        log.info("Reconciling ReplicaSet %s, container name %s", request, ", ".join(names))
        if found.metadata.labels.get("hello") != "world":
            # with the version that was read: somebody else's change meanwhile is a Conflict, and a reason to look again
            head = {"resourceVersion": found.metadata.resource_version, "labels": {"hello": "world"}}
            await sets.patch(request, {"metadata": head})
            log.info("Labelled ReplicaSet %s", request)
        return None

    return reconcile


def main(arguments: list[str] | None = None) -> int:
    return run_manager(
        "replica_set", make_manager_parser("replica_set", __doc__).parse_args(arguments), add_replica_sets
    )


if __name__ == "__main__":
    sys.exit(main())
