"""Tests of the schema store: sources, caching, and the fallback without a schema."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.schemas.schema import UNKNOWN
from dashboard.objects.schemas.schema_store import MAX_SCHEMAS, TTL, UNKNOWN_TTL, SchemaStore
from informerd.errors import ServerError, Status
from informerd.rest.client import Client
from informerd.rest.response import Response
from tests.support.clock import FakeClock

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

    async def request(self, method: str, path: str, *, timeout: float) -> Response:
        self.asked.append(path)
        found = self.answers.get(path)
        if found is None:
            raise ServerError(Status(code=503, message="no endpoints"))
        return Response(200, msgspec.json.encode(found), (), None)

    @property
    def client(self) -> Client:
        return cast("Client", self)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def schemas(clock: FakeClock) -> SchemaStore:
    return SchemaStore(clock)


async def test_a_schema_is_read_once_and_asked_for_again_after_a_while(schemas: SchemaStore, clock: FakeClock) -> None:
    fake = FakeClient({OPENAPI: PUBLISHED})
    first = await schemas.schema_of(fake.client, MYDEMOS)
    assert first.child("spec").child("port").node == {"type": "integer"}
    assert await schemas.schema_of(fake.client, MYDEMOS) is first
    assert fake.asked == [OPENAPI]
    await clock.advance(TTL)
    assert await schemas.schema_of(fake.client, MYDEMOS) is first, "the very same, where it is what it was"
    assert fake.asked == [OPENAPI, OPENAPI]
    await clock.advance(TTL)
    fake.answers = {CRD: DEFINED}
    assert await schemas.schema_of(fake.client, MYDEMOS) != first


async def test_where_openapi_fails_the_definition_tells_the_schema(schemas: SchemaStore) -> None:
    fake = FakeClient({CRD: DEFINED})
    found = await schemas.schema_of(fake.client, MYDEMOS)
    assert found.child("spec").child("port").node == {"type": "integer"}
    assert found.child("metadata").child("labels").is_map
    assert await schemas.schema_of(fake.client, MYDEMOS) is found
    assert fake.asked == [OPENAPI, CRD]


async def test_what_could_not_be_had_is_asked_for_again_but_not_at_every_key(
    schemas: SchemaStore, clock: FakeClock
) -> None:
    fake = FakeClient({})
    for _ in range(5):
        assert await schemas.schema_if_ready(fake.client, MYDEMOS) is UNKNOWN
    assert await schemas.schema_of(fake.client, MYDEMOS) is UNKNOWN
    assert fake.asked == [OPENAPI, CRD]
    fake.answers = {OPENAPI: PUBLISHED}
    await clock.advance(UNKNOWN_TTL)
    assert await schemas.schema_if_ready(fake.client, MYDEMOS) is not UNKNOWN
    assert fake.asked == [OPENAPI, CRD, OPENAPI]


async def test_the_oldest_schema_goes_when_there_are_too_many(schemas: SchemaStore) -> None:
    fake = FakeClient({OPENAPI: PUBLISHED})
    await schemas.schema_of(fake.client, MYDEMOS)
    for number in range(MAX_SCHEMAS):
        fake.config.server = f"https://{number}"
        await schemas.schema_of(fake.client, MYDEMOS)
    fake.asked.clear()
    await schemas.schema_of(fake.client, MYDEMOS)
    assert fake.asked == []
    fake.config.server = "https://here"
    await schemas.schema_of(fake.client, MYDEMOS)
    assert fake.asked == [OPENAPI]
