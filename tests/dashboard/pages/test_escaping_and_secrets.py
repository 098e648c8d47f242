"""Tests of all read-only pages: texts are escaped, Secrets stay hidden, nothing can be posted."""

from __future__ import annotations

import pytest

from tests.support.objects.rows import made, row_of
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import EVIL, namespace, page, pod, rows, small_site


async def test_what_the_cluster_says_is_text_and_nothing_else() -> None:
    labels = {"app": EVIL}
    about = {"kind": "Pod", "name": "web-1", "namespace": "shop"}
    event = made("Event", "e", involvedObject=about, type="Warning", reason=EVIL, message=EVIL, count=2)
    site = Site(namespace("shop"), pod("web-1", labels=labels, annotations={EVIL: EVIL}), ("events", event))
    changed = row_of(*pod("web-1", labels=labels, annotations={EVIL: EVIL + "x"}))
    site.feeder("pods").put(changed, words=f"metadata.annotations {EVIL} → {EVIL}")
    paths = (
        "/",
        "/feed/",
        "/resources/pods/",
        "/resources/pods/shop/web-1/",
        "/resources/events/",
        "/resources/events/shop/e/",
    )
    query = "?q=%3Cscript%3Ealert(1)%3C/script%3E&sort=%3Cscript%3Ealert(1)&namespace=%3Cscript%3E"
    wrong = (f"/resources/pods/{query}", f"/feed/{query}")
    for path in (*paths, *wrong):
        html = await page(site, path)
        assert "<script>alert" not in html, path
        assert "onmouseover='alert" not in html, path
    for path in ("/resources/%3Cscript%3Ealert(1)/", "/resources/pods/shop/%3Cscript%3Ealert(1)/"):
        html = await page(site, path, 404)
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)" in html


async def test_secrets_keep_their_values() -> None:
    last = '{"data":{"password":"aHVudGVyMg=="},"stringData":{"pin":"hunter2"}}'
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": last}
    secret = made(
        "Secret", "login", type="Opaque", data={"password": "aHVudGVyMg=="}, metadata={"annotations": annotations}
    )
    site = Site(namespace("shop"), ("secrets", secret))
    changed = made("Secret", "login", type="Opaque", data={"password": "aHVudGVyMw==", "pin": "aHVudGVyNA=="})
    site.feeder("secrets").put(row_of("secrets", changed))
    for path in (
        "/",
        "/feed/",
        "/resources/secrets/",
        "/resources/secrets/shop/login/",
        "/resources/secrets/shop/login/yaml/",
    ):
        html = await page(site, path)
        assert "aHVudGVy" not in html
        assert "hunter2" not in html
    assert "password" in html
    assert rows(await page(site, "/resources/secrets/?q=.data.password%3DaHVudGVyMw%3D%3D")) == []


@pytest.mark.parametrize("part", ["", "login/", "login/yaml/", "login/?download"])
async def test_no_browser_stores_a_page_of_a_secret(part: str) -> None:
    site = Site(
        namespace("shop"), pod("login"), ("secrets", made("Secret", "login", type="Opaque", data={"a": "eA=="}))
    )
    for kind, header in (("secrets", "no-store"), ("pods", None)):
        where = f"/resources/{kind}/" + (f"shop/{part}" if part else "")
        for headers in ({}, {"HX-Request": "true"}):
            response = await site.client.get(where, headers=headers)
            assert response.status_code == 200, where
            assert response.headers.get("Cache-Control") == header, where


async def test_only_reading_is_allowed() -> None:
    site = small_site()
    for path in ("/", "/feed/", "/resources/pods/", "/resources/pods/shop/web-1/", "/healthz"):
        assert (await site.client.post(path)).status_code == 405
        assert (await site.client.head(path)).status_code == 200
