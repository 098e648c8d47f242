"""Tests of rescued text: whatever the error, the page explains it and returns the text."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.access.draft_count_cookie import DRAFT_COUNT_COOKIE
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.objects.manifests.document import parse
from dashboard.pages.layout.flash import COOKIE
from informerd.errors import UnknownResource
from informerd.resource import MYDEMOS, Resource
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser


@pytest.mark.parametrize(
    ("old", "new", "status", "words"),
    [
        ("port: 8080", "port: 70000", 422, "spec.port Invalid value: 70000: spec.port in body should be less than"),
        ("port: 8080", "port: many", 422, 'spec.port in body must be of type integer'),
        ("ip: 10.0.0.1", "ip: nowhere", 422, "spec.ip"),
        ("ip: 10.0.0.1", "ip: 10.0.0.300", 422, "must be an IPv4 or IPv6 address"),
        ("  port: 8080\n", "", 422, "spec.port Required value"),
        ("  port: 8080\n", "  port: 8080\n  colour: red\n", 400, "line 11, column 3 spec.colour The schema has"),
        ("team: a", "team: not a label", 422, "metadata.labels"),
        ('port: 8080', 'port: "8080', 422, "line 10, column 9"),
        ("name: one", "name: two", 422, "metadata.name It is “two” in the text, but this page edits “one”"),
        ("name: one", "name: one\n  namespace: other", 422, "given twice"),
        ("name: one", "name: one\n  uid: 123", 422, "metadata.uid"),
        ("name: one", "name: one\n  resourceVersion: '1'", 422, "metadata.resourceVersion"),
        ("crddemo.k8s.io/v1", "crddemo.k8s.io/v2", 422, "apiVersion"),
        ("spec:", "---\nspec:", 422, "second document"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_said_with_the_servers_words_and_the_text_is_kept(
    browser: Browser, cluster: ControlPlane, one: str, path: str, old: str, new: str, status: int, words: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace(old, new)
    page = await browser.press(page, "review", yaml=text)
    assert page.status == status
    assert words in page.text
    assert page.yaml == text
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.1", "port": 8080}


async def test_a_text_over_three_mebibytes_is_refused_and_kept(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml + "# " + "x" * (3 * 1024 * 1024)
    page = await browser.press(page, "review", yaml=text)
    assert page.status == 422
    assert "the API server accepts objects of up to 3 MiB" in page.text
    assert page.yaml == text


async def test_an_incomplete_form_keeps_the_text_and_begins_anew(browser: Browser, one: str, path: str) -> None:
    page = await browser.send(f"{path}edit/", {"yaml": "spec: {port: 1}", "save": ""})
    assert page.status == 400
    assert page.yaml == "spec: {port: 1}"
    assert page.form.values["base_uid"]


class DiscoveryWithoutKinds:
    """A cluster that serves none."""

    async def resolve(self, name: str) -> Resource:
        raise UnknownResource(name, ())


BUTTONS = ("review", "save", "recreate", "create", "take", "adopt", "edit")


@pytest.mark.parametrize("button", BUTTONS)
async def test_without_a_client_no_button_loses_the_text(
    browser: Browser, parts: SimpleNamespace, one: str, path: str, button: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("10.0.0.1", "10.0.0.9")
    parts.client, client = None, parts.client
    parts.problem = "The configuration is broken."
    page = await browser.press(page, button, yaml=text, field__spec__port="9090")
    assert page.status == 503
    assert "The configuration is broken." in page.text
    assert page.yaml == text
    parts.client = client
    page = await browser.press(page, "edit")
    assert page.status == 200
    assert parse(page.yaml).value["spec"] == {"ip": "10.0.0.9", "port": 9090}


@pytest.mark.parametrize("button", BUTTONS)
async def test_a_kind_that_is_no_longer_served_loses_no_text(
    browser: Browser, parts: SimpleNamespace, one: str, path: str, button: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("8080", "9090")
    parts.replicas.kinds, parts.discovery = parse_kinds(["pods"]), DiscoveryWithoutKinds()
    page = await browser.press(page, button, yaml=text)
    assert page.status == 404
    assert "The API server has no mydemos.crddemo.k8s.io" in page.text
    assert page.yaml == text


@pytest.mark.parametrize(("button", "status"), [(each, 409 if "create" in each else 200) for each in BUTTONS])
async def test_a_kind_that_cannot_be_followed_is_edited_all_the_same(
    browser: Browser, parts: SimpleNamespace, one: str, path: str, button: str, status: int
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("8080", "9090")
    parts.replicas.unfollow(MYDEMOS.key)
    parts.interest.follow = lambda *_: False  # as many others are being looked at as may be
    page = await browser.press(page, button, yaml=text)
    assert page.status == status
    assert parse(page.yaml).value["spec"] == {"ip": "10.0.0.1", "port": 9090}


async def test_a_text_for_an_object_that_is_not_there_is_kept_whatever_its_kind(browser: Browser) -> None:
    page = await browser.send("/resources/pods/default/web/edit/", {"yaml": "kind: Pod\n", "review": ""})
    assert page.status == 404
    assert page.yaml == "kind: Pod\n"


async def test_an_incomplete_form_for_an_object_that_cannot_be_read_keeps_the_text(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    cluster.delete(one)
    page = await browser.send(f"{path}edit/", {"yaml": "spec: {port: 1}", "save": ""})
    assert page.status == 404
    assert page.yaml == "spec: {port: 1}"


async def test_a_text_whose_token_is_refused_can_be_copied(
    parts: SimpleNamespace, cluster: ControlPlane, one: str, path: str
) -> None:
    strict = Browser(parts, check_csrf=True)
    page = await strict.open(f"{path}edit/")
    text = page.yaml.replace("8080", "9090 # </textarea><script>")
    refused = await strict.press(page, "review", yaml=text, csrfmiddlewaretoken="x" * 64)
    assert refused.status == 403
    assert refused.form.shown == [text]
    assert "still there" not in refused.text
    assert (await strict.send(f"{path}delete/", {})).form.shown == []


async def test_a_page_whose_object_is_gone_sets_the_cookies_of_drafts_and_ends_the_message(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    saved = await browser.press(page, "review", yaml=page.yaml.replace("8080", "9090"))
    assert (await browser.press(saved, "save")).said
    cluster.delete(one)
    gone = await browser.open(f"{path}edit/")
    assert gone.status == 404
    assert browser.client.cookies[COOKIE].value == ""
    page = await browser.send(f"{path}edit/", {"yaml": "spec: {port: 1}", "save": ""})
    assert page.status == 404
    assert page.yaml == "spec: {port: 1}"
    assert browser.client.cookies[DRAFT_COUNT_COOKIE].value == "1"
