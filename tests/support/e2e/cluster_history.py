"""History of the API server's states, which are the states that a page may show.

One writer makes all changes, one after the other, so that their order is known. A change happened between the moment
before its request and the moment of its response, both Unix seconds on this machine's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Objects = Mapping[str, Json]
"""What there is of a kind, by name."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of an object."""

    before: float
    after: float
    name: str
    obj: Json | None
    """As the API server answered; None where it was deleted. Of a pod on its way out only that it is, see `leaving`."""


class History:
    """The changes of each kind in their order. State n is what there was after the first n of them."""

    def __init__(self) -> None:
        self.steps: dict[str, list[Step]] = {}

    def wrote(self, kind: str, step: Step) -> None:
        """A change was made."""
        self.steps.setdefault(kind, []).append(step)

    def now(self, kind: str) -> Objects:
        """What there is after all changes."""
        return self.at(kind, len(self.steps.get(kind, ())))

    def at(self, kind: str, number: int) -> Objects:
        """What there was after the first `number` changes."""
        *_, last = self._states(kind, number)
        return dict(last)

    def shown(self, kind: str, show: Callable[[Objects], str]) -> list[str]:
        """What `show` makes of each state, from state 0 on."""
        return [show(state) for state in self._states(kind, len(self.steps.get(kind, ())))]

    def _states(self, kind: str, until: int) -> Iterator[Objects]:
        """One and the same mapping each time, which changes."""
        state: dict[str, Json] = {}
        yield state
        for step in self.steps.get(kind, [])[:until]:
            if step.obj is None:
                state.pop(step.name, None)
            else:
                state[step.name] = step.obj
            yield state


def version(obj: Json) -> str:
    """Its resourceVersion; a dash for what is leaving."""
    return "-" if is_leaving(obj) else str(obj["metadata"]["resourceVersion"])


def uid(obj: Json) -> str:
    return str(obj["metadata"]["uid"])


def leaving(obj: Json) -> Json:
    """The object between its deletion timestamp and its end.

    A pod is there so for a moment, however fast it is deleted, in a version that no answer names.
    """
    return {**obj, "metadata": {**obj["metadata"], "deletionTimestamp": "now"}}


def is_leaving(obj: Json) -> bool:
    return "deletionTimestamp" in obj["metadata"]
