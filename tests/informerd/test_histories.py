"""The informer in random histories, and faults put into it on purpose, which the histories must find."""

from __future__ import annotations

import pytest

from tests.informerd.model.mutations import MUTATIONS, Mutation
from tests.informerd.model.run import run_histories

BLOCKS = 10
IN_A_BLOCK = 50
STEPS = 30
MUTATION_HISTORIES = 1500
"""Within how many histories each mutation must be found; most are within a hundred."""


@pytest.mark.parametrize("seed", range(BLOCKS))
def test_in_any_history_store_and_handlers_end_equal_to_the_api_server_and_nothing_untrue_is_told(seed: int) -> None:
    """Fails with the steps of the history; `make soak SEED=<seed> STEPS=30` finds it again and makes it shorter."""
    outcome = run_histories(seed, IN_A_BLOCK, steps=STEPS, shrink=False)
    assert outcome.failure is None, f"seed {seed}: {outcome.report()}"
    assert outcome.histories >= IN_A_BLOCK


@pytest.mark.parametrize("mutate", MUTATIONS.values(), ids=MUTATIONS)
def test_the_histories_find_an_informer_that_is_wrong(mutate: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutate(monkeypatch)
    outcome = run_histories(1, MUTATION_HISTORIES, steps=STEPS, shrink=False)
    assert outcome.failure is not None, f"not found in {outcome.histories} histories"
