"""Tests of the page of a list at two moments: groups, words, links, filters, gaps, rights, files and bad addresses."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from html import unescape
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from dashboard.access.rights import Rights, Rule
from dashboard.live.history.change_queue import NamespaceLost
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.history.version import Operation
from dashboard.live.moments import list_comparisons
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.moments.list_comparisons import ListComparisons
from dashboard.live.rendering.time_texts import utc_text
from dashboard.pages.history import list_comparison_views
from tests.dashboard.pages.history.conftest import mydemo
from tests.support.live.history import Log
from tests.support.pages.recorded_site import KEY, RecordedSite
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, words
from tests.support.wait import eventually

COMPARE = f"/resources/{KEY}/compare/"
LIST = Rule(frozenset({"list"}), frozenset({"crddemo.k8s.io"}), frozenset({"mydemos"}))


@pytest.fixture
async def site(log: Log) -> AsyncIterator[RecordedSite]:
    site = RecordedSite(log, namespace("shop"))
    site.parts.list_comparisons = ListComparisons(site.parts.history, site.site.clock)
    yield site
    await site.parts.list_comparisons.drop_all()


@pytest.fixture
def moments(site: RecordedSite) -> list[str]:
    """Four objects, then what happened to them: the times of both as addresses have them."""
    site.record(Operation.ADDED, mydemo("stays"))
    site.record(Operation.ADDED, mydemo("changes"))
    site.record(Operation.ADDED, mydemo("reports"))
    was = site.record(Operation.ADDED, mydemo("goes"))
    site.record(Operation.MODIFIED, mydemo("changes", port=8080, version=2))
    site.record(Operation.MODIFIED, {**mydemo("reports", version=2), "status": {"phase": "Ready"}})
    site.record(Operation.DELETED, mydemo("goes", version=2))
    now = site.record(Operation.ADDED, mydemo("comes", port=9090))
    return [was, now]


def address(moments: list[str], **params: str) -> str:
    rest = "".join(f"&{name}={value}" for name, value in params.items())
    return f"{COMPARE}?from={moments[0]}&to={moments[1]}{rest}"


async def compared(site: RecordedSite, path: str, status: int = 200) -> str:
    """The page once all is compared."""

    async def finished() -> str:
        html = await page(site.site, path, status)
        return "" if 'aria-label="Compared so far"' in html else html

    return await eventually(finished)


async def file_of(site: RecordedSite, path: str) -> str:
    response: Any = await site.site.client.get(path)
    assert response.status_code == 200
    return b"".join([part async for part in response.streaming_content]).decode()


def groups(html: str) -> dict[str, list[str]]:
    """The texts of the lines by their group."""
    found = re.findall(r'data-difference="(\w+)">(.*?)</section>', html, re.DOTALL)
    return {
        group: [words(unescape(each)) for each in re.findall(r"<li .*?</li>", lines, re.DOTALL)]
        for group, lines in found
    }


def names(html: str) -> dict[str, list[str]]:
    return {group: [re.findall(r"shop/ ?([\w-]+)", line)[0] for line in lines] for group, lines in groups(html).items()}


async def test_objects_are_grouped_by_how_they_differ_with_what_changed_in_words(
    site: RecordedSite, moments: list[str]
) -> None:
    html = await compared(site, address(moments))
    assert names(html) == {"changed": ["changes"], "added": ["comes"], "removed": ["goes"], "status": ["reports"]}
    assert [*groups(html)] == ["changed", "added", "removed", "status"], "status drowns nothing"
    assert "80 → 8080" in groups(html)["changed"][0]
    assert "4 differ" in words(html)
    assert "Changed 1 Added 1 Removed 1 Only status changed 1" in words(html)


async def test_a_field_outside_of_the_status_is_told_where_the_columns_show_the_status_alone(
    site: RecordedSite,
) -> None:
    was = site.record(Operation.ADDED, mydemo("changes"))
    now = site.record(
        Operation.MODIFIED,
        {**mydemo("changes", version=2, labels={"release": "r2"}), "status": {"phase": "Ready"}},
    )
    [line] = groups(await compared(site, address([was, now])))["changed"]
    assert re.search(r"Ready, metadata\.labels added: .*r2", line)


async def test_lines_lead_to_the_object_at_its_moment_and_to_its_two_versions(
    site: RecordedSite, moments: list[str]
) -> None:
    html = unescape(await compared(site, address(moments)))
    assert f'href="/resources/{KEY}/shop/goes/?at={moments[0]}"' in html
    assert f'href="/resources/{KEY}/shop/comes/?at={moments[1]}"' in html
    [versions] = re.findall(rf'href="(/resources/{KEY}/shop/changes/history/\?[^"#]*)', html)
    assert "<del>80</del> → <ins>8080</ins>" in await page(site.site, versions)
    assert f'href="/resources/{KEY}/?at={moments[0]}"' in html, "the list as of then"


async def test_the_order_of_the_moments_does_not_matter(site: RecordedSite, moments: list[str]) -> None:
    assert names(await compared(site, address(moments))) == names(await compared(site, address(moments[::-1])))


async def test_one_that_matches_the_filter_at_one_moment_only_enters_or_leaves_it(
    site: RecordedSite, moments: list[str]
) -> None:
    assert names(await compared(site, address(moments, q="port=8080"))) == {"entered": ["changes"]}
    assert names(await compared(site, address(moments, q="port=80"))) == {
        "removed": ["goes"],
        "left": ["changes"],
        "status": ["reports"],
    }
    assert names(await compared(site, address(moments, q="comes"))) == {"added": ["comes"]}
    text = words(await compared(site, address(moments, q="no-such-name")))
    assert "Nothing differs" in text
    assert "Mydemos that match no-such-name are at both moments as they were." in text


async def test_only_the_namespaces_of_the_list_are_compared(site: RecordedSite, moments: list[str]) -> None:
    assert names(await compared(site, address(moments, namespace="shop")))["added"] == ["comes"]
    assert names(await compared(site, address(moments, namespace="other"))) == {}


async def test_a_mistake_in_the_filter_is_said_and_left_out(site: RecordedSite, moments: list[str]) -> None:
    html = await compared(site, address(moments, q="port>many+comes"))
    assert "It is left out." in words(html)
    assert names(html) == {"added": ["comes"]}


async def test_a_group_is_shown_alone(site: RecordedSite, moments: list[str]) -> None:
    html = await compared(site, address(moments, show="added"))
    assert names(html) == {"added": ["comes"]}
    assert "Removed 1" in words(html), "the numbers are those of all"
    assert names(await compared(site, address(moments, show="nothing-known")))["removed"] == ["goes"]


async def test_another_object_of_the_name_is_a_change(site: RecordedSite, moments: list[str]) -> None:
    site.record(Operation.DELETED, mydemo("stays", version=2))
    end = site.record(Operation.ADDED, mydemo("stays", version=3, uid="another"))
    html = await compared(site, address([moments[1], end]))
    assert "deleted and created again" in groups(html)["changed"][0]


async def test_pages_have_a_hundred_lines_group_after_group(
    site: RecordedSite, moments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_comparison_views, "PAGE_SIZE", 3)
    first = await compared(site, address(moments))
    assert [*names(first)] == ["changed", "added", "removed"]
    [following] = re.findall(r'rel="next" href="([^"]*)"', first)
    second = await compared(site, unescape(following))
    assert names(second) == {"status": ["reports"]}
    assert "4 to 4 of 4" in words(second)
    assert names(await compared(site, address(moments, page="99"))) == {"status": ["reports"]}


async def test_no_more_lines_are_kept_than_fit_but_all_are_counted(
    site: RecordedSite, moments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_comparisons, "MAX_LISTED", 2)
    html = await compared(site, address(moments))
    assert "4 differ" in words(html)
    assert sum(map(len, groups(html).values())) == 2
    assert "The 2 that changed last can be listed." in words(html)


async def test_now_stays_the_same_moment_on_the_pages_of_a_comparison(site: RecordedSite, moments: list[str]) -> None:
    site.log.now = int(site.site.clock.time() * 1e6)
    site.log.tick(KEY)
    html = await compared(site, f"{COMPARE}?from={moments[0]}")
    [shown] = re.findall(r'facet" href="([^"]*show=added[^"]*)"', html)
    assert "to=now&until=" in unescape(shown)
    assert "→ now" in words(html)
    site.record(Operation.ADDED, mydemo("later"))
    assert names(await compared(site, unescape(shown))) == {"added": ["comes"]}


async def test_gaps_between_the_moments_are_said_and_drawn(site: RecordedSite, log: Log, moments: list[str]) -> None:
    log.now += 60_000_000
    log.since = log.now
    site.record(Operation.DIFFERS, mydemo("stays", port=81, version=2))
    site.site.clock.skip(70)
    end = format_at(log.now / 1e6)
    html = await compared(site, address([moments[0], end]))
    assert "not all was recorded (no worker ran" in words(html)
    assert '<rect class="f-unknown" x' in html
    assert "80 → 81" in " ".join(groups(html)["changed"])


async def test_of_many_gaps_the_newest_are_said_and_no_more_are_drawn_than_can_be_told_apart(
    site: RecordedSite, log: Log, moments: list[str]
) -> None:
    for _ in range(500):
        log.now += 1_000_000
        log.since = log.now
        log.tick(KEY)
    site.site.clock.skip(600)
    html = await compared(site, address([moments[0], format_at(log.now / 1e6)]))
    assert words(html).count("not all was recorded") == 4
    assert "496 earlier gaps are marked in the picture." in words(html)
    assert html.count('<rect class="gap"') <= 260


async def test_a_moment_in_a_gap_is_said_with_what_takes_its_place(
    site: RecordedSite, log: Log, moments: list[str]
) -> None:
    log.now += 60_000_000
    log.since = log.now
    site.record(Operation.DIFFERS, mydemo("stays", port=81, version=2))
    site.site.clock.skip(70)
    end = format_at(log.now / 1e6)
    text = words(await compared(site, address(["2027-01-15T08:00:30Z", end])))
    assert "Its place takes the last state that is known" in text
    begin = utc_text(log.reader.gaps(KEY, 0, log.now)[-1].since / 1e6)
    assert f"From {begin} to" in text, "where the gap began, though that is before the moment"


async def test_a_moment_before_anything_was_recorded_is_said(site: RecordedSite, moments: list[str]) -> None:
    html = await compared(site, address(["2026-01-01T00:00:00Z", moments[1]]))
    assert "History has nothing of Mydemos at 2026-01-01T00:00:00Z" in words(html)
    assert groups(html) == {}


async def test_bad_moments_are_refused_with_what_would_be_one(site: RecordedSite, moments: list[str]) -> None:
    assert "is not a time" in words(await page(site.site, f"{COMPARE}?from=yesterday", 400))
    assert "has not come yet" in words(await page(site.site, f"{COMPARE}?to=2099-01-01T00:00:00Z", 400))


async def test_nothing_is_told_of_what_one_may_not_see(site: RecordedSite, moments: list[str]) -> None:
    hidden = {**mydemo("concealed"), "metadata": {**mydemo("concealed")["metadata"], "namespace": "secret"}}
    end = site.record(Operation.ADDED, hidden)
    assert "concealed" in await compared(site, address([moments[0], end]))
    site.parts.rights = Rights((), {"shop": [LIST]})
    html = await compared(site, address([moments[0], end]))
    assert names(html)["added"] == ["comes"]
    assert "concealed" not in html
    assert "4 differ" in words(html)
    site.parts.rights = Rights([Rule(frozenset({"get"}), LIST.groups, LIST.resources, frozenset({"goes"}))])
    html = await compared(site, address([moments[0], end]))
    assert names(html) == {"removed": ["goes"]}
    site.parts.rights = Rights(())
    html = await compared(site, address([moments[0], end]), 403)
    assert "You may not see Mydemos" in words(html)
    assert "2027" not in words(html), "nor since when it was recorded"
    await page(site.site, address([moments[0], end]).replace("compare/", "compare.csv"), 403)


async def test_how_many_could_not_be_listed_is_told_to_those_only_who_may_see_all(
    site: RecordedSite, moments: list[str]
) -> None:
    site.log.batch.append(NamespaceLost(KEY, "shop", site.log.now))
    end = site.record(Operation.ADDED, {**mydemo("goes"), "metadata": {**mydemo("goes")["metadata"], "uid": "another"}})
    assert "more it is not known" in words(await compared(site, address([moments[1], end])))
    site.parts.rights = Rights([Rule(frozenset({"get"}), LIST.groups, LIST.resources, frozenset({"goes"}))])
    html = await compared(site, address([moments[1], end]))
    assert names(html) == {"added": ["goes"]}
    assert "more it is not known" not in words(html)


async def test_versions_of_events_need_the_right_to_everything(site: RecordedSite, moments: list[str]) -> None:
    site.log.tick("events")
    site.parts.rights = Rights([Rule(frozenset({"list"}), frozenset({""}), frozenset({"events"}))])
    text = words(await compared(site, address(moments).replace(KEY, "events"), 403))
    assert "Versions of Kubernetes Events need the right to see everything." in text


async def test_files_have_all_that_differs(site: RecordedSite, moments: list[str]) -> None:
    text = await file_of(site, address(moments).replace("compare/", "compare.csv"))
    lines = [*csv.DictReader(io.StringIO(text))]
    assert {line["Name"]: line["Difference"] for line in lines} == {
        "changes": "changed", "comes": "added", "goes": "removed", "reports": "status",
    }  # fmt: skip
    found = json.loads(await file_of(site, address(moments, show="changed").replace("compare/", "compare.json")))
    assert found["counts"]["added"] == 1
    assert [each["name"] for each in found["differences"]] == ["changes"]
    assert "80 → 8080" in found["differences"][0]["what"]
    assert found["from"] == moments[0]
    await page(site.site, f"/resources/{KEY}/compare.csv?from=yesterday", 400)


async def test_a_comparison_that_takes_long_shows_how_far_it_is(
    site: RecordedSite, moments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_yet(*_: Any) -> None:
        """The page does not wait."""

    monkeypatch.setattr(site.parts.list_comparisons, "wait", not_yet)
    html = await page(site.site, address(moments))
    assert "Comparing: 0 %" in words(html)
    assert 'hx-trigger="every' in html
    assert '<meta http-equiv="refresh"' in html, "without scripts, too"
    assert names(await compared(site, address(moments)))["added"] == ["comes"]
    assert 'http-equiv="refresh"' not in await page(site.site, address(moments))


async def test_history_that_cannot_be_read_or_is_not_kept_is_said(
    site: RecordedSite, moments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> None:
        raise HistoryUnavailable("the disk is gone")

    monkeypatch.setattr(site.parts.history, "known_at", fails)
    assert "History cannot be read: the disk is gone." in words(await compared(site, address(moments)))
    monkeypatch.setattr(site.parts.history, "recorded_since", fails)
    assert "the disk is gone" in words(await page(site.site, address(moments), 503))
    bare = Site(namespace("shop"))
    assert "DELTABOARD_HISTORY is off" in words(await page(bare, COMPARE, 404))


async def test_the_list_leads_there_with_its_filter_and_namespaces(site: RecordedSite, settings: Settings) -> None:
    settings.DELTABOARD_HISTORY = True
    html = unescape(await page(site.site, f"/resources/{KEY}/?q=alpha&namespace=shop"))
    assert f'href="{COMPARE}?namespace=shop&q=alpha"' in html
