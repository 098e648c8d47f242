"""Faults of a production stack, one after the other, with what its pages say meanwhile.

A fault is a generator: it harms the stack and yields what the pages must say then. The caller makes changes at
each of these points, so that pages can become wrong, and checks the pages.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from tests.support.e2e.production_stack import ProductionStack
from tests.support.e2e.random_changes import Changes
from tests.support.program import Program
from tests.support.wait import until

BOTH = (0, 1)
LONG = 6.0
"""Seconds of a fault after which a page that says live without having looked is seen to lie."""
FRAMES = 4
"""Messages among which there is most likely one that brings a change."""


@dataclass(frozen=True)
class Says:
    """Expected state of the pages."""

    state: str
    """live: and they are right. stale, offline. Empty: whatever they like, as long as it is no lie."""
    words: str = ""
    """A part of what the banner says."""
    pages: tuple[int, ...] = BOTH
    changes: bool = True
    """Whether the API server takes changes at this point."""
    seconds: float = 0.0
    """How long it stays like this at least."""


LIVE = Says("live")
UNHEARD = Says("stale", "worker has not been heard")
Story = Callable[[ProductionStack, Changes], Iterator[Says]]


@dataclass(frozen=True)
class Fault:
    """A fault, and the counter in /metrics of both web processes that shows it afterwards."""

    story: Story
    counted: str = ""

    @property
    def name(self) -> str:
        return self.story.__name__


def worker_ended_and_started(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.worker.stop(signal.SIGTERM)
    yield UNHEARD
    at.worker.start()
    yield LIVE


def worker_killed_and_started(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.worker.kill()
    yield UNHEARD
    at.worker.start()
    yield LIVE


def worker_frozen(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.worker.pause()
    yield Says("stale", UNHEARD.words, seconds=LONG)
    at.worker.resume()
    yield LIVE


def worker_slow(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    """The worker runs for a fifth of the time, with pauses too short to count as silence."""
    with held_up(at.worker):
        yield Says("", seconds=LONG)
        yield Says("")
    yield LIVE


def worker_doubled(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.second.start()
    until(lambda: "informerd publishes" in at.second.output, within=90)
    yield LIVE
    at.second.stop()
    yield LIVE


def leader_frozen_past_its_lease_and_back(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    """The old leader wakes and goes on as if it still led."""
    at.worker.pause()
    yield UNHEARD
    at.second.start()
    yield LIVE
    at.worker.resume()
    yield Says("live", seconds=2.0)
    at.second.kill()
    yield Says("", seconds=2.0)
    yield LIVE


def redis_killed_and_started(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    """It stays away until each web process misses the worker: pages say stale before that."""
    before = [at.counted("feed_silences", web) for web in BOTH]
    at.redis.kill()
    yield Says("stale", "Redis")
    until(lambda: all(at.counted("feed_silences", web) > count for web, count in zip(BOTH, before, strict=True)))
    at.redis.run()
    yield LIVE


def redis_frozen(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.redis.pause()
    yield Says("stale", seconds=LONG)
    at.redis.resume()
    yield LIVE


def redis_loses_messages(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    """Each web process has its subscription cut while it stands still, and frames are published meanwhile.

    It comes back at once, so that a cut alone loses a frame only by chance. One that stands still for so long that it
    takes the worker for silent asks for everything, and need not find a hole: that is another fault, and it is tried
    again.
    """
    with changes.going_on(20):
        for web in BOTH:
            until(partial(misses_frames, at, web), within=60, what=f"web process {web} finds a hole")
    yield LIVE


def misses_frames(at: ProductionStack, web: int) -> bool:
    """Have a web process miss published frames for a moment. Returns whether it noticed a gap."""
    gaps, silences = at.counted("feed_gaps", web), at.counted("feed_silences", web)
    at.webs[web].pause()
    try:
        at.redis.cut_subscribers()
        published = at.redis.published()
        until(lambda: at.redis.published() >= published + FRAMES, what="the worker publishes")
    finally:
        at.webs[web].resume()
    with suppress(AssertionError):  # the worker had nothing new to say: none of the messages was missed
        until(lambda: at.counted("feed_gaps", web) + at.counted("feed_silences", web) > gaps + silences, within=10)
    return at.counted("feed_gaps", web) > gaps


def web_process_killed_and_started(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.webs[0].kill()
    yield Says("offline", "No connection to Deltaboard", pages=(0,))
    yield Says("live", pages=(1,))
    at.webs[0].start()
    yield LIVE


def web_process_frozen(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.webs[0].pause()
    yield Says("stale", "Deltaboard has not been heard", pages=(0,), seconds=LONG)
    yield Says("live", pages=(1,))
    at.webs[0].resume()
    yield LIVE


def api_server_killed_and_started(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.controlplane.kill()
    yield Says("stale", "API server", changes=False)
    at.controlplane.start_apiserver()
    yield LIVE


def api_server_frozen(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.controlplane.pause()
    yield Says("stale", "API server has not answered", changes=False)
    at.controlplane.resume()
    yield LIVE


def history_compacted_while_the_worker_was_away(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    """The version that its watches stand at is no more when they go on: 410, and a new list."""
    before = at.informer_counted("relists")
    at.worker.pause()
    yield UNHEARD
    at.controlplane.kill()
    at.controlplane.etcd.compact()
    at.controlplane.start_apiserver()
    yield UNHEARD
    at.worker.resume()
    yield LIVE
    assert at.informer_counted("relists") > before


def database_away(at: ProductionStack, changes: Changes) -> Iterator[Says]:
    at.database.shut()
    yield Says("live", seconds=2.0)
    at.database.reopen()
    yield LIVE


FAULTS = (
    Fault(worker_ended_and_started, "feed_silences"),
    Fault(worker_killed_and_started, "feed_silences"),
    Fault(worker_frozen, "feed_silences"),
    Fault(worker_slow),
    Fault(worker_doubled),
    Fault(leader_frozen_past_its_lease_and_back, "feed_silences"),
    Fault(redis_killed_and_started, "feed_silences"),
    Fault(redis_frozen, "feed_silences"),
    Fault(redis_loses_messages, "feed_gaps_healed"),
    Fault(web_process_killed_and_started),
    Fault(web_process_frozen),
    Fault(api_server_killed_and_started),
    Fault(api_server_frozen),
    Fault(history_compacted_while_the_worker_was_away),
    Fault(database_away),
)


@contextmanager
def held_up(program: Program) -> Iterator[None]:
    """The program runs for 0.2 s of each second."""
    ending = threading.Event()

    def hold() -> None:
        while not ending.is_set():
            program.pause()
            time.sleep(0.8)
            program.resume()
            time.sleep(0.2)

    thread = threading.Thread(target=hold, name="held up")
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
        program.resume()
