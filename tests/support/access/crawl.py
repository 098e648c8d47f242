"""Crawl of a Deltaboard by one person: what its answers have of marked objects, and what they lack."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.urls import Resolver404, resolve

from tests.support.access.access_reviews import AccessReviews
from tests.support.access.marked_objects import SECRETS, MarkedObjects, marks_in
from tests.support.access.random_rbac import World
from tests.support.access.tour import Tour, Visit
from tests.support.access.visits import VISITS
from tests.support.access.whole_dashboard import Answer, Dashboard

KNOWN_LEAKS: Mapping[str, str] = MappingProxyType({})
"""Names of VISITS whose answers have what they must not have, or lack what they must have, as is known: why."""
_TOTAL = re.compile(r'data-total="(\d+)"')
_COUNT = re.compile(r'data-count="([^"]+)">([\d,]+)<')


@dataclass(frozen=True)
class Fault:
    """An answer that is not as the person's rights are."""

    visit: str
    text: str
    world: World


def report(faults: Iterable[Fault]) -> str:
    """One fault of each kind of visit, with the rights of the person, and the number of all."""
    by_visit: dict[str, list[Fault]] = {}
    for fault in faults:
        by_visit.setdefault(fault.visit, []).append(fault)
    return "\n".join(
        f"{visit} ({len(found)} faults): {found[0].text}\n  {found[0].world}" for visit, found in by_visit.items()
    )


class Crawl:
    """Visits of one person after the other; `faults` has what was wrong."""

    def __init__(
        self, dashboard: Dashboard, objects: MarkedObjects, *, known_leaks: Collection[str] = KNOWN_LEAKS
    ) -> None:
        self._dashboard = dashboard
        self._objects = objects
        self._known_leaks = known_leaks
        self.faults: list[Fault] = []
        self.reached: Counter[str] = Counter()
        """Names of the URL patterns that answered."""
        self.counted = 0
        """Kinds whose number the worker had counted when that was asked for."""
        self.statuses: Counter[tuple[str, int]] = Counter()

    async def visit(self, tour: Tour, names: Iterable[str]) -> None:
        """Make these requests, and judge the answers."""
        for name in names:
            if name not in self._known_leaks:
                answer = await self.ask(name, tour, VISITS[name](tour))
                if "/bulk/" in (run := answer.header("location")):
                    await self._visit_run(name, tour, run)

    async def ask(self, name: str, tour: Tour, visit: Visit) -> Answer:
        """Make one request, and judge the answer."""
        answer = await self._dashboard.ask(tour.world.person, visit.address, visit.form, headers=visit.headers)
        self._note(name, visit, answer)
        for text in [*self._wrong(tour, visit, answer), *await self._counts(tour, visit, answer)]:
            self.faults.append(Fault(name, f"{visit.address}: {text}", tour.world))
        return answer

    async def _visit_run(self, name: str, tour: Tour, run: str) -> None:
        """The pages of a run that was begun: what was hidden is not part of it."""
        for address in (run, f"{run}results.csv", f"{run}commands.txt"):
            answer = await self._dashboard.ask(tour.world.person, address)
            self.check_text(f"{name}, its run", tour, answer.everything)

    async def _counts(self, tour: Tour, visit: Visit, answer: Answer) -> list[str]:
        """Counts of kinds of which not all may be seen."""
        if visit.address != "/kinds/counts/":
            return []
        known = self._dashboard.web.object_counts.counts_by_key
        reviews = AccessReviews(self._objects.client, tour.world.person)
        counted = [key for key, (count, *_) in json.loads(answer.text)["counts"].items() if count is not None]
        self.counted += len(known)
        return [
            f"it counts all {key}"
            for key in counted
            if not (
                await reviews.allows("list", known[key].resource) or await reviews.allows("watch", known[key].resource)
            )
        ]

    def check_text(self, name: str, tour: Tour, text: str, sent: str = "") -> None:
        """Judge a text that came some other way, such as a frame."""
        self.faults += [Fault(name, wrong, tour.world) for wrong in self._leaks(tour, text, sent)]

    def _note(self, name: str, visit: Visit, answer: Answer) -> None:
        self.statuses[name, answer.status] += 1
        try:
            self.reached[resolve(visit.address.partition("?")[0]).url_name or "no such page"] += 1
        except Resolver404:
            self.reached["no such page"] += 1

    def _wrong(self, tour: Tour, visit: Visit, answer: Answer) -> Iterable[str]:
        if answer.status >= 500 and visit.address != "/readyz":
            yield f"status {answer.status}"
        yield from self._leaks(tour, answer.everything, visit.sent)
        missing = [text for text in visit.expected if text not in answer.text]
        if missing:
            yield f"status {answer.status}, it lacks {[self._named(text) for text in missing]}"
        if found_texts := [text for text in visit.absent if text in answer.text]:
            yield f"it has {found_texts}"
        if visit.total_of and (found := _TOTAL.search(answer.text)) is not None:
            yield from self._miscounted(tour, visit.total_of, found[1])
        for key, count in _COUNT.findall(answer.text):
            if self._objects.of(key):
                yield from self._miscounted(tour, key, count.replace(",", ""))

    def _miscounted(self, tour: Tour, key: str, count: str) -> Iterable[str]:
        """The API server makes objects of its own, such as its Lease, at any time: they may be among those counted."""
        least, most = tour.rows(key)
        known = {each.uid for each in self._objects}
        new = sum(uid not in known for uid in self._dashboard.web.replicas.get(key).rows)
        if not least <= int(count) <= most + new:
            yield f"it counts {count} {key}, but {least} to {most + new} may be seen"

    def _leaks(self, tour: Tour, text: str, sent: str) -> Iterable[str]:
        leaked = marks_in(text) - tour.visible.marks - marks_in(sent)
        for mark in sorted(leaked & self._objects.by_mark.keys()):
            yield f"it has {self._named(mark)}: {_around(text, mark)}"
        for secret in self._objects.of(SECRETS):
            if secret.hidden_text and secret.hidden_text in text and tour.visible.hides(secret):
                yield f"it has the value of {secret}"

    def _named(self, mark: str) -> str:
        owner = self._objects.by_mark.get(mark)
        return f"{mark} of {owner}" if owner is not None else mark


def _around(text: str, mark: str) -> str:
    at = text.find(mark)
    return text[max(0, at - 120) : at + 60].replace("\n", " ")
