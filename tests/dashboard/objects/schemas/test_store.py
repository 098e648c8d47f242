"""Where schemas come from, how long they are kept, and what comes where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from dashboard.edits.schema import UNKNOWN
from dashboard.edits.schemas import KEPT, MOST, UNKNOWN_KEPT, Schemas
from dashboard.resources.kinds import KINDS
from informerd.errors import ServerError, Status, Unreachable
from informerd.rest.answer import Answer
from informerd.rest.client import Client
from tests.clock import FakeClock
from tests.edits.browsing import Browser
from tests.edits.objects import mydemo

MYDEMOS = KINDS["mydemos.crddemo.k8s.io"].resource
OPENAPI = "/openapi/v3/apis/crddemo.k8s.io/v1"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/mydemos.crddemo.k8s.io"
NODE = {"properties": {"spec": {"properties": {"port": {"type": "integer"}}}}}
PUBLISHED = {"components": {"schemas": {"x": {"x-kubernetes-group-version-kind": [
    {"group": "crddemo.k8s.io", "version": "v1", "kind": "Mydemo"}], **NODE}}}}  # fmt: skip
DEFINED = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": NODE}}]}}


class FakeClient:
    """Answers from a table of paths; the rest fails as an API server does whose aggregation is broken."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.config = SimpleNamespace(server="https://here")
        self.answers = answers
        self.asked: list[str] = []

    async def request(self, method: str, path: str, *, timeout: float) -> Answer:
        self.asked.append(path)
        found = self.answers.get(path)
        if found is None:
            raise ServerError(Status(code=503, message="no endpoints"))
        return Answer(200, msgspec.json.encode(found), (), None)

    @property
    def client(self) -> Client:
        return cast("Client", self)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def schemas(clock: FakeClock) -> Schemas:
    return Schemas(clock)


async def test_a_schema_is_read_once_and_asked_for_again_after_a_while(schemas: Schemas, clock: FakeClock) -> None:
    fake = FakeClient({OPENAPI: PUBLISHED})
    first = await schemas.schema_of(fake.client, MYDEMOS)
    assert first.child("spec").child("port").node == {"type": "integer"}
    assert await schemas.schema_of(fake.client, MYDEMOS) is first
    assert fake.asked == [OPENAPI]
    await clock.advance(KEPT)
    assert await schemas.schema_of(fake.client, MYDEMOS) is first, "the very same, where it is what it was"
    assert fake.asked == [OPENAPI, OPENAPI]
    await clock.advance(KEPT)
    fake.answers = {CRD: DEFINED}
    assert await schemas.schema_of(fake.client, MYDEMOS) != first


async def test_where_openapi_fails_the_definition_tells_the_schema(schemas: Schemas) -> None:
    fake = FakeClient({CRD: DEFINED})
    found = await schemas.schema_of(fake.client, MYDEMOS)
    assert found.child("spec").child("port").node == {"type": "integer"}
    assert found.child("metadata").child("labels").is_map
    assert await schemas.schema_of(fake.client, MYDEMOS) is found
    assert fake.asked == [OPENAPI, CRD]


async def test_what_could_not_be_had_is_asked_for_again_but_not_at_every_key(
    schemas: Schemas, clock: FakeClock
) -> None:
    fake = FakeClient({})
    for _ in range(5):
        assert await schemas.soon(fake.client, MYDEMOS) is UNKNOWN
    assert await schemas.schema_of(fake.client, MYDEMOS) is UNKNOWN
    assert fake.asked == [OPENAPI, CRD]
    fake.answers = {OPENAPI: PUBLISHED}
    await clock.advance(UNKNOWN_KEPT)
    assert await schemas.soon(fake.client, MYDEMOS) is not UNKNOWN
    assert fake.asked == [OPENAPI, CRD, OPENAPI]


async def test_the_oldest_schema_goes_when_there_are_too_many(schemas: Schemas) -> None:
    fake = FakeClient({OPENAPI: PUBLISHED})
    await schemas.schema_of(fake.client, MYDEMOS)
    for number in range(MOST):
        fake.config.server = f"https://{number}"
        await schemas.schema_of(fake.client, MYDEMOS)
    fake.asked.clear()
    await schemas.schema_of(fake.client, MYDEMOS)
    assert fake.asked == []
    fake.config.server = "https://here"
    await schemas.schema_of(fake.client, MYDEMOS)
    assert fake.asked == [OPENAPI]


async def test_the_editor_has_its_form_where_only_the_definition_is_readable(
    browser: Browser, parts: SimpleNamespace, cluster: Any, namespace: str, collection: str
) -> None:
    cluster.create(collection, mydemo("one"))
    request = parts.client.request

    async def without_openapi(method: str, path: str, **options: Any) -> Answer:
        if path.startswith("/openapi/"):
            raise Unreachable("connection reset")
        return cast("Answer", await request(method, path, **options))

    parts.client.request = without_openapi
    for _ in range(2):
        page = await browser.open(f"/resources/mydemos.crddemo.k8s.io/{namespace}/one/edit/")
        assert page.status == 200
        assert page.form.values["field.spec.port"] == "8080"
