"""Tests of crash loops on a time line: the crashes of a pod are one entry with their number, times and exit codes."""

from __future__ import annotations

import re

import msgspec
from django.template.loader import render_to_string

from dashboard.objects.kinds.feed_entry import Entry
from dashboard.objects.kinds.row import Tone
from dashboard.objects.logs.log_message import log_message
from dashboard.objects.logs.severity import FATAL
from dashboard.pages.incident.crash_runs import crash_of, fold_crash_loops
from dashboard.pages.incident.timeline_entry import Crash, TimelineEntry
from tests.dashboard.pages.incident.test_views import WHY
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, pod, words

PLACE = ("pods", "shop", "web-1")


def line(reason: str, *fields: str, tone: Tone = "bad", **values: str) -> Entry:
    changed = (*((name, "new") for name in fields), *values.items())
    return Entry(1, 0.0, "modified", "shop", "web-1", "u", "2", "x", tone, reason=reason, fields=changed)


def test_a_crash_is_a_bad_line_that_names_an_exit_code_or_a_restart_that_nobody_saw_begin() -> None:
    found = [
        crash_of("pods", each)
        for each in (
            line("container ended: main exited 1", "status"), line("container ended: main exited 1, restarted once"),
            line("crash loop: main exited 137 (OOMKilled), restarted 22 times", "status"),
            line("", tone="ok", restarts="5"), line("", "status", tone="ok", restarts="5"),
            line("image: main: Back-off pulling image", "status"),
        )
    ]  # fmt: skip
    assert found == [Crash(0, "1"), Crash(1, "1"), Crash(22, "137 (OOMKilled)"), Crash(4), None, None]
    assert crash_of("nodes", line("exited 1")) is None


def crashed(at: float, restarts: int, exit_code: str = "1") -> TimelineEntry:
    return TimelineEntry(1.8e9 + at, "change", f"crash {restarts}", "bad", PLACE, crash=Crash(restarts, exit_code))


def test_crashes_that_follow_one_another_are_one_entry_and_others_stand_for_themselves() -> None:
    again = TimelineEntry(1.8e9 + 15, "change", "runs again", "ok", PLACE, is_routine=True)
    rollout = TimelineEntry(1.8e9 + 16, "change", "images a → b", "ok", PLACE)
    other = TimelineEntry(1.8e9 + 17, "change", "crash 1", "bad", ("pods", "shop", "other"), crash=Crash(1, "1"))
    alone = crashed(5_000, 4)
    loop = [crashed(0, 0), crashed(10, 0), again, crashed(20, 1), crashed(80, 2, "137 (OOMKilled)")]
    starts = TimelineEntry(1.8e9 - 1, "change", "status Pending → Running", "ok", PLACE, is_routine=True)
    found = fold_crash_loops([starts, *loop, rollout, other, alone])
    assert found[:-1] == [starts, rollout, other, alone]
    assert (found[-1].words, found[-1].at, found[-1].is_routine) == (
        "crash loop: 3 crashes from 2027-01-15 08:00:00 to 08:01:20 UTC, exit codes 1 ×2, 137 (OOMKilled) ×1",
        1.8e9 + 80, False,
    )  # fmt: skip
    assert found[-1].parts == tuple(reversed(loop))


async def test_a_crash_loop_is_one_line_on_the_page_and_in_the_markdown() -> None:
    site = Site(pod("web-1"))
    pods = site.feeder("pods")
    row = pods.replica.rows["uid-shop-web-1"]
    for number in range(12):
        crash = pods.entry(row, "modified", "status Running → Error")
        times = "" if not number else ", restarted once" if number == 1 else f", restarted {number} times"
        reason = f"container ended: main exited 1{times}"
        again = pods.entry(row, "modified", f"status Error → Running, restarts {number} → {number + 1}")
        fields = (("status", "Running"), ("restarts", str(number + 1)))
        pods._send(
            entries=(
                msgspec.structs.replace(crash, fields=(("status", "Error"),), reason=reason, tone="bad"),
                msgspec.structs.replace(again, fields=fields, tone="ok"),
            )
        )
        site.clock.skip(20)
    loop = "change crash loop: 12 crashes from 2027-01-15 08:00:00 to 08:03:40 UTC, exit code 1"
    html = await page(site, WHY)
    assert loop in words(html)
    assert re.search(r'<li id="[^"]+" data-time="2027-01-15T08:03:40Z" data-source="change" class="t-bad">', html)
    markdown = await page(site, f"{WHY}?markdown")
    assert markdown.count("crash loop: 12 crashes") == 1
    assert "Running" not in markdown.partition("| --- |")[2]
    assert "on cluster test: Running on node-1 since 2026-11-01 08:00:00 UTC" in markdown


def test_last_lines_lead_to_the_log_of_their_container() -> None:
    lines = (log_message(b"panic", FATAL),)
    entry = TimelineEntry(1.8e9, "log", "the last lines", place=PLACE, container="main", lines=lines)
    html = render_to_string("incident/_entry.html", {"entry": entry})
    assert '<a class="link" href="/resources/pods/shop/web-1/logs/?container=main">Logs</a>' in html
