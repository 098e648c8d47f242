"""Tests of usage in details: sums, missing rights, and clusters without a metrics API."""

from __future__ import annotations

import pytest

from dashboard.live.usage.usage_collector import NO_METRICS_API
from dashboard.objects.printers.default_printers import MYDEMO_KEY
from tests.support.live.fake_usage import FakeUsage, usage
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import mydemo, page, pod, words

DEPLOYMENT = ("deployments.apps", made("Deployment", "web", api_version="apps/v1"))
PATHS = {
    "pods": "/resources/pods/shop/web-1/",
    "deployments.apps": "/resources/deployments.apps/shop/web/",
    MYDEMO_KEY: f"/resources/{MYDEMO_KEY}/shop/alpha/",
}
NOT_YET = "Not measured yet."


def site(used: FakeUsage) -> Site:
    return Site(pod("web-1"), mydemo("alpha"), DEPLOYMENT, usage=used, watched=tuple(PATHS))


async def shown(used: FakeUsage, key: str) -> str:
    return words(await page(site(used), PATHS[key]))


@pytest.mark.parametrize("key", ["deployments.apps", MYDEMO_KEY])
async def test_a_sum_says_in_words_how_many_pods_are_in_it(key: str) -> None:
    used = FakeUsage()
    name = PATHS[key].split("/")[-2]
    used.state(usage(f"shop/{name}", 0.5, 100, pods=38, unmeasured=2), kind=key)
    assert "38 of 40 pods measured: the others are not in the sum." in await shown(used, key)
    used.state(usage(f"shop/{name}", 0.5, 100, pods=40), kind=key)
    assert "pods measured" not in await shown(used, key)


async def test_one_sentence_names_the_missing_right() -> None:
    used = FakeUsage()
    used.missing["pods"] = "You may not read the usage of pods."
    used.problem = "The metrics API does not answer."
    text = await shown(used, "pods")
    assert used.missing["pods"] in text
    assert used.problem not in text
    assert NOT_YET not in text
    assert NOT_YET in await shown(FakeUsage(), "pods")


@pytest.mark.parametrize(("key", "is_said"), [("pods", True), ("deployments.apps", True), (MYDEMO_KEY, False)])
async def test_a_cluster_without_a_metrics_api_is_said_or_nothing(key: str, is_said: bool) -> None:
    used = FakeUsage()
    used.problem, used.is_served = NO_METRICS_API, False
    text = await shown(used, key)
    assert (NO_METRICS_API in text) == is_said
    assert NOT_YET not in text
