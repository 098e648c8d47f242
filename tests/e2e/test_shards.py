"""Tests of three workers that divide the namespaces, with two web processes, over Redis on a real API server."""

from __future__ import annotations

import html
import os
import re
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.runtime.shard import Shard
from tests.support.controlplane import ControlPlane
from tests.support.e2e.production_stack import WITHIN, Web, Worker
from tests.support.e2e.redis_server import RedisServer
from tests.support.program import answers
from tests.support.wait import until

pytestmark = [pytest.mark.redis, pytest.mark.controlplane, pytest.mark.program]

KIND = "configmaps"
THIRDS = (Shard(1, 3), Shard(2, 3), Shard(3, 3))
OBJECTS = 5
"""Objects in each namespace."""


class Sharded:
    """Two web processes, a worker that watches everything, and one for each third, which tests start."""

    def __init__(self, controlplane: ControlPlane, folder: Path) -> None:
        self.controlplane = controlplane
        self.redis = RedisServer(folder)
        self.env = {
            "KUBECONFIG": str(controlplane.kubeconfig),
            "REDIS_URL": self.redis.url,
            "SECRET_KEY": os.urandom(20).hex(),
            "DELTABOARD_TOKEN": "off",
            "DELTABOARD_VAR": str(folder),
            "HOME": str(folder),
            "DELTABOARD_KINDS": f"{KIND},namespaces",
            "DELTABOARD_HISTORY": "off",
            "DELTABOARD_USAGE_SECONDS": "0",
            "DELTABOARD_CHANNEL_PREFIX": f"shards-{uuid.uuid4().hex[:8]}",
        }
        self.whole = Worker(self.env)
        self.recorder = Worker({**self.env, "DELTABOARD_HISTORY": "on"}, "--record-only")
        self.claiming = [Worker({**self.env, "DELTABOARD_SHARD": "any/3"}) for _ in range(4)]
        self.thirds = {shard: Worker({**self.env, "DELTABOARD_SHARD": str(shard)}) for shard in THIRDS}
        self.webs = (Web({**self.env, "DELTABOARD_HISTORY": "on"}), Web(self.env))
        self.namespaces = {shard: self._namespace_in(shard) for shard in THIRDS}
        self.word = f"made-{uuid.uuid4().hex[:8]}"
        for namespace in self.namespaces.values():
            for number in range(OBJECTS):
                self.create(namespace, str(number))

    def _namespace_in(self, shard: Shard) -> str:
        names = (f"{uuid.uuid4().hex[:8]}-shards" for _ in range(1_000))
        return self.controlplane.create_namespace(next(name for name in names if shard.includes(name)))

    def create(self, namespace: str, name: str) -> None:
        body = {"metadata": {"name": f"{self.word}-{name}"}, "data": {"said": "here"}}
        self.controlplane.create(f"/api/v1/namespaces/{namespace}/configmaps", body)

    def start(self) -> None:
        """Start Redis and the web processes."""
        self.redis.run()
        for web in self.webs:
            web.start()
        for web in self.webs:
            web.wait_for(lambda url=web.url: answers(f"{url}/healthz"), within=WITHIN)  # type: ignore[misc]

    def stop(self) -> None:
        for program in (self.whole, self.recorder, *self.claiming, *self.thirds.values(), *self.webs):
            program.__exit__()
        self.redis.kill()

    def page(self, web: Web) -> str:
        with urllib.request.urlopen(f"{web.url}/resources/{KIND}/?q={self.word}", timeout=60) as answer:
            return html.unescape(answer.read().decode())

    def rows(self, web: Web) -> set[str]:
        """Names of the objects of this test on the page, each with its namespace."""
        page = self.page(web)
        names = "|".join(self.namespaces.values())
        return set(re.findall(rf"/resources/{KIND}/((?:{names})/{self.word}-\w+)/", page))

    def wait_for_rows(self, number: int) -> None:
        for web in self.webs:
            until(lambda web=web: len(self.rows(web)) == number, within=WITHIN, what=f"{number} rows")  # type: ignore[misc]

    def is_live(self) -> bool:
        """Whether every page of the kind may say live, in both web processes."""
        return all(metric(web.url, "deltaboard_live", KIND) == 1 for web in self.webs)

    def wait_until_live(self) -> None:
        until(self.is_live, within=WITHIN, what="the pages are live")

    def has_shards(self) -> bool:
        """Whether both web processes show the rows of the three workers."""
        return all(metric(web.url, "deltaboard_feed_shards", KIND) == len(THIRDS) for web in self.webs)

    def problem(self, web: Web) -> str:
        """What the page says without scripts while it is not live."""
        found = re.search(r"The worker has not been heard.*?live\.", self.page(web), re.DOTALL)
        return " ".join(re.sub(r"<[^>]*>", "", found[0]).split()) if found else ""


