"""Requests that one person sends: each address of Deltaboard, with parameters of what they may see and may not see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from tests.support.access.marked_objects import (
    ALL_KINDS,
    NAMESPACES,
    PODS,
    MarkedObject,
    MarkedObjects,
)
from tests.support.access.others_runs import OthersRun
from tests.support.access.random_rbac import World
from tests.support.access.visibility_oracle import Visible


@dataclass(frozen=True)
class Visit:
    """A request, and texts that its answer must have."""

    address: str
    form: Mapping[str, str] | None = None
    expected: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    """Texts that it must not have."""
    known: frozenset[str] = frozenset()
    """Texts that it may have though their objects are hidden: the person's own rules name them."""
    total_of: str = ""
    """The kind whose number of visible objects the page says."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def sent(self) -> str:
        """All that the request has and the person knows: an answer may repeat it."""
        return " ".join([self.address, *self.known, *(self.form or {}).values(), *self.headers.values()])


class Tour:
    """What one person's requests are made of."""

    def __init__(
        self, world: World, visible: Visible, objects: MarkedObjects, random: Random, runs: Mapping[str, OthersRun]
    ) -> None:
        """`runs` are those that somebody else has ended, by kind."""
        self.world = world
        self.visible = visible
        self.objects = objects
        self.random = random
        self.runs = runs

    def seen(self, *keys: str) -> list[MarkedObject]:
        """What there is and may be seen; of all kinds without `keys`."""
        return self.visible.of(self.objects.of(*(keys or ALL_KINDS)))

    def hidden(self, *keys: str) -> list[MarkedObject]:
        return [each for each in self.objects.of(*(keys or ALL_KINDS)) if self.visible.hides(each)]

    def forbidden(self, *keys: str) -> list[MarkedObject]:
        """What is hidden, and of which no rule allows anything, whatever the verb."""
        return [each for each in self.hidden(*keys) if not self._is_allowed_anything(each)]

    def target(self, *keys: str) -> MarkedObject:
        """An object that may be seen, else one of which nothing is allowed, else one that there is not."""
        found = self.seen(*keys) or self.forbidden(*keys) or [MarkedObject(PODS, "default", "no-such-pod", "")]
        return self.random.choice(found)

    def any_kind(self) -> str:
        """A kind, most often one of which something may be seen."""
        seen = sorted({each.key for each in self.seen()})
        return self.random.choice(seen if seen and self.random.random() < 0.75 else ALL_KINDS)

    def rows(self, key: str, seen: Iterable[MarkedObject] | None = None) -> tuple[int, int]:
        """The least and the greatest number of objects of a kind that may be shown."""
        least = len(self.seen(key) if seen is None else [*seen])
        return least, least + len([each for each in self.objects.of(key) if each in self.visible.unsure])

    def _is_allowed_anything(self, each: MarkedObject) -> bool:
        place = each.name if each.key == NAMESPACES else each.namespace
        grants = [grant for grant in self.world.grants if grant.is_about(each.key, place)]
        return any(not grant.names or each.name in grant.names for grant in grants)
