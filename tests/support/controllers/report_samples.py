"""Reports of controllers as workers send them, made by hand, for tests and for viewing the page in every state."""

from __future__ import annotations

from typing import Any

from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.pages.controllers.live_controllers import LiveControllers
from dashboard.pages.controllers.reconcile_history import HISTORY_SECONDS, STEP_SECONDS
from dashboard.pages.controllers.reports import ControllerReports
from dashboard.pages.controllers.worker_messages import History, Report
from informerd.controller.state import ControllerState, FailedKey, StuckKey
from informerd.manager.state import ManagerState
from informerd.workqueue.queue_state import QueueState
from tests.support.clock import FakeClock

NOW = 1_795_248_000.0
MYDEMOS = "mydemos.crddemo.k8s.io"
LONG = "checkout-service-with-a-really-long-name-66d9f8b7c-qv7mm-and-then-some"


def failed(key: str = "default/poison", **changes: Any) -> FailedKey:
    values = {"error": "ValueError: spec.port is 0", "failures": 3, "at": NOW - 4, "retry_at": NOW + 12, **changes}
    return FailedKey(key=key, **values)


def controller(name: str = "crddemo", **changes: Any) -> ControllerState:
    """A controller that runs and has done something."""
    values: dict[str, Any] = {
        "resource": MYDEMOS,
        "phase": "running",
        "workers": 2,
        "reconciles": {"success": 1204, "error": 3},
        "last_at": NOW - 2,
        "p50": 0.0014,
        "p99": 0.043,
        **changes,
    }
    return ControllerState(name=name, **values)


def busy() -> ControllerState:
    """A controller with every kind of trouble there is."""
    conflict = "Conflict: the object has been modified; please apply your changes to the latest version and try again"
    slow = "TimeoutError: the reconcile took longer than 30 s " + "and went on " * 20
    return controller(
        "pods-by-owner",
        resource="pods",
        workers=4,
        active=4,
        queue=QueueState(
            depth=10_412,
            delayed=31,
            processing=4,
            oldest_key=f"shop/{LONG}",
            oldest_seconds=42.5,
            adds=18_004,
            retries=77,
        ),
        reconciles={
            "success": 18_203,
            "requeue": 40,
            "requeue_after": 900,
            "error": 71,
            "terminal": 2,
            "panic": 3,
            "timeout": 9,
        },
        p50=0.31,
        p99=12.7,
        problem="The API server limits this controller's requests.",
        failed=(
            failed("shop/ledger-0", error=conflict, failures=1),
            failed(f"shop/{LONG}", error=slow, failures=14, retry_at=NOW + 700),
            failed("shop/<b>poison</b>", error="<script>alert(1)</script>", failures=1206, retry_at=None),
        ),
        stuck=(StuckKey("search/indexer-7c5d9b6f4-8mk2l", 754.0),),
    )


def manager(*controllers: ControllerState, **changes: Any) -> ManagerState:
    return ManagerState(identity="worker-1_7f3a", since=NOW - 3700, controllers=controllers, **changes)


def history(seed: int = 1) -> History:
    number = HISTORY_SECONDS // STEP_SECONDS
    depth = tuple(max(0, (n * 7 * seed) % 23 - 9) if n > 60 else 0 for n in range(number))
    ended = tuple((n * 13 * seed) % 31 if n > 60 else 0 for n in range(number))
    return History(
        int(NOW) - HISTORY_SECONDS + STEP_SECONDS, STEP_SECONDS, depth, ended, tuple(n // 9 for n in ended), 4.2
    )


def report(*controllers: ControllerState, epoch: str = "1800000000000-abc", **changes: Any) -> Report:
    """A report with these controllers, or with one that is well."""
    shown = controllers or (controller(),)
    values: dict[str, Any] = {
        "epoch": epoch,
        "sent_at": NOW,
        "wanted": tuple(each.name for each in shown),
        "manager": manager(*shown),
        "history": {each.name: history(number + 1) for number, each in enumerate(shown)},
        **changes,
    }
    return Report(**values)


def views() -> dict[str, LiveControllers]:
    """The page in every state, by the state's name."""
    waits = "mydemos.crddemo.k8s.io does not exist yet; it is looked for again every 5 s"
    nothing: dict[str, Any] = {"reconciles": {}, "p50": None, "p99": None, "last_at": None}
    late = controller("late", phase="waiting for caches", problem=waits, **nothing)
    lease: dict[str, Any] = {"lease": "deltaboard/deltaboard-controllers", "leader": "worker-1_7f3a"}
    standby = ManagerState(
        identity="worker-2_99ab", leads=False, controllers=(controller(phase="waiting for leader"),), **lease
    )
    ended = "The controllers ended: lost the lease deltaboard/deltaboard-controllers. They restart in 10 s."
    leader = report(manager=manager(controller(failed=(failed(),)), **lease))
    second = report(epoch="2", manager=standby)
    return {
        "well": view_of(report()),
        "everything": view_of(report(controller(), busy(), late)),
        "elected": view_of(leader, second),
        "silent": view_of(leader, second, apart=30.0),
        "starting": view_of(report(manager=manager(leads=False), problem=ended)),
        "none": view_of(report(wanted=(), manager=manager(leads=False))),
        "waiting": view_of(),
    }


def view_of(*reports: Report, apart: float = 0.0) -> LiveControllers:
    """The view of a web process that heard these reports, so many seconds apart, the last one just now."""
    clock = FakeClock()
    board = ControllerReports(clock)
    for each in reports:
        clock.skip(apart)
        board.receive(each)
    return LiveControllers(board, parse_kinds(["pods", "mydemos"]))
