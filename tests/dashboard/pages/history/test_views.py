"""Tests of the pages of history: versions, comparisons, gaps, rights, and deleted objects."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_django.fixtures import Settings

from dashboard.access.rights import Rights, Rule
from dashboard.live.history.version import ObjectName, Operation
from dashboard.live.moments.at_parameter import parse_at
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.pages.history import views
from tests.dashboard.pages.history.conftest import mydemo
from tests.support.live.history import Log
from tests.support.objects.rows import made
from tests.support.pages.recorded_site import KEY, RecordedSite
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import namespace, page, small_site, words

ALPHA = f"/resources/{KEY}/shop/alpha/"
HISTORY = f"{ALPHA}history/"
DELETED = f"/resources/{KEY}/history/"


@pytest.fixture
def site(log: Log) -> RecordedSite:
    return RecordedSite(log, (KEY, mydemo(port=8080, version=2)), namespace("shop"))


@pytest.fixture
def gone(log: Log) -> RecordedSite:
    return RecordedSite(log)


def lines(html: str) -> list[str]:
    """The texts of the rail's entries."""
    rail = html[html.index('id="rail"') :]
    found = re.findall(r"<li[ >].*?</li>", rail[: rail.index("</form>")], re.DOTALL)
    return [words(unescape(each)) for each in found]


