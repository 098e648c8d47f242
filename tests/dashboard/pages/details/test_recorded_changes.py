"""Tests of an object's changes on its page after a restart: history has them, memory does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.live.history.version import Operation
from tests.support.live.history import START, Log, history_database
from tests.support.objects.rows import Json, made
from tests.support.pages.recorded_site import RecordedSite
from tests.support.pages.small_site import page, words

HOUR = 3_600_000_000
ADDRESS = "/resources/pods/shop/web-1/"


def pod(version: int, phase: str) -> Json:
    meta = {"resourceVersion": str(version), "uid": "uid-web-1"}
    return made("Pod", "web-1", namespace="shop", metadata=meta, spec={}, status={"phase": phase})


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with history_database("sqlite", tmp_path) as parts:
        log = Log(parts, now=START - 48 * HOUR)
        log.since = log.now
        yield log
        log.close()


def changes(html: str) -> list[str]:
    found = re.search(r'<ul class="lines" id="changes-[^"]*".*?</ul>', html, re.DOTALL)
    assert found is not None
    return [words(each) for each in re.findall(r"<li[ >].*?</li>", found.group(), re.DOTALL)]


async def test_a_page_has_the_changes_that_only_history_has_with_gaps(log: Log) -> None:
    site = RecordedSite(log, ("pods", pod(2, "Running")))
    site.record(Operation.ADDED, pod(1, "Pending"), "pods")
    log.now += 20 * HOUR
    log.since = log.now
    site.record(Operation.DIFFERS, pod(2, "Running"), "pods")
    log.now = START + 6_000_000
    log.tick("pods")
    changed, gap, created = changes(await page(site.site, ADDRESS))
    assert "Pending → Running" in changed
    assert "changes may be missing until 2027-01-14 04:00:00 UTC" in gap
    assert created.count("created") == 1


async def test_a_deletion_is_told_once(log: Log) -> None:
    site = RecordedSite(log, ("pods", pod(3, "Running")))
    site.record(Operation.ADDED, pod(1, ""), "pods")
    site.record(Operation.MISSING, pod(1, ""), "pods")
    log.now = START + 6_000_000
    log.tick("pods")
    deleted, created = (line for line in changes(await page(site.site, ADDRESS)) if "may be" not in line)
    assert deleted.count("deleted") == 1
    assert created.count("created") == 1


async def test_a_page_has_a_gap_in_which_an_object_may_have_changed(log: Log) -> None:
    site = RecordedSite(log, ("pods", pod(2, "Running")))
    log.now += HOUR
    log.tick("pods")
    (gap,) = changes(await page(site.site, ADDRESS))
    assert "changes may be missing" in gap


async def test_a_page_says_since_when_nothing_changed_without_a_gap(log: Log) -> None:
    site = RecordedSite(log, ("pods", pod(2, "Running")))
    log.now = START + 6_000_000
    log.tick("pods")
    (line,) = changes(await page(site.site, ADDRESS))
    assert "None since 2027-01-13T08:00:00Z" in line


async def test_what_memory_has_is_not_told_again(log: Log) -> None:
    site = RecordedSite(log, ("pods", pod(1, "Pending")))
    site.record(Operation.ADDED, pod(1, "Pending"), "pods")
    log.now = START + 6_000_000
    site.record(Operation.MODIFIED, pod(2, "Running"), "pods")
    site.site.clock.skip(1)
    site.put(pod(2, "Running"))
    site.site.clock.skip(1)
    found = [line for line in changes(await page(site.site, ADDRESS)) if "missing" not in line]
    assert len(found) == 2
    assert "created" in found[1]
