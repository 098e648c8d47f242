"""Tests of several objects of one text on a real API server: dry run, application in order, and a result for each."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.objects.schemas.schema import UNKNOWN, Schema
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser, Page, _page

_numbers = itertools.count(1)


def mydemo(name: str, namespace: str = "", port: object = 8080) -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {{name: {name}{where}}}\n"
        f"spec:\n  ip: 10.0.0.1\n  port: {port}\n"
    )


def live(name: str, **spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo"}
    return {**kind, "metadata": {"name": name}, "spec": {"ip": "10.0.0.1", "port": 8080, **spec}}


def deployment(*images: str) -> dict[str, Any]:
    containers = [{"name": image[0], "image": image} for image in images]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


class NoSchemas:
    """The schema store for a while after the API server's OpenAPI did not answer in time."""

    async def schema_of(self, *_: object) -> Schema:
        return UNKNOWN


@pytest.fixture
def address(namespace: str) -> str:
    return f"/new/?namespace={namespace}"


async def reviewed(browser: Browser, address: str, *documents: str) -> Page:
    page = await browser.open(address)
    return await browser.press(page, "review", yaml="---\n".join(documents))


async def applied(browser: Browser, review: Page, *numbers: int, after: str = "stop") -> Page:
    """The page after the objects with these numbers were applied: a browser sends a box for each."""
    data: dict[str, Any] = {**review.form.values, "apply": "", "after": after, "do": [str(each) for each in numbers]}
    return await browser.send(review.form.action, data)


async def review_again(browser: Browser, done: Page, *numbers: int) -> Page:
    """The review of what is left after the others were applied."""
    data: dict[str, Any] = {**done.form.values, "review": "", "only": [str(each) for each in numbers]}
    return await browser.send(done.form.action, data)


