"""Smoke test of the benchmark of people with rights of their own."""

from __future__ import annotations

import os

import pytest

from tests.support.benchmark_runner import run_benchmark
from tests.support.skip_if_missing import controlplane_binaries

pytestmark = [pytest.mark.program, pytest.mark.controlplane]

SIZES = (
    "--pods", "200", "--namespaces", "20", "--people", "10", "--scopes", "4", "--sockets", "16", "--rate", "20",
    "--seconds", "2", "--rounds", "2",
)  # fmt: skip


@pytest.mark.soak
def test_people_with_rights_of_their_own_are_measured_beside_the_accounts() -> None:
    environ = {**os.environ, "KUBEBUILDER_ASSETS": str(controlplane_binaries())}
    lines = run_benchmark("rights", *SIZES, env=environ)
    for whose in ("the account's rights", "their own"):
        assert lines[f"a frame ({whose})"]["figures"]["worst, ms"] > 0
        assert lines[f"somebody new: what they may see ({whose})"]["figures"]["p50, ms"] > 0
        assert lines[f"Deltaboard ({whose})"]["figures"]["lists with rows, %"] > 0
    own = lines["Deltaboard (their own)"]["figures"]
    assert own["MB"] - own["MB more"] == pytest.approx(lines["Deltaboard (the account's rights)"]["figures"]["MB"])
    assert lines["everybody's list, once (their own)"]["ratios"]["p99, of the account's"].startswith("× ")
    assert lines["a RoleBinding is deleted, until its rows are gone (their own)"]["figures"]["worst, ms"] > 0
