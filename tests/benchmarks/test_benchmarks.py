"""Smoke tests of the benchmarks, and a check that their load servers send the same."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from pathlib import Path

import pytest

from benchmarks.support.load_server import has_watch_stub, load_server
from benchmarks.support.load_server_pods import pod
from tests.support.benchmark_runner import figures_of, run_benchmark
from tests.support.browser.chromium import chromium_path
from tests.support.long_tests import long_but
from tests.support.program import run_program
from tests.support.skip_if_missing import controlplane_binaries, postgresql_url, redis_url

pytestmark = pytest.mark.program

PEERS = Path(os.environ["PEERS"]) if os.environ.get("PEERS") else None


@pytest.mark.soak
def test_the_informers_benchmark_prints_what_programs_read() -> None:
    environ = {name: value for name, value in os.environ.items() if name != "PEERS"} | {"IDLE_SECONDS": "1"}
    lines = run_benchmark("ingest", "--pods", "300", "--events", "400", env=environ)
    assert lines["kubernetes.informer"]["ratios"]["informerd's events"].startswith("× ")
    assert all(figure > 0 for line in lines.values() for figure in line["figures"].values())


@pytest.mark.parametrize("reader", long_but(["informerd", "official_client"], "informerd"))
@pytest.mark.parametrize("events", long_but([0, 70], 70))
def test_a_reader_reports_only_when_it_was_told_of_every_event_and_the_last(reader: str, events: int) -> None:
    def read(expected: int) -> subprocess.CompletedProcess[str]:
        return run_program("-m", f"benchmarks.readers.{reader}", url, "5", str(expected))

    with load_server(None, 5, events) as url:
        done = read(events)
        wrong = read(events + 1)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["events_per_second"] > 0
    assert wrong.returncode == 1
    assert f"{events + 1} and the last were sent" in wrong.stderr.replace(" events", "")
    assert not wrong.stdout


def test_the_demo_clusters_benchmark_prints_what_programs_read() -> None:
    sizes = ["--pods", "60", "--writes", "90", "--watchers", "2", "--starts", "1"]
    lines = figures_of("demo_cluster", *sizes)
    assert lines["status patches, 2 watchers"]["events delivered, %"] == 100
    assert all(figure > 0 for figures in lines.values() for figure in figures.values())


def test_the_demo_workloads_benchmark_prints_what_programs_read() -> None:
    sizes = ["--pods", "40", "--rate", "30", "--settle", "1", "--seconds", "4"]
    lines = figures_of("demo_workload", *sizes)
    assert lines["changes a second"]["all"] > 1
    assert 20 < lines["pods at the end"]["number"] < 80


@pytest.mark.skipif(not has_watch_stub(PEERS), reason="needs the peers' load server: set PEERS to its folder")
def test_our_load_server_sends_the_bytes_that_the_peers_load_server_sends() -> None:
    with load_server(PEERS, 30, 10) as url, urllib.request.urlopen(f"{url}/api/v1/pods") as answer:
        items = answer.read()
    for number in range(30):
        assert pod(number, number + 1) in items


def test_the_views_benchmark_prints_what_programs_read() -> None:
    lines = run_benchmark("list_filter_and_sort", "--rows", "2000", "--sizes", "100", "200")
    assert lines["a change, 200 rows, 10 lists"]["ratios"]["at 100 rows"].startswith("× ")
    assert all(figure > 0 for line in lines.values() for figure in line["figures"].values())


def test_the_shards_benchmark_prints_what_programs_read() -> None:
    lines = figures_of("shards", "--events", "200", "--pods", "300")
    assert (
        lines["a change of one pod, a frame of its own"]["bytes"]
        > lines["a change of one pod, a frame of its own"]["bytes of the row"]
    )
    assert all(figure > 0 for figures in lines.values() for figure in figures.values())


def test_the_work_queues_benchmark_prints_what_programs_read() -> None:
    lines = run_benchmark("workqueue", "--keys", "200", "--rounds", "1")
    assert lines["asyncio.Queue: 10,000 keys wait"]["ratios"]["informerd's"].startswith("× ")
    assert all(figure > 0 for line in lines.values() for figure in line["figures"].values())


def test_the_merge_benchmark_prints_what_programs_read() -> None:
    lines = run_benchmark("merge", "--lines", "600", "--rounds", "1")
    assert [name.split(",")[0] for name in lines] == ["merge", "rewrite", "page"]
    assert all(figure > 0 for line in lines.values() for figure in line["figures"].values())


def test_the_controllers_benchmark_handles_every_event_and_so_does_kopf() -> None:
    lines = run_benchmark("controllers", "--pods", "60", "--rounds", "1")
    assert lines["kopf, on.event"]["ratios"]["informerd's events"].startswith("× ")
    assert all(figure > 0 for line in lines.values() for figure in line["figures"].values())


@pytest.mark.browser
def test_the_benchmark_of_an_open_page_prints_what_programs_read() -> None:
    chromium_path()
    sizes = ["--hours", "0.01", "--rest", "1", "--settle", "0", "--pages", "list"]
    lines = figures_of("browser_hours", *sizes)
    assert len(lines) == 5
    assert all(figures["sockets"] == 1 for what, figures in lines.items() if "after" in what)
    assert lines["list, at rest"]["shown, % of a core"] >= 0


@pytest.mark.soak
@pytest.mark.browser
@pytest.mark.controlplane
@pytest.mark.redis
@pytest.mark.postgresql
def test_the_outage_benchmark_prints_what_programs_read() -> None:
    controlplane_binaries(), chromium_path(), redis_url(), postgresql_url()
    (figures,) = figures_of("outage", "--rounds", "1", "--pods", "10", "--faults", "killed").values()
    assert figures["stale shown after, s"] > 0
    assert figures["healed after it is ready, s"] > 0


@pytest.mark.soak
@pytest.mark.browser
@pytest.mark.controlplane
def test_the_benchmark_of_logs_counts_every_line() -> None:
    controlplane_binaries(), chromium_path()
    rates = ["--rate", "2000", "--streams", "2", "--stream-rate", "100"]
    sizes = ["--pages", "2", "--seconds", "2", "--search-mb", "1", "--rounds", "1", "--requests", "2"]
    lines = figures_of("logs", *rates, *sizes)
    floods = [figures for name, figures in lines.items() if name.endswith("to 2 pages")]
    assert [figures["lost without a mark"] for figures in floods] == [0, 0]
    found = [figures["lines"] for name, figures in lines.items() if name.startswith("1 MB, a text: ")]
    assert len(found) == 3
    assert found[0] == found[1] == found[2] > 0


@pytest.mark.soak
@pytest.mark.controlplane
@pytest.mark.redis
def test_the_limits_benchmark_measures_each_size() -> None:
    controlplane_binaries(), redis_url()
    lines = figures_of("limits", "--pods", "90", "180", "--requests", "5", "--seconds", "1")
    for pods in ("90 pods", "180 pods"):
        assert 0 < lines[f"{pods}: start"]["rows of nodes, s"] <= lines[f"{pods}: start"]["live, s"] + 1
        assert 0 < lines[f"{pods}: start"]["rows of pods, s"] <= lines[f"{pods}: start"]["live, s"] + 1
        assert lines[f"{pods}: start"]["MB of the worker"] > 0
        assert lines[f"{pods}: feed, searched"]["p50, ms"] > 0
        assert f"{pods}: a change" in lines


@pytest.mark.postgresql
def test_the_history_benchmark_records_every_change_in_both_databases() -> None:
    postgresql_url()
    sizes = ["--pods", "40", "--rate", "200", "--seconds", "1", "--reads", "5", "--copies", "2"]
    lines = figures_of("history", *sizes)
    for name in ("sqlite", "postgresql"):
        assert lines[f"{name}: recording"]["changes"] > 100
        assert lines[f"{name}: recording"]["lost"] == 0
        assert lines[f"{name}: reading"]["parts"] == 3
        assert lines[f"{name}: reading"]["p99 ms"] > 0
        for words in ("2 s apart", "1 s apart", "in the first and the last part"):
            assert 0 < lines[f"{name}: two moments {words}"]["differ"] <= 40


@pytest.mark.controlplane
def test_the_first_list_benchmark_lists_in_each_way() -> None:
    controlplane_binaries()
    lines = figures_of("first_list", "--pods", "300", "--rounds", "1")
    assert {"streaming list", "consistent pages of 500 to 5,000", "any version, in one answer"} < lines.keys()
    assert all(figures["seconds"] > 0 and figures["s of the informer's core"] > 0 for figures in lines.values())


@pytest.mark.controlplane
def test_the_usage_benchmark_polls_every_pod_and_keeps_a_day() -> None:
    controlplane_binaries()
    lines = figures_of("usage", "--pods", "60", "--polls", "1")
    poll, kubectl, *_ = lines.items()
    assert poll[0].startswith("a poll of ")
    assert kubectl[0] == "kubectl top pods of the same"
    assert all(figures["s of a core"] > 0 for figures in (poll[1], kubectl[1]))
    assert lines["the ring with a day of 60 pods"]["MB"] == 60 * 4 * (90 + 144) / 1e6
