"""crddemo: the controller of Mydemos, which logs what it sees and records an Event Synced on each.

Run it with ``python -m informerd.controllers.crddemo --kubeconfig … --master …``, or inside another manager with
`add_crddemo`. It has the log lines, names and numbers of the Go program of that name, without two of its faults: there,
every event is rate-limited (about ten a second after the first hundred), and a key that has failed is lost.
"""

from __future__ import annotations

import logging
import sys

import msgspec

from informerd.controller.controller import Controller
from informerd.controller.handlers import EnqueueObject
from informerd.controller.predicates import ResourceVersionChanged
from informerd.controller.request import Request
from informerd.controller.sources import KindSource
from informerd.controller.state import Phase
from informerd.controllers.manager_program import make_manager_parser, run_manager
from informerd.manager.cached_kind import CachedKind
from informerd.manager.manager import Manager
from informerd.objects import Object
from informerd.record.recorder import EventRecorder
from informerd.resource import MYDEMOS

log = logging.getLogger("mydemo-controller")

COMPONENT = "mydemo-controller"
"""Source component of its Events."""
QUEUE = "Mydemos"
"""The controller's name, and its queue's."""
RESYNC = 30.0
"""Seconds. What a resync repeats has the version that was seen, and is left out."""
WORKERS = 2
BACKLOG = 500
"""Waiting Events from which on no more are recorded until they are written: beyond 1,000, some would be lost."""
SYNCED_REASON = "Synced"
SYNCED_MESSAGE = "Mydemo synced successfully"


class Spec(msgspec.Struct, frozen=True, gc=False):
    ip: str = ""
    port: int = 0


class Mydemo(Object, frozen=True, gc=False):
    """Where something listens."""

    spec: Spec = Spec()


class MydemoReconciler:
    """Reconciler of Mydemos that were added, changed or deleted."""

    def __init__(self, demos: CachedKind[Mydemo], events: EventRecorder) -> None:
        self._demos = demos
        self._events = events

    async def __call__(self, request: Request) -> None:
        demo = self._demos.get(request)
        if demo is None:
            log.warning("DemoCRD: %s does not exist in local cache, will delete it from Mydemo ...", request)
            log.info("[DemoCRD] Deleting mydemo: %s ...", request)
        else:
            log.info("[DemoCRD] Try to process mydemo: %s, ip %s, port %d ...", request, demo.spec.ip, demo.spec.port)
            self._events.event(demo, "Normal", SYNCED_REASON, SYNCED_MESSAGE)
            if self._events.state().queued >= BACKLOG:
                await self._events.flush()
        log.info("Successfully synced '%s'", request)


def add_crddemo(manager: Manager) -> Controller:
    """Add the controller to a manager, and give it.

    It waits for its kind's definition for as long as there is none. Raises InvalidCall where there is one already.
    """
    log.info("Setting up mydemo event handlers")
    demos = manager.kind(MYDEMOS, Mydemo)
    controller = Controller(
        QUEUE,
        MydemoReconciler(demos, manager.recorder(COMPONENT)),
        sources=[
            KindSource(each, EnqueueObject(), ResourceVersionChanged(), resync=RESYNC) for each in demos.informers
        ],
        workers=WORKERS,
        sync_timeout=None,
        resource=MYDEMOS.key,
    )
    controller.on_phase(_say)
    manager.add(controller)
    return controller


def _say(phase: Phase) -> None:
    match phase:
        case "waiting for caches":
            log.info("Starting Mydemo control loop")
            log.info("Waiting for informer caches to sync")
        case "running":
            log.info("Starting workers")
            log.info("Started workers")
        case "stopping":
            log.info("Shutting down workers")


def main(arguments: list[str] | None = None) -> int:
    """Run it as a program; the exit code."""
    options = make_manager_parser("crddemo", "The controller of Mydemos.").parse_args(arguments)
    return run_manager("crddemo", options, add_crddemo)


if __name__ == "__main__":
    sys.exit(main())
