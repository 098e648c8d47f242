"""Tests of the editor's drafts on a real API server, requested as by a browser without scripts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from dashboard.access.person import PERSON_KEY, Person
from dashboard.pages.drafts.draft import MAX_BYTES
from dashboard.pages.drafts.store import DraftStore
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import SystemClock
from tests.support.controlplane import ControlPlane
from tests.support.databases import in_file
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, Page, WiredClient

PATH = "/resources/mydemos.crddemo.k8s.io/{}/one/"


class Bobs(WiredClient):
    """Of a browser that bob has signed in with."""

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        return {**super()._base_scope(**request), PERSON_KEY: Person("bob")}


@pytest.fixture
def path(namespace: str) -> str:
    return PATH.format(namespace)


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    cluster.create(collection, mydemo("one"))
    return f"{collection}/one"


@pytest.fixture
def no_tables(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of a database that nobody migrated."""
    with in_file("no_tables", tmp_path, django_db_blocker) as alias:
        call_command("migrate", "drafts", "zero", database=alias, verbosity=0)
        yield alias


async def keep(browser: Browser, page: Page, **typed: str) -> dict[str, object]:
    """What the script's save is answered."""
    response = await browser.client.post("/drafts/keep/", {**page.form.values, "draft_number": "1", **typed})
    answer: dict[str, object] = json.loads(response.content)
    return answer


async def written(browser: Browser, path: str, old: str = "8080", new: str = "9090") -> Page:
    """The review of a text that was typed and not saved."""
    page = await browser.open(f"{path}edit/")
    return await browser.press(page, "review", yaml=page.yaml.replace(old, new))


async def resumed(browser: Browser, path: str) -> Page:
    """The editor with the draft that it offers."""
    offer = await browser.open(f"{path}edit/")
    assert "You have an unsaved draft here" in offer.text
    address = offer.body.partition("edit/?draft=")[2][:32]
    return await browser.open(f"{path}edit/?draft={address}")


