"""Tests of creating one object on a real API server: reviewed first, and never over an existing object."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.objects.kinds.catalog import KINDS, kind_of
from dashboard.objects.manifests.document import parse
from dashboard.objects.schemas.samples.sample import sample
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.pages.create.start_text import FOLDER, example_text
from dashboard.pages.create.views import _has_several_documents
from informerd.errors import ApiError, Unreachable
from informerd.rest.client import Client
from tests.support.controlplane import ControlPlane
from tests.support.edit.no_script_browser import Browser

MYDEMOS = "/resources/mydemos.crddemo.k8s.io/new/"


def mydemo(name: str, **spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo"}
    return {**kind, "metadata": {"name": name}, "spec": {"ip": "10.0.0.1", "port": 8080, **spec}}


class LossyClient:
    """A client whose creations are stored, and whose connection breaks before the answer."""

    def __init__(self, client: Client, after: Callable[[], object] = lambda: None) -> None:
        self._client, self._after = client, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def create(self, *what: Any, **how: Any) -> None:
        await self._client.create(*what, **how)
        self._after()
        raise Unreachable("connection reset")


DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BY_THEMSELVES = {
    "controllerrevisions.apps", "csinodes.storage.k8s.io", "events", "events.events.k8s.io",
    "podcertificaterequests.certificates.k8s.io",
}  # fmt: skip
"""Built-in kinds of which controllers and kubelets make one, and not people."""


async def test_every_built_in_kind_that_people_make_has_an_example_which_the_api_server_takes(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    kinds = {each.key: kind_of(each) for each in await parts.discovery.resources() if {"create", "list"} <= each.verbs}
    custom = {each["metadata"]["name"] for each in cluster.get(DEFINITIONS)["items"]}
    examples = {path.stem for path in FOLDER.iterdir()}
    assert kinds.keys() - custom - BY_THEMSELVES <= examples
    assert KINDS.keys() - BY_THEMSELVES <= examples
    refused: dict[str, str] = {}
    for key in examples:
        kind = kinds[key]
        where = namespace if kind.namespaced else ""
        value = parse(example_text(kind, UNKNOWN, where)).value
        assert value["metadata"].get("namespace", "") == where
        try:
            await parts.client.create(kind.resource, value, where, dry_run=True)
        except ApiError as error:
            refused[key] = str(error)
    assert refused == {}


async def test_what_the_schema_gives_is_taken_too(parts: SimpleNamespace, namespace: str) -> None:
    kind = KINDS["mydemos.crddemo.k8s.io"]
    schema = await parts.schemas.schema_of(parts.client, kind.resource)
    await parts.client.create(kind.resource, sample(kind.resource, schema, namespace), namespace, dry_run=True)


async def test_an_object_is_reviewed_and_made(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    assert page.status == 200
    assert page.form.values["field.metadata.namespace"] == namespace
    page = await browser.press(page, "review", field__metadata__name="made")
    assert page.status == 200
    assert "The API server has tried this out" in page.text
    assert not cluster.exists(f"{collection}/made")
    done = await browser.press(page, "create")
    assert (done.status, done.location) == (302, f"/resources/mydemos.crddemo.k8s.io/{namespace}/made/")
    assert cluster.get(f"{collection}/made")["spec"] == {"ip": "10.0.0.1", "port": 8080}
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_the_form_of_the_schema_writes_into_the_text(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = page.yaml.replace("port: 8080", "port: 8080  # why")
    page = await browser.press(page, "review", yaml=text, field__spec__port="9090", field__metadata__name="typed")
    assert "Review new Mydemo" in page.text
    assert "name: typed" in page.yaml
    assert "port: 9090  # why" in page.yaml
    page = await browser.press(page, "edit")
    page = await browser.press(page, "review", field__spec__port="many")
    assert page.status == 422
    assert page.form.values["field.spec.port"] == "many"


async def test_a_button_of_the_form_changes_it(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    sent = {**page.form.values, "newkey.metadata.labels": "team", "new.metadata.labels": "a"}
    changed = await browser.send(page.form.action, {**sent, "change": "add metadata.labels"})
    assert changed.status == 200
    assert "New Mydemo" in changed.text
    assert parse(changed.yaml).value["metadata"]["labels"] == {"team": "a"}


async def test_one_that_nobody_reviewed_is_reviewed_instead(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review")
    page = await browser.press(review, "create", yaml=review.yaml.replace("8080", "9090"))
    assert page.status == 200
    assert not cluster.exists(f"{collection}/example")


async def test_a_name_that_is_taken_is_said_and_the_text_can_go_on_as_an_edit(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review", yaml=page.yaml.replace("8080", "9090"))
    cluster.create(collection, mydemo("example"))
    page = await browser.press(review, "create")
    assert page.status == 409
    assert f"There is a Mydemo {namespace}/example already" in page.text
    assert cluster.get(f"{collection}/example")["spec"]["port"] == 8080
    address = f"/resources/mydemos.crddemo.k8s.io/{namespace}/example/edit/"
    assert address in page.body
    editor = await browser.send(address, {**page.form.values, "adopt": ""})
    assert editor.status == 200
    assert "port: 9090" in editor.yaml
    review = await browser.press(editor, "review")
    assert "spec.port 8080 → 9090" in review.text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("port: 8080", "port: 70000", "less than or equal to 65535"),
        ("kind: Mydemo", "kind: Pod", "this page makes “Mydemo”"),
        ("namespace: ", "namespace: not-", "this page makes"),
        ("name: example", "nam: example", "The object has no name"),
        ("port: 8080", 'port: "80', "never closed"),
        ("port: 8080", "port: 8080\n  more: 1", "no such field"),
        ("metadata:", "metadata: []\nx:", "The object has no name"),
    ],
)
async def test_what_is_wrong_is_said_with_its_place_and_the_text_is_kept(
    browser: Browser, namespace: str, old: str, new: str, said: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = page.yaml.replace(old, new)
    page = await browser.press(page, "review", yaml=text)
    assert page.status in (400, 422)
    assert said in page.text
    assert page.yaml == text
    assert "You have an unsaved draft here" in (await browser.open(MYDEMOS)).text


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: a
    image: nginx
  - name: b
    image: nginx
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("    command: ls\n",
         ["line 10, column 5 spec.containers[1].command A text cannot stand here. It must be a list."]),
        ("    resources: {limits: {memory: 1Q}}\n",
         ["column 26 spec.containers[1].resources.limits.memory It must be a quantity", "quantities must match"]),
        ("  activeDeadlineSeconds: 1.5\n",
         ["line 10, column 3 spec.activeDeadlineSeconds A number cannot stand here. It must be a whole number."]),
        ("    ports: [{containerPort: http}, {containerPort: web}]\n    command: ls\n",
         ["spec.containers[1].ports[0].containerPort A text cannot stand here. It must be a whole number.",
          "spec.containers[1].ports[1].containerPort It must be a whole number.",
          "spec.containers[1].command It must be a list."]),
        ("  priorityClassName: nobody\n", ["spec.priorityClassName There is no PriorityClass nobody. Create it first"]),
    ],
)  # fmt: skip
async def test_what_the_api_server_names_without_its_place_is_placed_by_the_schema(
    browser: Browser, cluster: ControlPlane, namespace: str, more: str, said: list[str]
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    pages = (f"/resources/pods/new/?namespace={namespace}", f"/new/?namespace={namespace}")
    for page in pages:
        refused = await browser.press(await browser.open(page), "review", yaml=POD + more)
        assert [each for each in said if each not in refused.text] == []


async def test_one_that_was_made_though_the_answer_was_lost_is_found(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review", field__metadata__name="made")
    parts.client = LossyClient(parts.client)
    done = await browser.press(review, "create")
    assert (done.status, done.location) == (302, f"/resources/mydemos.crddemo.k8s.io/{namespace}/made/")
    assert cluster.exists(f"{collection}/made")
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_one_that_may_be_ours_is_not_claimed_and_nobody_is_told_that_nothing_was_changed(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review", field__metadata__name="made")
    parts.client = LossyClient(parts.client, lambda: cluster.patch(f"{collection}/made", {"spec": {"port": 7777}}))
    open_end = await browser.press(review, "create")
    assert open_end.status == 503
    assert "it is not known whether it comes from your text" in open_end.text
    assert "Nothing was changed in the cluster" not in open_end.text
    assert "name: made" in open_end.yaml


async def test_the_api_server_completes_a_name(browser: Browser, cluster: ControlPlane, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = page.yaml.replace("name: example", "generateName: made-up-")
    review = await browser.press(page, "review", yaml=text)
    done = await browser.press(review, "create")
    assert done.status == 302
    assert done.location.startswith(f"/resources/mydemos.crddemo.k8s.io/{namespace}/made-up-")


async def test_a_clone_has_what_the_original_has_under_another_name(
    browser: Browser, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    cluster.create(collection, mydemo("one", ip="10.7.7.7"))
    page = await browser.open(f"{MYDEMOS}?from={namespace}/one")
    assert "A copy of" in page.text
    assert "metadata.uid" in page.text
    review = await browser.press(page, "review")
    assert (await browser.press(review, "create")).status == 302
    assert cluster.get(f"{collection}/one-copy")["spec"]["ip"] == "10.7.7.7"
    assert (await browser.open(f"{MYDEMOS}?from={namespace}/nobody")).status == 404


@pytest.mark.parametrize("key", ["services", "pods", "jobs.batch", "deployments.apps", "persistentvolumeclaims"])
async def test_clones_of_what_the_cluster_completed_are_taken(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, namespace: str, key: str
) -> None:
    kind = KINDS[key]
    cluster.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    value = parse(example_text(kind, UNKNOWN, namespace)).value
    await parts.client.create(kind.resource, value, namespace)
    page = await browser.open(f"/resources/{key}/new/?from={namespace}/example")
    review = await browser.press(page, "review")
    assert review.status == 200, review.text
    assert (await browser.press(review, "create")).status == 302


async def test_where_the_one_of_its_name_is_being_deleted_it_says_so(
    browser: Browser, cluster: ControlPlane, namespace: str, collection: str
) -> None:
    held = mydemo("mine")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(collection, held)
    cluster.delete(f"{collection}/mine")
    begun = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    page = await browser.press(begun, "review", yaml=json.dumps(mydemo("mine")))
    assert page.status == 409
    assert "It is being deleted: see how far the deletion is and review again once it is gone" in page.text
    assert "adopt" not in page.form.buttons
    several = await browser.press(await browser.open(f"/new/?namespace={namespace}"), "review", yaml=page.yaml)
    assert "It is being deleted: your changes are lost when it is gone." in several.text
    cluster.patch(f"{collection}/mine", {"metadata": {"finalizers": None}})


async def test_what_of_a_text_is_not_sent_is_said_in_its_review(browser: Browser, namespace: str) -> None:
    text = json.dumps({**mydemo("mine"), "metadata": {"name": "mine", "uid": "other"}, "status": {"phase": "Ready"}})
    page = await browser.press(await browser.open(f"{MYDEMOS}?namespace={namespace}"), "review", yaml=text)
    assert "Not sent, because only the cluster sets it: status, metadata.uid." in page.text


async def test_several_documents_are_taken_to_the_page_for_them(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = f"{json.dumps(mydemo('mine'))}\n---\n{json.dumps(mydemo('yours'))}\n"
    page = await browser.press(page, "review", yaml=text)
    assert "A second document begins here" in page.text
    assert f'formaction="/new/?namespace={namespace}">Review them together' in page.body
    together = await browser.send(f"/new/?namespace={namespace}", {**page.form.values, "review": ""})
    assert "2 to create" in together.text


async def test_a_person_without_the_right_is_told_by_the_cluster(
    bob: Browser, browser: Browser, namespace: str, collection: str, cluster: ControlPlane
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")  # who has the form already
    page = await bob.press(page, "review")
    assert page.status == 403
    assert "You may not create mydemos.crddemo.k8s.io" in page.text
    assert not cluster.exists(f"{collection}/example")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind: Mydemo\n", False),
        ("---\nkind: Mydemo\n---\n", False),
        ("# from the shop's chart\n---\nkind: Mydemo\n", False),
        ("kind: Mydemo\n---\nkind: Mydemo\n", True),
    ],
)
def test_a_text_of_one_document_is_not_called_several(text: str, expected: bool) -> None:
    assert _has_several_documents(text) is expected
