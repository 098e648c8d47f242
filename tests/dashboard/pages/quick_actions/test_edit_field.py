"""Tests of one field edited in place: checked by the schema, and written over the value shown only."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    cluster.create(collection, mydemo("one"))
    return f"{collection}/one"


@pytest.fixture
def field(namespace: str) -> str:
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/do/field/?path="


async def test_a_field_is_written_and_undone(browser: Browser, cluster: ControlPlane, one: str, field: str) -> None:
    page = await browser.open(f"{field}.spec.port&shown=8080")
    assert "1 to 65535." in page.text
    assert "The list showed" not in page.text
    page = await browser.press(page, "do", wanted="9090")
    assert "8080 → 9090" in page.text
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.1", "port": 9090}
    await browser.press(page, "undo")
    assert cluster.get(one)["spec"]["port"] == 8080


@pytest.mark.parametrize(
    ("path", "typed", "said"),
    [
        (".spec.port", "many", "“many” is not a whole number"),
        (".spec.port", "70000", "it must be 1 to 65535"),
        (".spec.ip", "x", "it must be 2 at least"),
        (".spec.ip", "999.1.1.1", "must be an IPv4 or IPv6 address"),
    ],
)
async def test_what_the_schema_or_the_api_server_refuses_is_said_and_kept(
    browser: Browser, cluster: ControlPlane, one: str, field: str, path: str, typed: str, said: str
) -> None:
    before = cluster.get(one)
    page = await browser.press(await browser.open(f"{field}{path}"), "do", wanted=typed)
    assert page.status == 422
    assert said in page.text
    assert page.form.values["wanted"] == typed
    assert cluster.get(one) == before


async def test_theirs_is_shown_where_it_changed_meanwhile(
    browser: Browser, cluster: ControlPlane, one: str, field: str
) -> None:
    page = await browser.open(f"{field}.spec.port&shown=8080")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "do", wanted="9090")
    assert page.status == 409
    assert "it is 7777 now" in page.text
    assert page.form.values["wanted"] == "9090"
    assert cluster.get(one)["spec"]["port"] == 7777


async def test_what_the_list_showed_and_is_no_more_is_said(
    browser: Browser, cluster: ControlPlane, one: str, field: str
) -> None:
    page = await browser.open(f"{field}.spec.port&shown=1")
    assert "The list showed 1; by now it is 8080." in page.text


async def test_what_a_dry_run_gives_beyond_what_was_typed_is_seen_before_it_is_written(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, one: str, field: str
) -> None:
    patch = parts.client.patch

    async def mutated(resource: Any, name: str, namespace: str, change: Any, *how: str, **options: Any) -> Any:
        """The object as an admission webhook changes it."""
        metadata, port = change["metadata"], change["spec"]["port"]
        change = {"metadata": {**metadata, "annotations": {"port": str(port)}}, "spec": {"port": port + 1}}
        return await patch(resource, name, namespace, change, *how, **options)

    parts.client.patch = mutated
    page = await browser.open(f"{field}.spec.port&shown=8080&wanted=9090")
    assert "What the API server would store" in page.text
    assert "spec.port 8080 → 9091 set by the API server" in page.text
    assert "This is not what you asked for" in page.text
    unseen = {name: value for name, value in page.form.values.items() if name != "seen"}
    page = await browser.send(page.form.action, {**unseen, "do": ""})
    assert "Nothing is written yet: it would change more than was shown" in page.text
    assert cluster.get(one)["spec"]["port"] == 8080
    page = await browser.press(page, "do")
    assert "8080 → 9091" in page.text
    assert "metadata.annotations.port 9090 new" in page.text
    assert cluster.get(one)["spec"]["port"] == 9091


async def test_what_a_rule_stamps_anew_each_time_is_shown_from_the_dry_run_of_the_press_and_then_written(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, one: str, field: str
) -> None:
    patch, stamps = parts.client.patch, count()

    async def stamped(resource: Any, name: str, namespace: str, change: Any, *how: str, **options: Any) -> Any:
        metadata = {**change["metadata"], "annotations": {"stamp": f"at-{next(stamps)}"}}
        return await patch(resource, name, namespace, {**change, "metadata": metadata}, *how, **options)

    page = await browser.open(f"{field}.spec.port&shown=8080")
    parts.client.patch = stamped
    page = await browser.press(page, "do", wanted="9090")
    assert "Nothing is written yet: it would change more than was shown" in page.text
    assert "metadata.annotations.stamp at-0 new" in page.text
    assert next(stamps) == 1, "its own dry run is shown, and no other made"
    assert cluster.get(one)["spec"]["port"] == 8080
    page = await browser.press(page, "do")
    assert "8080 → 9090" in page.text
    assert cluster.get(one)["metadata"]["annotations"]["stamp"] == "at-3"


@pytest.mark.parametrize("path", ["", ".status.phase", ".spec.ip[0]", "../x", ".metadata.name", ".spec"])
async def test_what_is_no_plain_field_is_refused(browser: Browser, one: str, field: str, path: str) -> None:
    page = await browser.open(field + path)
    assert page.status == 422
    assert "not a plain field of spec" in page.text or "not a single value" in page.text
