"""Tests of what the incident page says of causes, of what is gone, and of what it leaves out or folds."""

from __future__ import annotations

import msgspec
import pytest
from django.template.loader import render_to_string

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.logs.log_message import log_message
from dashboard.objects.logs.severity import ERROR, FATAL
from dashboard.pages.causes.grouped_problems import MAX_EXAMINED
from dashboard.pages.causes.live_causes import MIN_INTERVAL
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.incident.timeline_entry import TimelineEntry
from dashboard.pages.incident.views import cause_sentence, causes_of, what_is_left_out
from tests.dashboard.pages.incident.test_timeline import World, pod_of
from tests.support.live.fake_usage import FakeUsage
from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, pod, words

FAILED = {"status": {"phase": "Failed", "reason": "Evicted"}}
UNHEALTHY = ("n-1", "web-rs-1", "web-rs-2")
"""What is unhealthy in the world from the beginning."""


@pytest.mark.slow
async def test_more_unhealthy_pods_than_are_examined_are_said_to_be_more() -> None:
    world = World()
    for number in range(MAX_EXAMINED - 1 - len(UNHEALTHY)):
        world.feeders["pods"].put(pod_of(f"p-{number}", **FAILED))
    family = await world.family("deployments.apps", "web")
    found = causes_of(world.hub, family)
    assert [cause.count for cause in found.shown] == [MAX_EXAMINED - 1]
    said = what_is_left_out(family, is_full=False, are_causes_cut=found.is_cut)
    assert not any("more may be wrong" in sentence for sentence in said)
    for number in range(50):
        world.feeders["pods"].put(pod_of(f"q-{number}", **FAILED))
    world.clock.skip(MIN_INTERVAL)
    found = causes_of(world.hub, family)
    assert [cause.count for cause in found.shown] == [MAX_EXAMINED]
    said = what_is_left_out(family, is_full=False, are_causes_cut=found.is_cut)
    assert any("1,000 worst objects: more may be wrong" in sentence for sentence in said)


async def test_what_changed_before_is_said_and_where_the_feed_begins_later_that_too() -> None:
    world = World()
    failed = {"type": "Available", "status": "False", "lastTransitionTime": "2027-01-15T08:00:30Z"}
    stalled = {"type": "Progressing", "status": "False", "reason": "Late", "lastTransitionTime": "2027-01-15T08:01:00Z"}
    deployment = made("Deployment", "api", api_version="apps/v1", status={"conditions": [failed, stalled]})
    feeder = world.feeders["deployments.apps"]
    line = feeder.entry(row_of("deployments.apps", deployment), "modified", "images web:1 → web:2")
    world.clock.skip(120)
    feeder._send(rows=(row_of("deployments.apps", deployment),))
    family = await world.family("deployments.apps", "api")

    def sentence() -> str:
        world.clock.skip(MIN_INTERVAL)
        (cause,) = causes_of(world.hub, family).shown
        return cause_sentence(cause)

    begins = "Changes of Deployments before 2027-01-15 08:00:00 UTC are not in the feed."
    assert sentence() == f"Deployment shop/api: rollout is stuck: Late; it began 2027-01-15 08:01:00 UTC. {begins}"
    feeder._send(entries=(msgspec.structs.replace(line, fields=(("images", "web:2"),)),))
    began = "Deployment shop/api: rollout is stuck: Late; it began 2027-01-15 08:01:00 UTC"
    assert sentence() == f"{began}; 60s after: images web:1 → web:2"


UID = "uid-shop-web-1"
WHY = "/why/pods/shop/web-1/"


def deleted_site(*, is_open: bool = False) -> Site:
    """A pod of a ReplicaSet was in a crash loop, was asked to end, and is gone; with a page that was open before."""
    site = Site(pod("web-1"), pod("web-2"), usage=FakeUsage())
    if is_open:
        open_detail(site.parts.hub, KINDS["pods"], "shop", "web-1")
    about = {"kind": "Pod", "namespace": "shop", "name": "web-1"}
    event = {"type": "Warning", "reason": "BackOff", "message": "again", "lastTimestamp": "2027-01-15T07:59:50Z"}
    warning = made("Event", "web-1.1", involvedObject=about, **event)
    site.feeder("events").put_and_drop([row_of("events", warning)], [])
    pods = site.feeder("pods")
    row = pods.replica.rows[UID]
    crashed = pods.entry(row, "modified", "status Running → CrashLoopBackOff")
    asked = pods.entry(row, "modified", "deletion asked for, status CrashLoopBackOff → Terminating")
    ended = pods.entry(row, "deleted", "was Completed")
    of_set = {"owner": "ReplicaSet/web", "owner_group": "apps"}
    pods._send(
        gone=(UID,),
        entries=(
            msgspec.structs.replace(crashed, status="CrashLoopBackOff", reason="exited 1.", tone="bad", **of_set),
            msgspec.structs.replace(asked, status="Terminating", **of_set),
            msgspec.structs.replace(ended, status="Completed", **of_set),
        ),
    )
    return site


