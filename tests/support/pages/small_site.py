"""Small site for tests of pages: two dozen objects, with texts that are markup."""

from __future__ import annotations

import re
from html import unescape

from tests.support.objects.rows import Json, made
from tests.support.pages.site_without_cluster import Site

EVIL = "<script>alert(1)</script>\" onmouseover='alert(2)"


def pod(name: str, namespace: str = "shop", **metadata: object) -> tuple[str, Json]:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return "pods", made("Pod", name, namespace=namespace, metadata=metadata, spec={"nodeName": "node-1"}, status=status)


def namespace(name: str) -> tuple[str, Json]:
    return "namespaces", made("Namespace", name, namespace="", status={"phase": "Active"})


def mydemo(name: str) -> tuple[str, Json]:
    spec = {"ip": "10.0.0.1", "port": 8080}
    return "mydemos.crddemo.k8s.io", made("Mydemo", name, api_version="crddemo.k8s.io/v1", spec=spec)


def small_site() -> Site:
    namespaces = [namespace(name) for name in ("shop", "search")]
    return Site(*namespaces, pod("web-1"), pod("web-2"), pod("db-1", "search"), mydemo("alpha"))


async def page(site: Site, path: str, status: int = 200, **headers: str) -> str:
    response = await site.client.get(path, headers=headers)
    assert response.status_code == status, path
    text: str = response.content.decode()
    return text


def words(html: str) -> str:
    """The page's text without its markup."""
    main = html[html.index("<main") :] if "<main" in html else html
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main)).split())


def rows(html: str) -> list[str]:
    return re.findall(r'<tr id="row-uid-[^"]*"[^>]*data-name="([^"]*)"', html)
