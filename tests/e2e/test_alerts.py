"""Tests of metrics and alerts of real processes: a real Prometheus scrapes them, and fires the alert of each fault."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests.support.controlplane import ControlPlane
from tests.support.e2e.alerting_prometheus import AlertingPrometheus
from tests.support.e2e.production_stack import WITHIN, ProductionStack
from tests.support.informerd.served_metrics import served_metrics
from tests.support.wait import until
from tools.metrics_page import sample_name, sections

pytestmark = [pytest.mark.long, pytest.mark.redis, pytest.mark.postgresql]

Fault = Callable[[ProductionStack], None]


def no_worker(stack: ProductionStack) -> None:
    stack.worker.kill()


def no_redis(stack: ProductionStack) -> None:
    stack.redis.kill()


def no_api_server(stack: ProductionStack) -> None:
    stack.controlplane.kill()


def no_database(stack: ProductionStack) -> None:
    stack.database.shut()


def no_web_process(stack: ProductionStack) -> None:
    for web in stack.webs:
        web.kill()


FAULTS: dict[str, Fault] = {
    "DeltaboardWorkerSilent": no_worker,
    "DeltaboardRedisAway": no_redis,
    "DeltaboardClusterAway": no_api_server,
    "DeltaboardHistoryNotWritten": no_database,
    "DeltaboardNoWebProcess": no_web_process,
}
"""What is done to a dashboard that is well, by the alert that follows. It stays until it is mended."""


@pytest.fixture(scope="module")
def production(
    modules_controlplane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProductionStack]:
    """The production form with history, for one test after the other."""
    stack = ProductionStack(modules_controlplane, tmp_path_factory.mktemp("stack"), DELTABOARD_HISTORY="on")
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@contextmanager
def scraped(stack: ProductionStack, directory: Path) -> Iterator[AlertingPrometheus]:
    """A Prometheus that has seen all processes well."""
    targets = {
        "worker": [f"127.0.0.1:{stack.worker.port}"],
        "web": [f"127.0.0.1:{web.port}" for web in stack.webs],
    }
    prometheus = AlertingPrometheus(directory, targets)
    prometheus.run()
    try:
        until(lambda: is_well(prometheus), within=WITHIN, what="all is well")
        yield prometheus
    finally:
        prometheus.kill()


def is_well(prometheus: AlertingPrometheus) -> bool:
    live = prometheus.value("min(deltaboard_live)"), prometheus.value("max(deltaboard_history_recording)")
    return live == (1, 1) and prometheus.value("count(up == 1)") == 3


def test_worker_and_web_process_serve_the_metrics_that_are_documented(production: ProductionStack) -> None:
    shared = ("process", "client", "informers", "prometheus-client")
    own = {production.worker.url: (*shared, "history", "usage"), production.webs[0].url: (*shared, "web")}
    for url, names in own.items():
        with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:
            served = served_metrics(answer.read().decode())
        assert served == {sample_name(each): each.type for name in names for each in sections()[name]}


@pytest.mark.parametrize("alert", FAULTS)
def test_a_fault_fires_its_alert_and_what_mends_it_ends_the_alert(
    production: ProductionStack, tmp_path: Path, alert: str
) -> None:
    with scraped(production, tmp_path / "prometheus") as prometheus:
        FAULTS[alert](production)
        try:
            until(lambda: alert in prometheus.firing(), within=WITHIN, what=f"{alert} fires")
        finally:
            production.mend()
        until(lambda: alert not in prometheus.firing(), within=2 * WITHIN, what=f"{alert} ends")


def test_what_happens_once_fires_for_as_long_as_its_rule_looks_back(
    production: ProductionStack, tmp_path: Path
) -> None:
    with scraped(production, tmp_path / "prometheus") as prometheus:
        production.webs[0].pause()
        down = "sum(count_over_time((up == 0)[1m:1s]))"
        until(lambda: (prometheus.value(down) or 0) >= 5, within=WITHIN, what="it was not scraped for 5 s")
        production.webs[0].resume()
        until(lambda: "DeltaboardEventLoopBlocked" in prometheus.firing(), within=WITHIN, what="the block is seen")
        with redis.Redis(port=production.redis.port) as client:
            for channel in client.pubsub_channels():
                client.publish(channel, b"not ours")
        until(lambda: "DeltaboardMessagesRejected" in prometheus.firing(), within=WITHIN, what="the message is seen")
