"""Tests of reviews and saves when the API server gives no response, is late, or changes meanwhile."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from dashboard.objects.fields.managed_fields import last_writer
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.problems.version_not_served import VersionNotServed
from dashboard.pages.edit.actions import MAX_TRIES, review, save
from dashboard.pages.edit.recreate import recreate
from dashboard.pages.writes.editable_part import Base, update_body
from dashboard.pages.writes.object_client import ObjectClient, WriteResult
from dashboard.pages.writes.outcomes import Gone, Moved, Refused, Review, Saved, Submission, Unsure
from dashboard.pages.writes.target import Target
from dashboard.runtime.request_retry import LOST_UNREAD
from informerd.errors import (
    Forbidden,
    InformerdError,
    NotFound,
    ServerError,
    ServerTimeout,
    Status,
    StatusDetails,
    TooManyRequests,
    Unreachable,
)
from tests.support.controlplane import ControlPlane
from tests.support.edit.mydemos import mydemo

LOST = Unreachable("connection reset")
UNCLEAR = [
    LOST,
    ServerError(Status(code=500, reason="", message="etcdserver: request timed out")),
    ServerTimeout(Status(code=504, reason="Timeout", message="the server took too long")),
]
"""How a write can end that may have been done."""


class Shaky(ObjectClient):
    """An exchange whose updates can be lost on the way there or back, and that others write between."""

    lost_there: InformerdError | None = None
    lost_back: InformerdError | None = None
    deaf = False
    before_update: Any = None
    after: Any = None

    async def read(self) -> dict[str, Any]:
        if self.deaf:
            raise LOST
        return await super().read()

    async def update(self, value: dict[str, Any], *, dry_run: bool) -> WriteResult:
        if self.before_update is not None:
            self.before_update()
        return await self._sent(super().update(value, dry_run=dry_run))

    async def create(self, value: dict[str, Any], *, dry_run: bool) -> WriteResult:
        return await self._sent(super().create(value, dry_run=dry_run))

    async def _sent(self, call: Coroutine[Any, Any, WriteResult]) -> WriteResult:
        if self.lost_there:
            call.close()
            raise self.lost_there
        stored = await call
        if self.after is not None:
            self.after()
        if self.lost_back:
            raise self.lost_back
        return stored


@pytest.fixture
def one(cluster: ControlPlane, collection: str) -> str:
    cluster.create(collection, mydemo("one"))
    return f"{collection}/one"


@pytest.fixture
def exchange(parts: SimpleNamespace, namespace: str) -> Shaky:
    return Shaky(parts.client, Target(KINDS["mydemos.crddemo.k8s.io"], namespace, "one"))


async def draft_with(exchange: ObjectClient, port: int) -> Submission:
    base = Base.of(await exchange.read())
    return Submission(base.text.replace("port: 8080", f"port: {port}"), base)


@pytest.mark.parametrize("error", UNCLEAR, ids=str)
async def test_an_answer_lost_on_its_way_back_is_found_to_be_stored(
    cluster: ControlPlane, one: str, exchange: Shaky, error: InformerdError
) -> None:
    draft = await draft_with(exchange, 9090)
    exchange.lost_back = error
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Saved)
    assert outcome.version == cluster.get(one)["metadata"]["resourceVersion"]


async def test_what_is_stored_is_found_though_others_added_to_it(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    exchange.lost_back = LOST
    exchange.after = lambda: cluster.patch(one, {"metadata": {"labels": {"late": "yes"}}})
    assert await save(exchange, draft) == Saved(cluster.get(one)["metadata"]["resourceVersion"], confirmed_by_read=True)


async def test_what_others_wrote_over_it_leaves_open_whether_it_was_stored(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    exchange.lost_back = LOST
    exchange.after = lambda: cluster.patch(one, {"spec": {"port": 7777}})
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Moved)
    assert outcome.unsure


async def test_where_nothing_was_sent_nothing_is_said_to_be_open(one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    exchange.deaf = True
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Refused)
    assert not outcome.refusal.unsure


@pytest.mark.parametrize("error", UNCLEAR, ids=str)
async def test_an_object_whose_making_was_not_confirmed_is_found(
    cluster: ControlPlane, one: str, exchange: Shaky, error: InformerdError
) -> None:
    draft = await draft_with(exchange, 9090)
    cluster.delete(one)
    exchange.lost_back = error
    outcome = await recreate(exchange, draft)
    assert outcome == Saved(cluster.get(one)["metadata"]["resourceVersion"], confirmed_by_read=True)


@pytest.mark.parametrize("error", UNCLEAR, ids=str)
async def test_an_object_that_was_not_made_is_said_not_to_be_there(
    cluster: ControlPlane, one: str, exchange: Shaky, error: InformerdError
) -> None:
    draft = await draft_with(exchange, 9090)
    cluster.delete(one)
    exchange.lost_there = error
    outcome = await recreate(exchange, draft)
    assert isinstance(outcome, Refused)
    assert outcome.refusal.unsure
    assert outcome.refusal.title == "The object was not created"
    assert outcome.draft.text == draft.text


async def test_an_object_that_may_be_ours_is_not_claimed(cluster: ControlPlane, one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    cluster.delete(one)
    exchange.lost_back = LOST
    exchange.after = lambda: cluster.patch(one, {"spec": {"port": 7777}})
    outcome = await recreate(exchange, draft)
    assert isinstance(outcome, Refused)
    assert outcome.refusal.unsure
    exchange.lost_back = exchange.after = None
    cluster.delete(one)
    exchange.lost_there, exchange.deaf = LOST, True
    outcome = await recreate(exchange, draft)
    assert isinstance(outcome, Refused)
    assert outcome.refusal.is_unverified


@pytest.mark.parametrize("error", UNCLEAR, ids=str)
async def test_a_write_that_never_arrived_is_found_not_to_be_stored(
    cluster: ControlPlane, one: str, exchange: Shaky, error: InformerdError
) -> None:
    draft = await draft_with(exchange, 9090)
    exchange.lost_there = error
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Refused)
    assert outcome.refusal.unsure
    assert outcome.draft.text == draft.text
    assert cluster.get(one)["spec"]["port"] == 8080


async def test_where_nothing_answers_the_page_says_that_it_does_not_know(one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    reads = iter([False, True])

    async def read() -> dict[str, Any]:
        exchange.deaf = next(reads)
        return await Shaky.read(exchange)

    exchange.lost_there = LOST
    exchange.read = read  # type: ignore[method-assign]
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Unsure)
    assert outcome.draft.text == draft.text


async def test_a_status_that_is_not_found_is_not_said_to_be_of_a_deleted_object(
    cluster: ControlPlane, one: str, parts: SimpleNamespace, namespace: str
) -> None:
    exchange = Shaky(parts.client, Target(KINDS["mydemos.crddemo.k8s.io"], namespace, "one", "status", "nothing"))
    base = Base.of(await exchange.read(), "status")
    draft = Submission(base.text, base)
    for outcome in (await review(exchange, draft), await save(exchange, draft)):
        assert isinstance(outcome, Refused)
        assert "The object exists" in outcome.refusal.problems[0].words
    cluster.delete(one)
    assert await save(exchange, draft) == Gone(draft)


async def test_an_object_of_a_version_that_is_served_no_more_is_not_said_to_be_deleted(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    kind = exchange.target.kind
    served_no_more = replace(kind, resource=msgspec.structs.replace(kind.resource, version="v9"))
    gone = Shaky(exchange._client, replace(exchange.target, kind=served_no_more))
    draft = replace(draft, text=draft.text.replace("crddemo.k8s.io/v1", "crddemo.k8s.io/v9"))
    words = "does not serve Mydemo in the version v9. The object is still there, in the version v1"
    for outcome in (await review(gone, draft), await save(gone, draft), await recreate(gone, draft)):
        assert isinstance(outcome, Refused)
        assert words in outcome.refusal.problems[0].words
        assert outcome.draft.text == draft.text
    unsure = await recreate(gone, draft, lost_answer=LOST_UNREAD)
    assert isinstance(unsure, Refused)
    assert unsure.refusal.is_unverified
    assert words in unsure.refusal.problems[0].words
    cluster.delete(one)
    with pytest.raises(VersionNotServed, match="404") as raised:
        await gone.read()
    assert "may be there in another one" in raised.value.words


@pytest.mark.parametrize("version", ["v1", "v9"])
async def test_a_subresource_that_is_not_served_says_nothing_of_its_objects_version(
    cluster: ControlPlane, parts: SimpleNamespace, namespace: str, version: str
) -> None:
    kind = KINDS["configmaps"]
    cluster.create(f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "one"}})
    kind = replace(kind, resource=msgspec.structs.replace(kind.resource, version=version))
    with pytest.raises(NotFound if version == "v1" else VersionNotServed):
        await ObjectClient(parts.client, Target(kind, namespace, "one")).read_subresource("scale")


async def test_saving_again_what_was_stored_already_changes_nothing(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    assert isinstance(await save(exchange, draft), Saved)
    version = cluster.get(one)["metadata"]["resourceVersion"]
    again = await save(exchange, draft)
    assert again == Saved(version, changed=False)


async def test_a_change_between_reading_and_writing_is_not_overwritten(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    ports = iter(range(1, 100))
    exchange.before_update = lambda: cluster.patch(one, {"spec": {"port": next(ports)}})
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Moved)
    assert cluster.get(one)["spec"]["port"] == 1


async def test_an_object_whose_status_never_rests_is_given_up_with_a_sentence(
    cluster: ControlPlane, one: str, exchange: Shaky
) -> None:
    draft = await draft_with(exchange, 9090)
    phases = iter(range(100))
    exchange.before_update = lambda: cluster.patch(f"{one}/status", {"status": {"phase": str(next(phases))}})
    outcome = await save(exchange, draft)
    assert isinstance(outcome, Refused)
    assert f"changed {MAX_TRIES} times" in outcome.refusal.problems[0].words
    assert cluster.get(one)["spec"]["port"] == 8080


async def test_what_the_server_sets_itself_is_marked(one: str, exchange: Shaky) -> None:
    base = Base.of(await exchange.read())
    outcome = await review(exchange, Submission(base.text.replace("  name: one", "  name: one\n  labels: {}"), base))
    assert isinstance(outcome, Review)
    assert outcome.changes == ()


async def test_creating_again_sends_neither_uid_nor_status(cluster: ControlPlane, one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    cluster.delete(one)
    draft = Submission(f"{draft.text}status:\n  phase: Ready\n", draft.base)
    assert isinstance(await recreate(exchange, draft), Saved)
    stored = cluster.get(one)
    assert stored["metadata"]["uid"] != draft.base.uid
    assert "status" not in stored


async def test_an_update_without_its_preconditions_is_never_sent(one: str, exchange: Shaky) -> None:
    live = await exchange.read()
    bare = update_body({"spec": {}}, live)
    bare["metadata"] = {"name": "one"}
    with pytest.raises(ValueError, match="could overwrite"):
        await exchange.update(bare, dry_run=True)
    with pytest.raises(ValueError, match="could delete"):
        await exchange.delete("", "", "Background")


async def test_a_busy_api_server_is_named_with_the_time_it_asks_for(one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    busy = Status(code=429, reason="TooManyRequests", message="slow down", details=StatusDetails(retry_after_seconds=7))

    def refuse() -> None:
        raise TooManyRequests(busy, retry_after=7)

    exchange.before_update = refuse
    outcome = await review(exchange, draft)
    assert isinstance(outcome, Refused)
    assert (outcome.refusal.code, outcome.refusal.retry_after) == (429, 7)
    assert outcome.refusal.problems[0].server_message == "slow down"


async def test_an_api_server_that_does_not_answer_in_time_counts_as_unreachable(parts: SimpleNamespace) -> None:
    exchange = ObjectClient(parts.client, Target(KINDS["mydemos.crddemo.k8s.io"], "x", "one"), time_limit=0.0)
    with pytest.raises(Unreachable, match="no answer within 0 s"):
        await exchange.read()


async def test_admission_is_told_from_access(one: str, exchange: Shaky) -> None:
    draft = await draft_with(exchange, 9090)
    said = 'admission webhook "ports.example.com" denied the request: 9090 is taken'

    def refuse() -> None:
        raise Forbidden(Status(code=403, reason="Forbidden", message=said))

    exchange.before_update = refuse
    outcome = await review(exchange, draft)
    assert isinstance(outcome, Refused)
    assert outcome.refusal.title == "The API server refused it"
    assert outcome.refusal.problems[0].server_message == said


def test_the_last_writer_is_not_who_wrote_the_status() -> None:
    entries = [
        {"manager": "kubectl-edit", "time": "2026-01-01T00:00:01Z"},
        {"manager": "controller", "time": "2026-01-01T00:00:09Z", "subresource": "status"},
        {"manager": "helm", "time": "2026-01-01T00:00:00Z"},
    ]
    assert last_writer({"metadata": {"managedFields": entries}}) == ("kubectl-edit", "2026-01-01T00:00:01Z")
    assert last_writer({"metadata": {}}) == ("", "")
