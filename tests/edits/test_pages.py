"""The edit pages on a real API server: nothing is overwritten unseen, and no text is lost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from django.template.loader import render_to_string

from dashboard.edits.document import parse
from dashboard.resources.kinds import kinds_named
from informerd.errors import Unreachable
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser, Page

Json = dict[str, Any]


def mydemo(name: str, ip: str = "10.0.0.1", port: int = 8080, **metadata: Any) -> Json:
    return {
        "apiVersion": "crddemo.k8s.io/v1",
        "kind": "Mydemo",
        "metadata": {"name": name, **metadata},
        "spec": {"ip": ip, "port": port},
    }


@pytest.fixture
def path(namespace: str) -> str:
    """Address of Mydemo ``one``."""
    return f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/"


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    """Mydemo ``one`` in the API server: its path there."""
    cluster.create(collection, mydemo("one", labels={"team": "a"}))
    return f"{collection}/one"


async def reviewed(browser: Browser, path: str, old: str, new: str) -> Page:
    page = await browser.open(f"{path}edit/")
    assert old in page.yaml
    return await browser.press(page, "review", yaml=page.yaml.replace(old, new))


async def test_the_editor_shows_the_object_without_what_only_servers_write(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    assert page.status == 200
    value = parse(page.yaml).value
    assert value == mydemo("one", labels={"team": "a"}, namespace=path.split("/")[3])
    assert page.form.values["field.spec.port"] == "8080"
    assert page.form.values["field.metadata.labels.team"] == "a"
    assert "1 to 65535" in page.text
    assert "review" in page.form.buttons


async def test_a_review_writes_nothing_and_save_writes_what_was_reviewed(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    assert page.status == 200
    assert "spec.port 8080 → 9090" in page.text
    assert cluster.get(one)["spec"]["port"] == 8080
    saved = await browser.press(page, "save")
    assert (saved.status, saved.location, saved.said) == (302, path, True)
    assert cluster.get(one)["spec"]["port"] == 9090


async def test_what_the_form_changed_is_written_into_the_text_and_comments_stay(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("port: 8080", "port: 8080  # why")
    page = await browser.press(
        page, "review", yaml=text, field__spec__ip="10.9.9.9", newkey__metadata__labels="b", new__metadata__labels="c"
    )
    assert "10.9.9.9" in page.text
    page = await browser.press(page, "edit")
    assert "ip: 10.9.9.9\n  port: 8080  # why" in page.yaml
    assert parse(page.yaml).value["metadata"]["labels"] == {"team": "a", "b": "c"}


async def test_form_and_text_that_disagree_are_asked_about_and_both_are_kept(
    browser: Browser, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("port: 8080", "port: 1")
    page = await browser.press(page, "review", yaml=text, field__spec__port="2")
    assert page.status == 422
    assert "Make them agree" in page.text
    assert "port: 1" in page.yaml
    assert page.form.values["field.spec.port"] == "2"


async def test_what_the_form_cannot_take_is_said_at_its_field_and_kept(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    page = await browser.press(page, "review", field__spec__port="many")
    assert page.status == 422
    assert "“many” is no whole number" in page.text
    assert page.form.values["field.spec.port"] == "many"


async def test_a_save_that_nobody_reviewed_is_reviewed_instead(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    page = await browser.press(page, "save", yaml=page.yaml.replace("8080", "9090"), reviewed="forged")
    assert page.status == 200
    assert "save" in page.form.buttons
    assert cluster.get(one)["spec"]["port"] == 8080
    tampered = await browser.press(page, "save", yaml=page.yaml.replace("9090", "6666"))
    assert tampered.status == 200
    assert cluster.get(one)["spec"]["port"] == 8080


async def test_nothing_to_change_is_said(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    page = await browser.press(page, "review")
    assert "Nothing would change" in page.text
    assert "save" not in page.form.buttons


async def test_a_change_that_overlaps_is_asked_field_by_field_and_overwrites_nothing(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090  # mine")
    cluster.patch(one, {"spec": {"port": 7777, "ip": "10.0.0.7"}})
    page = await browser.press(page, "save")
    assert page.status == 409
    assert cluster.get(one)["spec"]["port"] == 7777
    for word in ("8080", "7777", "9090", "10.0.0.7"):
        assert word in page.text
    assert "port: 9090  # mine" in page.yaml
    (question,) = page.form.radios
    assert page.form.radios[question] == ["theirs", "mine"]

    again = await browser.press(page, "review")
    assert again.status == 409
    assert cluster.get(one)["spec"]["port"] == 7777

    page = await browser.send(page.form.action, {**page.form.values, question: "mine", "review": ""})
    assert "Save the merge" in page.text
    assert cluster.get(one)["spec"]["port"] == 7777
    assert (await browser.press(page, "edit")).yaml.count("port: 9090  # mine") == 1
    saved = await browser.press(page, "save")
    assert saved.status == 302
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.7", "port": 9090}


async def test_theirs_may_be_chosen_too(browser: Browser, cluster: ControlPlane, one: str, path: str) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "save")
    (question,) = page.form.radios
    page = await browser.send(page.form.action, {**page.form.values, question: "theirs", "review": ""})
    assert "Nothing would change" in page.text
    assert cluster.get(one)["spec"]["port"] == 7777


async def test_an_answer_does_not_count_for_a_change_that_came_after_it_was_shown(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"port": 7777}})
    page = await browser.press(page, "save")
    (question,) = page.form.radios
    cluster.patch(one, {"spec": {"port": 6666}})
    page = await browser.send(page.form.action, {**page.form.values, question: "mine", "review": ""})
    assert page.status == 409
    assert "6666" in page.text
    assert page.form.radios
    assert cluster.get(one)["spec"]["port"] == 6666


async def test_what_does_not_overlap_is_merged_and_shown_before_it_is_saved(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(one, {"spec": {"ip": "10.0.0.2"}})
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "Save the merge" in page.text
    assert "10.0.0.2" in page.text
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.2", "port": 8080}
    cluster.patch(one, {"metadata": {"labels": {"late": "yes"}}})
    page = await browser.press(page, "save")
    assert page.status == 409
    saved = await browser.press(page, "save")
    assert saved.status == 302
    stored = cluster.get(one)
    assert stored["spec"] == {"ip": "10.0.0.2", "port": 9090}
    assert stored["metadata"]["labels"] == {"team": "a", "late": "yes"}


async def test_a_change_of_status_alone_is_no_conflict(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.patch(f"{one}/status", {"status": {"phase": "Ready"}})
    saved = await browser.press(page, "save")
    assert saved.status == 302
    stored = cluster.get(one)
    assert (stored["spec"]["port"], stored["status"]) == (9090, {"phase": "Ready"})


async def test_kubectl_applys_record_is_not_shown_and_not_lost(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    note = {"kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"port":8080}}', "other": "x"}
    cluster.create(collection, mydemo("one", annotations=note))
    page = await browser.open(f"{path}edit/")
    assert "last-applied" not in page.yaml
    page = await browser.press(page, "review", yaml=page.yaml.replace("other: x", "other: z"))
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(f"{collection}/one")["metadata"]["annotations"] == {**note, "other": "z"}


async def test_others_changes_can_be_taken_in_while_editing(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("port: 8080", "port: 9090  # mine")
    cluster.patch(one, {"spec": {"ip": "10.0.0.3"}})
    page = await browser.press(page, "take", yaml=text)
    assert page.status == 200
    assert "ip: 10.0.0.3\n  port: 9090  # mine" in page.yaml
    page = await browser.press(page, "review")
    assert "spec.port 8080 → 9090" in page.text
    assert (await browser.press(page, "save")).status == 302
    assert cluster.get(one)["spec"] == {"ip": "10.0.0.3", "port": 9090}


async def test_an_object_that_was_deleted_is_made_again_only_if_asked(
    browser: Browser, cluster: ControlPlane, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    before = cluster.get(one)["metadata"]["uid"]
    cluster.delete(one)
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "Somebody deleted this Mydemo" in page.text
    assert "port: 9090" in page.yaml
    assert not cluster.exists(one)
    page = await browser.press(page, "recreate")
    assert not cluster.exists(one)
    assert (await browser.press(page, "create")).status == 302
    made = cluster.get(one)
    assert made["spec"]["port"] == 9090
    assert made["metadata"]["uid"] != before


async def test_an_object_that_was_made_anew_under_the_name_is_not_written_to(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "save")
    assert page.status == 409
    assert "another one was made under its name" in page.text
    assert "port: 9090" in page.yaml
    assert cluster.get(one)["spec"]["port"] == 1
    page = await browser.press(page, "adopt")
    page = await browser.press(page, "review")
    assert "spec.port 1 → 9090" in page.text
    assert cluster.get(one)["spec"]["port"] == 1


async def test_making_again_stops_at_an_object_that_came_meanwhile(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    page = await browser.press(await browser.press(page, "save"), "recreate")
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "create")
    assert page.status == 409
    assert cluster.get(one)["spec"]["port"] == 1


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
    assert "the API server takes objects of up to 3 MiB" in page.text
    assert page.yaml == text


async def test_markup_in_an_object_is_shown_as_text(
    browser: Browser, cluster: ControlPlane, collection: str, path: str
) -> None:
    evil = "</textarea><script>alert(1)</script>\"'&"
    cluster.create(collection, mydemo("one", annotations={"note": evil}))
    page = await browser.open(f"{path}edit/")
    assert parse(page.yaml).value["metadata"]["annotations"]["note"] == evil
    review = await browser.press(page, "review", yaml=page.yaml.replace("alert(1)", "alert(2)"))
    cluster.patch(f"{collection}/one", {"metadata": {"annotations": {"note": evil.replace("(1)", "(3)")}}})
    conflict = await browser.press(review, "save")
    for each in (page, review, conflict):
        assert "<script>alert" not in each.body


async def test_an_incomplete_form_keeps_the_text_and_begins_anew(browser: Browser, one: str, path: str) -> None:
    page = await browser.send(f"{path}edit/", {"yaml": "spec: {port: 1}", "save": ""})
    assert page.status == 400
    assert page.yaml == "spec: {port: 1}"
    assert page.form.values["base_uid"]


async def test_a_missing_object_is_a_404_that_says_so(browser: Browser, path: str) -> None:
    for action in ("edit", "delete"):
        page = await browser.open(f"{path}{action}/")
        assert page.status == 404
        assert "There is no Mydemo one" in page.text


async def test_an_object_that_is_not_there_cannot_be_edited_whatever_its_kind(browser: Browser) -> None:
    page = await browser.open("/resources/pods/default/web/edit/")
    assert page.status == 404
    assert "There is no Pod web in namespace default" in page.text


async def test_a_kinds_other_names_lead_to_its_address(browser: Browser, namespace: str, path: str) -> None:
    for action in ("edit", "delete"):
        page = await browser.open(f"/resources/mydemo/{namespace}/one/{action}/")
        assert (page.status, page.location) == (302, f"{path}{action}/")


async def test_without_the_csrf_token_nothing_is_written(
    parts: SimpleNamespace, cluster: ControlPlane, one: str, path: str
) -> None:
    strict = Browser(parts, check_csrf=True)
    page = await strict.open(f"{path}delete/")
    bare = {name: value for name, value in page.form.values.items() if name != "csrfmiddlewaretoken"}
    assert (await strict.send(f"{path}delete/", bare)).status == 403
    assert (await strict.send(f"{path}edit/", {"save": ""})).status == 403
    assert (await strict.send(f"{path}edit/check/", {})).status == 403
    assert cluster.exists(one)
    assert (await strict.press(page, "delete")).status == 200
    assert not cluster.exists(one)


async def test_a_person_without_the_right_to_update_is_told_by_the_cluster(
    bob: Browser, cluster: ControlPlane, namespace: str, one: str, path: str
) -> None:
    page = await bob.open(f"{path}edit/")
    assert page.status == 403
    assert "You may not do this" in page.text
    allow(cluster, namespace, "bob", ["get"])
    page = await bob.open(f"{path}edit/")
    assert page.status == 200
    text = page.yaml.replace("8080", "9090")
    page = await bob.press(page, "review", yaml=text)
    assert page.status == 403
    assert 'cannot update resource "mydemos"' in page.text
    assert page.yaml == text
    page = await bob.press(await bob.open(f"{path}delete/"), "delete")
    assert page.status == 403
    assert 'cannot delete resource "mydemos"' in page.text


def allow(cluster: ControlPlane, namespace: str, user: str, verbs: list[str]) -> None:
    """Give a user rights on Mydemos of one namespace."""
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    rule = {"apiGroups": ["crddemo.k8s.io"], "resources": ["mydemos"], "verbs": verbs}
    cluster.create(f"{rbac}/roles", {"metadata": {"name": user}, "rules": [rule]})
    subject = {"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}
    role = {"kind": "Role", "name": user, "apiGroup": "rbac.authorization.k8s.io"}
    cluster.create(f"{rbac}/rolebindings", {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]})


BUTTONS = ("review", "save", "recreate", "create", "take", "adopt", "edit")


async def replaced(browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str) -> Page:
    """The page that says that another object has the name now, with a text whose port is 9090."""
    page = await reviewed(browser, path, "port: 8080", "port: 9090")
    cluster.delete(one)
    cluster.create(collection, mydemo("one", port=1))
    page = await browser.press(page, "save")
    assert "adopt" in page.form.buttons
    return page


async def test_going_on_with_a_new_object_that_is_gone_too_keeps_the_text(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str
) -> None:
    page = await replaced(browser, cluster, collection, one, path)
    cluster.delete(one)
    page = await browser.press(page, "adopt")
    assert page.status == 409
    assert "Somebody deleted this Mydemo" in page.text
    assert "port: 9090" in page.yaml
    page = await browser.press(page, "recreate")
    assert (await browser.press(page, "create")).status == 302
    assert cluster.get(one)["spec"]["port"] == 9090


async def test_going_on_while_the_api_server_is_away_keeps_the_text(
    browser: Browser, cluster: ControlPlane, collection: str, one: str, path: str, parts: SimpleNamespace
) -> None:
    page = await replaced(browser, cluster, collection, one, path)
    parts.client.request, request = AsyncMock(side_effect=Unreachable("connection refused")), parts.client.request
    page = await browser.press(page, "adopt")
    assert page.status == 503
    assert "connection refused" in page.text
    assert "port: 9090" in page.yaml
    parts.client.request = request
    page = await browser.press(page, "review")
    assert "another one was made under its name" in page.text
    assert "port: 9090" in page.yaml


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
async def test_a_kind_that_is_no_longer_followed_loses_no_text(
    browser: Browser, parts: SimpleNamespace, one: str, path: str, button: str
) -> None:
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("8080", "9090")
    parts.kinds = parts.replicas.kinds = kinds_named(["pods"])
    parts.interest.follow = lambda _: False  # as many others are being looked at as may be
    page = await browser.press(page, button, yaml=text)
    assert page.status == 404
    assert "does not follow mydemos.crddemo.k8s.io" in page.text
    assert page.yaml == text


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


def test_the_page_of_a_fault_does_not_claim_that_nothing_was_changed() -> None:
    assert "Nothing was changed" not in render_to_string("500.html")