def text_of(address: str) -> str:
    """What is at the address; empty where that is an error."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def metric(url: str, name: str, resource: str) -> float:
    """The metric of a kind."""
    text = text_of(f"{url}/metrics")
    found = re.findall(rf'^{name}{{[^}}]*resource="{resource}"[^}}]*}} ([0-9.e+]+)$', text, re.MULTILINE)
    return sum(map(float, found))


@pytest.fixture
def sharded(controlplane: ControlPlane, tmp_path: Path) -> Iterator[Sharded]:
    made = Sharded(controlplane, tmp_path)
    made.start()
    yield made
    made.stop()


def test_each_worker_keeps_its_third_and_pages_have_all_of_it(sharded: Sharded) -> None:
    for worker in sharded.thirds.values():
        worker.start()
    sharded.wait_until_live()
    sharded.wait_for_rows(3 * OBJECTS)
    listed = {shard: metric(worker.url, "informerd_objects", KIND) for shard, worker in sharded.thirds.items()}
    assert sum(listed.values()) == metric(sharded.webs[0].url, "deltaboard_rows", KIND)
    assert all(number >= OBJECTS for number in listed.values())

    lost = THIRDS[1]
    sharded.thirds[lost].kill()
    for web in sharded.webs:
        until(lambda web=web: "shard 2 of 3 alone" in sharded.problem(web), within=WITHIN, what="the shard is named")  # type: ignore[misc]
    assert sharded.namespaces[lost] in sharded.problem(sharded.webs[0])
    for shard in (THIRDS[0], THIRDS[2]):
        sharded.create(sharded.namespaces[shard], "meanwhile")
    sharded.create(sharded.namespaces[lost], "unseen")
    sharded.wait_for_rows(3 * OBJECTS + 2)
    assert not sharded.is_live()

    sharded.thirds[lost].start()
    sharded.wait_until_live()
    sharded.wait_for_rows(3 * OBJECTS + 3)


def test_one_worker_becomes_three_and_no_page_is_stale(sharded: Sharded) -> None:
    sharded.whole.start()
    sharded.wait_until_live()
    sharded.wait_for_rows(3 * OBJECTS)
    for worker in sharded.thirds.values():
        worker.start()
    for shard in THIRDS:
        sharded.create(sharded.namespaces[shard], "meanwhile")
    until(sharded.has_shards, within=WITHIN, what="the three workers are followed")
    sharded.wait_for_rows(3 * OBJECTS + 3)
    sharded.whole.stop()
    silences = [metric(web.url, "deltaboard_feed_silences_total", KIND) for web in sharded.webs]
    for shard in THIRDS:
        sharded.create(sharded.namespaces[shard], "after")
    sharded.wait_for_rows(3 * OBJECTS + 6)
    assert sharded.is_live()
    assert silences == [0, 0]


def test_history_is_recorded_by_a_worker_that_publishes_nothing(sharded: Sharded) -> None:
    sharded.recorder.start()
    sharded.recorder.wait_for(lambda: answers(f"{sharded.recorder.url}/healthz"), within=WITHIN)
    until(lambda: "recording since" in text_of(f"{sharded.recorder.url}/healthz"), within=WITHIN, what="it records")
    assert metric(sharded.webs[0].url, "deltaboard_rows", KIND) == 0, "nothing of it reaches a web process"
    for worker in sharded.thirds.values():
        worker.start()
    sharded.wait_until_live()
    sharded.create(sharded.namespaces[THIRDS[0]], "recorded")
    address = f"{sharded.webs[0].url}/resources/{KIND}/{sharded.namespaces[THIRDS[0]]}/{sharded.word}-recorded/history/"
    until(lambda: "created" in text_of(address), within=WITHIN, what="the history has the object")
    assert sharded.has_shards()


@pytest.mark.long
def test_workers_take_shards_by_leases_and_one_more_stands_by(sharded: Sharded) -> None:
    for worker in sharded.claiming:
        worker.start()
    sharded.wait_until_live()
    sharded.wait_for_rows(3 * OBJECTS)
    watching = [worker for worker in sharded.claiming if "this worker watches shard" in worker.output]
    assert len(watching) == len(THIRDS)
    watching[0].stop()
    until(lambda: all("this worker watches shard" in each.output for each in sharded.claiming), within=WITHIN)
    sharded.wait_until_live()
    for namespace in sharded.namespaces.values():
        sharded.create(namespace, "after")
    sharded.wait_for_rows(3 * OBJECTS + 3)
