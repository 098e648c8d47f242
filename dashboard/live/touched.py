"""What changed in results since those who look at them were told."""

from __future__ import annotations

from dataclasses import dataclass, field

from dashboard.live.messages import Row
from dashboard.live.result import Result


@dataclass(slots=True)
class _Uids:
    changed: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class Touched:
    """`note` each row that a result has or had; `tell` once all of them fit together again."""

    def __init__(self) -> None:
        self._by_result: dict[Result, _Uids] = {}

    def note(self, result: Result, uid: str, new: Row | None) -> None:
        """The row is now `new`, or no more. Nothing is kept for a result that nobody looks at."""
        if not result.views:
            return
        uids = self._by_result.setdefault(result, _Uids())
        if new is None:
            uids.gone.add(uid)
            uids.changed.discard(uid)
        else:
            uids.changed.add(uid)
            uids.gone.discard(uid)

    def tell(self) -> None:
        """Tell everybody who looks."""
        told, self._by_result = self._by_result, {}
        for result, uids in told.items():
            for tell in tuple(result.views.values()):
                tell(uids.changed, uids.gone)
