"""Random tests from the worker to the browser: in the end every page shows the truth, and live is never false.

Every run has the same histories, so that no run fails by chance; `EXPLORE=500` tries as many others.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.live.hub import browser_socket as socket_module
from dashboard.live.replication import publisher as publisher_module
from dashboard.live.replication import replica as replica_module
from dashboard.live.replication import replica_rows as holding_module
from tests.support.live.model.oracle import check
from tests.support.live.model.simulation import World

pytestmark = pytest.mark.slow

OPS = (
    "change", "change", "change", "change", "storm", "lose", "lose", "silence", "restart", "double", "kill", "stick",
    "break", "relist", "open", "open", "open", "go", "slow", "leave", "wait",
)  # fmt: skip

Deed = tuple[str, int]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a world of a few dozen rows meets."""
    monkeypatch.setattr(replica_module, "MAX_AT_ONCE", 4)
    monkeypatch.setattr(holding_module, "STEP", 3)
    monkeypatch.setattr(holding_module, "MAX_ENTRIES", 30)
    monkeypatch.setattr(publisher_module, "MAX_ENTRIES", 30)
    monkeypatch.setattr(socket_module, "MAX_UNACKNOWLEDGED", 6_000)
    monkeypatch.setattr(socket_module, "RESUME_BELOW", 1_500)


async def live_through(seed: int, deeds: list[Deed]) -> World:
    world = World(seed)
    for name, number in deeds:
        await world.do(name, number)
    await world.end()
    return world


def by_chance(seed: int, number: int = 250) -> list[Deed]:
    chance = World(seed).chance
    return [(chance.choice(OPS), chance.randrange(200)) for _ in range(number)]


def unbroken(deeds: list[Deed]) -> list[Deed]:
    """The same without broken watches, which sum changes up: here each change has to be told or counted."""
    return [deed for deed in deeds if deed[0] != "break"]


@settings(
    max_examples=int(os.environ.get("EXPLORE", "25")),
    derandomize="EXPLORE" not in os.environ,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from(OPS), st.integers(0, 199)), max_size=80))
def test_whatever_happens_everybody_ends_with_the_truth(seed: int, deeds: list[Deed]) -> None:
    check(asyncio.run(live_through(seed, deeds)))


@pytest.mark.parametrize("history", [by_chance, lambda seed: unbroken(by_chance(seed))], ids=["any", "unbroken"])
@pytest.mark.parametrize("seed", range(4))
async def test_a_long_life(seed: int, history: Callable[[int], list[Deed]]) -> None:
    world = await live_through(seed, history(seed))
    check(world)
    assert sum(web.replica.gaps + web.replica.silences for web in world.webs) > 0
    assert sum(web.hub.metrics.windows_rendered for web in world.webs) > 0


@pytest.mark.parametrize(
    ("seed", "history"),
    [
        pytest.param(
            79,
            "change:0 lose:2 change:1 change:1 stick:1 lose:0 change:0 stick:1 stick:1 change:0 silence:1 "
            "lose:3 wait:2 lose:7 storm:19 silence:0 change:1 change:0 change:1 change:2 storm:88 change:2 "
            "lose:1 storm:5 ",
            id="everything_is_another_one_after_a_silence",
        ),
        pytest.param(
            184,
            "restart:1 kill:85 kill:44 stick:59 change:160 wait:26 stick:134 change:176",
            id="the_first_list_is_heard_of_by_a_snapshot",
        ),
        pytest.param(
            157,
            "double:1 change:1 lose:88 change:1 change:1 change:0 change:1 stick:0 lose:97 storm:2 kill:0 "
            "change:2 silence:1 break:0 kill:0 stick:0 lose:19 change:1 wait:2 change:0 stick:1 kill:0 relist:0 "
            "stick:1 wait:1 kill:0 restart:0 silence:1 relist:0 break:0 double:0 lose:0 change:2 kill:0 kill:0 "
            "relist:0 lose:103 break:0 restart:0 silence:1 break:0 kill:0 wait:2 relist:0 storm:15 wait:0 "
            "change:0 change:1 change:0 wait:1 double:0 double:1 break:0 change:2 change:1 silence:0 lose:2 "
            "double:0 storm:18 storm:5 restart:1 change:0 change:0 kill:0 change:2 lose:0 restart:2 ",
            id="another_worker_is_heard_while_a_dead_ones_snapshot_is_taken_over",
        ),
    ],
)
async def test_what_once_was_a_lie(seed: int, history: str) -> None:
    """Histories in which chance found a page that was wrong, without the deeds that it was wrong without, too."""
    deeds = [(name, int(number)) for name, _, number in (deed.partition(":") for deed in history.split())]
    check(await live_through(seed, deeds))
