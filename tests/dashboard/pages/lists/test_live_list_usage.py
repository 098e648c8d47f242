"""Tests of lists with usage: what is missing in a sum, which right is missing, and what no cluster has."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from dashboard.live.index.usage_lookup import PollTimes
from dashboard.objects.printers.default_printers import MYDEMO_KEY
from tests.support.live.fake_usage import FakeUsage, usage
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import mydemo, namespace, page, pod, words

MISSING = "You may not read the usage of pods."
WEB = ("deployments.apps", made("Deployment", "web", api_version="apps/v1"))
API = ("deployments.apps", made("Deployment", "api", api_version="apps/v1"))
DEPLOYMENTS = "/resources/deployments.apps/"


def site(used: FakeUsage, *more: tuple[str, dict[str, Any]]) -> Site:
    return Site(
        namespace("shop"), pod("web-1"), mydemo("alpha"), WEB, API, *more,
        usage=used, watched=("pods", "namespaces", "deployments.apps", MYDEMO_KEY),
    )  # fmt: skip


def cell(html: str, name: str, column: str) -> tuple[str, str]:
    """Title and text of a cell."""
    row = re.search(rf'<tr id="row-[^>]*data-name="{name}".*?</tr>', html, re.DOTALL)
    assert row
    found = re.search(rf'<td class="c-{column} ([^>]*)>(.*?)</td>', row[0], re.DOTALL)
    assert found
    title = re.search(r'title="([^"]*)"', found[1])
    return title[1] if title else "", re.sub(r"<[^>]+>", "", found[2]).strip()


async def test_a_sum_in_which_pods_are_missing_says_so_and_a_whole_one_does_not() -> None:
    used = FakeUsage()
    partial = usage("shop/web", 0.5, 100, of_mebibytes=200, pods=38, unmeasured=2)
    used.state(partial, usage("shop/api", 0.5, 100, pods=2), kind="deployments.apps")
    html = await page(site(used), DEPLOYMENTS)
    title, text = cell(html, "web", "memory")
    assert text == "50% 38/40 pods 100Mi"
    assert title.endswith(", 38 of 40 pods measured")
    assert cell(html, "web", "cpu")[1] == "38/40 pods 500m"
    title, text = cell(html, "api", "memory")
    assert (text, "measured" in title) == ("100Mi", False)


@pytest.mark.parametrize("path", ["export.csv", "selected.csv"])
async def test_a_file_says_of_how_many_pods_a_sum_is(path: str) -> None:
    used = FakeUsage()
    used.state(usage("shop/web", 0.5, 100, pods=38, unmeasured=2), kind="deployments.apps")
    shown = site(used)
    if path == "export.csv":
        response = await shown.client.get(f"{DEPLOYMENTS}{path}?columns=name,cpu")
    else:
        uids = ",".join(f"uid-shop-{name}" for name in ("web", "api"))
        response = await shown.client.post(f"{DEPLOYMENTS}{path}?columns=name,cpu", {"uid": uids})
    text = "".join([piece.decode() async for piece in response])  # type: ignore[attr-defined]
    assert sorted(csv.reader(io.StringIO(text))) == [
        ["Name", "CPU", "Pods measured"],
        ["api", "", ""],
        ["web", "0.5", "38 of 40"],
    ]


async def test_a_file_of_selected_rows_is_in_the_order_of_usage() -> None:
    used = FakeUsage()
    used.state(usage("shop/web", 0.5, 100), usage("shop/api", 2, 50), kind="deployments.apps")
    uids = ",".join(f"uid-shop-{name}" for name in ("web", "old", "api"))
    shown = site(used, ("deployments.apps", made("Deployment", "old", api_version="apps/v1")))
    for order, names in (("-cpu", ["api", "web", "old"]), ("cpu", ["web", "api", "old"])):
        response = await shown.client.post(f"{DEPLOYMENTS}selected.csv?columns=name&sort={order}", {"uid": uids})
        text = "".join([piece.decode() async for piece in response])  # type: ignore[attr-defined]
        assert text.split()[1:] == names


async def test_a_file_of_pods_has_no_sums() -> None:
    response = await site(FakeUsage()).client.get("/resources/pods/export.csv?columns=name,cpu")
    text = "".join([piece.decode() async for piece in response])  # type: ignore[attr-defined]
    assert text.splitlines()[0] == "Name,CPU"


async def test_a_missing_right_is_named_wherever_the_columns_are_shown() -> None:
    used = FakeUsage()
    used.missing = {"deployments.apps": MISSING, MYDEMO_KEY: MISSING}
    shown = site(used)
    assert MISSING in words(await page(shown, DEPLOYMENTS))
    assert MISSING not in words(await page(shown, f"{DEPLOYMENTS}?columns=name,age"))
    assert MISSING in words(await page(shown, f"{DEPLOYMENTS}?columns=name,age&sort=-cpu"))
    assert MISSING not in words(await page(shown, "/resources/pods/"))
    mydemos = f"/resources/{MYDEMO_KEY}/"
    assert MISSING not in words(await page(shown, mydemos)), "most own no pods"
    assert MISSING in words(await page(shown, f"{mydemos}?sort=-cpu"))


async def test_where_there_is_no_metrics_api_a_list_says_so_where_it_is_asked_for_usage() -> None:
    used = FakeUsage()
    used.problem, used.is_served = "Nothing serves it.", False
    shown = site(used)
    assert used.problem not in words(await page(shown, DEPLOYMENTS))
    assert used.problem in words(await page(shown, f"{DEPLOYMENTS}?q=cpu>1"))


async def test_while_the_metrics_api_does_not_answer_a_list_says_why_and_when_it_is_asked_again() -> None:
    used = FakeUsage()
    used.problem, used.poll_times = "It does not answer.", PollTimes("2027-01-15T08:00:00Z", "2027-01-15T08:00:30Z")
    shown = site(used)
    assert used.problem in words(await page(shown, "/resources/pods/"))
    html = await page(shown, DEPLOYMENTS)
    assert used.problem in words(html)
    assert re.findall(r'<time data-clock="seconds" datetime="2027-01-15T08:00:([^"]*)">', html) == ["00Z", "30Z"]
    assert used.problem not in words(await page(shown, f"{DEPLOYMENTS}?columns=name")), "it shows no usage"


async def test_narrow_screens_hide_a_column_of_usage_whole() -> None:
    html = await page(site(FakeUsage()), f"{DEPLOYMENTS}?columns=name,cpu,cpu-share")
    for column, is_wide in (("cpu", False), ("cpu-share", True)):
        classes = re.findall(rf'class="(c-{column} [^"]*)"', html)
        assert len(classes) == 3, "the header and two rows"
        assert [("wide" in each.split()) for each in classes] == [is_wide] * 3


async def test_mydemos_have_the_sums_of_what_they_own() -> None:
    used = FakeUsage()
    used.state(usage("shop/alpha", 0.5, 100, pods=2), kind=MYDEMO_KEY)
    html = await page(site(used), f"/resources/{MYDEMO_KEY}/")
    assert [cell(html, "alpha", column)[1] for column in ("cpu", "memory")] == ["500m", "100Mi"]
