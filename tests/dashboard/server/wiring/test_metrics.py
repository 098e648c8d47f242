"""Tests of the metrics for Prometheus: browsers and replicas in a web process, informers in a worker."""

from __future__ import annotations

import asyncio
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboard.live.history.sqlite_parts import SqliteParts
from dashboard.live.hub.hub import Hub
from dashboard.live.replication.rejected_messages import Rejection
from dashboard.server.metrics.web_metrics import WebNumbers
from dashboard.server.wiring.metrics import exposition
from dashboard.server.wiring.worker import build_worker_process
from informerd.errors import InformerdError
from informerd.version import VERSION
from tests.dashboard.management.test_commands import run, running, unconfigured
from tests.support.clock import FakeClock
from tests.support.live.collected_usage import Collected
from tests.support.live.fake_metrics_api import MetricsApi, no_metrics_api, pod_metrics
from tests.support.live.history import ListedPods, recorded, recording, whole_object
from tests.support.live.replica_feeder import Feeder, Feeders, pod
from tests.support.skip_if_missing import redis_url
from tests.support.wait import until


def numbers(text: str) -> dict[tuple[str, str], float]:
    """By name and resource."""
    families = text_string_to_metric_families(text)
    return {(each.name, each.labels.get("resource", "")): each.value for family in families for each in family.samples}


async def test_a_web_process_shows_its_browsers_views_and_the_freshness_of_each_kind() -> None:
    clock = FakeClock()
    feeders = Feeders(Feeder("pods", clock, [pod("a"), pod("b")]), Feeder("events", clock))
    text, kind = exposition(build_worker_process(with_worker=False), WebNumbers(Hub(feeders, clock), feeders, 2000))
    found = numbers(text.decode())
    assert kind.startswith("text/plain")
    assert found["deltaboard_rows", "pods"] == 2
    assert found["deltaboard_live", "pods"] == 1
    assert found["deltaboard_sockets", ""] == 0
    assert found["deltaboard_feed_gaps_total", "events"] == 0
    assert not any(name.startswith("informerd_") and resource for name, resource in found)


async def test_each_process_counts_the_messages_that_it_dropped() -> None:
    process = build_worker_process(with_worker=True)
    process.rejected_messages.record(Rejection.FORGED)
    text = exposition(process)[0].decode()
    assert 'deltaboard_feed_messages_rejected_total{reason="forged"} 1.0' in text
    assert 'deltaboard_feed_messages_rejected_total{reason="other-key"} 0.0' in text


async def test_a_worker_shows_its_polls_of_the_metrics_api_and_what_is_kept_of_them() -> None:
    process = build_worker_process(with_worker=True)
    assert "deltaboard_usage_" not in exposition(process)[0].decode()
    api = MetricsApi(pods=[pod_metrics("shop", "web", ("100m", "64Mi"))])
    collected = Collected(api, "web")
    process.usage = collected.collector
    await collected.poll()
    answered = collected.clock.time()
    collected.clock.skip(30)
    api.error = InformerdError("no route to host")
    await collected.poll()
    found = numbers(exposition(process)[0].decode())
    assert found["deltaboard_usage_series", ""] == 2, "the pod and its namespace"
    assert found["deltaboard_usage_samples", ""] == 4
    assert found["deltaboard_usage_samples_bytes", ""] == process.usage.history.size > 0
    assert found["deltaboard_usage_poll_duration_seconds_count", ""] == 2
    assert found["deltaboard_usage_poll_duration_seconds_sum", ""] == 0, "the clock stood still"
    assert found["deltaboard_usage_poll_failures_total", ""] == 1
    assert found["deltaboard_usage_last_poll_timestamp_seconds", ""] == answered


async def test_before_the_first_answer_no_poll_has_a_time() -> None:
    process = build_worker_process(with_worker=True)
    process.usage = Collected(MetricsApi(error=no_metrics_api())).collector
    await process.usage.poll()
    found = numbers(exposition(process)[0].decode())
    assert ("deltaboard_usage_last_poll_timestamp_seconds", "") not in found
    assert found["deltaboard_usage_poll_failures_total", ""] == 1


