"""Permission to create objects of a list's kind."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod

from dashboard.cluster.access_reviews import REFRESH_SECONDS, DenialLookup, ResourceAttributes
from dashboard.objects.kinds.catalog import KindInfo
from informerd.clock import Clock


class CreatePermission:
    """Permission to create, for a list of one namespace, of all, or of a cluster-scoped kind; with several namespaces
    the answer may differ.

    `on_change`, a method of the list that holds this, is called when the answer changes. It is held weakly: a list in a
    cycle would keep its rows until a collection of all objects.
    """

    def __init__(
        self,
        kind: KindInfo,
        namespaces: tuple[str, ...],
        denial_of: DenialLookup,
        clock: Clock,
        on_change: Callable[[], None],
    ) -> None:
        where = namespaces[0] if len(namespaces) == 1 and kind.namespaced else ""
        known = kind.creatable and (len(namespaces) < 2 or not kind.namespaced)
        is_anywhere = kind.namespaced and not where
        access = ResourceAttributes("create", kind.resource, where, is_anywhere=is_anywhere)
        self._create_access = access if known else None
        self._denial_of = denial_of
        self._clock = clock
        self._changed = WeakMethod(on_change)
        self._asked_at = clock.now()
        self._words = ""

    def refresh(self) -> None:
        """Ask again where the answer may be out of date."""
        if self._clock.now() - self._asked_at >= REFRESH_SECONDS:
            self.access_changed()

    def denial_text(self) -> str:
        """Why creation is denied, as a sentence; empty where it is allowed or unknown. The caller is notified of
        changes from then on.
        """
        self._asked_at = self._clock.now()
        self._words = self._denial_of(self._create_access, self) if self._create_access is not None else ""
        return self._words

    def access_changed(self) -> None:
        before = self._words
        if self.denial_text() != before and (changed := self._changed()) is not None:
            changed()
