"""Tests of docs/behaviours.md: every test that it names exists, and its constants are the code's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import pytest

from informerd.cache import (
    api_server_probe,
    backoff,
    delta_fifo,
    first_byte_wait,
    reflector,
    reflector_failures,
    shared_informer,
    stream_watchdogs,
    watch_session,
)
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.controller import controller, source_set, workers
from informerd.controller_util import retry_on_conflict
from informerd.leader_election import election_config, loop_watchdog
from informerd.leader_election.election_config import Election
from informerd.manager import cached_client, caches, healthz, manager
from informerd.record import correlator, queue, sink
from informerd.rest import rest_client
from informerd.workqueue.rate_limiter import BucketRateLimiter, ExponentialRateLimiter
from informerd.workqueue.work_queue import LOW_PRIORITY

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "behaviours.md").read_text()
NAMES = re.compile(r"`(test_\w+\.py)`|`(test_\w+)`")


def named() -> Iterator[tuple[str, str]]:
    """File and test; a test without a file beside it is in the file named last."""
    file = ""
    for match in NAMES.finditer(DOCUMENT):
        if match[1]:
            file = match[1]
        else:
            yield file, match[2]


def functions_of(file: str) -> set[str]:
    (path,) = (ROOT / "tests" / "informerd").rglob(file)
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.slow
def test_every_test_that_is_named_exists() -> None:
    names = [*named()]
    assert len(names) > 150
    there = {file: functions_of(file) for file in {file for file, _ in names}}
    assert [f"{file}: {test}" for file, test in names if test not in there[file]] == []


def test_every_module_that_is_named_exists() -> None:
    modules = set(re.findall(r"`((?!test_)\w+\.py)`", DOCUMENT))
    assert len(modules) > 8
    assert [module for module in sorted(modules) if not [*(ROOT / "informerd").rglob(module)]] == []


def test_no_test_is_named_twice_for_one_behaviour() -> None:
    for paragraph in re.split(r"\n(?=\d+\. |## )", DOCUMENT.partition("## Constants")[0]):
        tests = re.findall(r"`(test_\w+\.py)`: ((?:`test_\w+`(?:, )?)+)", paragraph)
        names = [(file, test) for file, listed in tests for test in listed.split(", ")]
        assert len(names) == len(set(names)), paragraph[:60]


def test_every_guarantee_has_a_test() -> None:
    guarantees = re.split(r"\n(?=\d+\. )", DOCUMENT.partition("## Internal errors")[0])[1:]
    assert len(guarantees) >= 30
    assert [text[:60] for text in guarantees if not re.search(r"`test_\w+\.py`: `test_", text)] == []


def test_the_constants_are_those_of_the_document() -> None:
    settings = ReflectorSettings()
    assert (settings.page_size, delta_fifo.BATCH_KEYS) == (500, 1000)
    assert (settings.watch_timeout, watch_session.OVERTIME_GRACE_SECONDS) == (300, 30)
    assert (settings.backoff, settings.backoff_cap, backoff.BACKOFF_RESET) == (0.8, 30, 120)
    assert (settings.watch_interval, reflector_failures.MAX_RETRY_AFTER, backoff.RETRY_WINDOW_RESET) == (1, 600, 60)
    assert (settings.absent_retry, settings.silence, settings.internal_error_retry) == (5, 150, 0)
    assert (api_server_probe.INTERVAL, rest_client.PROBE_TIMEOUT) == (5, 5)
    assert (stream_watchdogs.WARN_EVERY, stream_watchdogs.GIVE_UP_AFTER, reflector.STREAMING_LIST_TRIES) == (10, 30, 3)
    assert (
        correlator.AGGREGATE_MAX_EVENTS,
        correlator.AGGREGATE_SECONDS,
        correlator.SPAM_BURST,
        correlator.SPAM_REFILL_SECONDS,
    ) == (10, 600, 25, 300)
    assert (correlator.MAX_REMEMBERED, queue.QUEUE_SIZE, sink.MAX_TRIES, sink.RETRY_SECONDS) == (4096, 1000, 12, 10)
    assert (controller.SYNC_TIMEOUT, source_set.WARN_AFTER, controller.STUCK_AFTER) == (120, 10, 60)
    bucket = {name: each.default for name, each in signature(BucketRateLimiter).parameters.items()}
    failures = {name: each.default for name, each in signature(ExponentialRateLimiter).parameters.items()}
    assert (failures["base"], failures["maximum"], bucket["rate"], bucket["burst"]) == (0.005, 1000, 10, 100)
    assert LOW_PRIORITY == -100
    assert (workers.TURN_SECONDS, workers.TURN_REQUESTS) == (0.01, 100)
    assert (retry_on_conflict.MAX_TRIES, retry_on_conflict.FIRST_DELAY, retry_on_conflict.MAX_DELAY) == (8, 0.01, 1)
    assert (shared_informer.MINIMUM_RESYNC, watch_session.SHORT_WATCH_SECONDS, first_byte_wait.LATE_AFTER) == (1, 1, 30)
    terms = Election("any")
    assert (terms.lease_duration, terms.renew_deadline, terms.retry_period, terms.blocked_limit) == (15, 10, 2, 60)
    assert (1 + election_config.JITTER, loop_watchdog.BLOCKED_SECONDS) == (2.2, 5)
    assert (manager.GRACEFUL_SHUTDOWN_TIMEOUT, caches.SETTLE_SECONDS, cached_client.OWN_WRITE_TIMEOUT,
        healthz.CHECK_TIMEOUT) == (
        30, 30, 10, 5
    )  # fmt: skip