async def test_versions_come_newest_first_with_time_manager_and_words(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    changed = site.record(Operation.MODIFIED, mydemo(port=8080, version=2))
    html = await page(site.site, HISTORY)
    newest, first = lines(html)
    assert "changed" in newest
    assert "80 → 8080" in newest
    assert "field manager kubectl" in newest
    assert "created" in first
    assert f'href="{ALPHA}?at={changed}"' in html


async def test_the_newest_two_are_compared_by_field_in_words_and_line_by_line(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    site.record(Operation.MODIFIED, mydemo(port=8080, version=2))
    html = await page(site.site, HISTORY)
    assert "<code>spec" in html.replace("<wbr>", "")
    assert "<del>80</del> → <ins>8080</ins>" in html
    assert re.search(r'diff-add">.*port: 8080', html)
    assert "resourceVersion" not in html, "what every write changes is no difference"


async def test_any_two_versions_are_compared_whatever_their_order(site: RecordedSite) -> None:
    times = [site.record(Operation.ADDED, mydemo())]
    times += [site.record(Operation.MODIFIED, mydemo(port=port, version=port)) for port in (81, 82, 8080)]
    html = await page(site.site, f"{HISTORY}?from={times[2]}&to={times[0]}")
    assert "<del>80</del> → <ins>82</ins>" in html
    assert html.index('id="comparison"') < html.index('id="rail"'), "what was asked for comes first"
    for query in (f"from={times[1]}", f"from={times[1]}&to=now"):
        html = await page(site.site, f"{HISTORY}?{query}")
        assert "<del>81</del> → <ins>8080</ins>" in html, "without another one with the newest"
    assert f'href="?from={times[1]}#comparison"' in html
    assert f'href="?from={times[0]}&amp;to={times[1]}#comparison"' in html


async def test_a_moment_without_the_object_or_that_is_none_is_said(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    text = words(await page(site.site, f"{HISTORY}?from=2026-01-01T00:00:00Z"))
    assert "History has no object of this name at 2026-01-01T00:00:00Z." in text
    for text in ("yesterday", "now"):
        assert "is not a time" in words(await page(site.site, f"{HISTORY}?from={text}", 400))


async def test_a_deletion_and_a_new_object_of_the_name_are_told_apart(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo(uid="one"))
    site.record(Operation.DELETED, mydemo(uid="one", version=2))
    site.record(Operation.ADDED, mydemo(port=8080, version=3, uid="two"))
    html = await page(site.site, HISTORY)
    newest, end, first = lines(html)
    assert "created" in newest
    assert "deleted" in end
    assert "created" in first
    assert "These are two objects" in html
    assert "who deleted it is not known" in html


async def test_a_gap_is_drawn_between_the_versions_that_it_parts(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, mydemo())
    log.now += 60_000_000
    log.since = log.now
    obj = mydemo(port=8080, version=2)
    site.record(Operation.DIFFERS, obj)
    site.site.clock.skip(60)
    newest, gap, first = lines(await page(site.site, HISTORY))
    assert "It changed while nothing was recorded: when is not known." in newest
    assert "changes may be missing (no worker ran" in gap
    assert "created" in first


async def test_no_gap_is_drawn_after_the_version_in_which_an_object_was_found(site: RecordedSite, log: Log) -> None:
    """It was watched from then on, though its kind was not listed to the end yet."""
    log.since = log.now + 500_000
    site.record(Operation.FOUND, mydemo(port=8080, version=2))
    [found] = lines(await page(site.site, HISTORY))
    assert "It was there when recording began" in found


async def test_the_first_version_leads_to_the_first_moment_that_can_be_shown(site: RecordedSite, log: Log) -> None:
    log.since = log.now + 500_000
    at = site.record(Operation.FOUND, mydemo(port=8080, version=2))
    html = await page(site.site, HISTORY)
    [shown] = re.findall(rf'href="{re.escape(ALPHA)}\?at=([^"]*)">as it was then', html)
    history, now = HistoryObjects(lambda: log.reader, site.site.clock), site.site.clock.time() + 1
    assert not (await history.known_at(KEY, parse_at(at, now))).is_recorded
    assert (await history.known_at(KEY, parse_at(shown, now))).is_recorded


async def test_ten_pages_of_versions_are_fifty_each(site: RecordedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PAGE_SIZE", 3)
    site.record(Operation.ADDED, mydemo())
    for port in range(81, 88):
        site.record(Operation.MODIFIED, mydemo(port=port, version=port))
    found: list[str] = []
    path = HISTORY
    while path:
        html = await page(site.site, path)
        found += lines(html)
        older = re.search(r'href="(\?before=[^"]*)"', html)
        path = HISTORY + older[1] if older else ""
    assert len(found) == 8
    assert "86 → 87" in found[0]
    assert "created" in found[-1]
    assert "not recorded" not in "".join(found), "each page knows the state before its oldest version"


async def test_a_version_that_was_chosen_stays_chosen_on_the_next_page(
    site: RecordedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE_SIZE", 2)
    times = [site.record(Operation.ADDED, mydemo())]
    times += [site.record(Operation.MODIFIED, mydemo(port=port, version=port)) for port in (81, 82, 83)]
    html = await page(site.site, f"{HISTORY}?from={times[2]}&to={times[3]}")
    older = re.search(r'href="(\?before=[^"]*)"', html)
    assert older is not None
    html = await page(site.site, HISTORY + unescape(older[1]))
    assert "<del>82</del> → <ins>83</ins>" in html
    assert len(lines(html)) == 2
    assert f'name="from" value="{times[2]}" checked' in html
    assert f'name="to" value="{times[3]}" checked' in html


async def test_details_and_lists_lead_to_it_where_history_is_kept(site: RecordedSite, settings: Settings) -> None:
    settings.DELTABOARD_HISTORY = False
    assert "history/" not in await page(site.site, ALPHA)
    assert "history/" not in await page(site.site, f"/resources/{KEY}/")
    settings.DELTABOARD_HISTORY = True
    assert f'href="{HISTORY}" data-key="h"' in await page(site.site, ALPHA)
    assert f'href="{DELETED}?namespace=shop"' in await page(site.site, f"/resources/{KEY}/?namespace=shop")


async def test_what_nobody_recorded_before_is_not_called_created(site: RecordedSite) -> None:
    site.record(Operation.FOUND, mydemo())
    (line,) = lines(await page(site.site, HISTORY))
    assert "It was there when recording began" in line
    assert "created" not in line


async def test_an_object_that_is_gone_is_opened_as_it_was_last(gone: RecordedSite) -> None:
    gone.record(Operation.ADDED, mydemo())
    deleted = gone.record(Operation.DELETED, mydemo(version=2))
    html = await page(gone.site, HISTORY)
    assert "It is gone." in words(html)
    before = re.search(rf'href="{re.escape(ALPHA)}\?at=([^"]*)">Open it as it was last', html)
    assert before is not None
    assert before[1] < deleted
    html = await page(gone.site, ALPHA, 404)
    assert f'href="{HISTORY}"' in html


async def test_deleted_objects_are_found_by_name(gone: RecordedSite) -> None:
    for name in ("alpha", "beta"):
        gone.record(Operation.ADDED, mydemo(name))
        gone.record(Operation.DELETED, mydemo(name, version=2))
    gone.record(Operation.ADDED, mydemo("gamma"))
    text = words(await page(gone.site, DELETED))
    assert text.index("shop/beta") < text.index("shop/alpha")
    assert "gamma" not in text
    html = await page(gone.site, f"{DELETED}?q=alp")
    assert f'href="{HISTORY}"' in html
    assert "beta" not in words(html)
    assert "History has no deleted Mydemos in search" in words(await page(gone.site, f"{DELETED}?namespace=search"))


async def test_one_whose_name_exists_again_says_so(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo(uid="one"))
    site.record(Operation.DELETED, mydemo(uid="one", version=2))
    assert "exists again" in words(await page(site.site, DELETED))


def rights(*namespaces: str) -> Rights:
    rule = Rule(frozenset({"list"}), frozenset({"crddemo.k8s.io"}), frozenset({"mydemos"}))
    return Rights((), dict.fromkeys(namespaces, (rule,)))


async def test_of_hidden_objects_nothing_is_told(gone: RecordedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.pages.history.views.MAX_LISTED", 2)
    for number in range(2):
        gone.record(Operation.ADDED, mydemo(f"open-{number}", namespace="search", uid=f"open-{number}"))
        gone.record(Operation.DELETED, mydemo(f"open-{number}", version=2, namespace="search", uid=f"open-{number}"))
    for number in range(3):
        gone.record(Operation.ADDED, mydemo(f"hidden-{number}"))
        gone.record(Operation.DELETED, mydemo(f"hidden-{number}", version=2))
    gone.parts.rights = rights("search")
    text = words(await page(gone.site, DELETED))
    assert "search/open-0" in text, "hidden ones take nobody's place"
    assert "hidden" not in text
    assert "The newest 2 are listed" not in text

    async def told(name: str) -> str:
        html = await page(gone.site, f"/resources/{KEY}/shop/{name}/history/", 404)
        return words(html).replace(name, "")

    assert await told("hidden-1") == await told("absent-1")


async def test_of_a_secret_hashes_are_told_and_no_values(log: Log) -> None:
    site = RecordedSite(log)

    def secret(version: int, value: str) -> dict[str, object]:
        found = made("Secret", "key", metadata={"resourceVersion": str(version)}, data={"password": "••••••"})
        return {**found, "deltaboard-value-hashes": {"data": {"password": value}}}

    site.record(Operation.ADDED, secret(1, "aaaa1111"), "secrets")
    site.record(Operation.MODIFIED, secret(2, "bbbb2222"), "secrets")
    html = await page(site.site, "/resources/secrets/shop/key/history/")
    assert "data.password has another value" in lines(html)[0]
    assert "<del>hash aaaa1111</del> → <ins>hash bbbb2222</ins>" in html
    assert "deltaboard-value-hashes" not in html


async def test_without_history_one_sentence_says_so() -> None:
    for path in ("/resources/pods/shop/web-1/history/", "/resources/pods/history/"):
        assert "DELTABOARD_HISTORY is off" in words(await page(small_site(), path, 404))


async def test_history_that_cannot_be_read_is_said(site: RecordedSite) -> None:
    site.parts.history = HistoryObjects(lambda: None, site.site.clock)
    for path in (HISTORY, DELETED):
        assert "History cannot be read" in words(await page(site.site, path, 503))


async def test_who_set_each_field_last_and_what_it_was_before(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    site.record(Operation.MODIFIED, mydemo(port=81, version=2))
    site.record(Operation.MODIFIED, mydemo(port=8080, version=3))
    site.record(Operation.MODIFIED, mydemo(port=8080, version=4, labels={"a": "b"}))
    text = words(await page(site.site, f"{HISTORY}?blame"))
    assert text.count("spec.port") == 1
    assert re.search(r"spec\.port 8080 , set by field manager kubectl .*, before that 81", text)
    assert "metadata.labels" in text
    assert "All other fields are as they were when it was created" in text
    assert "The newest 200 versions are searched, no older ones." in text


async def test_nobody_is_named_for_what_was_set_while_nothing_was_recorded(site: RecordedSite, log: Log) -> None:
    site.record(Operation.ADDED, mydemo())
    log.now += 60_000_000
    log.since = log.now
    site.record(Operation.DIFFERS, mydemo(port=8080, version=2))
    text = words(await page(site.site, f"{HISTORY}?blame"))
    assert re.search(r"spec\.port 8080 , found .* after a gap \(who set it is not known\), before that 80", text)
    assert "set by" not in text


async def test_what_is_not_known_to_be_missing_is_not_said_to_be(log: Log) -> None:
    site = RecordedSite(log)
    await page(site.site, HISTORY, 404)
    silent = Site(silent=[KEY])  # nothing of the kind has been read
    site.parts.replicas, site.parts.hub, site.parts.interest = silent.feeds, silent.parts.hub, silent.interest
    assert "History has no version of it yet" in words(await page(site.site, HISTORY))


async def test_single_fields_of_a_comparison_can_be_chosen_where_an_edit_can_set_them(site: RecordedSite) -> None:
    at = site.record(Operation.ADDED, mydemo() | {"status": {"phase": "New"}})
    changed = mydemo(port=8080, version=2, labels={"a.b": "x"}) | {"status": {"phase": "Old"}}
    site.record(Operation.MODIFIED, changed)
    html = await page(site.site, HISTORY)
    boxes = re.findall(r'<input type="checkbox" name="field" value="([^"]*)">', html)
    assert [unescape(each) for each in boxes] == ["metadata.labels", "spec.port"]
    assert f'action="{ALPHA}edit/"' in html
    assert f'<input type="hidden" name="version" value="{at}">' in html
    assert "status" in html.replace("<wbr>", "")


async def test_a_change_of_fields_that_an_edit_can_set_can_be_undone(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    site.record(Operation.MODIFIED, mydemo(port=8080, version=2))
    site.record(Operation.MODIFIED, mydemo(port=8080, version=3) | {"status": {"phase": "Old"}})
    html = await page(site.site, HISTORY)
    assert re.findall(r'href="([^"]*)">undo this change', html) == [f"{ALPHA}edit/?undo=2"]


async def test_who_set_a_field_leads_to_what_it_was_before(site: RecordedSite) -> None:
    site.record(Operation.ADDED, mydemo())
    site.record(Operation.MODIFIED, mydemo(port=8080, version=2, labels={"a": "b"}))
    html = await page(site.site, f"{HISTORY}?blame")
    hrefs = [unescape(each) for each in re.findall(r'href="([^"]*)">(?:put that back|remove it)', html)]
    assert [parse_qs(urlsplit(each).query)["field"] for each in hrefs] == [["metadata.labels"], ["spec.port"]]
    versions = {parse_qs(urlsplit(each).query)["version"][0] for each in hrefs}
    (at,) = versions
    found = await site.parts.history.version_at(ObjectName(KEY, "shop", "alpha", ""), parse_at(at, 4e9))
    assert found.version.resource_version == "1"


@pytest.mark.parametrize("read_only", [False, True])
async def test_nothing_is_offered_where_nothing_can_be_put_back(
    gone: RecordedSite, settings: Settings, read_only: bool
) -> None:
    settings.DELTABOARD_READ_ONLY = read_only
    gone.record(Operation.ADDED, mydemo())
    gone.record(Operation.MODIFIED, mydemo(port=8080, version=2))
    if not read_only:
        gone.record(Operation.DELETED, mydemo(port=8080, version=3))
    for query in ("", "?blame", "?from=2027-01-15T08:00:00.001Z"):
        html = await page(gone.site, f"{HISTORY}{query}")
        assert "edit/" not in html[html.index("<main") : html.index("</main>")]