async def test_a_worker_shows_the_history_that_it_records(tmp_path: Path) -> None:
    process = build_worker_process(with_worker=True)
    assert "deltaboard_history_" not in exposition(process)[0].decode()
    pods = ListedPods(whole_object("a", 1))
    async with recording(SqliteParts(tmp_path), ("pods", pods)) as process.history:
        await recorded(SqliteParts(tmp_path), pods.put("b"))
        found = numbers(exposition(process)[0].decode())
    assert found["deltaboard_history_recording", ""] == 1
    assert found["deltaboard_history_failing", ""] == 0
    assert found["deltaboard_history_versions_total", ""] == 2
    assert found["deltaboard_history_versions_bytes_total", ""] > 20
    assert found["deltaboard_history_lost_total", ""] == 0
    assert found["deltaboard_history_limit_bytes", ""] == 2 * 2**30


async def test_a_process_says_what_it_is_and_how_late_its_event_loop_is() -> None:
    process = build_worker_process(with_worker=True)
    process.loop_delay.seconds.add(3.0)
    process.layer_health.record_failure(OSError("connection refused"))
    text = exposition(process)[0].decode()
    assert f'deltaboard_build_info{{role="worker",version="{VERSION}"}} 1.0' in text
    assert 'deltaboard_event_loop_delay_seconds_bucket{le="2.5"} 0.0' in text
    assert 'deltaboard_event_loop_delay_seconds_bucket{le="5.0"} 1.0' in text
    assert "deltaboard_channel_layer_failing 1.0" in text
    assert "deltaboard_cluster_failing 0.0" in text
    assert "\nprocess_resident_memory_bytes " in text


def text_of(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return str(error.read().decode())
    except OSError:
        return ""


@pytest.mark.long
@pytest.mark.program
async def test_everything_in_one_process_shows_informers_and_controllers_too(tmp_path: Path) -> None:
    with running(unconfigured(tmp_path), "deltaboard", "--port", "0") as program:
        await asyncio.to_thread(program.wait_for, lambda: "Cluster demo" in program.output)
        found = re.search(r"http://127.0.0.1:\d+/", program.output)
        assert found
        address = f"{found[0]}metrics"
        await asyncio.to_thread(
            until, lambda: ("deltaboard_live", "pods") in numbers(text_of(address)), what="the page answers"
        )
        names = {"informerd_objects", "deltaboard_rows", "informerd_workqueue_depth"}
        await asyncio.to_thread(
            until, lambda: names <= {name for name, _ in numbers(text_of(address))}, what="informers and queues"
        )
        await asyncio.to_thread(
            until, lambda: numbers(text_of(address))["deltaboard_live", "pods"] == 1, what="pods are live"
        )


@pytest.mark.redis
async def test_a_worker_serves_its_probes_on_a_port_of_its_own(tmp_path: Path) -> None:
    environ = {**unconfigured(tmp_path), "REDIS_URL": redis_url(), "KUBECONFIG": str(tmp_path / "none"),
               "SECRET_KEY": "x" * 60}  # fmt: skip
    with running(environ, "informerd", "--probes", "127.0.0.1:0") as program:
        await asyncio.to_thread(program.wait_for, lambda: "Probes and metrics are at" in program.output)
        found = re.search(r"at (http://127.0.0.1:\d+/)", program.output)
        assert found
        assert text_of(f"{found[1]}healthz") == "ok\nhistory: nothing is recorded\n"
        assert "cluster failed" in text_of(f"{found[1]}readyz")
        assert "informerd_" in text_of(f"{found[1]}metrics")


@pytest.mark.redis
def test_probes_at_no_address_are_refused_with_what_to_give(tmp_path: Path) -> None:
    environ = {**unconfigured(tmp_path), "REDIS_URL": redis_url(), "SECRET_KEY": "x" * 60}
    done = run(environ, "informerd", "--probes", "nonsense")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "give host:port" in done.stderr
