"""Examples of thirty kinds on a real API server: a dry run accepts them, or the page leaves the rule to the person."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from dashboard.objects.kinds.catalog import KindInfo, kind_of
from dashboard.objects.manifests.document import parse
from dashboard.objects.schemas.samples.sample import sample
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.objects.schemas.schema_store import SchemaStore
from dashboard.pages.create import example_trial
from dashboard.pages.create.example_trial import MAX_REPAIRS, Trial, try_example
from informerd.clock import SystemClock
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import load_kubeconfig
from tests.dashboard.pages.conftest import parts_for
from tests.support.api_client import DEFINITIONS
from tests.support.controlplane import ControlPlane
from tests.support.custom.crds_with_validation_rules import EXAMPLE_KINDS, ExampleKind
from tests.support.databases import in_file
from tests.support.edit.no_script_browser import Browser
from tests.support.wait import until

pytestmark = pytest.mark.controlplane

BY_KEY = {kind.plural + "." + kind.group: kind for kind in EXAMPLE_KINDS}
LEFT_TO_PEOPLE = {key for key, kind in BY_KEY.items() if kind.rest}
REPAIRED = {"dashboards.observability.example.com"}
"""Kinds with a rule that is not read here, which the API server's answers show how to fulfil."""


def path_of(kind: ExampleKind) -> str:
    namespace = "/namespaces/default" if kind.namespaced else ""
    return f"/apis/{kind.group}/{kind.version}{namespace}/{kind.plural}"


def info(kind: ExampleKind) -> KindInfo:
    resource = Resource(
        group=kind.group, version=kind.version, plural=kind.plural, kind=kind.kind, namespaced=kind.namespaced
    )
    return kind_of(resource)


@pytest.fixture(scope="module")
def served(controlplane: ControlPlane) -> Iterator[ControlPlane]:
    """A control plane that serves the kinds, with their schemas."""
    for kind in EXAMPLE_KINDS:
        controlplane.create(DEFINITIONS, kind.definition())
    groups = {kind.group for kind in EXAMPLE_KINDS}
    for kind in EXAMPLE_KINDS:
        until(partial(controlplane.exists, path_of(kind)), what=f"{kind.key} served")
    for group in groups:
        kinds = {kind.kind for kind in EXAMPLE_KINDS if kind.group == group}
        until(partial(is_published, controlplane, group, kinds), within=60, what=f"the schemas of {group} published")
    yield controlplane
    for kind in EXAMPLE_KINDS:
        controlplane.delete(f"{DEFINITIONS}/{kind.key}")


def is_published(controlplane: ControlPlane, group: str, kinds: set[str]) -> bool:
    """Whether all these Kinds of a group have an OpenAPI schema."""
    path = f"/openapi/v3/apis/{group}/v1"
    if not controlplane.exists(path):
        return False
    schemas = controlplane.get(path)["components"]["schemas"].values()
    there = {each["kind"] for schema in schemas for each in schema.get("x-kubernetes-group-version-kind", ())}
    return kinds <= there


@pytest.fixture(autouse=True)
def no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An API server beside other tests may be slow; what the page says then has a test below."""
    monkeypatch.setattr(example_trial, "TIME_LIMIT", 60.0)


@pytest.fixture
async def client(served: ControlPlane) -> AsyncIterator[Client]:
    async with Client(load_kubeconfig(served.kubeconfig)) as made:
        yield made


async def trial_of(client: Client, kind: ExampleKind) -> tuple[Trial, dict[str, Any]]:
    """The trial of a kind's example, and the example before it."""
    described = info(kind)
    schema = await SchemaStore(SystemClock()).schema_of(client, described.resource)
    assert schema is not UNKNOWN
    namespace = "default" if kind.namespaced else ""
    value = sample(described.resource, schema, namespace)
    return await try_example(client, described, schema, value, namespace), value


async def test_a_dry_run_accepts_every_example_but_those_that_only_a_person_can_complete(
    client: Client, served: ControlPlane
) -> None:
    left: dict[str, str] = {}
    changed: set[str] = set()
    for key, kind in BY_KEY.items():
        trial, before = await trial_of(client, kind)
        if trial.state != "accepted":
            assert trial.refusal is not None, (key, trial.reason)
            left[key] = " ".join(problem.server_message for problem in trial.refusal.problems)
        elif trial.value != before:
            changed.add(key)
    assert left.keys() == LEFT_TO_PEOPLE, {key: words for key, words in left.items() if key not in LEFT_TO_PEOPLE}
    assert all(BY_KEY[key].rest in words for key, words in left.items())
    assert changed == REPAIRED
    for kind in EXAMPLE_KINDS:
        assert served.get(path_of(kind))["items"] == [], "a dry run has created something"


async def test_an_example_has_what_the_rules_ask_for(client: Client) -> None:
    async def spec(key: str) -> Any:
        trial, _ = await trial_of(client, BY_KEY[f"{key}.example.com"])
        return trial.value["spec"]

    assert len(await spec("secretstores.external-secrets")) == 1
    assert len((await spec("secretstores.external-secrets"))["provider"]) == 1
    assert [len(each["metadata"]) for each in (await spec("scaledobjects.keda"))["triggers"]] == [2]
    assert len({each["name"] for each in (await spec("prometheusrules.monitoring"))["groups"]}) == 2
    assert (await spec("kafkatopics.kafka"))["partitions"] % 3 == 0
    route = await spec("httproutes.gateway")
    assert route["rules"][0]["filters"][0]["type"] == "RequestHeaderModifier"
    assert route["rules"][0]["filters"][0]["requestHeaderModifier"]
    trial, _ = await trial_of(client, BY_KEY["clusterconfigs.operator.example.com"])
    assert trial.value["metadata"]["name"] == "cluster"