@pytest.mark.parametrize("is_open", [False, True])
async def test_of_what_is_gone_everything_is_past(*, is_open: bool) -> None:
    site = deleted_site(is_open=is_open)
    await site.clock.advance(35)
    html = await page(site, WHY)
    text = words(html)
    past = "Its last known state was CrashLoopBackOff: exited 1. It belonged to ReplicaSet web."
    assert f"It was deleted at 2027-01-15 08:00:00 UTC . {past.removesuffix('.')}" in text
    assert "event BackOff: again" in text
    assert 'class="note' not in html[html.index('id="incident"') :]
    assert "being deleted" not in text
    assert "Usage" not in text
    assert "Details" not in text
    assert 'href="/resources/pods/shop/web-1/"' not in html
    markdown = await page(site, f"{WHY}?markdown")
    assert f"It was deleted at 2027-01-15 08:00:00 UTC. {past}" in markdown


async def test_what_nobody_saw_go_has_no_time_of_its_deletion() -> None:
    site = Site(pod("web-1"), pod("web-2"))
    pods = site.feeder("pods")
    pods.put(pods.replica.rows[UID], words="status Running → Error")
    pods.put_and_drop([], [UID])
    assert "It does not exist any more. When it was deleted is not known here." in words(await page(site, WHY))


async def test_what_has_not_been_read_yet_is_not_called_gone() -> None:
    html = words(await page(Site(silent=("pods",)), WHY))
    assert "It has not been read yet, so it is not known whether it exists." in html
    assert "any more" not in html


async def test_routine_changes_are_folded_on_the_page_and_counted_in_the_markdown() -> None:
    site = Site(pod("web-1"))
    pods = site.feeder("pods")
    row = pods.replica.rows[UID]
    lines = [pods.entry(row, "modified", f"status.observedGeneration {number}") for number in range(14)]
    crash = msgspec.structs.replace(pods.entry(row, "modified", "restarts 1 → 2"), fields=(("restarts", "2"),))
    noise = [msgspec.structs.replace(each, fields=(("status.observedGeneration", "2"),)) for each in lines]
    pods._send(entries=(crash, *noise))
    html = await page(site, WHY)
    fold = html[html.index('<li class="routine"') :]
    assert "14 routine changes" in fold[: fold.index("</summary>")]
    assert fold[: fold.index("</details>")].count("data-time") == 14
    assert "restarts" not in fold[: fold.index("</details>")]
    markdown = await page(site, f"{WHY}?markdown")
    assert "restarts 1 → 2" in markdown
    assert "observedGeneration" not in markdown
    assert "14 routine changes are on the page." in markdown


async def test_lines_of_json_have_severity_message_and_fields() -> None:
    lines = (
        log_message(b'{"level":"error","msg":"no way","path":"/<a>"}', ERROR),
        log_message(b"panic: no settings", FATAL),
    )
    entry = TimelineEntry(1.8e9, "log", "the last lines", lines=lines, container="web")
    html = render_to_string("incident/_entry.html", {"entry": entry})
    assert '<span class="s-error"><b>error</b> no way <small><i>path=</i>/&lt;a&gt;</small>\n</span>' in html
    assert '<span class="s-fatal">panic: no settings\n</span>' in html


async def test_unhealthy_pods_of_a_node_are_named_and_linked() -> None:
    site = Site(pod("web-1"))
    condition = {"type": "Ready", "status": "False", "reason": "Silent", "lastTransitionTime": "2027-01-15T07:59:00Z"}
    site.feeder("nodes").put(row_of("nodes", made("Node", "n-1", namespace="", status={"conditions": [condition]})))
    status = {**FAILED["status"], "startTime": "2027-01-15T07:59:10Z"}
    failed = made("Pod", "web-1", spec={"nodeName": "n-1", "containers": []}, status=status)
    site.feeder("pods").put(row_of("pods", failed))
    html = await page(site, "/why/nodes/-/n-1/")
    assert "; 1 pod of it unhealthy since ( web-1 )" in words(html)
    assert '<a class="link mono" href="/resources/pods/shop/web-1/">web-1</a>' in html
    assert "unhealthy since (web-1); it began 2027-01-15 07:59:00 UTC" in await page(site, "/why/nodes/-/n-1/?markdown")
