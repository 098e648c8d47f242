"""Attack: a page of another site makes the browser, with the user's cookies, ask for exports and files."""

from __future__ import annotations

import pytest

from tests.support.pages.site_without_cluster import Site

POD = ("pods", {"metadata": {"name": "web", "namespace": "shop", "uid": "1", "resourceVersion": "1"}})
FILES = (
    "/resources/pods/export.csv", "/resources/pods/export.json", "/resources/pods/export.yaml",
    "/resources/pods/bulk/0123/results.csv", "/resources/pods/bulk/0123/commands.txt",
    "/resources/pods/shop/web/yaml/?download",
)  # fmt: skip


@pytest.mark.parametrize("address", FILES)
@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site"])
async def test_a_file_is_not_sent_to_another_site(address: str, site: str) -> None:
    refused = await Site(POD).client.get(address, headers={"sec-fetch-site": site})
    assert refused.status_code == 403
    assert "another site" in refused.content.decode()


@pytest.mark.parametrize("headers", [{}, {"sec-fetch-site": "none"}, {"sec-fetch-site": "same-origin"}])
@pytest.mark.parametrize("address", FILES[:3])
async def test_own_pages_bookmarks_and_scripts_get_it(address: str, headers: dict[str, str]) -> None:
    sent = await Site(POD).client.get(address, headers=headers)
    assert (sent.status_code, sent["Cache-Control"]) == (200, "no-store")


async def test_a_link_from_another_site_still_opens_a_page() -> None:
    site = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "accept": "text/html"}
    assert (await Site(POD).client.get("/resources/pods/", headers=site)).status_code == 200
