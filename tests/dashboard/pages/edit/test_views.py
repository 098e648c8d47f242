"""Tests of the edit pages on a real API server: display, review, save, and permissions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from django.template.loader import render_to_string

from dashboard.objects.manifests.document import parse
from informerd.errors import Unreachable
from informerd.rest.response import Response
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo
from tests.support.edit.no_script_browser import Browser, reviewed


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
    assert "Make them equal" in page.text
    assert "port: 1" in page.yaml
    assert page.form.values["field.spec.port"] == "2"


async def test_what_the_form_cannot_take_is_said_at_its_field_and_kept(browser: Browser, one: str, path: str) -> None:
    page = await browser.open(f"{path}edit/")
    page = await browser.press(page, "review", field__spec__port="many")
    assert page.status == 422
    assert "“many” is not a whole number" in page.text
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


async def test_what_the_api_server_does_not_take_of_a_text_is_named(
    browser: Browser, cluster: ControlPlane, namespace: str
) -> None:
    meta = {"name": "web", "namespace": namespace}
    container = {"name": "app", "image": "app:1"}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    cluster.create(f"/apis/apps/v1/namespaces/{namespace}/deployments", {"metadata": meta, "spec": spec})
    path = f"/resources/deployments.apps/{namespace}/web/"
    page = await reviewed(browser, path, "  progressDeadlineSeconds: 600\n", "")
    assert "Nothing would change: the API server keeps spec.progressDeadlineSeconds as before." in page.text
    assert "matches the text" not in page.text
    page = await browser.open(f"{path}edit/")
    text = page.yaml.replace("  progressDeadlineSeconds: 600\n", "").replace("app:1", "app:2")
    page = await browser.press(page, "review", yaml=text)
    assert "Not all of the text would be stored: the API server keeps spec.progressDeadlineSeconds as" in page.text
    page = await reviewed(browser, path, "app:1", "app:2")
    assert "Not all of the text" not in page.text


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
    bob: Browser, browser: Browser, cluster: ControlPlane, namespace: str, one: str, path: str
) -> None:
    allow(cluster, namespace, "bob", ["get"])
    page = await bob.open(f"{path}edit/")
    assert page.status == 403
    assert "You are not allowed to edit one" in page.text
    assert f"do not let Deltaboard's account update mydemos.crddemo.k8s.io in namespace {namespace}" in page.text
    page = await browser.open(f"{path}edit/")  # and where the right was taken away while it was typed
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


def test_the_page_of_a_fault_does_not_claim_that_nothing_was_changed() -> None:
    assert "Nothing was changed" not in render_to_string("500.html")


async def test_the_editor_has_its_form_where_only_the_definition_is_readable(
    browser: Browser, parts: SimpleNamespace, cluster: Any, namespace: str, collection: str
) -> None:
    cluster.create(collection, mydemo("one"))
    request = parts.client.request

    async def without_openapi(method: str, path: str, **options: Any) -> Response:
        if path.startswith("/openapi/"):
            raise Unreachable("connection reset")
        return cast("Response", await request(method, path, **options))

    parts.client.request = without_openapi
    for _ in range(2):
        page = await browser.open(f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
        assert page.status == 200
        assert page.form.values["field.spec.port"] == "8080"