async def test_objects_are_reviewed_together_and_made_in_order(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
    review = await reviewed(browser, address, mydemo("one"), config, mydemo("two"))
    assert review.status == 200
    assert "3 to create" in review.text
    assert not cluster.exists(f"{collection}/one")
    done = await applied(browser, review, 1, 2, 3)
    assert done.status == 200
    assert "3 created" in done.text
    assert cluster.exists(f"{collection}/one")
    assert cluster.exists(f"{collection}/two")
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_what_exists_is_shown_as_a_change_and_keeps_what_the_text_does_not_name(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    one = live("one")
    one["metadata"]["labels"] = {"team": "a"}
    cluster.create(collection, one)
    cluster.create(collection, live("same"))
    review = await reviewed(browser, address, mydemo("one", port=9090), mydemo("same"))
    assert "1 to change" in review.text
    assert "1 unchanged" in review.text
    assert "port: 9090" in review.text
    done = await applied(browser, review, 1)
    assert "1 changed" in done.text
    now = cluster.get(f"{collection}/one")
    assert (now["spec"]["port"], now["metadata"]["labels"]) == (9090, {"team": "a"})


async def test_items_that_the_text_names_in_another_order_keep_their_fields_and_neighbours(
    browser: Browser, cluster: ControlPlane, namespace: str, address: str
) -> None:
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    there = deployment("a:1", "b:1", "c:1")
    limits = {"limits": {"cpu": "1"}}
    there["spec"]["template"]["spec"]["containers"][0]["resources"] = limits
    cluster.create(deployments, there)
    review = await reviewed(browser, address, json.dumps(deployment("b:1", "a:2")))
    assert "1 to change" in review.text
    done = await applied(browser, review, 1)
    assert "1 changed" in done.text
    containers = cluster.get(f"{deployments}/web")["spec"]["template"]["spec"]["containers"]
    assert [each["image"] for each in containers] == ["b:1", "c:1", "a:2"]
    assert [each["resources"] for each in containers] == [{}, {}, limits]


async def test_what_changed_since_the_review_is_not_touched(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    cluster.create(collection, live("one"))
    review = await reviewed(browser, address, mydemo("one", port=9090), mydemo("two"))
    cluster.patch(f"{collection}/one", {"spec": {"port": 7070}})
    cluster.create(collection, live("two", port=1))
    done = await applied(browser, review, 1, 2, after="go")
    assert done.status == 409
    assert "It changed after the review. Nothing was written: review again." in done.text
    assert "An object of this name exists now" in done.text
    assert cluster.get(f"{collection}/one")["spec"]["port"] == 7070
    assert cluster.get(f"{collection}/two")["spec"]["port"] == 1
    again = await review_again(browser, done, 1, 2)
    assert "2 to change" in again.text


async def test_nothing_else_is_sent_than_was_reviewed(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, address: str
) -> None:
    """Without a schema nothing says that containers are told apart by their names: the list would be replaced."""
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    cluster.create(deployments, deployment("a:1", "b:1"))
    review = await reviewed(browser, address, json.dumps(deployment("a:2")) + "\n")
    assert "1 to change" in review.text
    parts.schemas = NoSchemas()
    done = await applied(browser, review, 1)
    assert done.status == 409
    assert "The write would now differ from the review" in done.text
    containers = cluster.get(f"{deployments}/web")["spec"]["template"]["spec"]["containers"]
    assert [each["image"] for each in containers] == ["a:1", "b:1"]


async def test_what_was_reviewed_for_one_namespace_is_reviewed_again_for_another(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, "/new/?namespace=default", mydemo("one"))
    again = await browser.send(address, {**review.form.values, "apply": "", "do": "1"})
    assert "1 to create" in again.text
    assert not cluster.exists(f"{collection}/one")


async def test_a_change_of_the_status_alone_stops_nothing(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    cluster.create(collection, live("one"))
    review = await reviewed(browser, address, mydemo("one", port=9090))
    cluster.patch(f"{collection}/one/status", {"status": {"phase": "Synced"}})
    assert "1 changed" in (await applied(browser, review, 1)).text
    assert cluster.get(f"{collection}/one")["status"] == {"phase": "Synced"}


async def test_a_failure_stops_the_rest_which_can_be_retried_alone(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"), mydemo("three"))
    cluster.create(collection, live("two", port=1))
    done = await applied(browser, review, 1, 2, 3)
    assert "1 created 1 failed 1 not tried" in done.text
    assert not cluster.exists(f"{collection}/three")
    cluster.delete(f"{collection}/two")
    again = await review_again(browser, done, 2, 3)
    assert "2 to create" in again.text
    assert "1 done before" in again.text
    assert "2 created" in (await applied(browser, again, 2, 3)).text
    assert cluster.get(f"{collection}/two")["spec"]["port"] == 8080


async def test_after_a_failure_the_others_are_made_where_that_was_chosen(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"), mydemo("three"))
    cluster.create(collection, live("one", port=1))
    done = await applied(browser, review, 1, 2, 3, after="go")
    assert "2 created 1 failed" in done.text
    assert cluster.exists(f"{collection}/three")


async def test_a_definition_a_namespace_and_their_objects_stand_in_one_text(
    browser: Browser, cluster: ControlPlane
) -> None:
    number = next(_numbers)
    group, space = f"several{number}.example.com", f"several-{number}"
    crd = json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [{
                "name": "v1", "served": True, "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            }],
        },
    })  # fmt: skip
    made = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {space}}}\n"
    widget = f"apiVersion: {group}/v1\nkind: Widget\nmetadata: {{name: w, namespace: {space}}}\nsize: 3\n"
    review = await reviewed(browser, "/new/", f"{crd}\n", made, widget, mydemo("one", space))
    assert "2 to create" in review.text
    assert "2 waiting for others" in review.text
    assert "its kind, which the object in line 1 defines" in review.text
    done = await applied(browser, review, 1, 2, 3, 4)
    assert "4 created" in done.text, done.text
    assert cluster.get(f"/apis/{group}/v1/namespaces/{space}/widgets/w")["size"] == 3


async def test_each_refusal_stands_at_its_object_with_its_line(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    nobody = "apiVersion: example.org/v1\nkind: Nobody\nmetadata: {name: x}\n"
    documents = (mydemo("one", port=70000), 'kind: "A\n', nobody, mydemo("two"), mydemo("two"), "a: 1\n", "kind: A\n")
    review = await reviewed(browser, address, *documents)
    assert review.status == 200
    assert "6 refused" in review.text
    assert "line 6, column 3 spec.port" in review.text
    assert "line 8, column 7" in review.text
    assert "The API server has no Nobody in example.org/v1" in review.text
    assert "The text has this object twice" in review.text
    done = await applied(browser, review, 4)
    assert "1 created" in done.text
    assert cluster.exists(f"{collection}/two")


@pytest.mark.parametrize(
    ("meant", "words"),
    [
        ("crddemo.k8s.io/v1\nkind: Mydem", "has no Mydem in crddemo.k8s.io/v1. Similar: Mydemo in crddemo.k8s.io/v1."),
        ("apps/v1beta1\nkind: Deployment", "has no Deployment in apps/v1beta1. Similar: Deployment in apps/v1."),
        ("v1\nkind: pod", "has no pod in v1. Similar: Pod in v1."),
        (
            "nowhere.example/v1\nkind: Xyzzy",
            "has no Xyzzy in nowhere.example/v1. Is its CustomResourceDefinition applied?",
        ),
    ],
)
async def test_a_kind_that_is_not_there_is_said_with_those_that_are_alike(
    browser: Browser, address: str, meant: str, words: str
) -> None:
    page = await reviewed(browser, address, f"apiVersion: {meant}\nmetadata: {{name: x}}\n")
    assert f"The API server {words}" in page.text


async def test_what_the_api_server_does_not_keep_is_refused_before_it_is_sent(
    browser: Browser, cluster: ControlPlane, namespace: str, address: str
) -> None:
    core = f"/api/v1/namespaces/{namespace}"
    cluster.create(f"{core}/serviceaccounts", {"metadata": {"name": "default"}})
    cluster.create(f"{core}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x"}]}})
    binding = "apiVersion: v1\nkind: Binding\nmetadata: {name: p}\ntarget: {kind: Node, name: far}\n"
    question = "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\nmetadata: {name: me}\n"
    page = await browser.press(await browser.open(address), "review", yaml=f"{binding}---\n{question}")
    assert "line 2, column 1 kind The API server does not store a Binding" in page.text
    assert "The API server does not store a SelfSubjectReview: it only answers" in page.text
    assert "2 refused" in page.text
    assert "apply" not in page.form.buttons


