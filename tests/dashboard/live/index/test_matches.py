"""Which rows a filter lets through is known alike, whether these are kept or the others."""

from __future__ import annotations

import random

import pytest

from dashboard.live.chosen import Chosen
from dashboard.live.messages import Row
from tests.live.feeder import pod


def row(number: int) -> Row:
    return pod(f"p-{number}", uid=str(number))


@pytest.mark.parametrize("one_in", [2, 10])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("let_through", [False, True])
def test_it_knows_what_is_let_through_while_rows_come_change_and_go(
    one_in: int, narrow: bool, let_through: bool
) -> None:
    chance = random.Random(one_in)
    rows = {str(number): row(number) for number in range(500)}
    model = {uid for uid in rows if (chance.randrange(one_in) > 0) is let_through}
    chosen = Chosen(rows, narrow=narrow)
    chosen.look_at(list(rows), list(model))
    chosen.settle()
    assert (chosen.others is None) is (narrow or len(model) <= 250)
    for _ in range(3_000):
        uid = str(chance.randrange(600))
        assert (uid in chosen) is (uid in model)
        if chance.randrange(3):
            rows[uid] = row(int(uid))
            through = chance.randrange(2) > 0
            chosen.put(uid, through)
            model = model | {uid} if through else model - {uid}
        else:
            rows.pop(uid, None)
            chosen.put(uid, None)
            model.discard(uid)
    assert set(chosen) == model
    assert len(chosen) == len(model)
