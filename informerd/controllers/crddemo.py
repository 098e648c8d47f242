"""crddemo: the controller of Mydemos, which says what it sees and records an Event Synced on each.

``python -m informerd.controllers.crddemo --kubeconfig … --master …``, or inside another manager by `add_crddemo`. It
keeps the lines, the names and the numbers of the Go program of that name, and leaves its faults: there, each event is
rate-limited, some ten a second after the first hundred, and a key that has failed is lost.
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
from informerd.controllers.manager_program import manager_line, run_manager
from informerd.manager.cached_kind import CachedKind
from informerd.manager.manager import Manager
from informerd.objects import Object
from informerd.recording.recorder import EventRecorder
from informerd.resource import MYDEMOS

log = logging.getLogger("mydemo-controller")

COMPONENT = "mydemo-controller"
"""Who its Events are from."""
QUEUE = "Mydemos"
"""The controller's name, and its queue's."""
RESYNC = 30.0
"""Seconds. What a resync repeats has the version that was seen, and is left out."""
WORKERS = 2
BACKLOG = 500
"""Events still to be written, from which on no more are said until they are: past 1,000, some would be lost."""
SYNCED = "Synced"
MESSAGE = "Mydemo synced successfully"


class Spec(msgspec.Struct, frozen=True, gc=False):
    ip: str = ""
    port: int = 0


class Mydemo(Object, frozen=True, gc=False):
    """Where something listens."""

    spec: Spec = Spec()


class MydemoReconciler:
    """What is done with each Mydemo that came, changed or went."""

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
            self._events.event(demo, "Normal", SYNCED, MESSAGE)
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
        sources=[KindSource(demos.informer, EnqueueObject(), ResourceVersionChanged(), resync=RESYNC)],
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
    options = manager_line("crddemo", "The controller of Mydemos.").parse_args(arguments)
    return run_manager("crddemo", options, add_crddemo)


if __name__ == "__main__":
    sys.exit(main())
