"""Tests of the draft that creates a deleted object again from the last state that an open page has."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest
import yaml
import zstandard
from django.http import HttpRequest

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.delete.outcome import gone_outcome
from dashboard.pages.details.live_detail import open_detail
from dashboard.pages.writes.request_context import EditRequest
from dashboard.pages.writes.target import Target
from informerd.objects import Blob
from tests.support.objects.rows import Json, made
from tests.support.pages.app_state import AttributeState
from tests.support.pages.site_without_cluster import Site

MYDEMOS = KINDS["mydemos.crddemo.k8s.io"]


async def gone(obj: Json, raw: bytes = b"") -> str | None:
    """The draft for an object that was deleted while its page was open; None where there is none. `raw` is its JSON."""
    site = Site((MYDEMOS.key, obj))
    feeder = site.feeder(MYDEMOS.key)
    uid = obj["metadata"]["uid"]
    if raw:
        feeder.put(msgspec.structs.replace(feeder.replica.rows[uid], blob=Blob(zstandard.compress(raw))))
    state = AttributeState(site.parts)
    open_detail(site.parts.hub, MYDEMOS, "shop", "one")
    feeder.drop(uid)
    unused = cast("Any", None)
    edit_request = EditRequest(HttpRequest(), state, Target(MYDEMOS, "shop", "one"), unused, unused)
    outcome = await gone_outcome(edit_request, uid)
    assert outcome.state == "gone"
    return outcome.draft.text if outcome.draft is not None else None


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        {"spec": {"text": "x" * 600_000, "items": list(range(20_000))}},
        pytest.param({f"a{number:05}": number for number in range(20_000)}, marks=pytest.mark.long),
    ],
    ids=["large values", "many fields"],
)
async def test_the_draft_is_the_whole_object_however_large(fields: Json) -> None:
    obj = {**fields, **made("Mydemo", "one")}
    draft = await gone(obj, msgspec.json.encode(obj))
    assert draft is not None
    assert {name: value for name, value in yaml.safe_load(draft).items() if name in fields} == fields


@pytest.mark.parametrize("levels", [150, 250, 600, 1500])
async def test_of_an_object_that_is_nested_too_deeply_there_is_no_draft(levels: int) -> None:
    obj = made("Mydemo", "one")
    raw = msgspec.json.encode(obj)[:-1] + b',"spec":%b1%b}' % (b'{"a":' * levels, b"}" * levels)
    assert (await gone(obj, raw) is not None) == (levels < 200)