async def test_what_is_not_sent_is_said(browser: Browser, cluster: ControlPlane, collection: str, address: str) -> None:
    made = cluster.create(collection, live("one"))
    theirs = "{name: %s, uid: other, resourceVersion: '1', creationTimestamp: null}"
    one = f"{mydemo('one', port=9)}status: {{phase: Ready}}\n".replace("{name: one}", theirs % "one")
    two = mydemo("two").replace("{name: two}", theirs % "two")
    old = mydemo("one", port=9).replace("{name: one}", "{name: one, resourceVersion: '1'}")
    page = await reviewed(browser, address, one, two, mydemo("three"))
    assert "Not sent, because only the cluster sets it: status, metadata.resourceVersion, metadata.uid." in page.text
    assert f"another object of this name: its uid is other, this one has {made['metadata']['uid']}." in page.text
    assert "Not sent, because only the cluster sets it: metadata.resourceVersion, metadata.uid." in page.text
    assert page.text.count("Not sent") == 2
    version = made["metadata"]["resourceVersion"]
    page = await reviewed(browser, address, old)
    assert f"another state of it (resourceVersion 1, now {version}): check what it would change back." in page.text


async def test_a_namespace_that_is_named_in_vain_or_is_not_there_is_said(
    browser: Browser, address: str, namespace: str
) -> None:
    scoped = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}-x, namespace: {namespace}}}\n"
    page = await reviewed(browser, address, scoped, mydemo("one", "default"), mydemo("two", "nowhere"))
    assert f"Not sent, because Namespaces are not namespaced: metadata.namespace ({namespace})." in page.text
    assert f"It goes to the namespace in the text, default, and not to {namespace}." in page.text
    assert "line 14, column 23 metadata.namespace There is no namespace “nowhere”." in page.text


