"""Random histories of the informer, and injected faults that the histories must find."""

from __future__ import annotations

import pytest

from tests.support.informerd.model.injected_informer_bugs import MUTATIONS
from tests.support.informerd.model.random_history_runner import run_histories
from tests.support.long_tests import long_but

pytestmark = pytest.mark.slow

BLOCKS = 2
"""`make soak` runs thousands of histories."""
IN_A_BLOCK = 50
STEPS = 30
SEEDS = range(22)
"""Each mutation must be found within these blocks; most are within the first that is tried."""
FIRST_SEED = {
    "a_connection_that_breaks_takes_read_lines_with_it": 0, "a_listener_drops_what_its_buffer_cannot_hold": 5,
    "a_list_whose_pages_expire_ends_there": 11, "a_relist_keeps_what_was_deleted": 9,
    "a_stalled_watch_is_left_alone": 8, "an_expired_watch_is_begun_again": 8,
    "events_behind_the_bookmark_of_a_list_are_lost": 16, "pieces_of_a_line_are_dropped": 5,
    "the_version_runs_ahead_of_the_events": 12,
}  # fmt: skip
"""The seed that is tried first where few find the mutation; 3 for all others."""
SHORT = (
    "a_relist_tells_nobody_of_deletes", "a_mangled_line_is_passed_over", "a_handler_has_synced_before_it_was_told",
    "a_wait_for_a_version_ends_at_once", "an_index_keeps_what_is_gone", "an_expired_watch_is_begun_again",
)  # fmt: skip
"""Mutations that are tried in `make test`."""


@pytest.mark.parametrize("seed", long_but(range(BLOCKS), 0))
def test_in_any_history_store_and_handlers_end_equal_to_the_api_server_and_nothing_untrue_is_told(seed: int) -> None:
    """Fails with the steps of the history; `make soak SEED=<seed> STEPS=30` finds it again and makes it shorter."""
    outcome = run_histories(seed, IN_A_BLOCK, steps=STEPS, shrink=False)
    assert outcome.failure is None, f"seed {seed}: {outcome.report()}"
    assert outcome.histories >= IN_A_BLOCK


def test_the_same_seed_gives_the_same_histories_and_another_one_others() -> None:
    first, again, other = (run_histories(seed, 8, steps=STEPS, shrink=False).trace for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.long
@pytest.mark.parametrize("name", long_but(MUTATIONS, *SHORT))
def test_the_histories_find_an_informer_that_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name](monkeypatch)
    histories = 0
    first = FIRST_SEED.get(name, 3)
    for seed in sorted(SEEDS, key=lambda seed: seed != first):
        outcome = run_histories(seed, IN_A_BLOCK, steps=STEPS, shrink=False)
        histories += outcome.histories
        if outcome.failure is not None:
            assert "logged: " not in str(outcome.failure), "it does not lie, it fails: the mutation is out of date"
            return
    pytest.fail(f"not found in {histories} histories")
