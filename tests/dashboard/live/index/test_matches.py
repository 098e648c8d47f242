"""Tests of match sets, which give the same rows whether they store the matching or the other ones."""

from __future__ import annotations

import random

import pytest

from dashboard.live.index.matches import TERMS_OF_A_STEP, MatchSet, rows_of_step
from dashboard.live.index.sorted_list import STEP
from dashboard.objects.kinds.row import Row
from dashboard.objects.query.list_query import Query
from tests.support.live.replica_feeder import pod


def row(number: int) -> Row:
    return pod(f"p-{number}", uid=str(number))


def test_a_step_of_a_filter_of_many_terms_has_fewer_rows() -> None:
    few, many = (Query.parse({"q": [" ".join(f"-*a{term}*" for term in range(count))]}, "pods") for count in (3, 50))
    assert (rows_of_step(few), rows_of_step(many)) == (STEP, STEP * TERMS_OF_A_STEP // 50)


@pytest.mark.parametrize("one_in", [2, 10])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("let_through", [False, True])
def test_it_knows_what_is_let_through_while_rows_come_change_and_go(
    one_in: int, narrow: bool, let_through: bool
) -> None:
    chance = random.Random(one_in)
    rows = {str(number): row(number) for number in range(500)}
    model = {uid for uid in rows if (chance.randrange(one_in) > 0) is let_through}
    chosen = MatchSet(rows, is_partial=narrow)
    chosen.add_batch(list(rows), list(model))
    chosen.compact()
    assert (chosen.excluded_uids is None) is (narrow or len(model) <= 250)
    for _ in range(3_000):
        uid = str(chance.randrange(600))
        assert (uid in chosen) is (uid in model)
        if chance.randrange(3):
            rows[uid] = row(int(uid))
            through = chance.randrange(2) > 0
            chosen.set_match(uid, through)
            model = model | {uid} if through else model - {uid}
        else:
            rows.pop(uid, None)
            chosen.set_match(uid, None)
            model.discard(uid)
    assert set(chosen) == model
    assert len(chosen) == len(model)
