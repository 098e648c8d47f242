"""Tests of the incident page after a restart: history has the changes, Events and deletions, memory does not."""

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
OWNED = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "uid-web", "controller": True}


def deployment(version: int, replicas: int) -> Json:
    meta = {"resourceVersion": str(version), "uid": "uid-web"}
    return made(
        "Deployment", "web", namespace="shop", api_version="apps/v1", metadata=meta, spec={"replicas": replicas}
    )


def pod(version: int, phase: str) -> Json:
    meta = {"resourceVersion": str(version), "uid": "uid-web-1", "ownerReferences": [OWNED]}
    return made("Pod", "web-1", namespace="shop", metadata=meta, spec={}, status={"phase": phase})


def event(version: int) -> Json:
    about = {"kind": "Pod", "namespace": "shop", "name": "web-1", "apiVersion": "v1"}
    return made(
        "Event", "web-1.17f", namespace="shop", metadata={"resourceVersion": str(version), "uid": "uid-event"},
        involvedObject=about, reason="BackOff", message="Back-off restarting failed container", type="Warning",
    )  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with history_database("sqlite", tmp_path) as parts:
        log = Log(parts, now=START - 48 * HOUR)
        log.since = log.now
        yield log
        log.close()


def recorded(log: Log, *objects: tuple[str, Json]) -> RecordedSite:
    """A site whose history has a rollout that went wrong two days ago, and a gap after it."""
    site = RecordedSite(log, *objects)
    site.record(Operation.ADDED, deployment(1, 1), "deployments.apps")
    site.record(Operation.ADDED, pod(2, "Pending"), "pods")
    site.record(Operation.MODIFIED, pod(3, "Failed"), "pods")
    site.record(Operation.ADDED, event(4), "events")
    log.tick("deployments.apps", "pods", "events")
    log.now += 20 * HOUR
    log.since = log.now
    site.record(Operation.DELETED, pod(5, "Failed"), "pods")
    log.now = START + 6_000_000
    log.tick("deployments.apps", "pods", "events")
    return site


def entries(html: str) -> str:
    timeline = html[html.index("<main") :]
    return words(re.sub(r"<textarea.*?</textarea>", "", timeline, flags=re.DOTALL))


async def test_the_time_line_of_what_is_gone_comes_from_history(log: Log) -> None:
    site = recorded(log)
    text = entries(await page(site.site, "/why/pods/shop/web-1/"))
    assert "It was deleted" in text
    assert "Its last known state was Failed" in text
    assert "Pending → Failed" in text
    assert "BackOff" in text
    assert "Changes may be missing from 2027-01-13 08:00:00 UTC to 2027-01-14 04:00:00 UTC" in text


async def test_the_time_line_of_an_owner_has_objects_that_are_gone(log: Log) -> None:
    site = recorded(log, ("deployments.apps", deployment(1, 1)))
    text = entries(await page(site.site, "/why/deployments.apps/shop/web/"))
    assert "Pending → Failed" in text
    assert "Pod shop/web-1" in text


async def test_without_history_it_is_not_known(log: Log) -> None:
    site = recorded(log)
    site.parts.history = None
    await page(site.site, "/why/pods/shop/web-1/", 404)
