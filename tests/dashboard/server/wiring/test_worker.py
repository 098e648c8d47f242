"""Tests of the wiring of the worker: cluster, kinds and controllers of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from channels.layers import InMemoryChannelLayer
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dashboard.cluster.connection import Connection
from dashboard.cluster.read_only_client import ReadOnlyClient
from dashboard.objects.kinds.catalog import parse_kinds
from dashboard.runtime.production_clusters import ProductionClusters
from dashboard.server.wiring.worker import WorkerProcess, choice_from_settings, kinds_from_settings
from tests.support.clock import FakeClock
from tests.support.cluster_connection import choice, kubeconfig_text


def test_settings_and_the_commands_context_make_the_choice() -> None:
    with override_settings(DELTABOARD_CONTEXT="prod", DELTABOARD_CLUSTER="demo", REDIS_URL="redis://x"):
        chosen = choice_from_settings()
        assert (chosen.context, chosen.is_demo_asked, chosen.demo_allowed) == ("prod", True, False)
        assert (choice_from_settings(context="dev").context, choice_from_settings(context="dev").is_demo_asked) == (
            "dev",
            False,
        )


def test_a_kind_that_means_nothing_is_named() -> None:
    with (
        override_settings(DELTABOARD_KINDS=["pods", "gibberish"]),
        pytest.raises(ImproperlyConfigured, match="gibberish"),
    ):
        kinds_from_settings()


class Demo(Connection):
    """A connection to the demo cluster."""

    is_demo = True


@pytest.mark.parametrize(
    ("kind", "setting", "wanted", "elected"),
    [
        (Demo, None, ("crddemo",), False),
        (Demo, (), (), False),
        (Connection, None, (), True),
        (Connection, ("crddemo",), ("crddemo",), True),
    ],
)
def test_controllers_run_by_default_on_the_demo_cluster_only_and_are_elected_on_every_other(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Connection],
    setting: tuple[str, ...] | None,
    wanted: tuple[str, ...],
    elected: bool,
) -> None:
    made: dict[tuple[str, ...], bool] = {}
    monkeypatch.setattr("dashboard.server.wiring.worker.Connection", kind)
    monkeypatch.setattr(
        "dashboard.server.wiring.worker.new_manager",
        lambda names, *_, leader_election, namespaces: made.update({names: leader_election, namespaces: True}),
    )
    monkeypatch.setattr(settings, "DELTABOARD_NAMESPACES", ("shop",))
    layer, kinds = InMemoryChannelLayer(), parse_kinds(["pods"])
    upstream = WorkerProcess(choice(tmp_path), kinds, layer, FakeClock(), with_worker=True, controllers=setting)
    runner = upstream._new_controllers()
    runner._new_manager()
    assert (runner.controller_names, made) == (wanted, {wanted: elected, ("shop",): True})
    with override_settings(DELTABOARD_READ_ONLY=True):
        assert upstream._new_controllers().controller_names == (setting or ()), "the demo's own one writes"


@pytest.mark.parametrize("read_only", [False, True])
async def test_the_client_refuses_writes_in_read_only_mode(tmp_path: Path, read_only: bool) -> None:
    config = tmp_path / "config"
    config.write_text(kubeconfig_text("https://127.0.0.1:1", context="live"))
    with override_settings(DELTABOARD_READ_ONLY=read_only):
        layer, chosen = InMemoryChannelLayer(), choice(tmp_path, environ={"KUBECONFIG": str(config)})
        upstream = WorkerProcess(chosen, parse_kinds(["pods"]), layer, FakeClock(), with_worker=False)
        await upstream.connection.check()
    assert isinstance(upstream.connection.client, ReadOnlyClient) is read_only
    await upstream.connection.close()


@pytest.mark.parametrize(("names", "is_said"), [({"prod"}, True), ({"prod", "live"}, False), (set(), False)])
async def test_the_log_says_that_a_cluster_is_not_among_those_of_production(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, names: set[str], is_said: bool
) -> None:
    config = tmp_path / "config"
    config.write_text(kubeconfig_text("https://127.0.0.1:1", context="live"))
    caplog.set_level("INFO", "dashboard.server.wiring.worker")
    with override_settings(DELTABOARD_PRODUCTION=ProductionClusters(names=frozenset(names))):
        layer, chosen = InMemoryChannelLayer(), choice(tmp_path, environ={"KUBECONFIG": str(config)})
        upstream = WorkerProcess(chosen, parse_kinds(["pods"]), layer, FakeClock(), with_worker=False)
        await upstream.connection.check()
    await upstream.connection.close()
    said = "cluster live is not production: DELTABOARD_PRODUCTION does not name it"
    assert (said in [record.getMessage() for record in caplog.records]) is is_said
