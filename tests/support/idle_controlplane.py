"""Freezing of a run's shared API server while the tests of a worker do not need it.

An idle kube-apiserver with its etcd takes a tenth of a core, and each worker of a run has one: frozen they take
nothing.
"""

from __future__ import annotations

import pytest

from tests.support.controlplane import ControlPlane

NEEDS_CONTROLPLANE = pytest.StashKey[bool]()
"""Whether a test uses the run's shared API server. tests/support/external_program_markers.py sets it."""


class IdleControlPlane:
    """The shared API server of this process, once there is one."""

    def __init__(self) -> None:
        self._controlplane: ControlPlane | None = None
        self._is_frozen = False

    def take(self, controlplane: ControlPlane | None) -> None:
        """This is the shared API server from now on; None: it is about to be stopped."""
        self.thaw()
        self._controlplane = controlplane

    def thaw(self) -> None:
        """Let it go on, and wait until it is ready."""
        if self._controlplane is not None and self._is_frozen:
            self._is_frozen = False
            self._controlplane.etcd.resume()
            self._controlplane.resume()
            self._controlplane.wait_until_ready()

    def freeze(self) -> None:
        """Let it wait until `thaw`."""
        if self._controlplane is not None and not self._is_frozen:
            self._is_frozen = True
            self._controlplane.pause()
            self._controlplane.etcd.pause()


IDLE_CONTROLPLANE = IdleControlPlane()


def thaw_for(item: pytest.Item) -> None:
    """Let the API server go on if the test needs it."""
    if item.stash.get(NEEDS_CONTROLPLANE, True):
        IDLE_CONTROLPLANE.thaw()


def freeze_before(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Freeze it if the next test is of another file and does not need it: a fixture may use it until its file ends."""
    if nextitem is not None and nextitem.path != item.path and not nextitem.stash.get(NEEDS_CONTROLPLANE, True):
        IDLE_CONTROLPLANE.freeze()
