"""State machine of random histories: actions of a cluster, a network and an informer's users, drawn by hypothesis."""

from __future__ import annotations

from typing import get_args

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.support.informerd.model.api_server import Health
from tests.support.informerd.model.checking_handler import Manner
from tests.support.informerd.model.oracle import BAD_TEAMS
from tests.support.informerd.model.responses import REFUSALS
from tests.support.informerd.model.simulation import World
from tests.support.informerd.model.watch import EndOfWatch, Nonsense

KEYS = st.sampled_from([f"{namespace}/{name}" for namespace in ("east", "west") for name in "abcd"])
TEAMS = st.sampled_from(["red", "blue", "red.blue", "blue.green.red", "", BAD_TEAMS])
SECONDS = st.sampled_from([0.0, 0.0, 0.01, 0.3, 1.0, 3.0, 10.0, 40.0, 65.0, 160.0, 700.0])
MANNERS: st.SearchStrategy[Manner] = st.sampled_from([*get_args(Manner)])

MOST_HANDLERS = 4
ENDS: tuple[EndOfWatch, ...] = get_args(EndOfWatch)
NONSENSE: tuple[Nonsense, ...] = get_args(Nonsense)
HEALTHS: tuple[Health, ...] = get_args(Health)
NO_ANSWERS = ["reset", "cut", "silence", "truncated", "garbage", "html", "503 in 2 s"]
LIST_FAULTS = st.sampled_from([*NO_ANSWERS, *REFUSALS])
WATCH_FAULTS = st.sampled_from(
    [
        *(fault for fault in NO_ANSWERS if fault != "truncated"),
        *REFUSALS,
        *(f"in the stream: {name}" for name in REFUSALS),
        *(f"after {count}" for count in (0, 0, 1, 2, 3)),
    ]
)


