"""Whether the account may make what a list shows."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.access.rights import ASKED_AGAIN, Denied, Right
from dashboard.resources.kinds import KindInfo
from informerd.clock import Clock


class CreateRight:
    """Known of a list that shows one namespace, or of a kind without any; of several it may be allowed in one of them.

    `changed` is called when what `ask` says is another.
    """

    def __init__(
        self, kind: KindInfo, namespaces: tuple[str, ...], denied: Denied, clock: Clock, changed: Callable[[], None]
    ) -> None:
        where = namespaces[0] if len(namespaces) == 1 and kind.namespaced else ""
        known = kind.creatable and (bool(where) or not kind.namespaced)
        self._right = Right("create", kind.resource, where) if known else None
        self._denied = denied
        self._clock = clock
        self._changed = changed
        self._asked = clock.now()
        self._words = ""

    def look_again(self) -> None:
        """Ask where the answer may have become old."""
        if self._clock.now() - self._asked >= ASKED_AGAIN:
            self.rights_changed()

    def ask(self) -> str:
        """Why not, as a sentence; empty where it may, or nobody knows. Whoever asks hears of changes from here on."""
        self._asked = self._clock.now()
        self._words = self._denied(self._right, self) if self._right is not None else ""
        return self._words

    def rights_changed(self) -> None:
        before = self._words
        if self.ask() != before:
            self._changed()
