"""Tests of the choice of the cluster: a kubeconfig, or the demo cluster."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from informerd.errors import ConfigError
from tests.support.cluster_connection import choice, kubeconfig_text


def test_nothing_configured_means_the_demo_cluster_and_says_why(tmp_path: Path) -> None:
    chosen = choice(tmp_path)
    assert chosen.load() is None
    assert chosen.demo_reason.startswith("no cluster is configured")


def test_the_demo_can_be_asked_for_whatever_is_configured(tmp_path: Path) -> None:
    chosen = choice(tmp_path, is_demo_asked=True, environ={"KUBECONFIG": str(tmp_path / "missing")})
    assert chosen.load() is None
    assert chosen.demo_reason == "the demo cluster was asked for (DELTABOARD_CLUSTER=demo, or the command demo)"


@pytest.mark.parametrize("demo", [True, False])
def test_processes_that_share_redis_cannot_share_a_demo_cluster(tmp_path: Path, demo: bool) -> None:
    with pytest.raises(ConfigError, match="with REDIS_URL set, set KUBECONFIG"):
        choice(tmp_path, is_demo_asked=demo, demo_allowed=False).load()


def test_home_counts_where_kubeconfig_is_not_set(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(kubeconfig_text("https://127.0.0.1:1"))
    config = choice(tmp_path).load()
    assert config is not None
    assert (config.name, config.server) == ("main", "https://127.0.0.1:1")


def test_a_file_that_is_made_written_or_removed_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    chosen = choice(tmp_path, environ={"KUBECONFIG": f"{path}{os.pathsep}{tmp_path / 'other'}"})
    seen = [chosen.signature()]
    path.write_text("a")
    seen.append(chosen.signature())
    path.write_text("ab")
    seen.append(chosen.signature())
    path.unlink()
    assert len(set(seen)) == 3
    assert chosen.signature() == seen[0]
