"""The controllers that DELTABOARD_CONTROLLERS may name."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.controllers.registry import DEMO, KNOWN, checked_names, known_as
from dashboard.upstream import controllers_from_settings
from informerd.controllers.crddemo import QUEUE


def test_names_are_taken_once_and_in_order() -> None:
    assert checked_names(["crddemo", "crddemo"]) == ("crddemo",)
    assert checked_names([]) == ()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there is no controller 'nonsense'; known are: crddemo"):
        checked_names(["crddemo", "nonsense"])


def test_the_setting_that_names_an_unknown_one_is_named() -> None:
    with (
        override_settings(DELTABOARD_CONTROLLERS=["nonsense"]),
        pytest.raises(ImproperlyConfigured, match="DELTABOARD_CONTROLLERS: there is no controller 'nonsense'"),
    ):
        controllers_from_settings()


def test_not_set_is_another_thing_than_set_to_nothing() -> None:
    with override_settings(DELTABOARD_CONTROLLERS=None):
        assert controllers_from_settings() is None
    with override_settings(DELTABOARD_CONTROLLERS=[]):
        assert controllers_from_settings() == ()


def test_what_the_demo_cluster_runs_is_known() -> None:
    assert set(DEMO) <= set(KNOWN)


def test_a_card_has_the_name_of_the_setting_and_not_that_of_the_queue() -> None:
    assert KNOWN["crddemo"].queue == QUEUE
    assert known_as(QUEUE) == "crddemo"
    assert known_as("of somebody else") == "of somebody else"
