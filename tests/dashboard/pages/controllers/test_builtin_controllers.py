"""Tests of the controllers that DELTABOARD_CONTROLLERS may name."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.pages.controllers.builtin_controllers import (
    BUILTIN_CONTROLLERS,
    DEMO_CONTROLLERS,
    check_names,
    new_manager,
    setting_name,
)
from dashboard.server.wiring.worker import controllers_from_settings
from informerd import ClusterConfig
from informerd.clock import SystemClock
from informerd.controllers.crddemo import QUEUE


def test_names_are_taken_once_and_in_order() -> None:
    assert check_names(["crddemo", "crddemo"]) == ("crddemo",)
    assert check_names([]) == ()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there is no controller 'nonsense'; known controllers: crddemo"):
        check_names(["crddemo", "nonsense"])


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


def test_controllers_look_at_the_namespaces_that_are_set() -> None:
    cluster = ClusterConfig(name="test", server="https://test.example")
    for namespaces in ((), ("shop",), ("search", "shop")):
        manager = new_manager(["crddemo"], cluster, SystemClock(), leader_election=False, namespaces=namespaces)
        assert tuple(each.namespace for each in manager.client.informers) == (namespaces or ("",))


def test_what_the_demo_cluster_runs_is_known() -> None:
    assert set(DEMO_CONTROLLERS) <= set(BUILTIN_CONTROLLERS)


def test_a_card_has_the_name_of_the_setting_and_not_that_of_the_queue() -> None:
    assert BUILTIN_CONTROLLERS["crddemo"].queue == QUEUE
    assert setting_name(QUEUE) == "crddemo"
    assert setting_name("of somebody else") == "of somebody else"
