"""Phases of a controller's run, and the listeners that are notified of them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from informerd.controller.state import Phase

log = logging.getLogger(__name__)

PhaseListener = Callable[[Phase], None]


class PhaseTracker:
    """The phase of a controller, by its name."""

    def __init__(self, controller: str) -> None:
        self.current: Phase = "created"
        self._controller = controller
        self._listeners: list[PhaseListener] = []

    def subscribe(self, listener: PhaseListener) -> None:
        """Call `listener` with each phase that is entered from now on. What it raises is logged, and does no harm."""
        self._listeners.append(listener)

    def enter(self, phase: Phase) -> None:
        """Go on to `phase`; nothing happens where that is the present one."""
        if phase == self.current:
            return
        self.current = phase
        for listener in self._listeners:
            try:
                listener(phase)
            except Exception:
                text = "a listener of the controller %s failed on the phase %s"
                log.exception(text, self._controller, phase, extra={"controller": self._controller, "phase": phase})
