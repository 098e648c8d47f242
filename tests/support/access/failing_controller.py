"""A controller that fails at every marked pod: the controllers page names each, to whoever may see that page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from unittest.mock import patch

from dashboard.pages.controllers import builtin_controllers
from dashboard.pages.controllers.builtin_controllers import LEASE_NAME, BuiltinController
from informerd import Controller, ExponentialRateLimiter, Manager, Request
from informerd.controller.sources import KindSource
from informerd.resource import PODS
from tests.support.access.marked_objects import MARK
from tests.support.controlplane import ApiFailure, ControlPlane

NAME = "failing"
RETRY = 300.0
"""Seconds until a pod is tried again by itself: longer than any test."""
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
RELEASED = {"metadata": {"name": LEASE_NAME}, "spec": {"holderIdentity": "", "leaseDurationSeconds": 1}}


async def _fail(request: Request) -> None:
    """Fails at the pods of the marked cluster; other tests have some in the same one."""
    if MARK.fullmatch(request.namespace):
        raise ValueError(f"nobody reconciles {request.key}")


def add_failing(manager: Manager) -> None:
    limiter = ExponentialRateLimiter(RETRY, 2 * RETRY)
    sources = [KindSource(each) for each in manager.kind(PODS).informers]
    manager.add(Controller(NAME, _fail, sources=sources, limiter=limiter, resource=PODS.key))


@contextmanager
def failing_controller(controlplane: ControlPlane) -> Iterator[None]:
    """Meanwhile DELTABOARD_CONTROLLERS may name it, and nothing else. Nobody holds the lease of the cluster's
    controllers.
    """
    with suppress(ApiFailure):  # there is one, which whoever ended before has released
        controlplane.create(LEASES, RELEASED)  # who makes a new one waits a while before it leads
    known = BuiltinController(NAME, "Fails at every marked pod.", f"{__name__}:add_failing", queue=NAME)
    with patch.object(builtin_controllers, "BUILTIN_CONTROLLERS", {NAME: known}):
        yield
