"""Making one object on a real API server: reviewed first, never on top of one that exists."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.creating.examples import FOLDER, example_text
from dashboard.creating.sample import sample
from dashboard.edits.document import parse
from dashboard.edits.schema import UNKNOWN
from dashboard.resources.kinds import KINDS
from informerd.errors import Unreachable
from informerd.rest.client import Client
from tests.controlplane import ControlPlane
from tests.edits.browsing import Browser

MYDEMOS = "/resources/mydemos.crddemo.k8s.io/new/"


def mydemo(name: str, **spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": "crddemo.k8s.io/v1", "kind": "Mydemo"}
    return {**kind, "metadata": {"name": name}, "spec": {"ip": "10.0.0.1", "port": 8080, **spec}}


class Lossy:
    """A client whose creations are stored, and whose connection breaks before the answer."""

    def __init__(self, client: Client, after: Callable[[], object] = lambda: None) -> None:
        self._client, self._after = client, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def create(self, *what: Any, **how: Any) -> None:
        await self._client.create(*what, **how)
        self._after()
        raise Unreachable("connection reset")


def test_every_kind_of_the_table_has_an_example_but_events() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == KINDS.keys() - {"events"}


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
async def test_the_api_server_takes_every_example(
    parts: SimpleNamespace, cluster: ControlPlane, namespace: str, path: Path
) -> None:
    cluster.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    kind = KINDS[path.stem]
    text = example_text(kind, UNKNOWN, namespace if kind.namespaced else "")
    value = parse(text).value
    assert value["metadata"].get("namespace", "") == (namespace if kind.namespaced else "")
    await parts.client.create(kind.resource, value, namespace if kind.namespaced else "", dry_run=True)


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
        ("name: example", "nam: example", "An object needs a name"),
        ("port: 8080", 'port: "80', "never closed"),
        ("port: 8080", "port: 8080\n  more: 1", "no such field"),
        ("metadata:", "metadata: []\nx:", "An object needs a name"),
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
    assert "You were writing here" in (await browser.open(MYDEMOS)).text


async def test_one_that_was_made_though_the_answer_was_lost_is_found(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review", field__metadata__name="made")
    parts.client = Lossy(parts.client)
    done = await browser.press(review, "create")
    assert (done.status, done.location) == (302, f"/resources/mydemos.crddemo.k8s.io/{namespace}/made/")
    assert cluster.exists(f"{collection}/made")
    assert "No drafts" in (await browser.open("/drafts/")).text


async def test_one_that_may_be_ours_is_not_claimed_and_nobody_is_told_that_nothing_was_changed(
    browser: Browser, parts: SimpleNamespace, cluster: ControlPlane, collection: str, namespace: str
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    review = await browser.press(page, "review", field__metadata__name="made")
    parts.client = Lossy(parts.client, lambda: cluster.patch(f"{collection}/made", {"spec": {"port": 7777}}))
    open_end = await browser.press(review, "create")
    assert open_end.status == 503
    assert "whether it was made from your text is not known" in open_end.text
    assert "Nothing was changed in the cluster" not in open_end.text
    assert "name: made" in open_end.yaml


async def test_the_api_server_completes_a_name(browser: Browser, cluster: ControlPlane, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = page.yaml.replace("name: example", "generateName: made-up-")
    review = await browser.press(page, "review", yaml=text)
    done = await browser.press(review, "create")
    assert done.status == 302
    assert done.location.startswith(f"/resources/mydemos.crddemo.k8s.io/{namespace}/made-up-")


async def test_while_somebody_types_the_name_and_the_text_are_one(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    response = await browser.client.post(
        f"{MYDEMOS}check/?namespace={namespace}", {**page.form.values, "field.metadata.name": "typed"}
    )
    answer = json.loads(response.content)
    assert answer["valid"]
    assert "name: typed" in answer["yaml"]
    assert answer["fields"]["field.metadata.name"] == "typed"


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
    assert "It is being deleted: see how far that is and review again once it is gone" in page.text
    assert "adopt" not in page.form.buttons
    several = await browser.press(await browser.open(f"/new/?namespace={namespace}"), "review", yaml=page.yaml)
    assert "It is being deleted: what you change of it is lost when it is gone." in several.text
    cluster.patch(f"{collection}/mine", {"metadata": {"finalizers": None}})


async def test_what_of_a_text_is_not_sent_is_said_in_its_review(browser: Browser, namespace: str) -> None:
    text = json.dumps({**mydemo("mine"), "metadata": {"name": "mine", "uid": "other"}, "status": {"phase": "Ready"}})
    page = await browser.press(await browser.open(f"{MYDEMOS}?namespace={namespace}"), "review", yaml=text)
    assert "Not sent, as only the cluster sets it: status, metadata.uid." in page.text


async def test_several_documents_are_taken_to_the_page_for_them(browser: Browser, namespace: str) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")
    text = f"{json.dumps(mydemo('mine'))}\n---\n{json.dumps(mydemo('yours'))}\n"
    page = await browser.press(page, "review", yaml=text)
    assert "A second document begins here" in page.text
    assert f'formaction="/new/?namespace={namespace}">Review them together' in page.body
    together = await browser.send(f"/new/?namespace={namespace}", {**page.form.values, "review": ""})
    assert "2 to make" in together.text


async def test_a_person_without_the_right_is_told_by_the_cluster(
    bob: Browser, browser: Browser, namespace: str, collection: str, cluster: ControlPlane
) -> None:
    page = await browser.open(f"{MYDEMOS}?namespace={namespace}")  # who has the form already
    page = await bob.press(page, "review")
    assert page.status == 403
    assert "You may not do this" in page.text
    assert not cluster.exists(f"{collection}/example")
