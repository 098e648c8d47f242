"""Usage that a test states, as lists and pages read it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from dashboard.live.index.usage_lookup import PollTimes
from dashboard.objects.kinds.row import Row
from dashboard.objects.usage.past_usage import PastUsage
from dashboard.objects.usage.usage import Usage

MEBIBYTE = 2**20


def usage(
    key: str,
    cpu: float,
    mebibytes: float,
    *,
    of_cpu: float = 0.0,
    of_mebibytes: float = 0.0,
    pods: int = 0,
    unmeasured: int = 0,
) -> Usage:
    """What an object uses; `of_cpu` and `of_mebibytes` are its limits, `pods` and `unmeasured` those of a sum."""
    return Usage(
        key,
        at=1.8e9,
        window=15.0,
        cpu=cpu,
        memory=int(mebibytes * MEBIBYTE),
        cpu_capacity=of_cpu,
        memory_capacity=int(of_mebibytes * MEBIBYTE),
        cpu_basis="limit" if of_cpu else "",
        memory_basis="limit" if of_mebibytes else "",
        pods=pods,
        unmeasured=unmeasured,
    )


class FakeUsage:
    """A UsageLookup. `state` sets what is known and says so."""

    def __init__(self) -> None:
        self.problem = ""
        self.is_served = True
        self.poll_times: PollTimes | None = None
        self.missing: dict[str, str] = {}
        """By key of the kind: why the account may not read it, as a sentence."""
        self.answered_at: float | None = None
        self.pasts: dict[str, PastUsage] = {}
        self._usages: dict[tuple[str, str], Usage] = {}
        self._listeners: list[Callable[[], None]] = []

    def state(self, *usages: Usage, kind: str = "pods") -> None:
        """From now on objects of this kind use this, and nothing else is known of any kind."""
        self.state_all((kind, each) for each in usages)

    def state_all(self, usages: Iterable[tuple[str, Usage]]) -> None:
        """As `state`, each with the key of its kind."""
        self._usages = {(kind, each.key): each for kind, each in usages}
        for listener in tuple(self._listeners):
            listener()

    def problem_of(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        return self.problem

    def missing_right(self, key: str, namespaces: Collection[str] = (), name: str = "") -> str:
        return self.missing.get(key, "")

    def get(self, key: str, row: Row) -> Usage | None:
        return self._usages.get((key, row.key))

    def known_past(self, key: str, row: Row, on_found: Callable[[], None]) -> PastUsage | None:
        return self.pasts.get(row.key)

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