async def test_an_example_whose_name_is_taken_is_accepted(client: Client, served: ControlPlane) -> None:
    kind = BY_KEY["issuers.cert-manager.example.com"]
    _, value = await trial_of(client, kind)
    served.create(path_of(kind), value)
    try:
        trial, _ = await trial_of(client, kind)
        assert trial.state == "accepted"
    finally:
        served.delete(f"{path_of(kind)}/example")


async def test_without_the_right_to_create_it_is_not_tried(served: ControlPlane) -> None:
    async with Client(load_kubeconfig(served.kubeconfig_of("bob"))) as client:
        trial = await try_example(client, info(EXAMPLE_KINDS[0]), UNKNOWN, {"metadata": {}}, "default")
    assert (trial.state, trial.refusal, trial.value) == ("untried", None, {"metadata": {}})
    assert "bob has no right to create issuers.cert-manager.example.com" in trial.reason


async def test_a_missing_namespace_says_nothing_about_the_example(client: Client) -> None:
    value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    config_maps = Resource(group="", version="v1", plural="configmaps", kind="ConfigMap", namespaced=True)
    trial = await try_example(client, kind_of(config_maps), UNKNOWN, value, "nowhere")
    assert trial.state == "untried"
    assert "There is no namespace “nowhere”" in trial.reason


# --- the page ---


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with in_file("edits_drafts", tmp_path_factory.mktemp("drafts"), django_db_blocker) as alias:
        yield alias


@pytest.fixture
async def parts(served: ControlPlane, drafts: str) -> AsyncIterator[SimpleNamespace]:
    async for made in parts_for(served.kubeconfig):
        made.discovery = Discovery(made.client)
        yield made


@pytest.fixture
def browser(parts: SimpleNamespace) -> Browser:
    return Browser(parts)


async def test_the_page_starts_with_an_example_that_can_be_created(browser: Browser) -> None:
    page = await browser.open("/resources/dashboards.observability.example.com/new/?namespace=default")
    assert page.status == 200
    assert "The API server accepts this example as it is" in page.text
    assert {"json", "url"} & parse(page.yaml).value["spec"].keys()
    page = await browser.press(page, "review")
    assert "The API server has tried this out" in page.text


async def test_the_page_leaves_the_rule_to_the_person_in_its_own_words(browser: Browser) -> None:
    page = await browser.open("/resources/licences.vendor.example.com/new/?namespace=default")
    assert page.status == 200
    assert "tried this example and does not accept it yet" in page.text
    assert page.text.count("the key is not one that the vendor gave out") >= 2, "above the text and beside the field"
    assert "line 7, column 3" in page.text


async def test_the_page_shows_the_example_where_the_api_server_cannot_be_asked(
    browser: Browser, parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SilentClient:
        def __getattr__(self, name: str) -> Any:
            return getattr(parts_client, name)

        async def create(self, *what: Any, **how: Any) -> None:
            await SystemClock().sleep(60)

    parts_client, parts.client = parts.client, SilentClient()
    monkeypatch.setattr(example_trial, "TIME_LIMIT", 0.2)
    page = await browser.open("/resources/dashboards.observability.example.com/new/?namespace=default")
    assert page.status == 200
    assert "it was not tried on the API server. The API server did not answer within 0.2 s." in page.text
    assert parse(page.yaml).value["spec"] == {"mode": "example"}


async def test_samples_of_a_folder_are_offered_and_fill_the_editor(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "apiVersion: observability.example.com/v1beta1\nkind: Dashboard\nmetadata:\n  name: "
    (tmp_path / "boards.yaml").write_text(f"{head}one\n---\n{head}two # its name\nspec:\n  url: https://example.com/\n")
    (tmp_path / "broken.yaml").write_text("a: [")
    monkeypatch.setattr(settings, "DELTABOARD_SAMPLES", str(tmp_path))
    address = "/resources/dashboards.observability.example.com/new/?namespace=default"
    page = await browser.open(address)
    assert "Examples: minimal · from boards.yaml · from boards.yaml#2" in page.text
    page = await browser.open(f"{address}&example=boards.yaml%232")
    assert f'href="{address}"' in page.body.replace("&amp;", "&")
    assert page.yaml.rstrip() == (
        "apiVersion: observability.example.com/v1\nkind: Dashboard\nmetadata:\n  name: two # its name\n"
        "  namespace: default\nspec:\n  url: https://example.com/"
    )
    page = await browser.open(f"{address}&example=gone.yaml")
    assert page.status == 404
    assert "There is no sample gone.yaml of this kind" in page.text
    assert parse(page.yaml).value["kind"] == "Dashboard"
    assert "Examples:" not in (await browser.open("/resources/licences.vendor.example.com/new/")).text


async def test_no_more_dry_runs_than_repairs_allow(client: Client) -> None:
    requests = 0

    class CountingClient:
        async def create(self, *what: Any, **how: Any) -> Any:
            nonlocal requests
            requests += 1
            assert how["dry_run"] is True
            return await client.create(*what, **how)

    kind = info(BY_KEY["licences.vendor.example.com"])
    schema = await SchemaStore(SystemClock()).schema_of(client, kind.resource)
    value = sample(kind.resource, schema, "default")
    await try_example(CountingClient(), kind, schema, value, "default")  # type: ignore[arg-type]
    assert 1 < requests <= 1 + MAX_REPAIRS
