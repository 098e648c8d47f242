"""Tests of docs/metrics.md: its tables are what the program serves, and the names follow Prometheus' conventions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric

from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.hub.hub import Hub
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.wiring.metrics import exposition
from dashboard.server.wiring.worker import build_worker_process
from informerd.rest.client import Client
from informerd.rest.load_config import ClusterConfig
from tests.support.clock import FakeClock
from tests.support.informerd.served_metrics import served_metrics
from tests.support.live.collected_usage import Collected
from tests.support.live.fake_metrics_api import MetricsApi
from tests.support.live.history import ListedPods, recording
from tests.support.live.replica_feeder import Feeder, Feeders
from tests.support.skip_if_missing import missing
from tools.metrics_page import PAGE, label_names, sample_name, sections, written

CONVENTION_EXCEPTIONS = {"leader_election_master_status"}
"""client-go's own names."""


def test_the_tables_are_what_the_program_has() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "run python -m tools.metrics_page"
    assert all(f"<!-- metrics: {name} -->" in page for name in sections())


def named(*names: str) -> dict[str, str]:
    """Types of the metrics of some sections, by name."""
    return {sample_name(each): each.type for name in names for each in sections()[name]}


async def test_a_web_process_serves_what_the_page_says() -> None:
    clock = FakeClock()
    feeders = Feeders(Feeder("pods", clock))
    process = build_worker_process(with_worker=False)
    process.connection.client = Client(ClusterConfig(name="a", server="https://a.example"))
    text, _ = exposition(process, WebNumbers(Hub(feeders, clock), feeders, 2000))
    await process.connection.client.close()
    always = named("process", "web", "client", "informers")
    assert served_metrics(text.decode()) == {**always, **named("prometheus-client")}


async def test_a_worker_serves_what_the_page_says(tmp_path: Path) -> None:
    process = build_worker_process(with_worker=True)
    process.usage = Collected(MetricsApi(), "web").collector
    async with recording(SqliteParts(tmp_path), ("pods", ListedPods())) as process.history:
        text, _ = exposition(process)
    sections_of_it = ("process", "usage", "history", "informers", "prometheus-client")
    assert served_metrics(text.decode()) == named(*sections_of_it)


def test_each_metric_has_a_meaning_and_a_name_of_its_own() -> None:
    families = [each for every in sections().values() for each in every]
    assert len({each.name for each in families}) == len(families)
    assert [each.name for each in families if not each.documentation] == []
    assert [each.name for each in families if not each.name.startswith(("deltaboard_", "informerd_", "process_"))] == [
        *CONVENTION_EXCEPTIONS
    ]


class _Sampled:
    """Each family with one sample, or promtool would see no name."""

    def collect(self) -> list[Metric]:
        families = [each for every in sections().values() for each in every if not each.samples]
        for each in families:
            values = [f"a{number}" for number in range(len(label_names(each)))]
            number = {"histogram": ([("+Inf", 1.0)], 1.0), "summary": (1.0, 1.0)}.get(each.type, (1.0,))
            each.add_metric(values, *number)  # type: ignore[attr-defined] # of the classes that have one
        return families


@pytest.mark.program
def test_names_follow_the_conventions_of_prometheus() -> None:
    promtool = shutil.which("promtool") or missing("promtool", "install Debian's prometheus")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Sampled())
    done = subprocess.run(
        [promtool, "check", "metrics"], input=generate_latest(registry), capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
