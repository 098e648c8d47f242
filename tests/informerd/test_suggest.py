"""Tests of the names that a "did you mean" offers."""

from __future__ import annotations

from informerd.suggest import MAX_COMPARED, suggest_names


def test_the_most_similar_name_comes_first_whatever_its_case() -> None:
    assert suggest_names("NODENAME", ["name", "nodeName", "nodes"], 2) == ["nodeName", "name"]
    assert suggest_names("deploymnts", ["pods", "deployments"]) == ["deployments"]


def test_nothing_is_offered_where_nothing_is_similar() -> None:
    assert suggest_names("xyz", ["pods", "nodes"]) == []
    assert suggest_names("pod", ["pudding"], cutoff=0.9) == []


def test_of_many_names_only_the_first_are_compared_unless_all_shall_be() -> None:
    names = [*(f"filler-{number}" for number in range(MAX_COMPARED)), "wanted"]
    assert suggest_names("wantde", names) == []
    assert suggest_names("wantde", names, compared=None) == ["wanted"]
