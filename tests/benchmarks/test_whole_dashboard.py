"""Smoke tests of the benchmarks of the whole dashboard, which find every change."""

from __future__ import annotations

import os

import pytest

from tests.support.benchmark_runner import figures_of
from tests.support.skip_if_missing import controlplane_binaries, redis_url

pytestmark = [pytest.mark.browser, pytest.mark.redis]


def run(name: str, *options: str) -> dict[str, dict[str, float]]:
    environ = {**os.environ, "KUBEBUILDER_ASSETS": str(controlplane_binaries()), "REDIS_URL": redis_url()}
    return figures_of(name, *options, env=environ)


@pytest.mark.soak
def test_every_change_of_a_row_shows_in_the_browser() -> None:
    lines = run("latency", "--pods", "200", "--sockets", "12", "--rate", "30", "--seconds", "3")
    shown = lines["until the row has changed in Chromium (live)"]
    assert shown["changes"] > 10
    assert shown["seen, %"] > 90  # two changes of one row within a frame show as the later one
    assert lines["until the frame is at the lists among 12 sockets"]["p50, ms"] > 0


@pytest.mark.soak
def test_every_socket_ends_at_the_last_state() -> None:
    (figures,) = run("sockets", "--sockets", "40", "--views", "4", "--rate", "5", "--seconds", "3").values()
    assert figures["sockets at the last state, %"] == 100
    assert figures["sockets that ended"] == 0
    assert figures["changes told one by one, %"] > 50


def test_every_page_shows_changes_and_how_old_they_were() -> None:
    # of 800 changes 21 are in the smallest list
    (figures,) = run("frame_latency", "--rows", "300", "--rate", "800", "--views", "4", "--seconds", "1").values()
    assert figures["pages that showed some"] == 4
    assert figures["oldest page, ms"] > 0
    assert figures["sockets that ended"] == 0


@pytest.mark.soak
def test_list_pages_are_measured_cold_new_and_beside_others() -> None:
    lines = run("list_pages", "--pods", "300", "--requests", "10", "--cold", "2", "--views", "5", "--beside", "2")
    assert lines["10 lists that are new"]["rows at most"] == 100
    assert lines["the list in Chromium, cold"]["first row, median, ms"] > 0
    assert lines["worker and web, 300 pods"]["worker, MB"] > 10
    assert lines["the same, 5 others open, 50 changes a second"]["kB at most"] < 120


@pytest.mark.soak
def test_a_page_that_was_cut_off_or_hidden_is_measured_until_it_is_right() -> None:
    lines = run("page_recovery", "--rounds", "1", "--away", "0.2", "--cases", "line cut", "hidden")
    assert [*lines] == ["line cut", "hidden, and seen again"]
    for figures in lines.values():
        assert figures["says stale after, s"] > 0
        assert figures["shows the truth after, s"] > 0


def test_an_honest_page_is_measured_beside_an_attack() -> None:
    lines = run("hostile", "--pods", "400", "--seconds", "3", "--rest", "0", "--attacks", "schemas")
    assert [*lines] == ["no attack", "schemas"]
    for figures in lines.values():
        assert figures["changes shown, %"] > 50
        assert figures["healthz p99, ms"] > 0


@pytest.mark.soak
def test_the_first_row_of_kinds_on_demand_is_measured_beside_a_list_request() -> None:
    lines = run("custom_resources", "--definitions", "4", "--followed", "2", "--objects", "2", "--requests", "2")
    assert lines["first row of 2 of 4 kinds"]["worst, ms"] > lines["a list request to the API server"]["p50, ms"]
    assert lines["editor of 2,320 fields"]["first byte p50, ms"] > 0
