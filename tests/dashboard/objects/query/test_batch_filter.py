"""Tests of the batch filter, which agrees with the query on each row."""

from __future__ import annotations

import random

import pytest
from django.http import QueryDict

from dashboard.objects.kinds.row import Row
from dashboard.objects.query.batch_filter import NEVER, BatchFilter
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import read_field
from tests.support.live.replica_feeder import pod

NOW = 1.8e9
FILTERS = (
    "", "p-00", "-p-00", "team-1/p", "p-*7", "label:app", "-label:app", "label:app=p-0003,p-0004", "-label:app=p-0003",
    "label:app=p-*3", "status=running", "-status=Running", "status=Run*", "status=Failed,Pend*", "restarts=3",
    "restarts=*",
    "-restarts=3", "restarts>3", "-restarts>=3", "node=node-1", "node=node-1*", "-node=node-*", "node=''", "ready<1",
    "ip=10.0.*", "ip>10.0.0.7", "age<1h", "-age<1h", "age>30m -age>2h", "age<1h restarts>2 status=Running",
    ".metadata.name=p-0003", "-.metadata.name=*3", "reason=x", "owner=web", "tone=ok", "-tone=bad",
)  # fmt: skip


def rows() -> list[Row]:
    chance = random.Random(5)
    found = []
    for number in range(300):
        cells = {
            "restarts": chance.choice([None, 0, 3, 3.0, 7, "3", "many"]),
            "node": chance.choice([None, "", "node-1", "Node-12", "node-3"]),
            "ip": chance.choice([None, f"10.0.0.{number % 20}", "fe80::1", "none"]),
            "ready": chance.choice(["1/1", "0/1", "", None]),
            "age": chance.choice([None, NOW - chance.randrange(9000), NOW - 3600.0, "soon"]),
        }
        status = chance.choice(["Running", "Failed", "Pending", ""])
        found.append(pod(f"p-{number:04d}", namespace=f"team-{number % 3}", status=status, **cells))  # type: ignore[arg-type]
    return [*found, Row("short", "team-1", "p-short", "1", None, "Running", "ok", (), {})]


@pytest.mark.parametrize("text", FILTERS)
@pytest.mark.parametrize("namespace", ["", "team-1", "team-0,team-2"])
def test_what_it_lets_through_is_what_matches(text: str, namespace: str) -> None:
    params = QueryDict(mutable=True)
    params.update({"q": text, "namespace": namespace})
    query, all_rows = Query.parse(params, "pods"), rows()
    sieve = BatchFilter(query, read_field)
    found = [row for start in range(0, len(all_rows), 64) for row in sieve.through(all_rows[start : start + 64], NOW)]
    assert [row.uid for row in found] == [row.uid for row in all_rows if query.matches(row, NOW)]


@pytest.mark.parametrize("text", [text for text in FILTERS if "age" in text])
def test_when_time_changes_it_is_when_the_query_says(text: str) -> None:
    query, all_rows = Query.parse(QueryDict(f"q={text}"), "pods"), rows()
    due = [query.next_due(row, NOW) for row in all_rows]
    assert BatchFilter(query, read_field).next_dues(all_rows, NOW) == [NEVER if each is None else each for each in due]