async def test_the_namespace_of_objects_that_name_none_is_chosen_in_the_form(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open("/new/")
    assert page.form.values["namespace"] == "default"
    review = await browser.press(page, "review", yaml=mydemo("one"), namespace=namespace)
    assert f"Mydemo {namespace}/one" in review.text
    await applied(browser, review, 1)
    assert cluster.exists(f"{collection}/one")
    wrong = await browser.press(page, "review", yaml=mydemo("two"), namespace="No Name")
    assert wrong.status == 422
    assert "“No Name” is no name of a namespace" in wrong.text


async def test_only_what_was_reviewed_and_ticked_is_applied(
    browser: Browser, cluster: ControlPlane, collection: str, address: str
) -> None:
    review = await reviewed(browser, address, mydemo("one"), mydemo("two"))
    changed = await browser.send(
        review.form.action, {**review.form.values, "yaml": mydemo("other"), "do": "1", "apply": ""}
    )
    assert "1 to create" in changed.text
    assert not cluster.exists(f"{collection}/other")
    done = await applied(browser, review, 2)
    assert "Applied 1 of 2" in done.text
    assert "1 created 1 not applied" in done.text
    assert "go back, correct it and review again" in done.text
    assert not cluster.exists(f"{collection}/one")
    assert cluster.exists(f"{collection}/two")


async def test_files_are_put_behind_the_text(browser: Browser, address: str) -> None:
    page = await browser.open(address)
    files = [SimpleUploadedFile("a.yaml", mydemo("a").encode()), SimpleUploadedFile("b.yaml", mydemo("b").encode())]
    data: dict[str, Any] = {**page.form.values, "yaml": mydemo("typed"), "review": "", "file": files}
    review = _page(await browser.client.post(address, data))
    assert "3 to create" in review.text
    back = await browser.press(review, "edit")
    assert all(name in back.yaml for name in ("name: typed", "name: a", "name: b"))


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe\x00", "not UTF-8 text"), (b"x" * (3 * 1024 * 1024 + 1), "larger than 3 MiB")]
)
async def test_a_file_that_is_no_yaml_is_refused_and_the_text_kept(
    browser: Browser, address: str, content: bytes, said: str
) -> None:
    page = await browser.open(address)
    data: dict[str, Any] = {**page.form.values, "yaml": "typed: 1", "review": ""}
    refused = _page(await browser.client.post(address, {**data, "file": SimpleUploadedFile("x.bin", content)}))
    assert refused.status in (413, 422)
    assert said in refused.text
    assert refused.yaml.strip() == "typed: 1"


async def test_files_that_are_too_much_together_are_refused(browser: Browser, address: str) -> None:
    page = await browser.open(address)
    files = [SimpleUploadedFile(f"{number}.yaml", b"# " + b"x" * 1_600_000) for number in range(2)]
    data: dict[str, Any] = {**page.form.values, "yaml": "typed: 1", "review": "", "file": files}
    refused = _page(await browser.client.post(address, data))
    assert refused.status == 413
    assert "together are larger than 3 MiB" in refused.text
    assert refused.yaml.strip() == "typed: 1"


@pytest.mark.parametrize("number", ["9" * 5000, "²", "-1", ""])
async def test_a_number_that_no_object_has_stands_for_none(browser: Browser, address: str, number: str) -> None:
    review = await reviewed(browser, address, mydemo("one"))
    data: dict[str, Any] = {**review.form.values, "review": "", "only": number}
    assert "1 to create" in (await browser.send(address, data)).text


async def test_a_text_that_was_left_is_offered_again(browser: Browser, address: str) -> None:
    await reviewed(browser, address, mydemo("one"))
    page = await browser.open("/new/")
    assert "You have an unsaved draft here" in page.text
    key = page.body.partition("/new/?draft=")[2][:32]
    assert "name: one" in (await browser.open(f"/new/?draft={key}")).yaml


async def test_markup_in_any_field_is_text(browser: Browser, address: str) -> None:
    text = "apiVersion: <b>v1</b>\nkind: <script>alert(1)</script>\nmetadata: {name: <i>x</i>}\n"
    review = await reviewed(browser, address, text)
    assert "<script>alert" not in review.body
    assert "<i>x" not in review.body


async def test_no_draft_is_kept_of_a_text_with_a_secret_and_what_was_kept_of_it_is_forgotten(
    browser: Browser, address: str
) -> None:
    page = await browser.open(address)
    data = "apiVersion: v1\nmetadata: {name: hush}\nstringData: {word: swordfish}\n"
    page = await browser.press(page, "edit", yaml=data)
    assert "swordfish" in (await browser.open(f"{address}&draft={page.form.values['draft']}")).yaml
    page = await browser.press(page, "review", yaml=f"{mydemo('one')}---\n{data}kind: Secret\n")
    assert "Secrets have no drafts" in page.text
    assert "No drafts" in (await browser.open("/drafts/")).text