class Histories(RuleBasedStateMachine):
    """One history an example; `teardown` mends everything and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.world: World | None = None

    @property
    def _world(self) -> World:
        assert self.world is not None
        return self.world

    @initialize(
        watch_cache=st.booleans(),
        streaming_lists=st.booleans(),
        page_size=st.sampled_from([1, 2, 2, 3, 500]),
        latency=st.sampled_from([0.0, 0.2]),
        pieces=st.lists(st.sampled_from([5, 50, 150, 1000]), max_size=3),
        chances=st.lists(st.floats(0, 0.99), max_size=3),
        before=st.lists(st.tuples(KEYS, TEAMS), max_size=16),
        handlers=st.lists(st.tuples(MANNERS, st.sampled_from([0.0, 0.0, 2.0])), max_size=2),
    )
    def begin(
        self,
        watch_cache: bool,
        streaming_lists: bool,
        page_size: int,
        latency: float,
        pieces: list[int],
        chances: list[float],
        before: list[tuple[str, str]],
        handlers: list[tuple[Manner, float]],
    ) -> None:
        self.world = world = World(
            watch_cache=watch_cache,
            streaming_lists=streaming_lists,
            page_size=page_size,
            latency=latency,
            pieces=[*pieces, 1000] if pieces else [],
            chances=chances,
        )
        for key, teams in before:
            world.write(key, teams)
        for manner, resync in handlers:
            world.add_handler(manner, resync, "")
        world.start()

    @precondition(lambda self: not self._world.is_ahead)
    @rule(changes=st.lists(st.tuples(KEYS, st.none() | TEAMS), min_size=1, max_size=5))
    def write(self, changes: list[tuple[str, str | None]]) -> None:
        for key, teams in changes:
            self._world.write(key, teams)

    @precondition(lambda self: not self._world.is_ahead)
    @rule(key=KEYS)
    def delete_and_create_again(self, key: str) -> None:
        self._world.write(key, None)
        self._world.write(key, "green")

    @precondition(lambda self: not self._world.is_ahead)
    @rule(count=st.integers(1, 3))
    def write_elsewhere(self, count: int) -> None:
        for _ in range(count):
            self._world.history.write_elsewhere()
        self._world.do(self._world.server.changed)

    @rule(seconds=SECONDS)
    def let_time_pass(self, seconds: float) -> None:
        self._world.advance(seconds)

    @rule(kept=st.integers(0, 4))
    def compact(self, kept: int) -> None:
        self._world.disturb(lambda: self._world.history.compact(self._world.history.version - kept))

    @rule(how=st.sampled_from(ENDS))
    def end_watches(self, how: EndOfWatch) -> None:
        self._world.disturb(lambda: self._world.server.end_watches(how))

    @rule(name=st.sampled_from([*REFUSALS]))
    def refuse_watches(self, name: str) -> None:
        self._world.disturb(lambda: self._world.server.refuse_watches(name))

    @rule(nonsense=st.sampled_from(NONSENSE))
    def babble(self, nonsense: Nonsense) -> None:
        self._world.disturb(lambda: self._world.server.babble(nonsense))

    @rule()
    def mangle_a_change(self) -> None:
        self._world.disturb(self._world.server.mangle)

    @rule()
    def stall_watches(self) -> None:
        self._world.disturb(self._world.server.stall)

    @rule(faults=st.lists(LIST_FAULTS, min_size=1, max_size=3))
    def let_lists_fail(self, faults: list[str]) -> None:
        self._world.disturb(lambda: self._world.server.list_faults.extend(faults))

    @rule(pages=st.integers(1, 2))
    def let_a_later_page_expire(self, pages: int) -> None:
        self._world.disturb(lambda: self._world.server.list_faults.extend([*[""] * pages, "410 Expired"]))

    @rule(faults=st.lists(WATCH_FAULTS, min_size=1, max_size=3))
    def let_watches_fail(self, faults: list[str]) -> None:
        self._world.disturb(lambda: self._world.server.watch_faults.extend(faults))

    @rule(times=st.integers(1, 3))
    def bookmark(self, times: int) -> None:
        self._world.do(lambda: self._world.server.bookmark(times))

    @rule(regular=st.booleans(), seconds=st.sampled_from([0.0, 0.5, 12.0, 45.0]))
    def change_bookmarks(self, regular: bool, seconds: float) -> None:
        """Where they stop coming, a stream is given up after 150 s of silence."""
        self._world.disturb(lambda: self._world.server.change_bookmarks(regular, seconds))

    @rule(lags=st.booleans())
    def lag(self, lags: bool) -> None:
        self._world.disturb(lambda: self._world.server.lag(lags))

    @rule(health=st.sampled_from(HEALTHS))
    def change_health(self, health: Health) -> None:
        self._world.disturb(lambda: setattr(self._world.server, "health", health))

    @rule(seconds=st.sampled_from([0.0, 2.0, 45.0]))
    def restart(self, seconds: float) -> None:
        self._world.disturb(self._world.server.stop)
        self._world.advance(seconds)
        self._world.do(self._world.server.start)

    @precondition(lambda self: not self._world.is_ahead and not self._world.server.told_to_wait)
    @rule(
        lost=st.integers(1, 6),
        written=st.lists(st.tuples(KEYS, st.none() | TEAMS), max_size=5),
        seconds=st.sampled_from([1.5, 5.0, 45.0]),
    )
    def restore_a_backup(self, lost: int, written: list[tuple[str, str | None]], seconds: float) -> None:
        """What is written before the informer notices stays below the version it knows: beyond that nobody could.

        Nor could one notice who is out of touch from before the end to after the beginning: who was told to wait, or is
        in the second that lies between a list or a watch and the next watch. No backup is restored in a second.
        """
        world = self._world
        world.advance(1.0)
        if world.server.told_to_wait:  # meanwhile
            return
        world.disturb(world.server.stop)
        world.advance(seconds)
        world.history.restore(max(world.history.compacted, world.history.version - lost))
        for key, teams in written:
            if world.known - world.history.version > 1:
                world.write(key, teams)
        world.do(world.server.start)

    @precondition(lambda self: not self._world.is_ahead)
    @rule(seconds=st.sampled_from([0.0, 1.0, 12.0, 40.0]))
    def take_the_kind_away(self, seconds: float) -> None:
        """A CRD is removed, and with it its objects; later it is there again."""
        world = self._world
        for key in [*world.history.state]:
            world.write(key, None)
        world.disturb(world.server.take_away)
        world.advance(seconds)
        world.server.is_absent = False

    @precondition(lambda self: len(self._world.handlers) < MOST_HANDLERS)
    @rule(manner=MANNERS, resync=st.sampled_from([0.0, 0.0, 0.0, 0.5, 3.0]), team=st.sampled_from(["", "", "red"]))
    def add_a_handler(self, manner: Manner, resync: float, team: str) -> None:
        self._world.add_handler(manner, resync, team)

    @precondition(lambda self: self._world.handlers)
    @rule(position=st.integers(0, MOST_HANDLERS))
    def remove_a_handler(self, position: int) -> None:
        handlers = self._world.handlers
        self._world.remove_handler(handlers[position % len(handlers)])

    @precondition(lambda self: self._world.handlers)
    @rule()
    def open_the_gates(self) -> None:
        for handler in self._world.handlers:
            self._world.do(handler.gate.set)

    @precondition(lambda self: not self._world.oracle.teams_indexed)
    @rule()
    def add_an_index(self) -> None:
        self._world.add_index()

    @rule(ahead=st.integers(-3, 3))
    def wait_for_a_version(self, ahead: int) -> None:
        self._world.wait_for(max(1, self._world.history.version + ahead))

    def teardown(self) -> None:
        if self.world is None:
            return
        try:
            if not self.world.problems:
                self.world.finish()
        finally:
            self.world.close()