async def test_what_is_typed_on_a_page_that_somebody_else_opened_is_nobodys_draft(
    browser: Browser, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    answer = await keep(browser, page, yaml="hers: 1", draft_owner="alice")
    assert "opened by “alice”, but nobody is signed in now" in str(answer["problem"])
    await browser.press(page, "review", yaml=page.yaml.replace("8080", "9090"), draft_owner="alice")
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_what_is_typed_on_a_page_that_nobody_opened_is_not_whose_who_signed_in_since(
    browser: Browser, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    bob = Browser(browser.parts)
    bob.client = Bobs(browser.parts, check_csrf=False)
    bob.client.cookies = browser.client.cookies
    problem = str((await keep(bob, page, yaml="hers: 1"))["problem"])
    assert problem.startswith("This page was opened without a sign-in, but “bob” is signed in now")
    assert "open the page again and paste it there" in problem


async def test_what_is_refused_for_good_says_so(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    for text in ("x" * (MAX_BYTES + 1), "kind: Secret\n"):
        assert (await keep(browser, page, yaml=text))["for_good"] is True
    assert (await keep(browser, page, yaml="hers: 1", draft_owner="alice"))["for_good"] is False


async def test_all_that_the_list_showed_are_thrown_away_and_a_newer_one_stays(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    cluster.create(collection, mydemo("two"))
    await written(browser, path)
    listed = await browser.open("/drafts/")
    await written(browser, path.replace("/one/", "/two/"))
    shown = re.findall(r'name="draft" value="(\w+)"', listed.body)
    assert len(shown) == 1
    answer = await browser.client.post("/drafts/throw/", {"draft": shown})
    assert (answer.status_code, answer["Location"]) == (303, "/drafts/")
    left = (await browser.open("/drafts/")).text
    assert "two" in left
    assert "Throw all away" in left
    assert "You have an unsaved draft here" not in (await browser.open(f"{path}edit/")).text


async def test_several_drafts_of_one_object_are_told_apart_by_what_they_change(
    browser: Browser, one: str, path: str
) -> None:
    await written(browser, path)
    assert "changes:" not in (await browser.open("/drafts/")).text, "one draft needs no more than its name"
    page = await browser.open(f"{path}edit/")
    for text in (page.yaml.replace("8080", "7070"), page.yaml + "  [", page.yaml):
        page = await browser.open(f"{path}edit/")
        await keep(browser, page, yaml=text)
    offered = (await browser.open(f"{path}edit/")).text
    listed = (await browser.open("/drafts/")).text
    assert "changes: spec.port to 7070" in listed
    assert "changes: spec.port to 9090" in listed
    for words in ("changes: its text is not complete yet", "changes: nothing", "changes: spec.port to 7070"):
        assert words in listed
        assert f"; {words}" in offered, "the newest three"


async def test_several_drafts_of_new_objects_are_told_apart_by_the_names_in_them(browser: Browser, one: str) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  namespace: shop\n"
    many = "---\n".join(config.format(name) for name in ("a", "b", "c", "d")) + "--- \n["
    for text in (config.format("one"), many, "# nothing yet\n"):
        page = await browser.open("/new/")
        await keep(browser, page, yaml=text)
    listed = (await browser.open("/drafts/")).text
    assert "creates: ConfigMap shop/one" in listed
    assert "creates: ConfigMap shop/a, ConfigMap shop/b, ConfigMap shop/c and 1 more" in listed
    assert "creates: no object with a name yet" in listed


async def test_every_button_keeps_the_text_and_the_editor_offers_it_again(
    browser: Browser, one: str, path: str
) -> None:
    await written(browser, path)
    page = await resumed(browser, path)
    assert "port: 9090" in page.yaml
    assert "You continue your draft" in page.text
    assert "You have an unsaved draft here" not in page.text
    assert "data-drafts>1<" in page.body


async def test_a_saved_draft_is_over(browser: Browser, cluster: ControlPlane, one: str, path: str) -> None:
    page = await written(browser, path)
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(one)["spec"]["port"] == 9090
    page = await browser.open(f"{path}edit/")
    assert "You have an unsaved draft here" not in page.text
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_a_draft_stands_on_what_it_began_with_so_that_conflicts_are_found(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    await written(browser, path)
    cluster.patch(one, {"spec": {"port": 7070}})
    page = await resumed(browser, path)
    assert "spec.port 8080 → 7070" in page.text
    assert "You changed the same to another value." in page.text
    page = await browser.press(page, "review")
    assert page.status == 409
    assert "choose which value to keep" in page.text
    assert cluster.get(one)["spec"]["port"] == 7070


async def test_a_draft_of_a_deleted_object_is_offered_for_making_it_again(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    await written(browser, path)
    cluster.delete(one)
    listed = await browser.open("/drafts/")
    address = listed.body.partition("edit/?draft=")[2][:32]
    page = await browser.open(f"{path}edit/?draft={address}")
    assert page.status == 409
    assert "port: 9090" in page.yaml
    page = await browser.press(page, "recreate")
    assert (await browser.press(page, "create")).status == 302
    assert cluster.get(one)["spec"]["port"] == 9090
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_a_draft_of_an_object_that_was_made_anew_is_nothing_of_the_new_one(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    await written(browser, path)
    cluster.delete(one)
    cluster.create(collection, mydemo("one", port=1))
    page = await resumed(browser, path)
    assert "is another object now" in page.text
    assert "port: 9090" in page.yaml


async def test_what_was_typed_into_the_form_only_comes_back_there(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    assert not (await keep(browser, page, **{"field.spec.port": "many"}))["late"]
    page = await resumed(browser, path)
    assert "port: 8080" in page.yaml
    assert page.form.values["field.spec.port"] == "many"


async def test_what_was_typed_into_the_form_and_is_a_value_is_in_the_text_that_comes_back(
    browser: Browser, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    await keep(browser, page, **{"field.spec.port": "9090", "newkey.metadata.labels": "half"})
    page = await resumed(browser, path)
    assert "port: 9090" in page.yaml
    assert page.form.values["field.spec.port"] == page.form.values["shown.spec.port"] == "9090"
    assert page.form.values["newkey.metadata.labels"] == "half"
    assert "Review 1 change" in page.text


async def test_a_late_save_of_a_page_that_saved_brings_nothing_back(browser: Browser, one: str, path: str) -> None:
    editor = await browser.open(f"{path}edit/")
    page = await browser.press(editor, "review", yaml=editor.yaml.replace("8080", "9090"))
    await browser.press(page, "save")
    assert (await keep(browser, editor, yaml="late"))["late"]
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_two_tabs_keep_a_draft_each_and_the_second_is_told(browser: Browser, one: str, path: str) -> None:
    first, second = await asyncio.gather(*(browser.open(f"{path}edit/") for _ in range(2)))
    second = await browser.open(f"{path}edit/")
    await keep(browser, first, yaml="first: 1")
    assert (await keep(browser, second, yaml="second: 2"))["others"] == 1
    listed = await browser.open("/drafts/")
    keys = [part[:32] for part in listed.body.split("edit/?draft=")[1::2]]
    texts = [(await browser.open(f"/drafts/{key}/")).form.shown[0].strip() for key in keys]
    assert sorted(texts) == ["first: 1", "second: 2"]


async def test_a_draft_shows_its_differences_and_can_be_thrown_away(browser: Browser, one: str, path: str) -> None:
    await written(browser, path)
    listed = await browser.open("/drafts/")
    key = listed.body.partition("edit/?draft=")[2][:32]
    page = await browser.open(f"/drafts/{key}/")
    assert "spec.port 8080 → 9090" in page.text
    gone = await browser.send(f"/drafts/{key}/throw/", {})
    assert (gone.status, gone.location) == (303, "/drafts/")
    assert (await browser.open(f"/drafts/{key}/")).status == 404
    page = await browser.open(f"{path}edit/?draft={key}")
    assert page.status == 404
    assert "This draft does not exist any more" in page.text
    assert "port: 8080" in page.yaml


async def test_drafts_are_seen_in_the_browser_that_wrote_them_only(
    browser: Browser, parts: SimpleNamespace, one: str, path: str
) -> None:
    await written(browser, path)
    listed = await browser.open("/drafts/")
    key = listed.body.partition("edit/?draft=")[2][:32]
    other = Browser(parts)
    assert "No drafts" in (await other.open("/drafts/")).text
    assert (await other.open(f"/drafts/{key}/")).status == 404
    other.client.cookies["deltaboard_browser"] = "0" * 32 + ":forged"
    assert (await other.open(f"/drafts/{key}/")).status == 404
    await other.send(f"/drafts/{key}/throw/", {})
    assert (await browser.open(f"/drafts/{key}/")).status == 200


async def test_without_its_database_the_editor_works_and_says_that_nothing_is_kept(
    browser: Browser, cluster: ControlPlane, one: str, path: str, no_tables: str
) -> None:
    clock = SystemClock()
    browser.parts.drafts = DraftStore(clock, DatabaseExecutor(clock, alias=no_tables))
    page = await written(browser, path)
    assert "not saved as a draft" in (await browser.press(page, "edit")).text
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(one)["spec"]["port"] == 9090
    listed = await browser.open("/drafts/")
    assert listed.status == 503
    assert "Drafts cannot be read just now" in listed.text


async def test_markup_in_a_draft_is_text(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    await keep(browser, page, yaml="<script>alert(1)</script>", draft_name="<b>one</b>")
    listed = await browser.open("/drafts/")
    assert "<b>one" not in listed.body
    key = listed.body.partition("edit/?draft=")[2][:32]
    assert "<script>alert" not in (await browser.open(f"/drafts/{key}/")).body


@pytest.fixture
def hush(cluster: ControlPlane, namespace: str) -> str:
    """Address of a Secret's editor."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hush"}, "stringData": {"word": "swordfish"}}
    cluster.create(f"/api/v1/namespaces/{namespace}/secrets", secret)
    return f"/resources/secrets/{namespace}/hush/edit/"


async def test_no_draft_of_a_secret_is_kept_and_its_page_says_so(browser: Browser, hush: str) -> None:
    page = await browser.open(hush)
    assert "Secrets have no drafts" in page.text
    assert "draft" not in page.form.values  # so that the script sends nothing
    page = await browser.press(page, "edit", yaml=f"{page.yaml}# typed\n")
    assert "# typed" in page.yaml
    assert "Secrets have no drafts" in page.text
    save = {**page.form.values, "draft_resource": "secrets", "draft_namespace": "", "draft_name": "hush"}
    said = json.loads((await browser.send("/drafts/keep/", save)).body)
    assert "Secrets have no drafts" in said["problem"]
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_a_save_without_the_browsers_cookie_is_refused_with_a_sentence(
    browser: Browser, path: str, one: str
) -> None:
    page = await browser.open(f"{path}edit/")
    browser.client.cookies.pop("deltaboard_browser")
    said = await keep(browser, page, yaml=f"{page.yaml}# typed\n")
    assert "did not send the cookie" in str(said["problem"])
    page = await browser.press(page, "review", yaml=page.yaml.replace("8080", "9090"))
    assert "No drafts" in (await browser.open("/drafts/")).text
    page = await browser.press(page, "edit")
    assert "did not send the cookie" not in page.text
    assert "No drafts" not in (await browser.open("/drafts/")).text


async def test_discard_throws_the_draft_away(browser: Browser, path: str, one: str) -> None:
    page = await written(browser, path)
    assert "No drafts" not in (await browser.open("/drafts/")).text
    page = await browser.press(page, "edit")
    page = await browser.press(page, "discard")
    assert (page.status, page.location) == (303, path)
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_a_first_save_that_comes_after_discard_keeps_nothing(browser: Browser, path: str, one: str) -> None:
    page = await browser.open(f"{path}edit/")
    await browser.press(page, "discard")
    said = await keep(browser, page, yaml=f"{page.yaml}# typed\n")
    assert said["late"]
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_discard_where_there_is_no_editor_any_more_keeps_nothing(browser: Browser, path: str, one: str) -> None:
    page = await written(browser, path)
    page = await browser.press(page, "edit")
    for gone in ("/resources/nothings.example.com/a/b/edit/", "/resources/nothings.example.com/new/"):
        left = await browser.send(gone, {**page.form.values, "discard": ""})
        assert left.status == 303
        assert left.location.startswith("/resources/nothings.example.com/")
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_discard_of_a_text_whose_object_is_gone_goes_to_the_list(browser: Browser, path: str, one: str) -> None:
    page = await browser.open(f"{path}edit/")
    page = await browser.send(f"{path}edit/", {**page.form.values, "discard": "list"})
    assert (page.status, page.location) == (303, "/resources/mydemos.crddemo.k8s.io/")
